package run

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"turnpost"
)

const (
	maxScores    = 50
	defaultStall = 5
)

// Apply folds one entry, whose Seq follows the last one's. An entry that the
// rules do not allow is an error and changes nothing.
func (s *State) Apply(e turnpost.RunEvent) error {
	if err := s.apply(e); err != nil {
		return err
	}
	s.explain()
	return nil
}

// apply is Apply but for the words, which only people read.
func (s *State) apply(e turnpost.RunEvent) error {
	if err := s.fold(e); err != nil {
		return fmt.Errorf("entry %d of the journal, %s: %w", e.Seq, e.Kind, err)
	}
	s.Seq, s.UpdatedAt = e.Seq, e.At
	s.heard = s.heard || e.Kind == turnpost.TurnContinued || e.By != "" && e.By == s.Handle
	s.stand()
	return nil
}

// fold checks all before it changes anything.
func (s *State) fold(e turnpost.RunEvent) error {
	switch {
	case e.Seq != s.Seq+1:
		return fmt.Errorf("follows entry %d", s.Seq)
	case (s.Seq == 0) != (e.Kind == turnpost.RunStarted):
		return errors.New("a journal begins with run.start, and has one")
	case s.Run.State.Ended() && e.Kind != turnpost.RunResumed:
		return fmt.Errorf("the run is %s", s.Run.State)
	}
	switch e.Kind {
	case turnpost.RunStarted:
		return s.started(e)
	case turnpost.RunBound:
		s.Session = e.Session
	case turnpost.RunPlanned:
		s.Plan, s.progress = e.Text, true
	case turnpost.IterationEnd:
		if s.over {
			return errors.New("the iteration is over already")
		}
		s.over = true
		if e.Own {
			s.own, s.progress = true, true
		}
	case turnpost.IterationStart:
		if e.Iteration != s.Iteration+1 || s.Iteration > 0 && !s.over {
			return fmt.Errorf("iteration %d follows %d", e.Iteration, s.Iteration)
		}
		s.Iteration, s.over = e.Iteration, false
	case turnpost.TurnEnded:
		s.turnEnded(e)
	case turnpost.TurnContinued:
		s.Continued++
		s.turn, s.toldThen, s.told = true, s.told, len(s.settled)
	case turnpost.StepDispatched:
		return s.dispatched(e)
	case turnpost.EffectAsked:
		return s.asked(e)
	case turnpost.EffectTaken:
		return s.taken(e)
	case turnpost.EffectLinked:
		at, err := s.openEffect(e.Task)
		if err != nil {
			return err
		}
		s.edit(at).Item = e.Item
	case turnpost.EffectPosted:
		return s.posted(e)
	case turnpost.RunScored:
		return s.scored(e)
	case turnpost.RunPaused:
		s.paused = true
		if s.turn { // what it was to be told was perhaps never printed
			s.told = s.toldThen
		}
	case turnpost.RunResumed:
		return s.resumed(e)
	case turnpost.RunEnded:
		if !e.State.Ended() {
			return fmt.Errorf("%q is no end", e.State)
		}
		s.Run.State, s.Reason, s.EndedAt = e.State, e.Text, e.At
	default:
		return errors.New("is not an entry that this version knows")
	}
	return nil
}

func (s *State) started(e turnpost.RunEvent) error {
	if e.Start == nil || e.ID == "" {
		return errors.New("says nothing of the run")
	}
	var steps []turnpost.Step
	var needs [][]int
	if p := e.Start.Process; p != nil {
		var err error
		if needs, err = needed(p.Steps); err != nil {
			return err
		}
		for _, def := range p.Steps {
			steps = append(steps, turnpost.Step{StepDef: cloneDef(def), State: turnpost.StepBlocked})
		}
		s.Process = p.Name
	}
	s.ID, s.Goal, s.Handle, s.StartedBy, s.Human = e.ID, e.Start.Goal, e.Start.Handle, e.By, e.Human
	s.proof, s.StartedAt = e.Proof, e.At
	s.Steps, s.needs, s.tries = steps, needs, make([]int, len(steps))
	s.keys = make(map[string]int)
	s.limit(e.Start.Limits, e.At)
	s.unblock()
	return nil
}

// limit replaces the limits that are given; the time counts from at.
func (s *State) limit(in turnpost.Limits, at time.Time) {
	s.Limits = merged(s.Limits, in)
	if in.Seconds > 0 {
		s.Deadline = at.Add(time.Duration(in.Seconds) * time.Second)
	}
}

// merged is the limits with those of in that are given in their place.
func merged(l, in turnpost.Limits) turnpost.Limits {
	if in.Iterations > 0 {
		l.Iterations = in.Iterations
	}
	if in.Target != nil {
		l.Target = clonePointer(in.Target)
	}
	if in.Seconds > 0 {
		l.Seconds = in.Seconds
	}
	if in.Turns > 0 {
		l.Turns = in.Turns
	}
	if in.Tokens > 0 {
		l.Tokens = in.Tokens
	}
	if in.Stall > 0 {
		l.Stall = in.Stall
	}
	return l
}

// turnEnded counts. A turn that ends while the run waits, or while a person has
// the word, says nothing about whether the agent gets on.
func (s *State) turnEnded(e turnpost.RunEvent) {
	s.Turns++
	s.Tokens += e.Tokens
	s.own, s.turn = false, false
	if !s.Wants() {
		return
	}
	s.Stalled++
	if s.progress {
		s.Stalled, s.progress = 0, false
	}
}

func (s *State) asked(e turnpost.RunEvent) error {
	if e.Effect == nil {
		return errors.New("names no effect")
	}
	effect := cloneEffect(*e.Effect)
	if want := effectID(s.effects()); effect.ID != want {
		return fmt.Errorf("%s is in the place of %s", effect.ID, want)
	}
	step := -1
	if effect.Step != "" {
		if step = s.stepAt(effect.Step); step < 0 {
			return fmt.Errorf("there is no step %s", effect.Step)
		}
	}
	if at, ok := s.keyed(effect.Key); ok {
		return fmt.Errorf("key %q is that of %s", effect.Key, s.effect(at).ID)
	}
	if step >= 0 {
		s.Steps[step].Effect = effect.ID
	}
	effect.State, effect.At, effect.Iteration = turnpost.EffectPending, e.At, e.Iteration
	s.addEffect(effect)
	s.count(&effect, 1)
	s.progress = true
	return nil
}

func (s *State) count(e *turnpost.Effect, by int) {
	switch {
	case !e.Kind.Blocks():
		s.tasks += by
		return
	case e.Step == "":
		s.adhoc += by
	}
	s.blocks += by
}

func (s *State) taken(e turnpost.RunEvent) error {
	at, err := s.openEffect(e.Task)
	if err != nil {
		return err
	}
	if state := s.effect(at).State; state != turnpost.EffectPending || e.Worker == "" {
		return fmt.Errorf("%s is %s", e.Task, state)
	}
	effect := s.edit(at)
	effect.State, effect.Worker, effect.StartedAt = turnpost.EffectRunning, e.Worker, e.At
	return nil
}

func (s *State) posted(e turnpost.RunEvent) error {
	at, err := s.openEffect(e.Task)
	if err != nil {
		return err
	}
	if !e.Result.Settled() {
		return fmt.Errorf("%q is no result", e.Result)
	}
	effect := s.edit(at)
	effect.State, effect.Value, effect.PostedBy, effect.EndedAt = e.Result, e.Text, e.By, e.At
	place, _ := slices.BinarySearch(s.open, at)
	s.open = slices.Delete(s.open, place, place+1)
	s.settled = append(s.settled, at)
	s.count(effect, -1)
	s.progress = true
	if effect.Step != "" {
		s.stepResult(s.stepAt(effect.Step), effect)
	}
	return nil
}

func (s *State) scored(e turnpost.RunEvent) error {
	if e.Score == nil {
		return errors.New("has no score")
	}
	s.Scores = append(s.Scores, turnpost.Score{Value: *e.Score, Note: e.Text, By: e.By, Iteration: e.Iteration, At: e.At})
	if len(s.Scores) > maxScores {
		s.Scores = slices.Delete(s.Scores, 0, len(s.Scores)-maxScores)
	}
	s.progress = true
	s.judge(*e.Score)
	return nil
}

// resumed ends a pause, or brings back a run that ended: the steps that it
// failed with begin anew.
func (s *State) resumed(e turnpost.RunEvent) error {
	if s.Run.State == turnpost.RunCompleted {
		return errors.New("the run is completed")
	}
	s.paused, s.Stalled, s.progress = false, 0, false
	if e.Start != nil {
		s.limit(e.Start.Limits, e.At)
	}
	if !s.Run.State.Ended() {
		return nil
	}
	s.Run.State, s.EndedAt = turnpost.RunRunning, time.Time{}
	for i := range s.Steps {
		if s.Steps[i].State == turnpost.StepFailed && !s.Steps[i].Optional {
			s.restart(i)
		}
	}
	s.unblock()
	return nil
}

func effectID(place int) string { return "e-" + strconv.Itoa(place+1) }

// effectAt is the place of an effect; -1: there is none.
func (s *State) effectAt(id string) int {
	digits, _ := strings.CutPrefix(id, "e-")
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 || n > s.effects() || id != effectID(n-1) {
		return -1
	}
	return n - 1
}

// openEffect is the place of an effect without a result.
func (s *State) openEffect(id string) (int, error) {
	at := s.effectAt(id)
	if at < 0 {
		return 0, fmt.Errorf("there is no effect %q", id)
	}
	if s.effect(at).State.Settled() {
		return 0, fmt.Errorf("%s has its result", id)
	}
	return at, nil
}

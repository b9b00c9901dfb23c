// Package run holds the rules of runs: what a journal means, and which entries a
// command adds to it. It is pure: no clock, no disk, no chance; the caller brings
// the time and the proof, and stores what comes back.
//
// A State is the fold of its journal and nothing else: replaying the entries gives
// the same state. Commands look at the state, leave it as it is and return
// entries; the caller numbers them (Number), stores them and then applies them in
// order, all of one command or none. What follows from an entry is part of the
// same list: a result that makes steps ready brings what they ask for, and a
// run.end is the last one. A refused command returns a coded error and no entries,
// and a command that is repeated (by an idempotency key, a result that is there
// already) returns none and no error.
package run

import (
	"errors"
	"slices"
	"time"

	"turnpost"
)

// Who gives a command. The zero value is the hub itself.
type Who struct {
	Handle  string
	Human   bool
	Session string // ours; empty for people
}

// hub tells whether nobody but the hub itself gives the command.
func (w Who) hub() bool { return w.Handle == "" && !w.Human }

// State is a run as its journal made it. What View adds is not in it.
type State struct {
	turnpost.Run
	proof string

	keys    map[string]int // idempotency key to place in Effects
	beside  *beside        // of a copy
	open    []int          // places of effects without a result, oldest first
	settled []int          // places of those with one, in the order in which the results came
	tasks   int            // of the open ones: those of the run's own agent
	blocks  int            // of the open ones: those that others bring
	adhoc   int            // of these: those that no step asked for

	needs [][]int // places of the steps that each step needs
	tries []int   // errors of each step since it became ready anew

	heard    bool // its agent knows of it: it started it, reported, or was told
	paused   bool // a person took the word
	over     bool // the iteration has ended and no other has begun
	own      bool // the agent ended an iteration since the last turn end
	progress bool // since the last turn end that counted

	turn     bool // the run started a turn that has not ended
	told     int  // results, of settled, that the turns which the run started were told
	toldThen int  // the same before the newest of those turns
}

// Replay folds a whole journal.
func Replay(events []turnpost.RunEvent) (*State, error) {
	if len(events) == 0 {
		return nil, errors.New("the journal is empty")
	}
	s := new(State)
	for _, e := range events {
		if err := s.apply(e); err != nil {
			return nil, err
		}
	}
	s.explain()
	return s, nil
}

// Number gives entries their place behind the entry after, in place.
func Number(events []turnpost.RunEvent, after int64) []turnpost.RunEvent {
	for i := range events {
		events[i].Seq = after + 1 + int64(i)
	}
	return events
}

// View is a copy of the run for people and agents, with what is missing to
// completion, that shares nothing with the state.
func (s *State) View() turnpost.Run {
	out := s.Run
	out.Limits.Target = clonePointer(s.Limits.Target)
	out.Scores = slices.Clone(s.Scores)
	out.Steps = slices.Clone(s.Steps)
	for i := range out.Steps {
		out.Steps[i].StepDef = cloneDef(out.Steps[i].StepDef)
	}
	out.Effects = slices.Clone(s.Effects)
	for i := range out.Effects {
		out.Effects[i] = cloneEffect(out.Effects[i])
	}
	out.Missing = s.missing()
	return out
}

// Told is a View for who asks: its own agent is told the proof, once nothing is
// missing.
func (s *State) Told(by Who) turnpost.Run {
	out := s.View()
	if !by.Human && by.Handle == s.Handle && !s.Run.State.Ended() && len(out.Missing) == 0 {
		out.Proof = s.proof
	}
	return out
}

// beside is what a copy has of its own. Effects and keys may be many, and a
// command touches few of them.
type beside struct {
	count   int // of effects, with those that were there
	effects map[int]*turnpost.Effect
	keys    map[string]int
}

// copy is a state that can go on by itself while the one that it is copied from
// stays as it is.
func (s *State) copy() *State {
	out := *s
	out.beside = &beside{count: len(s.Effects), effects: make(map[int]*turnpost.Effect), keys: make(map[string]int)}
	out.Scores = slices.Clone(s.Scores)
	out.Steps = slices.Clone(s.Steps)
	out.open = slices.Clone(s.open)
	out.settled = slices.Clone(s.settled)
	out.tries = slices.Clone(s.tries)
	return &out
}

// effects is how many effects there are; a copy has them not all in Effects.
func (s *State) effects() int {
	if s.beside != nil {
		return s.beside.count
	}
	return len(s.Effects)
}

// effect is one of them, to be read.
func (s *State) effect(at int) *turnpost.Effect {
	if s.beside != nil {
		if e, ok := s.beside.effects[at]; ok {
			return e
		}
	}
	return &s.Effects[at]
}

// edit is one of them, to be changed.
func (s *State) edit(at int) *turnpost.Effect {
	if s.beside == nil {
		return &s.Effects[at]
	}
	if _, ok := s.beside.effects[at]; !ok {
		e := s.Effects[at]
		s.beside.effects[at] = &e
	}
	return s.beside.effects[at]
}

// addEffect adds one, which is open.
func (s *State) addEffect(e turnpost.Effect) {
	at, keys := s.effects(), s.keys
	if s.beside == nil {
		s.Effects = append(s.Effects, e)
	} else {
		s.beside.effects[at], keys = &e, s.beside.keys
		s.beside.count++
	}
	if e.Key != "" {
		keys[e.Key] = at
	}
	s.open = append(s.open, at)
}

// keyed is the place of the effect with an idempotency key.
func (s *State) keyed(key string) (at int, ok bool) {
	if at, ok = s.keys[key]; !ok && s.beside != nil {
		at, ok = s.beside.keys[key]
	}
	return at, ok
}

func cloneEffect(e turnpost.Effect) turnpost.Effect {
	e.Command = cloneCommand(e.Command)
	e.Files = cloneSlice(e.Files)
	return e
}

func cloneDef(d turnpost.StepDef) turnpost.StepDef {
	d.Needs = cloneSlice(d.Needs)
	d.Command = cloneCommand(d.Command)
	d.Files = cloneSlice(d.Files)
	return d
}

func cloneCommand(c *turnpost.Command) *turnpost.Command {
	if c == nil {
		return nil
	}
	out := *c
	out.Args = slices.Clone(c.Args)
	return &out
}

// cloneSlice copies a slice; an empty one is nil, as it comes back from disk.
func cloneSlice[T any](in []T) []T {
	if len(in) == 0 {
		return nil
	}
	return slices.Clone(in)
}

func clonePointer[T any](p *T) *T {
	if p == nil {
		return nil
	}
	out := *p
	return &out
}

// normal is a time as it comes back from disk.
func normal(t time.Time) time.Time { return t.UTC().Round(0) }

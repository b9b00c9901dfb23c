package run

import (
	"fmt"
	"strconv"
	"strings"

	"turnpost"
)

// stand sets where a run that has not ended stands.
func (s *State) stand() {
	switch {
	case s.Run.State.Ended():
	case s.waits():
		s.Run.State = turnpost.RunWaiting
	default:
		s.Run.State = turnpost.RunRunning
	}
}

// explain says why a run that has not ended starts no turn.
func (s *State) explain() {
	switch {
	case s.Run.State.Ended():
		return
	case s.Run.State == turnpost.RunWaiting:
		s.Reason = s.waitsFor()
	case !s.paused:
		s.Reason = ""
	default:
		s.Reason = "your user has the word: it goes on with the next prompt, or by turnpost run resume " + s.ID
	}
}

// waits tells whether the run has nothing for its agent to do until somebody
// else brings a result. What the steps of a process bring does not keep its agent
// from its own steps; what was asked for beside them does.
func (s *State) waits() bool {
	if s.blocks == 0 {
		return false
	}
	return s.adhoc > 0 || s.tasks == 0 && !s.gated()
}

// waitsFor names the oldest thing that the run waits for.
func (s *State) waitsFor() string {
	for _, at := range s.open {
		e := s.effect(at)
		if !e.Kind.Blocks() {
			continue
		}
		id := e.ID
		if e.Item != "" {
			id = e.Item
		}
		reason := id + ": " + title(e, 80)
		if more := s.blocks - 1; more > 0 {
			reason += fmt.Sprintf(" (and %d more)", more)
		}
		return reason
	}
	return ""
}

// title is what an effect is about, on one line.
func title(e *turnpost.Effect, max int) string {
	text := e.Label
	switch {
	case text != "":
	case e.Kind == turnpost.EffectCommand && e.Command != nil:
		text = strings.Join(e.Command.Args, " ")
	case e.Kind == turnpost.EffectBreakpoint:
		text = e.Question
	case e.Kind == turnpost.EffectSleep:
		text = "sleep until " + e.Until.UTC().Format("2006-01-02 15:04:05 MST")
	default:
		text = e.Text
	}
	return turnpost.OneLine(text[:min(len(text), 20*max)], max) // long texts are looked at often
}

// maxMissing bounds how many things View names.
const maxMissing = 20

// missing lists what stands between the run and its completion; empty exactly
// when its proof may be told.
func (s *State) missing() []string {
	if s.Run.State == turnpost.RunCompleted {
		return nil
	}
	var out []string
	shown := make(map[string]bool)
	for _, at := range s.open {
		e := s.effect(at)
		what := fmt.Sprintf("%s (%s) is open", e.ID, e.Kind)
		if text := title(e, 80); text != "" {
			what += ": " + text
		}
		out = append(out, what)
		if e.Step != "" {
			shown[e.Step] = true
		}
		if len(out) > maxMissing {
			break
		}
	}
	for _, step := range s.Steps {
		if !met(step) && !shown[step.ID] {
			out = append(out, fmt.Sprintf("step %s is %s", step.ID, stepWords(step)))
		}
	}
	if text := s.scoreMissing(); text != "" {
		out = append(out, text)
	}
	if more := len(out) - maxMissing; more > 0 {
		out = append(out[:maxMissing:maxMissing], "and more")
	}
	return out
}

func stepWords(step turnpost.Step) string {
	if step.Kind == turnpost.StepGate && step.State == turnpost.StepActive {
		return "not passed: it takes a score of " + number(step.Target)
	}
	return string(step.State)
}

func (s *State) scoreMissing() string {
	target := s.Limits.Target
	switch {
	case target == nil:
		return ""
	case len(s.Scores) == 0:
		return "there is no score yet, of " + number(*target)
	case s.lastScore() < *target:
		return fmt.Sprintf("the last score is %s of %s", number(s.lastScore()), number(*target))
	}
	return ""
}

func (s *State) lastScore() float64 { return s.Scores[len(s.Scores)-1].Value }

func number(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

package run

import (
	"fmt"
	"slices"
	"time"

	"turnpost"
)

// needed resolves the needs of steps to places: a name is a step's or a group's.
func needed(defs []turnpost.StepDef) ([][]int, error) {
	places := make(map[string][]int)
	for i, def := range defs {
		places[def.ID] = append(places[def.ID], i)
		if def.Group != "" {
			places[def.Group] = append(places[def.Group], i)
		}
	}
	out := make([][]int, len(defs))
	for i, def := range defs {
		for _, name := range def.Needs {
			at, ok := places[name]
			if !ok {
				return nil, fmt.Errorf("step %s needs %s, which there is not", def.ID, name)
			}
			out[i] = append(out[i], at...)
		}
		slices.Sort(out[i])
		out[i] = slices.Compact(out[i])
	}
	return out, nil
}

// stepAt is the place of a step; -1: there is none.
func (s *State) stepAt(id string) int {
	return slices.IndexFunc(s.Steps, func(step turnpost.Step) bool { return step.ID == id })
}

// met tells whether steps that need this one may begin.
func met(step turnpost.Step) bool {
	return step.State == turnpost.StepDone || step.State == turnpost.StepFailed && step.Optional
}

// unblock makes the steps ready whose needs are met.
func (s *State) unblock() {
	for i := range s.Steps {
		if s.Steps[i].State != turnpost.StepBlocked {
			continue
		}
		if !slices.ContainsFunc(s.needs[i], func(n int) bool { return !met(s.Steps[n]) }) {
			s.Steps[i].State = turnpost.StepReady
		}
	}
}

// restart makes a step begin anew once its needs are met.
func (s *State) restart(at int) {
	s.Steps[at].State, s.tries[at] = turnpost.StepBlocked, 0
}

// dispatched makes ready steps active, each in its next attempt.
func (s *State) dispatched(e turnpost.RunEvent) error {
	places := make([]int, len(e.Steps))
	for i, id := range e.Steps {
		places[i] = s.stepAt(id)
		if places[i] < 0 {
			return fmt.Errorf("there is no step %s", id)
		}
		if state := s.Steps[places[i]].State; state != turnpost.StepReady {
			return fmt.Errorf("step %s is %s", id, state)
		}
	}
	for _, at := range places {
		s.Steps[at].State = turnpost.StepActive
		s.Steps[at].Attempt++
	}
	return nil
}

// stepResult moves a step on by the result of its effect.
func (s *State) stepResult(at int, e *turnpost.Effect) {
	step := &s.Steps[at]
	switch {
	case e.State == turnpost.EffectOK:
		step.State = turnpost.StepDone
	case s.tries[at] < step.Retries:
		s.tries[at]++
		step.State = turnpost.StepReady
	default:
		step.State = turnpost.StepFailed
	}
	s.unblock()
}

// judge holds a score against the gates that are being worked at.
func (s *State) judge(score float64) {
	var gates []int
	for i, step := range s.Steps {
		if step.Kind == turnpost.StepGate && step.State == turnpost.StepActive {
			gates = append(gates, i)
		}
	}
	for _, at := range gates {
		gate := &s.Steps[at]
		switch {
		case score >= gate.Target:
			gate.State = turnpost.StepDone
		case gate.Again != "":
			for _, i := range between(s.needs, s.stepAt(gate.Again), at) {
				s.restart(i)
			}
		}
	}
	s.unblock()
}

// between lists the steps on the ways from one step to another, both with it;
// none when no way leads there.
func between(needs [][]int, from, to int) []int {
	leads := make(map[int]bool) // from is before it, or it is from
	var visit func(at int) bool
	visit = func(at int) bool {
		if known, ok := leads[at]; ok {
			return known
		}
		leads[at] = at == from
		for _, n := range needs[at] {
			if visit(n) {
				leads[at] = true
			}
		}
		return leads[at]
	}
	visit(to)
	var out []int
	for i := range needs {
		if leads[i] {
			out = append(out, i)
		}
	}
	return out
}

// gated tells whether a gate is being worked at.
func (s *State) gated() bool {
	return slices.ContainsFunc(s.Steps, func(step turnpost.Step) bool {
		return step.Kind == turnpost.StepGate && step.State == turnpost.StepActive
	})
}

// follow adds what follows from the entries so far: an end, or what ready steps
// ask for.
func (d *draft) follow() {
	s := d.state
	if s.Run.State.Ended() {
		return
	}
	for _, step := range s.Steps {
		if step.State == turnpost.StepFailed && !step.Optional {
			d.end(turnpost.RunFailed, s.failure(step))
			return
		}
	}
	d.dispatch()
	if s.Wants() {
		d.budgets()
	}
}

func (s *State) failure(step turnpost.Step) string {
	text := "step " + step.ID + " failed"
	if at := s.effectAt(step.Effect); at >= 0 {
		if value := turnpost.OneLine(firstLine(s.effect(at).Value), 200); value != "" {
			text += ": " + value
		}
	}
	return text
}

// dispatch makes ready steps active and asks for their effects.
func (d *draft) dispatch() {
	var ready []string
	effects := d.state.effects()
	for _, step := range d.state.Steps {
		if step.State != turnpost.StepReady {
			continue
		}
		ready = append(ready, step.ID)
		if step.Kind != turnpost.StepGate {
			effects++
		}
	}
	if len(ready) == 0 {
		return
	}
	if effects > turnpost.MaxRunEffects {
		d.end(turnpost.RunHalted, fmt.Sprintf("it used its %d effects", turnpost.MaxRunEffects))
		return
	}
	d.add(turnpost.RunEvent{Kind: turnpost.StepDispatched, Steps: ready})
	for _, id := range ready {
		if step := d.state.Steps[d.state.stepAt(id)]; step.Kind != turnpost.StepGate {
			d.ask(d.state.stepEffect(step, d.now))
		}
	}
}

// stepEffect is what a step asks for in its present attempt.
func (s *State) stepEffect(step turnpost.Step, now time.Time) turnpost.Effect {
	e := turnpost.Effect{
		Kind:    turnpost.EffectKind(step.Kind),
		Key:     fmt.Sprintf("%s%s:%d", stepKey, step.ID, step.Attempt),
		Step:    step.ID,
		Attempt: step.Attempt,
		By:      s.StartedBy,
		Trusted: true,
		Files:   step.Files,
		Command: step.Command,
		To:      step.To,
	}
	switch step.Kind {
	case turnpost.StepBreakpoint:
		e.Question = step.Text
	case turnpost.StepSleep:
		e.Until = now.Add(time.Duration(step.Seconds) * time.Second)
	default:
		e.Text = step.Text
	}
	return e
}

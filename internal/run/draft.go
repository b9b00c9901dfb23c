package run

import (
	"time"

	"turnpost"
)

// draft is a command at work. It folds each entry into a copy of the state at
// once, so that what follows from one is seen by the next.
type draft struct {
	state  *State
	by     string
	now    time.Time
	events []turnpost.RunEvent
	err    error // an entry that the fold refuses is a mistake in this package
}

// draft begins a command.
func (s *State) draft(by Who, now time.Time) *draft {
	return &draft{state: s.copy(), by: by.Handle, now: normal(now)}
}

// add adds an entry of the hub's own.
func (d *draft) add(e turnpost.RunEvent) {
	if d.err != nil {
		return
	}
	e.At = d.now
	if e.Iteration == 0 {
		e.Iteration = d.state.Iteration
	}
	e.Seq = d.state.Seq + 1
	if d.err = d.state.apply(e); d.err != nil {
		return
	}
	e.Seq = 0
	d.events = append(d.events, e)
}

// say adds an entry of whoever gives the command.
func (d *draft) say(e turnpost.RunEvent) {
	e.By = d.by
	d.add(e)
}

// ask adds an effect under the next id.
func (d *draft) ask(e turnpost.Effect) string {
	e.ID = effectID(d.state.effects())
	e.State, e.At, e.Iteration = turnpost.EffectPending, d.now, d.state.Iteration
	e = cloneEffect(e)
	d.add(turnpost.RunEvent{Kind: turnpost.EffectAsked, By: e.By, Effect: &e})
	return e.ID
}

// end ends the run.
func (d *draft) end(state turnpost.RunState, reason string) {
	d.add(turnpost.RunEvent{Kind: turnpost.RunEnded, State: state, Text: reason})
}

// done is the entries with what follows from them.
func (d *draft) done() ([]turnpost.RunEvent, error) {
	d.follow()
	if d.err != nil {
		return nil, turnpost.Errorf(turnpost.Internal, "%v", d.err)
	}
	return d.events, nil
}

// rest is done for a command that cannot be refused. A mistake in this package,
// which its tests hold there is none of, must not take the hub with it.
func (d *draft) rest() []turnpost.RunEvent {
	events, err := d.done()
	if err != nil {
		return nil
	}
	return events
}

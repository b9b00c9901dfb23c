package run

import (
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"turnpost"
)

// stepKey begins the idempotency keys of what steps ask for.
const stepKey = "step:"

// Ask asks for an effect and returns its id, also when it is there already.
func (s *State) Ask(in turnpost.EffectDraft, by Who, now time.Time) (id string, events []turnpost.RunEvent, err error) {
	if err := s.allowed(by); err != nil {
		return "", nil, err
	}
	if err := s.going(); err != nil {
		return "", nil, err
	}
	if err := s.checkAsk(in); err != nil {
		return "", nil, err
	}
	d := s.draft(by, now)
	effect := asked(in, d.now)
	effect.By, effect.Trusted = by.Handle, by.Human
	if at, ok := s.keyed(in.Key); ok {
		old := s.effect(at)
		if !same(old, &effect, d.now) {
			return "", nil, turnpost.Errorf(turnpost.Conflict, "key %q was used for another effect, %s", in.Key, old.ID)
		}
		return old.ID, nil, nil
	}
	if s.effects() >= turnpost.MaxRunEffects {
		return "", nil, turnpost.Errorf(turnpost.Conflict, "%s used its %d effects", s.ID, turnpost.MaxRunEffects)
	}
	id = d.ask(effect)
	if events, err = d.done(); err != nil {
		return "", nil, err
	}
	return id, events, nil
}

// asked is the effect that a draft describes.
func asked(in turnpost.EffectDraft, now time.Time) turnpost.Effect {
	e := turnpost.Effect{
		Kind:     in.Kind,
		Key:      in.Key,
		Label:    turnpost.OneLine(in.Label, maxLabel),
		Command:  in.Command,
		Question: clean(strings.TrimSpace(in.Question)),
		Files:    in.Files,
		To:       in.To,
		Text:     clean(strings.TrimSpace(in.Text)),
	}
	if in.Kind == turnpost.EffectSleep {
		e.Until = now.Add(time.Duration(in.Seconds) * time.Second)
	}
	return cloneEffect(e)
}

// same tells whether an effect is what is asked for again at now. Labels are for
// people and make no difference.
func same(old, again *turnpost.Effect, now time.Time) bool {
	return old.Kind == again.Kind && old.Question == again.Question && old.To == again.To && old.Text == again.Text &&
		reflect.DeepEqual(old.Command, again.Command) && reflect.DeepEqual(old.Files, again.Files) &&
		(old.Kind != turnpost.EffectSleep || old.Until.Sub(old.At) == again.Until.Sub(now))
}

// Take gives a worker pending commands, oldest first, until limit of its own are
// running. untrusted says whether to give it also those that an agent asked for
// of its own; its own agent's worker gets these anyway.
func (s *State) Take(worker string, limit int, untrusted bool, by Who, now time.Time) ([]turnpost.RunEvent, error) {
	if err := s.allowed(by); err != nil {
		return nil, err
	}
	if err := s.going(); err != nil {
		return nil, err
	}
	switch {
	case worker == "" || !utf8.ValidString(worker):
		return nil, turnpost.Invalidf("worker", "is no name")
	case len(worker) > maxName:
		return nil, tooLarge("worker", len(worker), maxName)
	case limit < 1 || limit > 32:
		return nil, turnpost.Invalidf("limit", "is %d", limit).WithHint("use 1 to 32")
	}
	own := !by.Human && by.Handle == s.Handle
	var pending []string
	for _, at := range s.open {
		e := s.effect(at)
		switch {
		case e.Kind != turnpost.EffectCommand:
		case e.State == turnpost.EffectRunning && e.Worker == worker:
			limit--
		case e.State == turnpost.EffectPending && (e.Trusted || untrusted || own):
			pending = append(pending, e.ID)
		}
	}
	d := s.draft(by, now)
	for _, id := range pending[:min(max(limit, 0), len(pending))] {
		d.say(turnpost.RunEvent{Kind: turnpost.EffectTaken, Task: id, Worker: worker})
	}
	return d.done()
}

// Post posts a result. Who may, depends on the kind: the run's agent for its
// tasks and for commands that no worker has taken, the worker for those that it
// took, the addressee for what it was asked, people for everything. The hub
// itself (the zero Who) relays all of them, but a person's answer: an ok to a
// breakpoint is always by a person.
func (s *State) Post(in turnpost.EffectPost, by Who, now time.Time) ([]turnpost.RunEvent, error) {
	in.Value = clean(in.Value)
	at := s.effectAt(in.Effect)
	if at < 0 || by.Handle != s.effect(at).To {
		if err := s.allowed(by); err != nil {
			return nil, err
		}
	}
	if err := s.going(); err != nil {
		return nil, err
	}
	switch {
	case at < 0:
		return nil, turnpost.Errorf(turnpost.NotFound, "%s has no effect %.40q", s.ID, in.Effect).
			WithHint("turnpost run effects %s lists them", s.ID)
	case !in.Status.Settled():
		return nil, turnpost.Invalidf("status", "%.40q is no result", string(in.Status)).WithHint("use ok or error")
	case len(in.Value) > turnpost.MaxRunText:
		return nil, tooLarge("value", len(in.Value), turnpost.MaxRunText)
	}
	e := s.effect(at)
	if e.State.Settled() {
		if e.State == in.Status && e.Value == in.Value {
			return nil, nil
		}
		return nil, turnpost.Errorf(turnpost.Conflict, "%s has its result: %s", e.ID, e.State).
			WithHint("a result stays; ask for a new effect")
	}
	if err := s.mayPost(e, in, by); err != nil {
		return nil, err
	}
	d := s.draft(by, now)
	d.say(turnpost.RunEvent{Kind: turnpost.EffectPosted, Task: e.ID, Result: in.Status, Text: in.Value})
	return d.done()
}

// mayPost tells why a result is not the caller's to post.
func (s *State) mayPost(e *turnpost.Effect, in turnpost.EffectPost, by Who) error {
	if in.Worker != e.Worker && (in.Worker != "" || !by.Human && !by.hub()) {
		if e.Worker == "" {
			return turnpost.Errorf(turnpost.Conflict, "%s was not taken by worker %.40q", e.ID, in.Worker)
		}
		return turnpost.Errorf(turnpost.Conflict, "worker %s has taken %s", e.Worker, e.ID).
			WithHint("it posts the result")
	}
	refuse := func(whose, hint string) error {
		return turnpost.Errorf(turnpost.Forbidden, "%s is a %s: its result is %s", e.ID, e.Kind, whose).WithHint("%s", hint)
	}
	switch e.Kind {
	case turnpost.EffectBreakpoint:
		if !by.Human && !(by.hub() && in.Status == turnpost.EffectError) {
			return refuse("your user's answer", "end your turn; the run goes on when it is there")
		}
	case turnpost.EffectSleep:
		if !by.Human && !by.hub() {
			return refuse("the clock's", "end your turn; the run goes on when the time is over")
		}
	case turnpost.EffectAgent:
		if !by.Human && !by.hub() && by.Handle != e.To {
			return refuse("what "+e.To+" answers", "end your turn; the run goes on when it is there")
		}
	default:
		return s.allowed(by)
	}
	return nil
}

// Link notes the item that carries an agent's effect or a breakpoint.
func (s *State) Link(effect, item string, now time.Time) []turnpost.RunEvent {
	at, err := s.openEffect(effect)
	if err != nil || item == "" || s.effect(at).Item == item {
		return nil
	}
	return s.note(turnpost.RunEvent{Kind: turnpost.EffectLinked, Task: effect, Item: item}, now)
}

// Unlinked lists the open effects of kind agent and breakpoint that no item
// carries yet. A run that ended wants none.
func (s *State) Unlinked() []turnpost.Effect {
	if s.Run.State.Ended() {
		return nil
	}
	return s.openWhere(func(e *turnpost.Effect) bool {
		return e.Item == "" && (e.Kind == turnpost.EffectAgent || e.Kind == turnpost.EffectBreakpoint)
	})
}

// Linked lists the open effects that an item carries, also of a run that ended.
func (s *State) Linked() []turnpost.Effect {
	return s.openWhere(func(e *turnpost.Effect) bool { return e.Item != "" })
}

func (s *State) openWhere(ok func(*turnpost.Effect) bool) []turnpost.Effect {
	var out []turnpost.Effect
	for _, at := range s.open {
		if e := s.effect(at); ok(e) {
			out = append(out, cloneEffect(*e))
		}
	}
	return out
}

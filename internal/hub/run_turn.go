package hub

import (
	"context"
	"fmt"
	"time"

	"turnpost"
	"turnpost/internal/run"
)

// Turns of a run that follow each other faster than fastTurn, without a tool
// between them, are slowed down by more and more.
const (
	fastTurn  = 3 * time.Second
	firstWait = 500 * time.Millisecond
	longWait  = 5 * time.Second
	maxFast   = 4 // firstWait doubled so often is above longWait
)

// afterDrop is how long after an answer that nobody printed it is clear that a
// person interrupted, and that not all of the client was killed.
const afterDrop = time.Second

// going is a turn that a run starts.
type going struct {
	run  string
	text string
}

// bring holds what an event's answer carries: mail, and behind it what a run has
// to say; nil when there is nothing.
func (h *Hub) bring(ctx context.Context, q question) (*offer, error) {
	if q.deciding != nil {
		defer func() {
			h.mu.Lock()
			q.deciding.deciding = false
			h.mu.Unlock()
		}()
	}
	q.offer = newOfferID()
	var next *going
	var o *offer
	var err error
	if q.run != "" {
		if next, err = h.runTurn(ctx, q); err != nil {
			return nil, err
		}
	}
	if q.mail && q.when != never {
		q.along = next != nil
		if o, err = h.hold(ctx, q); err != nil {
			return nil, err
		}
	}
	if next != nil {
		if o == nil {
			o = q.empty()
		}
		o.run, o.text = next.run, joined(o.text, next.text)
	}
	if o != nil {
		h.offered(o, q)
	}
	return o, nil
}

// runTurn notes a turn of a run's session that has ended, or a ring that it
// heard, and returns the turn that the run starts with the answer; nil: none.
func (h *Hub) runTurn(ctx context.Context, q question) (*going, error) {
	now := time.Now()
	mine, goOn := false, false
	var next *going
	begin := func(s *run.State) ([]turnpost.RunEvent, error) {
		mine = s.Session == "" || s.Session == q.session
		if !mine || s.Run.State.Ended() {
			goOn = false
			return nil, nil
		}
		events := s.Bind(q.session, now)
		goOn = s.Wants()
		if q.ends {
			var ended []turnpost.RunEvent
			ended, goOn = s.TurnEnd(q.tokens, now)
			events = append(events, ended...)
		} else if !goOn {
			return nil, nil // it is bound when it does something
		}
		return events, nil
	}
	proceed := func(s *run.State) ([]turnpost.RunEvent, error) {
		if !goOn || q.when == never {
			return nil, nil
		}
		return s.Continue(now), nil
	}
	see := func(s *run.State) {
		if mine && goOn && q.when != never && s.Wants() {
			next = &going{s.ID, s.Text(q.offer)}
		}
	}
	err := h.steer(context.WithoutCancel(ctx), q.run, see, func(tx Tx) error {
		// A client that hears nothing of it reports its turn end once more to the
		// next hub, which sees by this row that it was counted.
		return tx.SaveSession(q.row)
	}, begin, proceed)
	if err != nil {
		return nil, fmt.Errorf("count the turn: %w", err)
	}
	return next, nil
}

// workAt adds to a question which run it is put for. Callers hold mu.
func (h *Hub) workAt(s *session, q *question) {
	r := h.atWork[s.Handle]
	if r == nil || !r.worksIn(s) {
		return
	}
	if after := q.at.Add(startRing); q.kind == turnpost.SessionStart && r.wants && s.ringAfter.Before(after) {
		s.ringAfter = after // when it surely watches its bell
	}
	if !q.ends && (q.when != rung || s.TurnOpen || !r.wants) {
		return
	}
	q.run, q.row = r.id, SessionRow{Session: s.Session, Secret: s.secretHash}
}

// pace is how long the next turn of a run is held back: not for long where the
// answer has to come soon. Callers hold mu.
func (s *session) pace(now time.Time, soon bool) time.Duration {
	wait := time.Duration(0)
	if s.tooled || now.Sub(s.wentOn) >= fastTurn {
		s.fast = 0
	} else {
		wait = min(firstWait<<s.fast, longWait)
		s.fast = min(s.fast+1, maxFast)
	}
	if soon {
		wait = min(wait, firstWait)
	}
	s.wentOn, s.tooled = now.Add(wait), false
	return wait
}

// heed lets the run of a session know of what its person does: a turn that was
// broken off pauses it, a prompt ends the pause.
func (h *Hub) heed(ctx context.Context, s *session, ev turnpost.Event, wasOpen bool) error {
	switch {
	case ev.Subagent != "":
		return nil
	case ev.Kind == turnpost.Prompt && !ev.Machine:
		return h.personActed(ctx, s, false)
	case ev.Kind == turnpost.Interrupt && wasOpen:
		return h.personActed(ctx, s, true)
	}
	return nil
}

// personActed lets the run of a session know that a person took the word, or gave
// it back. Callers do not hold mu.
func (h *Hub) personActed(ctx context.Context, s *session, took bool) error {
	h.mu.Lock()
	r := h.atWork[s.Handle]
	if r == nil || !r.worksIn(s) {
		h.mu.Unlock()
		return nil
	}
	id, session := r.id, s.ID
	h.mu.Unlock()
	now := time.Now()
	return h.steer(context.WithoutCancel(ctx), id, nil, nil, func(s *run.State) ([]turnpost.RunEvent, error) {
		switch {
		case s.Session != "" && s.Session != session:
			return nil, nil
		case took:
			return s.Pause(now), nil
		}
		return s.Resume(now), nil
	})
}

// inherit makes a session the one that works at its predecessor's run: /clear
// goes on in the same process with another session.
func (h *Hub) inherit(ctx context.Context, handle, from, to string) error {
	h.mu.Lock()
	r := h.atWork[handle]
	if r == nil || from == "" || r.session != from {
		h.mu.Unlock()
		return nil
	}
	h.mu.Unlock()
	now := time.Now()
	return h.steer(ctx, r.id, nil, nil, func(s *run.State) ([]turnpost.RunEvent, error) {
		if s.Session != from {
			return nil, nil
		}
		return s.Bind(to, now), nil
	})
}

// reminder is the line about a handle's run for the start of a session.
func (h *Hub) reminder(ctx context.Context, handle string) (string, error) {
	h.mu.Lock()
	r := h.atWork[handle]
	h.mu.Unlock()
	if r == nil {
		return "", nil
	}
	r, err := h.lockRun(ctx, r.id)
	if err != nil {
		return "", err
	}
	defer r.mu.Unlock()
	if r.state.Run.State.Ended() {
		return "", nil
	}
	return r.state.Reminder(), nil
}

// runTarget is the idle session that a handle's run wants rung now; nil: none. A
// turn that failed is not started anew by itself. Callers hold mu.
func (h *Hub) runTarget(handle string, now time.Time) *session {
	r := h.atWork[handle]
	if r == nil || !r.wants {
		return nil
	}
	for _, s := range h.liveOf(handle) {
		if r.worksIn(s) && h.mayRing(s, now) && s.Status.Failure == (turnpost.Failure{}) {
			return s
		}
	}
	return nil
}

// rests is the idle session of a handle's run that wants a turn which nothing
// can start, once; nil: none. Callers hold mu.
func (h *Hub) rests(handle string, now time.Time) *session {
	r := h.atWork[handle]
	if r == nil || !r.wants {
		return nil
	}
	for _, s := range h.liveOf(handle) {
		idle := s.Status.State == turnpost.StateIdle && !s.TurnOpen && !s.deciding && now.Sub(s.Status.Since) >= afterDrop
		if r.worksIn(s) && idle && !s.told && !h.ringable(s) {
			s.told = true
			return s
		}
	}
	return nil
}

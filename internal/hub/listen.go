package hub

import (
	"context"
	"time"

	"turnpost"
)

// pushPatience is how long after a ring a listener has surely taken it.
const pushPatience = 2 * time.Second

// Listen rings its caller's session by its own answer: whoever asks can put a
// text into the idle session. It returns what the ring brings, held until it is
// confirmed, or nothing when the time is over.
func (v *view) Listen(ctx context.Context, q turnpost.ListenQuery) (turnpost.HookAnswer, error) {
	h := v.Hub
	me, err := v.who()
	if err != nil {
		return turnpost.HookAnswer{}, err
	}
	if me.session == nil {
		return turnpost.HookAnswer{}, turnpost.Errorf(turnpost.Unauthorized, "nothing was heard of this session yet").
			WithHint("only a session listens, not a person")
	}
	wait, err := waitOf(q.Seconds)
	if err != nil {
		return turnpost.HookAnswer{}, err
	}
	answer, s := turnpost.HookAnswer{Handle: me.handle}, me.session
	rung := make(chan struct{}, 1)
	h.mu.Lock()
	if s.mute {
		h.mu.Unlock()
		return answer, muted(s)
	}
	s.listener = rung // the newest one counts
	h.changed()
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if s.listener == rung {
			s.listener = nil
			h.changed()
		}
	}()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	h.ringIfWanted(ctx, me.handle)
	for {
		select {
		case <-rung:
		case <-timer.C:
			return answer, nil
		case <-ctx.Done():
			return answer, nil
		}
		offer, err := h.push(ctx, s)
		if err != nil {
			return answer, err
		}
		if offer != nil {
			answer.Offer, answer.Decision = offer.id, offer.decision()
		}
		if offer != nil || !h.isLive(s) {
			return answer, nil
		}
	}
}

// push holds what a listener that was rung puts into its session; nil when
// there is nothing any more.
func (h *Hub) push(ctx context.Context, s *session) (*offer, error) {
	h.mu.Lock()
	if s.mute {
		h.mu.Unlock()
		return nil, muted(s)
	}
	s.ring = ring{}
	if s.TurnOpen || !s.live() { // its hooks bring it
		h.mu.Unlock()
		return nil, nil
	}
	s.chain, s.row, s.deciding = 0, 0, true
	ask := question{
		when: rung, handle: s.Handle, session: s.ID, process: s.Process, kind: turnpost.Bell, at: time.Now().UTC(),
		mail: true, deciding: s,
	}
	h.workAt(s, &ask)
	h.mu.Unlock()
	o, err := h.bring(ctx, ask)
	if o != nil {
		h.mu.Lock()
		o.pushed = true
		h.mu.Unlock()
	}
	return o, err
}

func muted(s *session) error {
	return turnpost.Errorf(turnpost.Conflict, "what was pushed into %s did not arrive: nothing is pushed into it any more", s.name())
}

// takeBack frees what was pushed into a session that did nothing since: its
// harness does not show what is pushed. Nothing is pushed into it any more.
// Callers hold mu.
func (h *Hub) takeBack(s *session) (any bool) {
	for id, o := range h.offers {
		if !o.pushed || !o.shown || o.session != s.ID || s.ActivityAt.After(o.at) {
			continue
		}
		any = true
		delete(h.offers, id)
		h.settle(o, func(d *turnpost.Delivery) { d.State, d.Lease = turnpost.Stored, time.Time{} })
		h.filled(o.handle)
	}
	if any {
		s.mute = true
		s.dismiss()
	}
	return any
}

// poke wakes the listener. Callers hold mu.
func (s *session) poke() {
	select {
	case s.listener <- struct{}{}:
	default: // it is awake
	}
}

// dismiss lets the listener, if there is one, find out that it is none any
// more. Callers hold mu.
func (s *session) dismiss() {
	if s.listener != nil {
		s.poke()
		s.listener = nil
	}
}

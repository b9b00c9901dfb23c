package hub

import (
	"context"
	"fmt"
	"time"

	"turnpost"
)

// ring is what is outstanding at a session's bell.
type ring struct {
	at    time.Time // of the last one
	tries int       // rings that were not heard
	deaf  bool      // the human was told
}

// ringIfWanted rings the live session of a handle whose turn is closed when
// something waits that may start one: its run, or mail.
func (h *Hub) ringIfWanted(ctx context.Context, handle string) {
	if handle == "" {
		return
	}
	h.mu.Lock()
	if s := h.runTarget(handle, time.Now()); s != nil {
		h.ringNow(s, time.Now())
		h.mu.Unlock()
		return
	}
	empty := h.box(handle).empty
	var target *session
	for _, s := range h.liveOf(handle) {
		if h.mayRing(s, time.Now()) {
			target = s
			break
		}
	}
	h.mu.Unlock()
	if empty || target == nil {
		return
	}
	q := question{when: rung, handle: handle, at: time.Now().UTC()}
	wanted := false
	err := h.store.View(ctx, func(tx Tx) error {
		_, chosen, err := h.look(tx, q)
		wanted = len(chosen) > 0
		return err
	})
	if err != nil {
		h.report(fmt.Errorf("look for mail of %s: %w", handle, err))
		return
	}
	if wanted {
		h.mu.Lock()
		h.ringNow(target, time.Now())
		h.mu.Unlock()
	}
}

// mayRing tells whether the session's turn is closed and a ring would be right
// now. Callers hold mu.
func (h *Hub) mayRing(s *session, now time.Time) bool {
	return h.ringable(s) && !s.TurnOpen && !s.deciding && !s.wedged() && !now.Before(s.ringAfter)
}

// outstanding tells whether a ring may still be heard: a file settles, a prompt
// waits in a queue, also behind a turn that somebody else started. Callers hold
// mu.
func (h *Hub) outstanding(s *session, now time.Time) bool {
	patience := pushPatience
	if s.listener == nil {
		patience = h.waker.Patience(s.Wake.Method)
	}
	return s.ring.tries > 0 && now.Sub(s.ring.at) < patience
}

// ringNow rings once, unless a ring is outstanding that may still be heard:
// rings closer than the client's settle time are never heard. Callers hold mu.
func (h *Hub) ringNow(s *session, now time.Time) {
	if !h.mayRing(s, now) || s.ring.deaf {
		return
	}
	if h.outstanding(s, now) {
		return
	}
	if s.ring.tries >= maxRings {
		s.ring.deaf = true
		h.tell(turnpost.Notice{
			Class: "deaf", Loud: turnpost.LoudUrgent, Handle: s.Handle, Session: s.ID,
			Text: fmt.Sprintf("%s does not hear its bell: what is for it waits for its next prompt or turn end", s.name()),
		})
		return
	}
	s.ring.at = now
	s.ring.tries++
	if s.listener != nil {
		s.poke()
		return
	}
	if err := h.waker.Ring(s.Harness, s.Wake); err != nil {
		h.report(fmt.Errorf("ring %s: %w", s.Handle, err))
	}
}

// repeatRings rings again where a ring was not heard, and rings sessions whose
// time of grace is over.
func (h *Hub) repeatRings(now time.Time) {
	h.mu.Lock()
	var again []string
	for _, s := range h.sessions {
		due := s.ring.tries > 0 && !s.ring.deaf && !h.outstanding(s, now)
		graced := !s.ringAfter.IsZero() && !now.Before(s.ringAfter)
		if graced {
			s.ringAfter = time.Time{}
		}
		if (due || graced) && h.mayRing(s, now) {
			again = append(again, s.Handle)
		}
		if s.TurnOpen && !h.outstanding(s, now) {
			s.ring = ring{}
		}
	}
	h.mu.Unlock()
	for _, handle := range again {
		h.ringIfWanted(context.Background(), handle)
	}
}

// startContext is the one line that a session is told when it starts, or as
// soon as it can be: who it is, and at a start that mail waits. A session that
// can be rung is rung for it a moment later, when it surely watches its bell.
func (h *Hub) startContext(ctx context.Context, s *session, ev turnpost.Event) (line string, waiting int, err error) {
	h.mu.Lock()
	if s.secret == "" {
		s.secret = newSecret()
		s.secretHash = hashSecret(s.secret)
		h.touch(s)
	}
	secret, handle, ringable := s.secret, s.Handle, h.ringable(s)
	empty := h.box(handle).empty
	h.mu.Unlock()
	if ringable && !empty && ev.Kind == turnpost.SessionStart && ev.Source != turnpost.SourceCompact {
		q := question{when: rung, handle: handle, at: time.Now().UTC()}
		err := h.store.View(ctx, func(tx Tx) error {
			_, chosen, err := h.look(tx, q)
			waiting = len(chosen)
			return err
		})
		if err != nil {
			return "", 0, err
		}
	}
	if waiting > 0 {
		h.mu.Lock()
		s.ringAfter = time.Now().Add(startRing)
		h.mu.Unlock()
	}
	return startLine(handle, secret, waiting), waiting, nil
}

// startRing is how long after its start a session watches its bell for sure.
const startRing = time.Second

package hub

import (
	"context"
	"path/filepath"
	"time"

	"turnpost"
)

var _ turnpost.HookHub = (*Hub)(nil)

// Handle takes one event of a session and answers it. A boundary with nothing
// unread asks no store.
func (h *Hub) Handle(ctx context.Context, ev turnpost.Event) (turnpost.HookAnswer, error) {
	if err := checkEvent(&ev); err != nil {
		return turnpost.HookAnswer{}, err
	}
	ev.Last = h.redact.text(ev.Last)
	ev.Failure.Native = h.redact.text(ev.Failure.Native) // some harnesses have no word for it but the service's text
	ev.Failure.Detail = h.redact.text(ev.Failure.Detail)
	now := time.Now()
	h.mu.Lock()
	s := h.sessions[sessionKey{ev.Harness, ev.Native}]
	h.mu.Unlock()
	if s == nil || !h.isLive(s) {
		if !starts(ev) {
			return turnpost.HookAnswer{Decision: nothingNew(ev)}, nil
		}
		var err error
		if s, err = h.newSession(ctx, ev, now); err != nil {
			return turnpost.HookAnswer{}, err
		}
	}

	h.mu.Lock()
	if ev.Digest != "" && s.digest == ev.Digest && now.Sub(s.digestAt) < sameEvent {
		answer := turnpost.HookAnswer{Handle: s.Handle}
		h.mu.Unlock()
		return answer, nil
	}
	if ev.Kind == turnpost.SessionEnd && elsewhere(s.Process, ev.Process) {
		h.mu.Unlock()
		return turnpost.HookAnswer{}, nil // the process that it lived in before says so late
	}
	s.digest, s.digestAt = ev.Digest, now
	wasWedged, wasOpen, rested := s.wedged(), s.TurnOpen, s.told
	changed := s.apply(ev, now)
	if s.live() && !s.Wake.Armed && s.Attended && h.waker.Announced(s.Wake) {
		s.Wake.Armed = true
	}
	if ev.Kind == turnpost.TurnFailed && ev.Subagent == "" {
		h.fail(s, ev, now)
		changed = true
	}
	if ev.Kind == turnpost.Bell || s.ring.deaf && (s.TurnOpen || ev.Wake.Armed) {
		if s.ring.deaf {
			h.clear("deaf", func(n turnpost.Notice) bool { return n.Session == s.ID })
		}
		s.ring = ring{}
	}
	if ev.Kind == turnpost.Bell {
		s.chain = 0
		if !s.TurnOpen {
			s.row = 0
		}
	}
	if wasWedged && !s.wedged() {
		h.clear("wedge", func(n turnpost.Notice) bool { return n.Session == s.ID })
	}
	if rested && !s.told {
		h.clear("run", func(n turnpost.Notice) bool { return n.Session == s.ID })
	}
	h.receive(s, ev, now)
	h.record(s, ev.Kind, changed, "", now)
	h.touch(s)
	ask := h.question(s, ev, now)
	greets := s.greets(ev)
	answer := turnpost.HookAnswer{Handle: s.Handle}
	h.mu.Unlock()

	if err := h.heed(ctx, s, ev, wasOpen); err != nil {
		return answer, err
	}
	if ev.Kind == turnpost.CompactBefore && ev.Subagent == "" {
		h.backstop(s)
	}
	held, err := h.bring(ctx, ask)
	if err != nil {
		return answer, err
	}
	if held != nil {
		answer.Offer, answer.Decision = held.id, held.decision()
		answer.Delay = int(held.delay.Milliseconds())
	}
	if answer.Offer == "" {
		answer.Decision = nothingNew(ev)
	}
	if greets {
		line, waiting, err := h.startContext(ctx, s, ev)
		var reminder string
		if err == nil {
			reminder, err = h.reminder(ctx, answer.Handle)
		}
		if err != nil {
			h.mu.Lock()
			s.owes = true
			h.mu.Unlock()
			return answer, err
		}
		answer.Decision.Context = joined(h.greeting(s, ev, line, waiting > 0, answer.Decision.Context), reminder)
	}
	if ev.Kind == turnpost.TurnEnd && answer.Offer == "" && ev.Subagent == "" {
		h.ringIfWanted(ctx, answer.Handle)
	}
	return answer, nil
}

// nothingNew drops a prompt that was put there to ring, and for which there is
// nothing to say any more.
func nothingNew(ev turnpost.Event) turnpost.Decision {
	if ev.Kind != turnpost.Bell || !ev.Accepts.Deny {
		return turnpost.Decision{}
	}
	return turnpost.Decision{Permission: turnpost.Deny, Reason: "Turnpost: the mail that rang was delivered meanwhile."}
}

// elsewhere tells whether two known processes are not the same one.
func elsewhere(a, b turnpost.Process) bool {
	return a.Pid != 0 && b.Pid != 0 && !sameProcess(a, b)
}

func (h *Hub) isLive(s *session) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return s.live()
}

// starts tells whether an event of a session that is not live makes it so. What
// a harness sends late, or without waiting, does not.
func starts(ev turnpost.Event) bool {
	switch ev.Kind {
	case turnpost.SessionEnd, turnpost.ToolBefore, turnpost.Notification, turnpost.SubagentEnd,
		turnpost.CompactAfter, turnpost.Bell:
		return false
	}
	return ev.Subagent == ""
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

// checkEvent refuses what no client of ours sends and clips the rest.
func checkEvent(ev *turnpost.Event) error {
	if _, ok := ev.Kind.Row(); !ok {
		return turnpost.Invalidf("kind", "%.40q is not an event kind", string(ev.Kind))
	}
	for _, f := range []struct {
		field, value string
		max          int
	}{
		{"harness", ev.Harness, 40},
		{"native", ev.Native, 200},
		{"digest", ev.Digest, 64},
		{"version", ev.Version, 40},
		{"cwd", ev.Cwd, 4096},
		{"place.root", ev.Place.Root, 4096},
		{"place.main", ev.Place.Main, 4096},
		{"place.worktree", ev.Place.Worktree, 255},
		{"agent", ev.Agent, 100},
		{"registry", ev.Registry, 4096},
		{"wake.key", ev.Wake.Key, 200},
		{"wake.method", ev.Wake.Method, 40},
		{"wake.at", ev.Wake.At, 4096},
		{"subagent", ev.Subagent, 200},
		{"process.start", ev.Process.Start, 100},
	} {
		if len(f.value) > f.max {
			return turnpost.Invalidf(f.field, "is %d bytes long, at most %d are allowed", len(f.value), f.max)
		}
	}
	if ev.Harness == "" {
		return turnpost.Invalidf("harness", "is missing")
	}
	if ev.Native == "" {
		return turnpost.Invalidf("native", "is missing")
	}
	if ev.Wake.At != "" && !filepath.IsAbs(ev.Wake.At) {
		return turnpost.Invalidf("wake.at", "is not an absolute path")
	}
	if len(ev.Offers) > 20 {
		return turnpost.Invalidf("offers", "has %d entries, at most 20 are allowed", len(ev.Offers))
	}
	ev.Tool = clip(ev.Tool, 100)
	ev.Source = clip(ev.Source, 40)
	ev.Reason = clip(ev.Reason, 100)
	ev.Last = clip(ev.Last, 500)
	ev.Failure.Native = clip(ev.Failure.Native, 100)
	ev.Failure.Detail = clip(ev.Failure.Detail, 500)
	return nil
}

package hub

import (
	"context"
	"time"

	"turnpost"
)

// probe looks at every live session's process and at its harness's registry:
// liveness beats any state that events left behind.
func (h *Hub) probe(now time.Time) {
	h.mu.Lock()
	type look struct {
		s        *session
		process  turnpost.Process
		harness  string
		registry string
		heard    time.Time
	}
	var looks []look
	for _, s := range h.sessions {
		if s.live() {
			looks = append(looks, look{s, s.Process, s.Harness, s.Registry, s.ActivityAt})
		}
	}
	h.mu.Unlock()
	var broken []*session
	for _, l := range looks {
		gone := l.process.Pid != 0 && !h.prober.Alive(l.process)
		var live turnpost.Live
		known := false
		if !gone && l.registry != "" {
			live, known = h.prober.Live(l.harness, l.registry)
		}
		h.mu.Lock()
		if l.s.live() && l.s.ActivityAt.Equal(l.heard) { // no event came meanwhile
			switch {
			case gone:
				l.s.end(now, "process gone")
				h.record(l.s, turnpost.SessionEnd, true, "process gone", now)
				h.touch(l.s)
			case known && (live.Native == "" || live.Native == l.s.Native):
				if h.believe(l.s, live, now) {
					broken = append(broken, l.s)
				}
			}
			h.settleQuiet(l.s, known && live.State == turnpost.StateWorking, now)
		}
		h.mu.Unlock()
	}
	for _, s := range broken {
		h.report(h.personActed(context.Background(), s, true))
	}
}

// believe takes over what no event reports: Esc, an answered permission, and
// work that our hooks did not hear of. It wants to see a contradiction twice,
// since an event may be on its way. It tells whether a person broke a turn off.
// Callers hold mu.
func (h *Hub) believe(s *session, live turnpost.Live, now time.Time) (broke bool) {
	before := s.Status
	clock := now.Local().Format("15:04:05")
	switch {
	case s.TurnOpen && live.State == turnpost.StateIdle:
		if s.idleSeen++; s.idleSeen < 2 {
			return false
		}
		s.TurnOpen = false
		s.ringAfter = now.Add(afterEsc)
		broke = !s.restored // else the turn may have ended while no hub was up
		if h.takeBack(s) {
			s.ringAfter, broke = now, false // it was never at work
		}
		s.Status = turnpost.Status{State: turnpost.StateIdle, Since: now.UTC(), Evidence: "its own registry says idle since " + clock}
	case s.TurnOpen && live.State == turnpost.StateWaiting && s.Status.State != turnpost.StateWaiting:
		s.Status = turnpost.Status{
			State: turnpost.StateWaiting, Tool: s.Status.Tool, Wants: live.Wants, Since: now.UTC(),
			Evidence: "its own registry says waiting, " + clock,
		}
	case s.TurnOpen && live.State == turnpost.StateWorking && (s.Status.State == turnpost.StateWaiting || s.Status.State == turnpost.StateQuiet):
		if s.idleSeen++; s.idleSeen < 2 {
			return false
		}
		s.Status = turnpost.Status{
			State: turnpost.StateWorking, Tool: s.Status.Tool, Since: now.UTC(),
			Evidence: "its own registry says busy, " + clock,
		}
	case !s.TurnOpen && live.State == turnpost.StateWorking && s.Status.Background == 0 && !s.wedged():
		if s.busySeen++; s.busySeen < 5 {
			return false
		}
		if s.Status.State != turnpost.StateUnheard {
			s.Status = turnpost.Status{
				State: turnpost.StateUnheard, Since: now.UTC(),
				Evidence: "its own registry says busy, its hooks say nothing since " + s.ActivityAt.Local().Format("15:04:05"),
			}
		}
	default:
		s.idleSeen, s.busySeen = 0, 0
	}
	if before.State != s.Status.State {
		h.record(s, turnpost.Notification, true, s.Status.Evidence, now)
		h.touch(s)
	}
	return broke
}

// settleQuiet marks an open turn quiet when nothing was heard of it for long
// and no tool runs. Callers hold mu.
func (h *Hub) settleQuiet(s *session, busy bool, now time.Time) {
	if !s.live() || !s.TurnOpen || busy || s.Status.State != turnpost.StateWorking || s.Status.Tool != "" {
		return
	}
	if now.Sub(s.ActivityAt) < quietAfter {
		return
	}
	s.Status = turnpost.Status{
		State: turnpost.StateQuiet, Since: now.UTC(),
		Evidence: "turn open, nothing heard since " + s.ActivityAt.Local().Format("15:04:05"),
	}
	h.record(s, turnpost.Notification, true, s.Status.Evidence, now)
	h.touch(s)
}

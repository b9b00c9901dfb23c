package hub

import (
	"fmt"
	"time"

	"turnpost"
)

// apply moves a session's turn and status by one event. It returns whether the state
// changed. Callers hold mu.
func (s *session) apply(ev turnpost.Event, now time.Time) (changed bool) {
	before := s.Status.State
	s.restored = false
	s.ActivityAt = now.UTC()
	s.idleSeen, s.busySeen = 0, 0
	s.adopt(ev)

	if ev.Subagent != "" { // a sub-agent's doings show that the session lives, no more
		s.helps(ev)
		return s.Status.State != before
	}
	switch ev.Kind {
	case turnpost.SessionStart:
		if ev.Source != turnpost.SourceCompact {
			s.TurnOpen = false
			s.chain, s.row, s.fast, s.told = 0, 0, 0, false
			s.set(turnpost.Status{State: turnpost.StateIdle}, ev, now)
		}
	case turnpost.Prompt:
		s.TurnOpen = true
		if !ev.Machine {
			s.chain, s.row, s.fast, s.told = 0, 0, 0, false
			s.ringAfter = time.Time{}
		}
		s.set(turnpost.Status{State: turnpost.StateWorking}, ev, now)
	case turnpost.ToolBefore:
		s.tooled = true
		// Reported without delaying the tool, so it can arrive after the turn's end.
		if s.TurnOpen {
			s.set(turnpost.Status{State: turnpost.StateWorking, Tool: ev.Tool}, ev, now)
		}
	case turnpost.ToolAfter, turnpost.ToolFailed, turnpost.Retry:
		s.TurnOpen = true
		s.tooled = s.tooled || ev.Kind != turnpost.Retry
		s.set(turnpost.Status{State: turnpost.StateWorking}, ev, now)
	case turnpost.PermissionAsk:
		s.TurnOpen = true
		s.set(turnpost.Status{State: turnpost.StateWaiting, Tool: ev.Tool, Wants: ev.Wants}, ev, now)
	case turnpost.Notification:
		// A reminder of what it waits for anyway says less than the first word did.
		if s.TurnOpen && ev.Wants != turnpost.WantNothing && s.Status.State != turnpost.StateWaiting {
			s.set(turnpost.Status{State: turnpost.StateWaiting, Tool: s.Status.Tool, Wants: ev.Wants}, ev, now)
		}
	case turnpost.TurnEnd:
		s.TurnOpen = false
		if ev.Last != "" {
			s.Last = ev.Last
		}
		s.set(turnpost.Status{State: turnpost.StateIdle, Background: ev.Background}, ev, now)
	case turnpost.Interrupt:
		// Some harnesses say so of every turn that is over, however it ended.
		if s.TurnOpen {
			s.TurnOpen = false
			s.ringAfter = now.Add(afterEsc)
			s.set(turnpost.Status{State: turnpost.StateIdle}, ev, now)
		}
	case turnpost.SessionEnd:
		s.TurnOpen = false
		s.end(now, ev.Reason)
	case turnpost.CompactBefore:
		s.owes, s.recalled, s.compacted = true, false, true
	case turnpost.CompactAfter:
		// Some harnesses start the session anew before they say so.
		s.owes, s.recalled = s.owes || !s.recalled, false
		s.compacted = s.compacted || s.owes
	case turnpost.SubagentStart, turnpost.SubagentEnd,
		turnpost.CwdChanged, turnpost.Bell, turnpost.TurnFailed:
		// turn.failed has its own table, failure.go; the others keep the state.
	}
	return s.Status.State != before
}

// helps keeps which sub-agents are at work: what they say is the session's word.
func (s *session) helps(ev turnpost.Event) {
	switch {
	case ev.Kind == turnpost.SubagentEnd:
		delete(s.helpers, ev.Subagent)
	case len(s.helpers) < maxHelpers:
		if s.helpers == nil {
			s.helpers = map[string]bool{}
		}
		s.helpers[ev.Subagent] = true
	}
}

// greets tells whether the answer to an event carries the start line, and takes
// it off what is owed. Where nothing at a session's start can carry it, and after
// a compaction that no such start follows, the next prompt does. Callers hold mu.
func (s *session) greets(ev turnpost.Event) bool {
	if s.Handle == "" || ev.Subagent != "" {
		return false
	}
	greets := false
	switch ev.Kind {
	case turnpost.SessionStart:
		greets = ev.Accepts.Context
		s.recalled = greets && ev.Source == turnpost.SourceCompact
		s.owes = s.owes || ev.Source != turnpost.SourceResume
	case turnpost.Prompt:
		greets = ev.Accepts.Context && s.owes
	}
	s.owes = s.owes && !greets
	return greets
}

// adopt takes over what an event says of the session itself.
func (s *session) adopt(ev turnpost.Event) {
	if ev.Version != "" {
		s.Version = ev.Version
	}
	if ev.Cwd != "" && ev.Subagent == "" {
		s.Cwd = ev.Cwd
	}
	if ev.Kind == turnpost.SessionStart && ev.Source != turnpost.SourceCompact && ev.Place.Root != "" && ev.Subagent == "" {
		s.Place = ev.Place // resumed elsewhere, before its end was heard of
	}
	if ev.Process.Pid != 0 {
		if !sameProcess(s.Process, ev.Process) {
			s.Wake, s.mute = turnpost.Wake{}, false // another process hears another bell
		}
		s.Process = ev.Process
		s.Attended = ev.Attended
		s.Registry = ev.Registry
	}
	if ev.Wake.Method != "" {
		armed := ev.Wake.Armed || s.Wake.Armed && s.Wake.Method == ev.Wake.Method && s.Wake.Key == ev.Wake.Key
		s.Wake = ev.Wake
		s.Wake.Armed = armed
	} else if ev.Kind == turnpost.Interrupt {
		s.Wake.Armed = false // one that takes no ring until its next turn
	}
}

// set replaces the status; Since stays where the state stays.
func (s *session) set(status turnpost.Status, ev turnpost.Event, now time.Time) {
	status.Since = s.Status.Since
	if s.Status.State != status.State || s.Status.Since.IsZero() {
		status.Since = now.UTC()
	}
	status.Evidence = evidence(ev, now, s.Process)
	s.Status = status
}

func (s *session) end(now time.Time, reason string) {
	s.EndedAt = now.UTC()
	s.TurnOpen = false
	s.ring = ring{}
	s.dismiss()
	s.Status = turnpost.Status{State: turnpost.StateEnded, Since: now.UTC(), Evidence: "ended: " + reason}
}

// evidence says what a status is known from.
func evidence(ev turnpost.Event, now time.Time, p turnpost.Process) string {
	what := string(ev.Kind)
	if ev.Source != "" {
		what += " (" + ev.Source + ")"
	}
	text := fmt.Sprintf("%s %s", what, now.Local().Format("15:04:05"))
	if p.Pid != 0 {
		text += fmt.Sprintf(", process %d", p.Pid)
	}
	if ev.Kind == turnpost.TurnEnd {
		text += fmt.Sprintf(", %d background tasks", ev.Background)
	}
	return text
}

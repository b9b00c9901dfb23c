package hub

import (
	"fmt"
	"time"

	"turnpost"
)

// FailurePolicy is what a failed turn means for its session.
type FailurePolicy struct {
	Presence turnpost.Presence // away or offline: the session is wedged; "": only its turn is closed
	Loud     turnpost.Loudness
}

// failurePolicies is the table of failure classes; a class that is not in it
// is treated as FailureOther.
func failurePolicies() map[turnpost.FailureClass]FailurePolicy {
	urgent := FailurePolicy{turnpost.Offline, turnpost.LoudUrgent}
	return map[turnpost.FailureClass]FailurePolicy{
		turnpost.FailureRateLimit:       {turnpost.Away, turnpost.LoudSilent},
		turnpost.FailureServer:          {turnpost.Away, turnpost.LoudNotice},
		turnpost.FailureOverloaded:      {turnpost.Away, turnpost.LoudNotice},
		turnpost.FailureAuth:            urgent,
		turnpost.FailureOrgNotAllowed:   urgent,
		turnpost.FailureAccountHold:     urgent,
		turnpost.FailureVerification:    urgent,
		turnpost.FailureBilling:         urgent,
		turnpost.FailureCloudCredential: urgent,
		turnpost.FailureMaxOutput:       {"", turnpost.LoudSilent},
		turnpost.FailureInvalidRequest:  {"", turnpost.LoudSilent},
		turnpost.FailureModelNotFound:   {"", turnpost.LoudSilent},
		turnpost.FailureOther:           {turnpost.Away, turnpost.LoudNotice},
	}
}

func (h *Hub) failurePolicy(class turnpost.FailureClass) FailurePolicy {
	if policy, ok := h.cfg.Failures[class]; ok {
		return policy
	}
	table := failurePolicies()
	if policy, ok := table[class]; ok {
		return policy
	}
	return table[turnpost.FailureOther]
}

// fail applies a failed turn: it closes the turn, and wedges the session where
// the table says so. One notice a wedge. Callers hold mu.
func (h *Hub) fail(s *session, ev turnpost.Event, now time.Time) {
	s.TurnOpen = false
	policy := h.failurePolicy(ev.Failure.Class)
	if policy.Presence == "" {
		s.set(turnpost.Status{State: turnpost.StateIdle, Failure: ev.Failure}, ev, now)
		return
	}
	again := s.wedged()
	s.set(turnpost.Status{State: turnpost.StateWedged, Failure: ev.Failure}, ev, now)
	if again || policy.Loud == turnpost.LoudSilent {
		return
	}
	h.tell(turnpost.Notice{
		Class: "wedge", Loud: policy.Loud, Handle: s.Handle, Session: s.ID,
		Text: fmt.Sprintf("%s is wedged: %s", s.name(), ev.Failure.Native),
	})
}

// presence is what others see of a handle: its own word, unless its session is
// wedged.
func (h *Hub) presence(a turnpost.Agent, s *session) turnpost.Presence {
	if s != nil && s.wedged() {
		return h.failurePolicy(s.Status.Failure.Class).Presence
	}
	return a.Presence
}

// name is how a notice calls the session.
func (s *session) name() string {
	if s.Handle != "" {
		return s.Handle
	}
	return "session " + s.ID
}

package hub

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"sort"
	"time"

	"turnpost"
)

// session is one live or recently ended session in memory. Guarded by Hub.mu.
type session struct {
	turnpost.Session
	secret     string // hook_session; empty after a restart until it is announced anew
	secretHash string
	restored   bool // known from the store, nothing heard since this hub started

	digest   string // of the last event, and when: the same event registered twice
	digestAt time.Time

	helpers  map[string]bool // ids of sub-agents at work
	owes     bool            // the start line, to the next moment that can carry it
	recalled bool            // a session.start gave it since the context began to be compacted

	compacted bool // since it was last given its notes

	chain     int           // continuations since a person's prompt or a ring
	row       int           // the same, with those of a run
	wentOn    time.Time     // when a run last started a turn
	tooled    bool          // a tool has run since
	fast      int           // turns in a row that followed each other too fast
	deciding  bool          // an answer that may start a turn is being made
	told      bool          // the person knows that a run rests in it
	droppedAt time.Time     // when a run's continuation was not printed
	ring      ring          // what is outstanding at its bell
	listener  chan struct{} // of who is rung in place of its bell; nil: nobody
	mute      bool          // what was pushed into it did not arrive
	ringAfter time.Time     // no ring before
	idleSeen  int           // probes in a row in which the registry contradicted an open turn
	busySeen  int           // probes in a row in which the registry contradicted a closed turn
	storedAt  time.Time     // last activity row
	dirty     bool          // the row in the store is older than this
}

func (s *session) key() sessionKey { return sessionKey{s.Harness, s.Native} }

func (s *session) live() bool { return s.EndedAt.IsZero() }

// ringable tells whether a ring can reach the session now.
func (h *Hub) ringable(s *session) bool {
	return s.live() && s.Attended && (s.listener != nil || s.Wake.Armed && h.waker.Knows(s.Wake.Method))
}

// can says, for people, what a session can receive now.
func (h *Hub) can(s *session) string {
	switch {
	case !s.live():
		return ""
	case s.Reports:
		return "nothing: its program only reports"
	case s.Handle == "":
		return "nothing: it has no handle"
	case !s.Attended:
		return "turn end only: nobody sits in front of it"
	case s.listener != nil:
		return "turn end and channel"
	case h.ringable(s):
		return "turn end and " + h.waker.Says(s.Wake.Method)
	case h.waker.Knows(s.Wake.Method):
		return "turn end now; " + h.waker.Says(s.Wake.Method) + " after its next cd, /clear or restart"
	case s.Wake.Method != "":
		return fmt.Sprintf("turn end only; %s would wake it, if you allowed that", s.Wake.Method)
	}
	return "turn end only"
}

// wedged tells whether the session failed in a way that a ring cannot mend.
func (s *session) wedged() bool { return s.Status.State == turnpost.StateWedged }

// liveOf returns the live sessions of a handle, the one heard last first.
// Callers hold mu.
func (h *Hub) liveOf(handle string) []*session {
	return h.liveWhere(func(s *session) bool { return s.Handle == handle && handle != "" })
}

// inProcess returns the live sessions whose harness process it is, the one
// heard last first. Callers hold mu.
func (h *Hub) inProcess(p turnpost.Process) []*session {
	return h.liveWhere(func(s *session) bool { return sameProcess(s.Process, p) })
}

func (h *Hub) liveWhere(match func(*session) bool) []*session {
	var out []*session
	for _, s := range h.sessions {
		if s.live() && match(s) {
			out = append(out, s)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].ActivityAt.After(out[j].ActivityAt) })
	return out
}

func sameProcess(a, b turnpost.Process) bool {
	return a.Pid != 0 && a.Pid == b.Pid && (a.Start == b.Start || a.Start == "" || b.Start == "")
}

// bySecret returns the session that announced the secret. Callers hold mu.
func (h *Hub) bySecret(secret string) *session {
	hash := hashSecret(secret)
	for _, s := range h.sessions {
		if s.secretHash != "" && subtle.ConstantTimeCompare([]byte(s.secretHash), []byte(hash)) == 1 {
			return s
		}
	}
	return nil
}

func hashSecret(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// touch notes that the session's row changed. Callers hold mu.
func (h *Hub) touch(s *session) {
	s.dirty = true
	h.changed()
}

// flush queues the rows of all sessions that changed since the last one.
func (h *Hub) flush() {
	h.mu.Lock()
	var rows []SessionRow
	for _, s := range h.sessions {
		if s.dirty {
			s.dirty = false
			rows = append(rows, SessionRow{Session: s.Session, Secret: s.secretHash})
		}
	}
	h.mu.Unlock()
	if len(rows) == 0 {
		return
	}
	h.store.Later(func(tx Tx) error {
		for _, row := range rows {
			if err := tx.SaveSession(row); err != nil {
				return err
			}
		}
		return nil
	})
}

// forget drops from memory what ended a day ago; the store has it for the
// retention time. The bell of a process that is gone goes with it.
func (h *Hub) forget(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for key, s := range h.sessions {
		if s.live() || s.dirty || now.Sub(s.EndedAt) <= 24*time.Hour {
			continue
		}
		delete(h.sessions, key)
		h.forgetNotes(s)
		if s.Process.Pid != 0 && !h.prober.Alive(s.Process) {
			if err := h.waker.Forget(s.Wake); err != nil {
				h.report(err)
			}
		}
	}
	for id, o := range h.offers {
		if now.Sub(o.at) > 24*time.Hour {
			delete(h.offers, id)
		}
	}
	h.forgetRuns(now)
}

// record keeps one activity row: a change of state always, else at most one a
// session in 5 s. Callers hold mu.
func (h *Hub) record(s *session, kind turnpost.Kind, changed bool, text string, now time.Time) {
	if !changed && now.Sub(s.storedAt) < coalesce {
		return
	}
	s.storedAt = now
	row := turnpost.Activity{
		Session: s.ID, Handle: s.Handle, Kind: kind, State: s.Status.State, Text: text, At: now.UTC(),
	}
	h.store.Later(func(tx Tx) error { return tx.AddActivity(row) })
}

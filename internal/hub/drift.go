package hub

import (
	"fmt"
	"slices"
	"time"

	"turnpost"
)

// drift is something of ours that went missing, and since when we know.
type drift struct {
	turnpost.Missing
	at time.Time
}

// text is the notice about it. It is the same after a restart, so that it is
// told once.
func (d drift) text() string {
	return fmt.Sprintf("%s: %s: its sessions may not be heard; turnpost setup shows what to put back", d.Harness, d.gone())
}

func (d drift) gone() string {
	if d.What == "" {
		return d.File + " is missing"
	}
	return d.What + " is missing from " + d.File
}

// noticeDrift takes over what is missing now: it tells the person of each once,
// and takes the notice back when that is mended.
func (h *Hub) noticeDrift(missing []turnpost.Missing, now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all, fresh []drift
	for _, m := range missing {
		d := drift{m, now}
		if i := slices.IndexFunc(h.drifts, func(known drift) bool { return known.Missing == m }); i >= 0 {
			d = h.drifts[i]
		} else {
			fresh = append(fresh, d)
		}
		all = append(all, d)
	}
	if len(fresh) == 0 && len(all) == len(h.drifts) && h.compared {
		return
	}
	h.drifts, h.compared = all, true
	h.changed()
	h.store.Later(func(tx Tx) error {
		open, err := tx.Notices()
		if err != nil {
			return err
		}
		told := map[string]bool{}
		for _, n := range open {
			if n.Class != "drift" {
				continue
			}
			if slices.ContainsFunc(all, func(d drift) bool { return d.text() == n.Text }) {
				told[n.Text] = true
				continue
			}
			n.Cleared = now.UTC()
			if err := tx.SaveNotice(n); err != nil {
				return err
			}
		}
		for _, d := range fresh {
			if told[d.text()] {
				continue
			}
			n := turnpost.Notice{Class: "drift", Loud: turnpost.LoudNotice, Text: d.text(), At: now.UTC()}
			if _, err := tx.AddNotice(n); err != nil {
				return err
			}
		}
		return nil
	})
}

// unheard is the status of a session whose hooks went missing since it was
// heard last, instead of one that nothing may have changed but that we would
// have been told of. An open turn stays what its events say until it is quiet.
// Callers hold mu.
func (h *Hub) unheard(s *session) (turnpost.Status, bool) {
	switch s.Status.State {
	case turnpost.StateIdle, turnpost.StateQuiet, turnpost.StateUnheard:
	default:
		return turnpost.Status{}, false
	}
	for _, d := range h.drifts {
		if d.Harness == s.Harness && s.ActivityAt.Before(d.at) {
			return turnpost.Status{
				State: turnpost.StateUnheard, Since: d.at.UTC(),
				Evidence: fmt.Sprintf("alive, unheard since %s: %s", s.ActivityAt.Local().Format("15:04"), d.gone()),
			}, true
		}
	}
	return turnpost.Status{}, false
}

package hub

import (
	"context"
	"path/filepath"
	"sort"
	"time"

	"turnpost"
)

// Board is everything that a person sees at a glance.
func (v *view) Board(ctx context.Context, q turnpost.BoardQuery) (turnpost.Board, error) {
	h := v.Hub
	if err := v.onlyHuman(); err != nil {
		return turnpost.Board{}, err
	}
	now := time.Now().UTC()
	out := turnpost.Board{Now: now, Human: h.cfg.Human, Sessions: []turnpost.Session{}, Unclaimed: []turnpost.Agent{}}
	h.mu.Lock()
	out.Rev, out.Dropped = h.rev, h.dropped
	h.mu.Unlock()
	var agents []turnpost.Agent
	var unread map[string]int
	err := h.store.View(ctx, func(tx Tx) (err error) {
		if out.Notices, err = tx.Notices(); err != nil {
			return err
		}
		if out.Activity, err = tx.Activities(50); err != nil {
			return err
		}
		if agents, err = tx.Agents(); err != nil {
			return err
		}
		if unread, err = tx.Unread(); err != nil {
			return err
		}
		runs, err := tx.RunRows(RunFilter{EndedAfter: now.Add(-time.Hour), Limit: maxBoardRuns})
		out.Runs = runsOf(runs)
		return err
	})
	if err != nil {
		return turnpost.Board{}, err
	}
	if b, ok := h.store.(Breakable); ok && b.Broken() != nil {
		out.Notices = append([]turnpost.Notice{{
			Class: "broken", Loud: turnpost.LoudUrgent, At: now,
			Text: "nothing is stored any more: " + b.Broken().Error() + "; mend the disk and restart the hub",
		}}, out.Notices...)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.sessions {
		if s.live() || q.Ended && now.Sub(s.EndedAt) < 24*time.Hour {
			shown := h.shownSession(s)
			shown.Unread = unread[s.Handle]
			out.Sessions = append(out.Sessions, shown)
		}
	}
	sort.Slice(out.Sessions, func(i, j int) bool {
		a, b := out.Sessions[i], out.Sessions[j]
		if a.Live() != b.Live() {
			return a.Live()
		}
		if a.Handle != b.Handle {
			return a.Handle < b.Handle
		}
		return a.ID < b.ID
	})
	for _, a := range agents {
		if a.Unread = unread[a.Handle]; a.Unread > 0 && !a.Human && len(h.liveOf(a.Handle)) == 0 {
			out.Unclaimed = append(out.Unclaimed, a)
		}
	}
	return out, nil
}

func (v *view) onlyHuman() error {
	me, err := v.who()
	if err != nil {
		return err
	}
	if !me.human {
		return turnpost.Errorf(turnpost.Forbidden, "this is for your user: you are %s", me.handle)
	}
	return nil
}

// Clear clears a notice.
func (v *view) Clear(ctx context.Context, q turnpost.ClearRequest) (turnpost.Nothing, error) {
	if err := v.onlyHuman(); err != nil {
		return turnpost.Nothing{}, err
	}
	now := time.Now().UTC()
	err := v.store.Update(ctx, func(tx Tx) error {
		open, err := tx.Notices()
		if err != nil {
			return err
		}
		for _, n := range open {
			if n.ID == q.Notice {
				n.Cleared = now
				return tx.SaveNotice(n)
			}
		}
		return turnpost.Errorf(turnpost.NotFound, "there is no open notice %d", q.Notice)
	})
	if err == nil {
		v.note()
	}
	return turnpost.Nothing{}, err
}

// Changes waits until something that the board shows has changed.
func (v *view) Changes(ctx context.Context, q turnpost.ChangesQuery) (turnpost.Changes, error) {
	if err := v.onlyHuman(); err != nil {
		return turnpost.Changes{}, err
	}
	wait := 25 * time.Second
	if q.Seconds < 0 || time.Duration(q.Seconds)*time.Second > maxWait {
		return turnpost.Changes{}, turnpost.Invalidf("seconds", "is %d, allowed is 1 to 50", q.Seconds)
	} else if q.Seconds > 0 {
		wait = time.Duration(q.Seconds) * time.Second
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		v.mu.Lock()
		rev, revised := v.rev, v.revised
		v.mu.Unlock()
		if rev != q.After { // lower, too: the hub was started anew
			return turnpost.Changes{Rev: rev}, nil
		}
		select {
		case <-revised:
		case <-timer.C:
			return turnpost.Changes{Rev: rev}, nil
		case <-ctx.Done():
			return turnpost.Changes{Rev: rev}, nil
		}
	}
}

// Backup copies the store while it is in use.
func (v *view) Backup(ctx context.Context, q turnpost.BackupRequest) (turnpost.BackupDone, error) {
	if err := v.onlyHuman(); err != nil {
		return turnpost.BackupDone{}, err
	}
	if !filepath.IsAbs(q.Path) {
		return turnpost.BackupDone{}, turnpost.Invalidf("path", "%.200q is not an absolute path", q.Path)
	}
	bytes, err := v.store.Backup(ctx, q.Path)
	return turnpost.BackupDone{Path: q.Path, Bytes: bytes}, err
}

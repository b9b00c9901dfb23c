package hub

import (
	"context"
	"time"

	"turnpost"
)

// How many entries of a journal are given at a time.
const (
	journalLimit = 200
	maxJournal   = 1000
)

// Journal lists entries of a journal, and waits for the first one where the
// caller wants that. A proof is told in a run's own text only.
func (v *view) Journal(ctx context.Context, q turnpost.JournalQuery) (turnpost.Journal, error) {
	h := v.Hub
	me, err := v.who()
	if err != nil {
		return turnpost.Journal{}, err
	}
	switch {
	case q.Limit == 0:
		q.Limit = journalLimit
	case q.Limit < 0, q.Limit > maxJournal:
		return turnpost.Journal{}, turnpost.Invalidf("limit", "is %d, allowed is 1 to %d", q.Limit, maxJournal)
	}
	if q.Seconds < 0 || time.Duration(q.Seconds)*time.Second > maxWait {
		return turnpost.Journal{}, turnpost.Invalidf("seconds", "is %d, allowed is 0 to 50", q.Seconds)
	}
	id, err := v.runID(ctx, q.ID, me)
	if err != nil {
		return turnpost.Journal{}, err
	}
	timer := time.NewTimer(time.Duration(q.Seconds) * time.Second)
	defer timer.Stop()
	for {
		var grew chan struct{}
		h.mu.Lock()
		if r := h.runs[id]; r != nil {
			grew = r.grew
		}
		h.mu.Unlock()
		out, err := h.journal(ctx, id, q)
		if err != nil || len(out.Events) > 0 || out.Ended || q.Seconds == 0 {
			return out, err
		}
		select {
		case <-grew:
		case <-timer.C:
			return out, nil
		case <-ctx.Done():
			return out, nil
		}
	}
}

func (h *Hub) journal(ctx context.Context, id string, q turnpost.JournalQuery) (turnpost.Journal, error) {
	out := turnpost.Journal{ID: id}
	err := h.store.View(ctx, func(tx Tx) error {
		row, err := tx.RunRow(id)
		if err != nil {
			return err
		}
		events, err := tx.RunEvents(id, q.After, q.Limit)
		out.Events = append([]turnpost.RunEvent{}, events...)
		last := q.After
		for i := range out.Events {
			out.Events[i].Proof = ""
			last = out.Events[i].Seq
		}
		out.Ended = row.State.Ended() && last >= row.Seq
		return err
	})
	return out, err
}

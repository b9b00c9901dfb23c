package hub

import (
	"context"
	"fmt"
	"time"

	"turnpost"
	"turnpost/internal/run"
)

// tendRuns does for runs what nobody asks for: what is due, what an interrupted
// client left, and rings for those that want a turn.
func (h *Hub) tendRuns(ctx context.Context, now time.Time) {
	h.mu.Lock()
	var due, wanting []string
	for handle, r := range h.atWork {
		if !r.due.IsZero() && !now.Before(r.due) {
			r.due = now.Add(sweepEvery) // if it cannot be stored now
			due = append(due, r.id)
		}
		if r.wants {
			wanting = append(wanting, handle)
		}
	}
	var dropped []*session
	for _, s := range h.sessions {
		if s.droppedAt.IsZero() || now.Sub(s.droppedAt) < afterDrop {
			continue
		}
		killed := s.Process.Pid != 0 && !h.prober.Alive(s.Process)
		if s.live() && !s.TurnOpen && !s.ActivityAt.After(s.droppedAt) && !killed {
			dropped = append(dropped, s)
		}
		s.droppedAt = time.Time{}
	}
	h.mu.Unlock()
	ctx = context.WithoutCancel(ctx)
	for _, id := range due {
		h.report(h.steer(ctx, id, nil, nil, func(s *run.State) ([]turnpost.RunEvent, error) {
			return s.Due(now), nil
		}))
	}
	for _, s := range dropped {
		h.report(h.personActed(ctx, s, true))
	}
	for _, handle := range wanting {
		h.mu.Lock()
		if s := h.runTarget(handle, now); s != nil {
			h.ringNow(s, now)
		} else if s := h.rests(handle, now); s != nil {
			h.tell(turnpost.Notice{
				Class: "run", Loud: turnpost.LoudUrgent, Handle: handle, Session: s.ID,
				Text: fmt.Sprintf("%s rests at %s: nothing can wake it; it goes on with its next prompt", handle, h.atWork[handle].id),
			})
		}
		h.mu.Unlock()
	}
}

// reconcileRuns brings runs what became of their items while nobody looked: the
// hub may have died between an answer and its result.
func (h *Hub) reconcileRuns(ctx context.Context) {
	type carried struct{ run, item string }
	var open []carried
	h.mu.Lock()
	for _, r := range h.atWork {
		for _, item := range r.items {
			open = append(open, carried{r.id, item})
		}
	}
	h.mu.Unlock()
	ctx = context.WithoutCancel(ctx)
	for _, c := range open {
		h.report(h.settleItem(ctx, c.run, c.item))
	}
}

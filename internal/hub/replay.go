package hub

import (
	"context"

	"turnpost"
)

// Replay applies lifecycle events that clients spooled while no hub answered,
// and counts those that they could not keep. An event is applied only when
// nothing was heard of its session since: it may have been heard all the same.
func (h *Hub) Replay(ctx context.Context, spooled []turnpost.Spooled, dropped int) error {
	for _, line := range spooled {
		ev := line.Event
		h.mu.Lock()
		s := h.sessions[sessionKey{ev.Harness, ev.Native}]
		stale := s != nil && !s.ActivityAt.Before(line.At)
		h.mu.Unlock()
		if stale {
			continue
		}
		ev.Accepts = turnpost.Accepts{} // nobody listens to an answer any more
		if _, err := h.Handle(ctx, ev); err != nil {
			if turnpost.CodeOf(err) == turnpost.Invalid {
				dropped++
				continue
			}
			return err
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if dropped > 0 {
		h.dropped += int64(dropped)
		h.changed()
	}
	return nil
}

package hub

import (
	"context"
	"fmt"
	"time"

	"turnpost"
)

// tell records a notice and passes it to the outlet. Callers hold mu, which
// keeps notices in order; the outlet must not block.
func (h *Hub) tell(n turnpost.Notice) {
	n.At = time.Now().UTC()
	h.changed()
	h.store.Later(func(tx Tx) error {
		_, err := tx.AddNotice(n)
		return err
	})
	if n.Loud == turnpost.LoudUrgent {
		h.outlet.Notify(n)
	}
}

// clear clears the open notices of a class, "" for all, that match: their
// reason is gone. match reads what never changes.
func (h *Hub) clear(class string, match func(turnpost.Notice) bool) {
	now := time.Now().UTC()
	h.store.Later(func(tx Tx) error {
		open, err := tx.Notices()
		if err != nil {
			return err
		}
		for _, n := range open {
			if (class == "" || n.Class == class) && match(n) {
				n.Cleared = now
				if err := tx.SaveNotice(n); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// tellOverdue tells the human of what does not get through: questions, tasks
// and urgent items that were not shown within the escalation time, and items
// that were shown as often as they may be.
func (h *Hub) tellOverdue(ctx context.Context) error {
	now := time.Now().UTC()
	var due []turnpost.Delivery
	err := h.store.View(ctx, func(tx Tx) (err error) {
		due, err = tx.Overdue(now.Add(-h.cfg.Escalate), now, maxAttempts, 100)
		return err
	})
	if err != nil || len(due) == 0 {
		return err
	}
	told, err := h.markTold(ctx, due)
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, d := range told {
		if d.Handle == h.cfg.Human {
			continue // the person's own inbox is on the page already
		}
		n := turnpost.Notice{
			Class: "undelivered", Loud: turnpost.LoudUrgent, Handle: d.Handle, Item: d.Item,
			Text: fmt.Sprintf("%s has not reached %s since %s", d.Item, d.Handle, d.At.Local().Format("15:04")),
		}
		if d.Attempt >= maxAttempts {
			n.Class = "ignored"
			n.Text = fmt.Sprintf("%s was shown to %s %d times and is still open", d.Item, d.Handle, d.Attempt)
		}
		h.tell(n)
	}
	return nil
}

// markTold marks the deliveries that are still open and that nobody was told of
// yet, and returns these.
func (h *Hub) markTold(ctx context.Context, due []turnpost.Delivery) ([]turnpost.Delivery, error) {
	var told []turnpost.Delivery
	err := h.store.Update(ctx, func(tx Tx) error {
		told = nil
		for _, d := range due {
			// It may have been closed since somebody looked.
			fresh, err := tx.Delivery(d.Handle, d.Item)
			if err != nil {
				return err
			}
			if !fresh.State.Open() || fresh.Told {
				continue
			}
			fresh.Told = true
			if err := tx.SaveDelivery(fresh); err != nil {
				return err
			}
			told = append(told, fresh)
		}
		return nil
	})
	return told, err
}

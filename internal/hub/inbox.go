package hub

import (
	"context"
	"errors"
	"time"

	"turnpost"
)

// Inbox lists what waits for the caller. An agent that looks has been shown it,
// unless it peeks; that closes nothing.
func (v *view) Inbox(ctx context.Context, q turnpost.InboxQuery) (turnpost.Inbox, error) {
	h := v.Hub
	me, err := v.who()
	if err != nil {
		return turnpost.Inbox{}, err
	}
	handle := me.handle
	if q.Handle != "" {
		if handle, err = ParseHandle("handle", q.Handle); err != nil {
			return turnpost.Inbox{}, err
		}
		if handle != me.handle && !me.human {
			return turnpost.Inbox{}, turnpost.Errorf(turnpost.Forbidden, "only a person reads the inbox of somebody else")
		}
	}
	limit, err := limitOf(q.Limit)
	if err != nil {
		return turnpost.Inbox{}, err
	}
	box := turnpost.Inbox{Handle: handle, Entries: []turnpost.Entry{}}
	err = h.store.View(ctx, func(tx Tx) (err error) {
		if _, err := tx.Agent(handle); errors.Is(err, ErrNoRow) {
			return turnpost.Errorf(turnpost.NotFound, "there is no %s", handle)
		} else if err != nil {
			return err
		}
		if q.All {
			box.Entries, err = tx.Archive(handle, q.Addressed, q.Before, limit)
		} else {
			box.Entries, err = tx.OpenInbox(handle, q.Addressed, limit)
		}
		if err != nil {
			return err
		}
		if box.Unread, err = tx.UnreadOf(handle); err != nil {
			return err
		}
		if me.human && handle == me.handle {
			box.Notices, err = tx.Notices()
		}
		return err
	})
	if err != nil {
		return turnpost.Inbox{}, err
	}
	for i := range box.Entries {
		box.Entries[i].Item.Body = ""
	}
	if !q.Peek && !q.All && handle == me.handle {
		err = h.showTo(ctx, me, box.Entries)
	}
	return box, err
}

// limitOf checks a list's limit.
func limitOf(limit int) (int, error) {
	switch {
	case limit == 0:
		return 50, nil
	case limit < 0, limit > 500:
		return 0, turnpost.Invalidf("limit", "is %d, allowed is 1 to 500", limit)
	}
	return limit, nil
}

// showTo marks entries as shown to an agent that asked for them itself. The
// tool event that follows is the receipt.
func (h *Hub) showTo(ctx context.Context, me who, entries []turnpost.Entry) error {
	if me.human {
		return nil
	}
	now := time.Now().UTC()
	h.mu.Lock()
	o := &offer{id: newOfferID(), handle: me.handle, session: me.id, at: now, shown: true, kind: turnpost.ToolAfter}
	if me.session != nil {
		o.process = me.session.Process
	}
	h.mu.Unlock()
	var ids []string
	for _, e := range entries {
		if e.Delivery.State == turnpost.Stored {
			ids = append(ids, e.Delivery.Item)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	err := h.store.Update(ctx, func(tx Tx) error {
		for _, id := range ids {
			d, err := tx.Delivery(me.handle, id)
			if err != nil {
				return err
			}
			if d.State != turnpost.Stored {
				continue
			}
			d.State, d.Offer, d.Session, d.Lease = turnpost.Shown, o.id, me.id, now.Add(lease)
			d.Attempt++
			d.OfferedAt = now
			if err := tx.SaveDelivery(d); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	h.mu.Lock()
	h.offers[o.id] = o
	h.changed()
	h.mu.Unlock()
	return nil
}

// Wait returns as soon as the caller's inbox holds something that was not shown
// yet, or an empty inbox when the time is over.
func (v *view) Wait(ctx context.Context, q turnpost.WaitQuery) (turnpost.Inbox, error) {
	h := v.Hub
	me, err := v.who()
	if err != nil {
		return turnpost.Inbox{}, err
	}
	wait, err := waitOf(q.Seconds)
	if err != nil {
		return turnpost.Inbox{}, err
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		h.mu.Lock()
		arrived := h.box(me.handle).arrived
		h.mu.Unlock()
		box := turnpost.Inbox{Handle: me.handle, Entries: []turnpost.Entry{}}
		err := h.store.View(ctx, func(tx Tx) error {
			entries, err := tx.Offerable(me.handle, time.Now().UTC(), 0, 50)
			if err != nil {
				return err
			}
			box.Entries = append(box.Entries[:0], entries...)
			box.Unread, err = tx.UnreadOf(me.handle)
			return err
		})
		if err != nil {
			return turnpost.Inbox{}, err
		}
		if len(box.Entries) > 0 {
			for i := range box.Entries {
				box.Entries[i].Item.Body = ""
			}
			if ctx.Err() != nil { // nobody is there to see it
				return turnpost.Inbox{}, ctx.Err()
			}
			return box, h.showTo(ctx, me, box.Entries)
		}
		select {
		case <-arrived:
		case <-timer.C:
			return box, nil
		case <-ctx.Done():
			return box, nil
		}
	}
}

// waitOf checks how long a caller wants to wait.
func waitOf(seconds int) (time.Duration, error) {
	wait := time.Duration(seconds) * time.Second
	switch {
	case seconds == 0:
		return maxWait, nil
	case seconds < 0, wait > maxWait:
		return 0, turnpost.Invalidf("seconds", "is %d, allowed is 1 to 50", seconds)
	}
	return wait, nil
}

// Read returns whole items with their receipts.
func (v *view) Read(ctx context.Context, q turnpost.ReadQuery) (turnpost.Items, error) {
	me, err := v.who()
	if err != nil {
		return turnpost.Items{}, err
	}
	if len(q.IDs) == 0 || len(q.IDs) > 50 {
		return turnpost.Items{}, turnpost.Invalidf("ids", "has %d ids, allowed is 1 to 50", len(q.IDs))
	}
	out := turnpost.Items{Items: []turnpost.Item{}}
	var mine []turnpost.Entry
	err = v.store.View(ctx, func(tx Tx) error {
		out.Items, mine = out.Items[:0], nil
		seen := map[string]bool{}
		for _, id := range q.IDs {
			item, err := visibleItem(tx, id, me)
			if err != nil {
				return err
			}
			items := []turnpost.Item{item}
			if q.Thread {
				root := item.Thread
				if root == "" {
					root = item.ID
				}
				if items, err = tx.Thread(root); err != nil {
					return err
				}
			}
			for _, item := range items {
				if seen[item.ID] || !visible(item, me) {
					continue
				}
				seen[item.ID] = true
				if item.Deliveries, err = tx.DeliveriesOf(item.ID); err != nil {
					return err
				}
				for _, d := range item.Deliveries {
					if d.Handle == me.handle {
						mine = append(mine, turnpost.Entry{Delivery: d, Item: item})
					}
				}
				out.Items = append(out.Items, item)
			}
		}
		return nil
	})
	if err != nil {
		return turnpost.Items{}, err
	}
	return out, v.showTo(ctx, me, mine)
}

// visible tells whether the caller may know of the item: people all, agents
// what is in a channel and what is from or to them.
func visible(item turnpost.Item, me who) bool {
	return me.human || item.Channel != "" || item.Author == me.handle || contains(item.To, me.handle)
}

func visibleItem(tx Tx, id string, me who) (turnpost.Item, error) {
	item, err := tx.Item(id)
	if err != nil && !errors.Is(err, ErrNoRow) {
		return item, err
	}
	if errors.Is(err, ErrNoRow) || !visible(item, me) {
		return turnpost.Item{}, turnpost.Errorf(turnpost.NotFound, "there is no item %.40q", id)
	}
	return item, nil
}

// Ack closes deliveries of the caller.
func (v *view) Ack(ctx context.Context, q turnpost.AckRequest) (turnpost.AckDone, error) {
	me, err := v.who()
	if err != nil {
		return turnpost.AckDone{}, err
	}
	switch {
	case len(q.IDs) == 0 && q.Through == 0:
		return turnpost.AckDone{}, turnpost.Invalidf("ids", "is missing: name items, or a position in through")
	case len(q.IDs) > 500:
		return turnpost.AckDone{}, turnpost.Invalidf("ids", "has %d ids, at most 500 are allowed", len(q.IDs))
	case q.Through < 0:
		return turnpost.AckDone{}, turnpost.Invalidf("through", "is %d, positions start at 1", q.Through)
	}
	now := time.Now().UTC()
	var done turnpost.AckDone
	err = v.store.Update(ctx, func(tx Tx) error {
		done = turnpost.AckDone{}
		var closing []turnpost.Delivery
		for _, id := range q.IDs {
			d, err := tx.Delivery(me.handle, id)
			if errors.Is(err, ErrNoRow) {
				return turnpost.Errorf(turnpost.NotFound, "there is no item %.40q in your inbox", id)
			} else if err != nil {
				return err
			}
			closing = append(closing, d)
		}
		if q.Through > 0 {
			upTo, err := shownThrough(tx, me, q.Through)
			if err != nil {
				return err
			}
			closing = append(closing, upTo...)
		}
		for _, d := range closing {
			if !d.State.Open() {
				continue
			}
			d.State, d.ClosedAt = turnpost.Acked, now
			if err := tx.SaveDelivery(d); err != nil {
				return err
			}
			done.Closed++
		}
		if done.Cursor, err = tx.Cursor(me.handle); err != nil {
			return err
		}
		done.Unread, err = tx.UnreadOf(me.handle)
		return err
	})
	if err == nil {
		v.note()
	}
	return done, err
}

// shownThrough lists the open deliveries up to a position, which must have been
// shown: nobody acks what he did not see.
func shownThrough(tx Tx, me who, through int64) ([]turnpost.Delivery, error) {
	agent, err := tx.Agent(me.handle)
	if err != nil {
		return nil, err
	}
	if through > agent.LastSeq {
		return nil, turnpost.Invalidf("through", "is %d, your inbox ends at %d", through, agent.LastSeq)
	}
	entries, err := tx.OpenInbox(me.handle, false, 10000)
	if err != nil {
		return nil, err
	}
	var out []turnpost.Delivery
	for _, e := range entries {
		d := e.Delivery
		if d.Seq > through {
			break
		}
		if d.State == turnpost.Stored && d.Attempt == 0 && !me.human {
			return nil, turnpost.Errorf(turnpost.Conflict, "position %d, %s, was not shown to you yet", d.Seq, d.Item).
				WithHint("look at your inbox first")
		}
		out = append(out, d)
	}
	return out, nil
}

// note tells those who wait on Changes.
func (h *Hub) note() {
	h.mu.Lock()
	h.changed()
	h.mu.Unlock()
}

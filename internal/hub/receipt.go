package hub

import (
	"context"
	"slices"
	"time"

	"turnpost"
)

// Shown starts the lease of an offer's items: its text was printed and flushed.
func (h *Hub) Shown(_ context.Context, r turnpost.Receipt) (turnpost.Nothing, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	o := h.offers[r.Offer]
	if o == nil {
		return turnpost.Nothing{}, turnpost.Errorf(turnpost.NotFound, "no such offer")
	}
	if o.shown {
		return turnpost.Nothing{}, nil
	}
	o.shown = true
	until := time.Now().UTC().Add(lease)
	h.settle(o, func(d *turnpost.Delivery) { d.State, d.Lease = turnpost.Shown, until })
	h.clear("undelivered", func(n turnpost.Notice) bool {
		return slices.ContainsFunc(o.items, func(d turnpost.Delivery) bool { return d.Item == n.Item && d.Handle == n.Handle })
	})
	return turnpost.Nothing{}, nil
}

// Release frees an offer that nobody confirmed: its items can be offered again
// at once. A confirmed offer is left as it is.
func (h *Hub) Release(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	o := h.offers[id]
	if o == nil || o.shown {
		return
	}
	delete(h.offers, id)
	h.settle(o, func(d *turnpost.Delivery) { d.State = turnpost.Stored })
	if s := h.byID(o.session); s != nil && o.kind == turnpost.TurnEnd || s != nil && o.kind == turnpost.Bell {
		// The agent never saw the text: its turn ended after all.
		s.TurnOpen = false
		s.Status.State = turnpost.StateIdle
		s.ringAfter = time.Now().Add(afterEsc)
		if o.heldAfter >= lateAnswer { // we were slow, nobody interrupted
			s.ringAfter = time.Now().Add(startRing)
		} else if o.run != "" && o.kind == turnpost.TurnEnd {
			s.droppedAt = time.Now() // by a person, unless the client was killed
		}
		h.touch(s)
	}
	h.filled(o.handle)
}

// receive takes an event as the receipt of what was shown before it to the same
// handle in the same process: what needs no action is acked. A prompt that
// carries an offer's id proves that very offer. Callers hold mu.
func (h *Hub) receive(s *session, ev turnpost.Event, at time.Time) {
	proves := false
	switch ev.Kind {
	case turnpost.Prompt, turnpost.ToolBefore, turnpost.ToolAfter, turnpost.ToolFailed,
		turnpost.PermissionAsk, turnpost.TurnEnd:
		proves = ev.Subagent == ""
	}
	if !proves {
		return
	}
	until := at.UTC().Add(lease)
	arrived := func(d *turnpost.Delivery) {
		if d.Kind.NeedsAction() {
			d.State, d.Lease = turnpost.Shown, until
			return
		}
		d.State, d.ClosedAt = turnpost.Acked, at.UTC()
	}
	for _, id := range ev.Offers {
		if h.offers[id] == nil { // printed, but its confirmation was lost
			h.settle(&offer{id: id, handle: s.Handle}, arrived)
		}
	}
	for id, o := range h.offers {
		if !o.reaches(s.Handle, s.ID, s.Process) {
			continue
		}
		named := contains(ev.Offers, id)
		if !named && (!o.shown || ev.Kind == turnpost.Prompt && o.kind == turnpost.Bell) {
			continue
		}
		delete(h.offers, id)
		h.settle(o, arrived)
	}
}

func contains(list []string, s string) bool {
	for _, v := range list {
		if v == s {
			return true
		}
	}
	return false
}

// relapse ends the leases of a handle's inbox: whoever was shown these items
// has lost them with its context. What is on its way stays as it is: it arrives
// in the new session of the process.
func (h *Hub) relapse(ctx context.Context, handle string, process turnpost.Process, session string) error {
	h.mu.Lock()
	onTheWay := map[string]bool{}
	for id, o := range h.offers {
		onTheWay[id] = o.reaches(handle, session, process)
	}
	h.mu.Unlock()
	return h.store.Update(ctx, func(tx Tx) error {
		entries, err := tx.OpenInbox(handle, false, 500)
		if err != nil {
			return err
		}
		for _, e := range entries {
			d := e.Delivery
			if d.State != turnpost.Shown || onTheWay[d.Offer] {
				continue
			}
			d.Lease, d.OfferedAt = d.At, time.Time{}
			if err := tx.SaveDelivery(d); err != nil {
				return err
			}
		}
		return nil
	})
}

// settle changes the deliveries that an offer still holds or shows. It rides
// with the next commit: losing it means showing again, labelled.
func (h *Hub) settle(o *offer, change func(*turnpost.Delivery)) {
	h.store.Later(func(tx Tx) error {
		deliveries, err := tx.OfOffer(o.id)
		if err != nil {
			return err
		}
		for _, d := range deliveries {
			if !d.State.Open() || d.Handle != o.handle {
				continue
			}
			change(&d)
			if err := tx.SaveDelivery(d); err != nil {
				return err
			}
		}
		return nil
	})
}

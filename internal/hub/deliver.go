package hub

import (
	"context"
	"fmt"
	"time"

	"turnpost"
)

// deliver lets everyone know that something is there for them: waiters, idle
// sessions by their bell, the person by a notice.
func (h *Hub) deliver(ctx context.Context, item turnpost.Item, reached []turnpost.Delivery) {
	h.mu.Lock()
	for _, d := range reached {
		h.filled(d.Handle)
		if d.Handle == h.cfg.Human && item.Urgent {
			h.tell(turnpost.Notice{Class: "mail", Loud: turnpost.LoudUrgent, Handle: d.Handle, Item: item.ID,
				Text: fmt.Sprintf("%s wrote you an urgent %s, %s", item.Author, item.Kind, item.ID)})
		}
	}
	h.changed()
	h.mu.Unlock()
	for _, d := range reached {
		h.ringIfMail(ctx, d.Handle)
	}
}

// expect tells when each addressee will see the item.
func (h *Hub) expect(ctx context.Context, item turnpost.Item) ([]turnpost.Expect, error) {
	var out []turnpost.Expect
	now := time.Now().UTC()
	var urgent []turnpost.Delivery
	err := h.store.View(ctx, func(tx Tx) error {
		out, urgent = nil, nil
		for _, handle := range item.To {
			agent, err := h.agent(tx, handle)
			if err != nil {
				return err
			}
			d, err := tx.Delivery(handle, item.ID)
			if err != nil {
				return err
			}
			e := h.expectOf(agent, turnpost.Entry{Delivery: d, Item: item}, now)
			out = append(out, e)
			if item.Urgent && !agent.Human && (e.Class == turnpost.ClassNobody || e.Class == turnpost.ClassWedged) {
				urgent = append(urgent, d)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, h.tellAtOnce(ctx, urgent)
}

// tellAtOnce tells the human of urgent items that nobody can get now.
func (h *Hub) tellAtOnce(ctx context.Context, undeliverable []turnpost.Delivery) error {
	if len(undeliverable) == 0 {
		return nil
	}
	var told []turnpost.Delivery
	err := h.store.Update(ctx, func(tx Tx) error {
		told = nil
		for _, d := range undeliverable {
			if d.Told || !d.State.Open() {
				continue
			}
			d.Told = true
			if err := tx.SaveDelivery(d); err != nil {
				return err
			}
			told = append(told, d)
		}
		return nil
	})
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, d := range told {
		h.tell(turnpost.Notice{Class: "undelivered", Loud: turnpost.LoudUrgent, Handle: d.Handle, Item: d.Item,
			Text: fmt.Sprintf("%s is urgent and nobody is there as %s", d.Item, d.Handle)})
	}
	return nil
}

// expectOf is the delivery class of one addressee.
func (h *Hub) expectOf(a turnpost.Agent, e turnpost.Entry, now time.Time) turnpost.Expect {
	out := turnpost.Expect{Handle: a.Handle}
	if a.Human {
		out.Class = turnpost.ClassTheHuman
		return out
	}
	if now.Before(a.PausedUntil) {
		out.Class, out.Until = turnpost.ClassPaused, a.PausedUntil
		return out
	}
	l := levelOf(e, a.Interrupt)
	h.mu.Lock()
	defer h.mu.Unlock()
	live := h.liveOf(a.Handle)
	for _, s := range live {
		if !s.wedged() {
			out.Class = h.classOf(s, l)
			if out.Class != turnpost.ClassNobody {
				return out
			}
		}
	}
	switch {
	case len(live) > 0 && out.Class == "":
		out.Class = turnpost.ClassWedged
	case l == rideAlong && !e.Delivery.Kind.NeedsAction():
		out.Class = turnpost.ClassStart
	default:
		out.Class, out.Until = turnpost.ClassNobody, e.Delivery.At.Add(h.cfg.Escalate)
		if e.Delivery.Urgent {
			out.Until = now
		}
	}
	return out
}

// classOf is the delivery class at one live session. Callers hold mu.
func (h *Hub) classOf(s *session, l level) turnpost.DeliveryClass {
	switch {
	case s.TurnOpen && l == midTurn:
		return turnpost.ClassRunning
	case s.TurnOpen && l == atTurnEnd:
		return turnpost.ClassTurnEnd
	case l == rideAlong:
		return turnpost.ClassPrompt
	case h.ringable(s):
		return turnpost.ClassRung
	}
	return turnpost.ClassNobody // idle, and no ring reaches it
}

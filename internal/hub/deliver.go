package hub

import (
	"context"
	"fmt"
	"time"

	"turnpost"
)

// deliver lets everyone know that something is there for them: waiters, idle
// sessions by their bell, the person by a notice.
func (h *Hub) deliver(ctx context.Context, sent sending) {
	var handles []string
	for _, to := range sent.to {
		handles = append(handles, to.agent.Handle)
	}
	for _, d := range sent.members {
		handles = append(handles, d.Handle)
	}
	item := sent.item
	h.mu.Lock()
	for _, handle := range handles {
		h.filled(handle)
		if handle == h.cfg.Human && item.Urgent && !sent.told {
			h.tell(turnpost.Notice{
				Class: "mail", Loud: turnpost.LoudUrgent, Handle: handle, Item: item.ID,
				Text: fmt.Sprintf("%s wrote you an urgent %s, %s", item.Author, item.Kind, item.ID),
			})
		}
	}
	h.changed()
	h.mu.Unlock()
	for _, handle := range handles {
		h.ringIfWanted(ctx, handle)
	}
}

// expect tells when each addressee will see the item, and the human at once
// when an urgent one reaches nobody.
func (h *Hub) expect(ctx context.Context, sent sending) ([]turnpost.Expect, error) {
	now := time.Now().UTC()
	var out []turnpost.Expect
	var stuck []turnpost.Delivery
	for _, to := range sent.to {
		e := h.expectOf(h.configure(to.agent), turnpost.Entry{Delivery: to.delivery, Item: sent.item}, now)
		out = append(out, e)
		if sent.item.Urgent && !to.agent.Human && (e.Class == turnpost.ClassNobody || e.Class == turnpost.ClassWedged) {
			stuck = append(stuck, to.delivery)
		}
	}
	return out, h.tellAtOnce(ctx, stuck)
}

// tellAtOnce tells the human of urgent items that nobody can get now.
func (h *Hub) tellAtOnce(ctx context.Context, undeliverable []turnpost.Delivery) error {
	if len(undeliverable) == 0 {
		return nil
	}
	told, err := h.markTold(ctx, undeliverable)
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, d := range told {
		h.tell(turnpost.Notice{
			Class: "undelivered", Loud: turnpost.LoudUrgent, Handle: d.Handle, Item: d.Item,
			Text: fmt.Sprintf("%s is urgent and nobody is there as %s", d.Item, d.Handle),
		})
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

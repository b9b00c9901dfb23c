package hub

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"turnpost"
)

// Handoff passes an agent's work to another: one task with its notes, and with
// it what the agent has claimed and what is open in its inbox. The giver's notes
// are put away: they are the receiver's now.
func (v *view) Handoff(ctx context.Context, q turnpost.HandoffRequest) (turnpost.Posted, error) {
	h := v.Hub
	me, err := v.who()
	if err != nil {
		return turnpost.Posted{}, err
	}
	from, _, err := v.notesOf(ctx, q.Handle, me)
	if err != nil {
		return turnpost.Posted{}, err
	}
	to, err := ParseHandle("to", q.To)
	switch {
	case err != nil:
		return turnpost.Posted{}, err
	case to == from:
		return turnpost.Posted{}, turnpost.Invalidf("to", "is %s itself", from).WithHint("turnpost agents --all lists the handles")
	case len(q.Text) > turnpost.MaxNotes:
		return turnpost.Posted{}, tooLarge("text", len(q.Text), turnpost.MaxNotes).WithHint("put it into the notes, or shorten it")
	}
	notes, err := h.keeper.Read(from)
	if err != nil {
		return turnpost.Posted{}, err
	}
	now := time.Now().UTC()
	var work handed
	var sent sending
	err = h.store.Update(ctx, func(tx Tx) (err error) {
		if work, err = workOf(tx, from, to); err != nil {
			return err
		}
		if q.Text == "" && notes.Now == "" && len(work.claimed)+len(work.asked) == 0 {
			return turnpost.Errorf(turnpost.Conflict, "%s has nothing to hand over: no notes, nothing claimed, nothing open", from).
				WithHint("write what there is to do: turnpost context write")
		}
		p := poster{tx: tx, me: me, now: now}
		sent, err = p.post(turnpost.Draft{
			Kind: turnpost.Task, To: []string{to},
			Summary: clip(h.redact.text(clean(work.summary(q.Text, notes))), turnpost.MaxSummary),
			Body:    clip(h.redact.text(clean(work.body(q.Text, notes, now))), turnpost.MaxBody),
		})
		if err != nil {
			return err
		}
		return p.handOver(work)
	})
	if err != nil {
		return turnpost.Posted{}, err
	}
	if notes.Now != "" {
		h.report(h.keeper.Clear(from)) // the item has them
	}
	h.clear("", func(n turnpost.Notice) bool { return n.Handle == from && work.has(n.Item) })
	h.deliver(ctx, sent)
	posted := turnpost.Posted{Item: sent.item}
	posted.Expect, err = h.expect(ctx, sent)
	return posted, err
}

// handed is what goes from one handle to another.
type handed struct {
	from, to string
	claimed  []turnpost.Item
	asked    []turnpost.Item // open in the giver's inbox
	kept     []turnpost.Item // open there, and asked by the receiver itself
}

// workOf collects what a handle has to do.
func workOf(tx Tx, from, to string) (handed, error) {
	work := handed{from: from, to: to}
	if _, err := tx.Agent(to); errors.Is(err, ErrNoRow) {
		return work, turnpost.Invalidf("to", "there is no %s", to).WithHint("turnpost agents --all lists the handles")
	} else if err != nil {
		return work, err
	}
	var err error
	if work.claimed, err = claimedBy(tx, from); err != nil {
		return work, err
	}
	entries, err := tx.OpenInbox(from, true, 500)
	if err != nil {
		return work, err
	}
	for _, e := range entries {
		switch {
		case !e.Item.Kind.NeedsAction() || e.Item.State != turnpost.ItemOpen || work.has(e.Item.ID):
		case e.Item.Author == to:
			work.kept = append(work.kept, e.Item)
		default:
			work.asked = append(work.asked, e.Item)
		}
	}
	return work, nil
}

// has tells whether an item goes over.
func (w handed) has(id string) bool {
	for _, list := range [][]turnpost.Item{w.claimed, w.asked} {
		for _, item := range list {
			if item.ID == id {
				return true
			}
		}
	}
	return false
}

// handOver makes the receiver an addressee of everything, without a delivery
// that would bring it: the one task says it all.
func (p poster) handOver(w handed) error {
	for _, item := range w.claimed {
		item.ClaimedBy, item.Session = w.to, ""
		if err := p.readdress(item, w); err != nil {
			return err
		}
	}
	for _, item := range w.asked {
		if err := p.readdress(item, w); err != nil {
			return err
		}
		d, err := p.tx.Delivery(w.from, item.ID)
		if err != nil {
			return err
		}
		d.State, d.ClosedAt = turnpost.Passed, p.now
		if err := p.tx.SaveDelivery(d); err != nil {
			return err
		}
	}
	return nil
}

// readdress adds the receiver to an item. Where its author addressed it to the
// receiver too, that stays as it was.
func (p poster) readdress(item turnpost.Item, w handed) error {
	if contains(item.To, w.to) {
		return p.tx.SaveItem(item)
	}
	item.To = append(append([]string(nil), item.To...), w.to)
	if err := p.tx.SaveItem(item); err != nil {
		return err
	}
	d, err := p.tx.Delivery(w.to, item.ID)
	switch {
	case errors.Is(err, ErrNoRow):
		_, err = p.tx.AddDelivery(turnpost.Delivery{
			Handle: w.to, Item: item.ID, Kind: item.Kind, Addressed: true, Urgent: item.Urgent,
			State: turnpost.Acked, At: p.now, ClosedAt: p.now,
		})
		return err
	case err != nil || !d.State.Open():
		return err
	}
	d.State, d.ClosedAt = turnpost.Acked, p.now // it came by a channel
	return p.tx.SaveDelivery(d)
}

// summary is the one line of the task.
func (w handed) summary(text string, notes turnpost.Notes) string {
	line := w.from + " hands its work over to you"
	if about := strings.TrimSpace(firstLine(strings.TrimSpace(text), strings.TrimLeft(notes.Now, "# \n"))); about != "" {
		line += ": " + about
	}
	return turnpost.OneLine(line, 250)
}

// body is the whole of it.
func (w handed) body(text string, notes turnpost.Notes, now time.Time) string {
	var parts []string
	if text = strings.TrimSpace(text); text != "" {
		parts = append(parts, text)
	}
	if notes.Now != "" {
		about := ""
		if notes.Place != "" {
			about = ", about " + notes.Place
		}
		parts = append(parts, fmt.Sprintf("# Notes of %s of %s%s\n\n%s", w.from, notes.At.UTC().Format("2006-01-02 15:04 UTC"), about,
			strings.TrimSpace(notes.Now)))
	}
	list := func(heading string, items []turnpost.Item) {
		if len(items) == 0 {
			return
		}
		lines := []string{heading}
		for _, item := range items {
			lines = append(lines, fmt.Sprintf("- %s · %s · %s · %s", item.ID, item.Kind, item.Author, turnpost.OneLine(item.Summary, 200)))
		}
		parts = append(parts, strings.Join(lines, "\n"))
	}
	list("Claimed, now by you: resolve them when they are done.", w.claimed)
	list("Open, now to you: reply, claim, resolve or pass them.", w.asked)
	list(fmt.Sprintf("Asked by you, and still open at %s:", w.from), w.kept)
	return strings.Join(parts, "\n\n")
}

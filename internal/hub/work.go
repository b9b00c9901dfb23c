package hub

import (
	"context"
	"errors"
	"fmt"
	"time"

	"turnpost"
)

// Pass hands an item to the person: it leaves the caller's inbox and goes into
// the person's.
func (v *view) Pass(ctx context.Context, q turnpost.PassRequest) (turnpost.Item, error) {
	h := v.Hub
	me, err := v.who()
	if err != nil {
		return turnpost.Item{}, err
	}
	if len(q.Reason) > turnpost.MaxSummary {
		return turnpost.Item{}, tooLarge("reason", len(q.Reason), turnpost.MaxSummary)
	}
	if me.human {
		return turnpost.Item{}, turnpost.Errorf(turnpost.Conflict, "you are the one that items are passed to")
	}
	reason := h.redact.text(clean(q.Reason))
	now := time.Now().UTC()
	var item turnpost.Item
	var sent sending
	err = h.store.Update(ctx, func(tx Tx) (err error) {
		sent = sending{}
		if item, err = visibleItem(tx, q.ID, me); err != nil {
			return err
		}
		d, err := tx.Delivery(me.handle, item.ID)
		if errors.Is(err, ErrNoRow) || err == nil && !d.State.Open() {
			return turnpost.Errorf(turnpost.Conflict, "%s is not open in your inbox", item.ID)
		} else if err != nil {
			return err
		}
		d.State, d.ClosedAt = turnpost.Passed, now
		if err := tx.SaveDelivery(d); err != nil {
			return err
		}
		if _, err := tx.Delivery(h.cfg.Human, item.ID); !errors.Is(err, ErrNoRow) {
			return err // the person has it already
		}
		p := poster{tx: tx, me: me, now: now}
		agent, err := tx.Agent(h.cfg.Human)
		if err != nil {
			return err
		}
		human, err := p.add(item, h.cfg.Human, true)
		sent = sending{item: item, to: []addressee{{agent, human}}}
		return err
	})
	if err != nil {
		return turnpost.Item{}, err
	}
	h.deliver(ctx, sent)
	text := fmt.Sprintf("%s passed %s to you", me.handle, item.ID)
	if reason != "" {
		text += ": " + reason
	}
	h.mu.Lock()
	h.tell(turnpost.Notice{Class: "passed", Loud: turnpost.LoudNotice, Handle: me.handle, Item: item.ID, Text: text})
	h.mu.Unlock()
	return item, nil
}

// Claim takes an open task, binds it to a session and withdraws it from the
// other addressees.
func (v *view) Claim(ctx context.Context, q turnpost.ClaimRequest) (turnpost.Item, error) {
	h := v.Hub
	me, err := v.who()
	if err != nil {
		return turnpost.Item{}, err
	}
	session := me.id
	if q.HookSession != "" {
		h.mu.Lock()
		s := h.bySecret(q.HookSession)
		switch {
		case s == nil:
			err = turnpost.Invalidf("hook_session", "is not known").WithHint("use the hook_session of your latest start line")
		case s.Handle != me.handle && !me.human:
			err = turnpost.Errorf(turnpost.Forbidden, "that session is %s, you are %s", s.Handle, me.handle)
		default:
			session = s.ID
		}
		h.mu.Unlock()
		if err != nil {
			return turnpost.Item{}, err
		}
	}
	now := time.Now().UTC()
	var item turnpost.Item
	err = h.store.Update(ctx, func(tx Tx) (err error) {
		if item, err = visibleItem(tx, q.ID, me); err != nil {
			return err
		}
		switch {
		case item.Kind != turnpost.Task:
			return turnpost.Invalidf("id", "%s is a %s: only tasks are claimed", item.ID, item.Kind)
		case item.State != turnpost.ItemOpen:
			return turnpost.Errorf(turnpost.Conflict, "%s is %s", item.ID, item.State)
		case item.ClaimedBy != "" && item.ClaimedBy != me.handle:
			return turnpost.Errorf(turnpost.Conflict, "%s is claimed by %s", item.ID, item.ClaimedBy)
		case !me.human && !contains(item.To, me.handle):
			return turnpost.Errorf(turnpost.Forbidden, "%s is not addressed to you", item.ID)
		}
		item.ClaimedBy, item.Session = me.handle, session
		if err := tx.SaveItem(item); err != nil {
			return err
		}
		deliveries, err := tx.DeliveriesOf(item.ID)
		if err != nil {
			return err
		}
		for _, d := range deliveries {
			if !d.State.Open() {
				continue
			}
			d.State, d.ClosedAt = turnpost.Withdrawn, now
			if d.Handle == me.handle {
				d.State = turnpost.Acked
			}
			if err := tx.SaveDelivery(d); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		h.note()
	}
	return item, err
}

// Resolve closes a question or a task and lets its author know.
func (v *view) Resolve(ctx context.Context, q turnpost.ResolveRequest) (turnpost.Item, error) {
	h := v.Hub
	me, err := v.who()
	if err != nil {
		return turnpost.Item{}, err
	}
	if len(q.Result) > turnpost.MaxBody {
		return turnpost.Item{}, tooLarge("result", len(q.Result), turnpost.MaxBody)
	}
	result := h.redact.text(clean(q.Result))
	asker, err := h.mayClose(me, q.ID)
	if err != nil {
		return turnpost.Item{}, err
	}
	var item turnpost.Item
	var report sending
	err = h.store.Update(ctx, func(tx Tx) (err error) {
		report = sending{}
		if item, err = visibleItem(tx, q.ID, me); err != nil {
			return err
		}
		switch {
		case !item.Kind.NeedsAction():
			return turnpost.Invalidf("id", "%s is a %s: only questions and tasks are resolved", item.ID, item.Kind)
		case item.State != turnpost.ItemOpen:
			return turnpost.Errorf(turnpost.Conflict, "%s is %s already", item.ID, item.State)
		case !me.human && item.Author != me.handle && item.ClaimedBy != me.handle && !contains(item.To, me.handle):
			return turnpost.Errorf(turnpost.Forbidden, "%s is neither from you nor to you", item.ID)
		}
		p := poster{tx: tx, me: me, now: time.Now().UTC()}
		if err := p.close(item, turnpost.ItemResolved, result, turnpost.Answered); err != nil {
			return err
		}
		if item.Author != me.handle {
			report, err = p.post(turnpost.Draft{
				Kind: turnpost.Report, ReplyTo: item.ID, To: []string{item.Author},
				Summary: clip(item.ID+" is resolved: "+firstLine(result, item.Summary), turnpost.MaxSummary), Body: result,
			})
			if err == nil {
				err = p.quiet(report, asker)
			}
			if err != nil {
				return err
			}
		}
		item, err = tx.Item(item.ID)
		return err
	})
	if err != nil {
		return turnpost.Item{}, err
	}
	h.deliver(ctx, report)
	h.clear("", func(n turnpost.Notice) bool { return n.Item == q.ID })
	if asker != "" {
		h.itemClosed(ctx, q.ID)
	}
	return item, nil
}

// firstLine is the first line of text, or of what stands in for an empty one.
func firstLine(text, instead string) string {
	if text == "" {
		text = instead
	}
	for i, r := range text {
		if r == '\n' || r == '\r' {
			return text[:i]
		}
	}
	return text
}

// Open lists open questions and tasks, as far as the caller may see them.
func (v *view) Open(ctx context.Context, q turnpost.OpenQuery) (turnpost.Items, error) {
	me, err := v.who()
	if err != nil {
		return turnpost.Items{}, err
	}
	if q.Kind != "" && !q.Kind.NeedsAction() {
		return turnpost.Items{}, turnpost.Invalidf("kind", "%.40q is never open", string(q.Kind)).WithHint("use question or task")
	}
	limit, err := limitOf(q.Limit)
	if err != nil {
		return turnpost.Items{}, err
	}
	out := turnpost.Items{Items: []turnpost.Item{}}
	err = v.store.View(ctx, func(tx Tx) error {
		items, err := tx.OpenItems(q.Kind, 5000)
		if err != nil {
			return err
		}
		out.Items = out.Items[:0]
		for _, item := range items {
			mine := contains(item.To, me.handle) || item.ClaimedBy == me.handle
			if !visible(item, me) || q.Mine && !mine || len(out.Items) == limit {
				continue
			}
			item.Body = ""
			out.Items = append(out.Items, item)
		}
		return nil
	})
	return out, err
}

// Timeline lists items, newest first, without their bodies.
func (v *view) Timeline(ctx context.Context, q turnpost.TimelineQuery) (turnpost.Items, error) {
	me, err := v.who()
	if err != nil {
		return turnpost.Items{}, err
	}
	f := TimelineFilter{Before: q.Before}
	if f.Limit, err = limitOf(q.Limit); err != nil {
		return turnpost.Items{}, err
	}
	if q.Channel != "" {
		if f.Channel, err = parseChannel("channel", q.Channel); err != nil {
			return turnpost.Items{}, err
		}
	}
	if q.Handle != "" {
		if f.Handle, err = ParseHandle("handle", q.Handle); err != nil {
			return turnpost.Items{}, err
		}
	}
	if !me.human {
		f.Viewer = me.handle
	}
	out := turnpost.Items{Items: []turnpost.Item{}}
	err = v.store.View(ctx, func(tx Tx) error {
		items, err := tx.Timeline(f)
		out.Items = append(out.Items[:0], items...)
		return err
	})
	return out, err
}

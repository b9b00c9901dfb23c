package hub

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"turnpost"
	"turnpost/internal/run"
)

// entries writes what a command adds to a journal, and the items that go with it,
// in one transaction.
type entries struct {
	h     *Hub
	tx    Tx
	state *run.State
	now   time.Time
	out   outcome
	anew  bool // the run had ended: its items were withdrawn
}

func (h *Hub) entries(tx Tx, state *run.State) *entries {
	return &entries{h: h, tx: tx, state: state, now: time.Now().UTC()}
}

// add numbers and applies entries. A result closes the item that carried its
// effect, and an end all of them.
func (w *entries) add(events []turnpost.RunEvent) error {
	for _, e := range run.Number(events, w.state.Seq) {
		switch e.Kind {
		case turnpost.EffectPosted:
			for _, effect := range w.state.Linked() {
				if effect.ID != e.Task {
					continue
				}
				if err := w.closeItem(effect.Item, turnpost.ItemResolved, e.By, e.Text); err != nil {
					return err
				}
			}
		case turnpost.RunResumed:
			w.anew = w.anew || w.state.Run.State.Ended()
		}
		if err := w.state.Apply(e); err != nil {
			return err
		}
		w.out.added = append(w.out.added, e)
		if e.Kind == turnpost.RunEnded {
			if err := w.ended(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// finish gives effects their items and stores it all.
func (w *entries) finish() (outcome, error) {
	s := w.state
	if !s.Run.State.Ended() {
		carry := s.Unlinked()
		if w.anew {
			for _, effect := range s.Linked() {
				item, err := w.tx.Item(effect.Item)
				if err != nil && !errors.Is(err, ErrNoRow) {
					return outcome{}, err
				}
				if err != nil || item.State == turnpost.ItemWithdrawn {
					carry = append(carry, effect)
				}
			}
		}
		for _, effect := range carry {
			item, err := w.post(effect)
			if err != nil {
				return outcome{}, err
			}
			if err := w.add(s.Link(effect.ID, item, w.now)); err != nil {
				return outcome{}, err
			}
		}
	}
	w.out.handle = s.Handle
	if len(w.out.added) == 0 {
		return w.out, nil
	}
	if err := w.tx.AddRunEvents(s.ID, w.out.added); err != nil {
		return outcome{}, err
	}
	return w.out, w.tx.SaveRun(rowOf(s))
}

// ended withdraws what the run still asked of others, and tells the person.
func (w *entries) ended(e turnpost.RunEvent) error {
	for _, effect := range w.state.Linked() {
		if err := w.closeItem(effect.Item, turnpost.ItemWithdrawn, e.By, ""); err != nil {
			return err
		}
	}
	loud := turnpost.LoudUrgent
	switch {
	case e.By == w.h.cfg.Human:
		loud = turnpost.LoudSilent // whose own doing it is
	case e.State == turnpost.RunCompleted:
		loud = turnpost.LoudNotice
	}
	text := fmt.Sprintf("%s of %s is %s", w.state.ID, w.state.Handle, e.State)
	if e.Text != "" {
		text += ": " + turnpost.OneLine(e.Text, 300)
	}
	return w.tell(turnpost.Notice{Class: "run", Loud: loud, Handle: w.state.Handle, Text: text})
}

// tell stores a notice with what it is about.
func (w *entries) tell(n turnpost.Notice) error {
	n.At = w.now
	n, err := w.tx.AddNotice(n)
	w.out.notices = append(w.out.notices, n)
	return err
}

// post makes the item that carries an effect: a question to the person, or a
// task to another agent, from the run's handle.
func (w *entries) post(effect turnpost.Effect) (string, error) {
	draft := w.draft(effect)
	for _, to := range draft.To {
		// A process may name an agent that has not been there yet.
		if _, err := w.tx.Agent(to); errors.Is(err, ErrNoRow) {
			err = w.tx.SaveAgent(newAgent(to, w.now))
			if err != nil {
				return "", err
			}
		} else if err != nil {
			return "", err
		}
	}
	sent, err := poster{tx: w.tx, me: who{handle: w.state.Handle}, now: w.now}.post(draft)
	if err != nil {
		return "", err
	}
	sent.told = effect.Kind == turnpost.EffectBreakpoint
	w.out.carried = append(w.out.carried, sent)
	if !sent.told {
		return sent.item.ID, nil
	}
	return sent.item.ID, w.tell(turnpost.Notice{
		Class: "breakpoint", Loud: turnpost.LoudUrgent, Handle: w.state.Handle, Item: sent.item.ID,
		Text: fmt.Sprintf("%s asks you before %s goes on: %s", w.state.Handle, w.state.ID, draft.Summary),
	})
}

func (w *entries) draft(effect turnpost.Effect) turnpost.Draft {
	d := turnpost.Draft{Kind: turnpost.Task, To: []string{effect.To}}
	text := effect.Text
	if effect.Kind == turnpost.EffectBreakpoint {
		d = turnpost.Draft{Kind: turnpost.Question, To: []string{w.h.cfg.Human}, Urgent: true}
		text = effect.Question
	}
	title := effect.Label
	if title == "" {
		title = firstLine(text, effect.ID)
	}
	d.Summary = clip(turnpost.OneLine(title, 300), turnpost.MaxSummary)
	var body strings.Builder
	if text != d.Summary {
		body.WriteString(text + "\n\n")
	}
	for _, file := range effect.Files {
		fmt.Fprintf(&body, "- %s\n", file.Path)
	}
	if len(effect.Files) > 0 {
		body.WriteByte('\n')
	}
	fmt.Fprintf(&body, "This is %s of %s: %s\n", effect.ID, w.state.ID, turnpost.OneLine(w.state.Goal, 300))
	if effect.Kind == turnpost.EffectBreakpoint {
		body.WriteString("The run waits for your answer, which is its result.")
	} else {
		body.WriteString("What it is resolved with is its result.")
	}
	d.Body = clip(body.String(), turnpost.MaxBody)
	return d
}

// closeItem closes an item that is still open.
func (w *entries) closeItem(id string, state turnpost.ItemState, by, result string) error {
	item, err := w.tx.Item(id)
	if errors.Is(err, ErrNoRow) || err == nil && item.State != turnpost.ItemOpen {
		return nil
	} else if err != nil {
		return err
	}
	if by == "" {
		by = w.state.Handle
	}
	mine := turnpost.Answered
	if state == turnpost.ItemWithdrawn {
		mine = turnpost.Withdrawn
	}
	w.out.closed = append(w.out.closed, id)
	return poster{tx: w.tx, me: who{handle: by}, now: w.now}.close(item, state, result, mine)
}

// carrier is the run whose effect an open item carries; nil: none's. Callers hold
// mu.
func (h *Hub) carrier(item string) *liveRun {
	for _, r := range h.atWork {
		if contains(r.items, item) {
			return r
		}
	}
	return nil
}

// mayClose returns the handle of the run that waits for the caller's word on an
// item, "" where none does, or tells why it is not the caller's to give: an agent
// does not bring its own run the answer that it waits for.
func (h *Hub) mayClose(me who, item string) (asker string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.carrier(item)
	switch {
	case r == nil:
		return "", nil
	case me.human || me.handle != r.handle:
		return r.handle, nil
	}
	return "", turnpost.Errorf(turnpost.Forbidden, "%s waits for somebody else's word on %s", r.id, item).
		WithHint("if it is needed no more, halt the run: turnpost run halt %s", r.id)
}

// quiet acks what the agent of a run is told of an item that carried an effect:
// the run brings it.
func (p poster) quiet(sent sending, asker string) error {
	for _, to := range sent.to {
		if to.agent.Handle != asker {
			continue
		}
		d := to.delivery
		d.State, d.ClosedAt = turnpost.Acked, p.now
		if err := p.tx.SaveDelivery(d); err != nil {
			return err
		}
	}
	return nil
}

// itemClosed brings a run the result that an item was closed with. What goes
// wrong here is made up for by the clock.
func (h *Hub) itemClosed(ctx context.Context, item string) {
	h.mu.Lock()
	r := h.carrier(item)
	h.mu.Unlock()
	if r != nil {
		h.report(h.settleItem(context.WithoutCancel(ctx), r.id, item))
	}
}

// settleItem posts the result of an effect whose item is closed.
func (h *Hub) settleItem(ctx context.Context, id, itemID string) error {
	var item turnpost.Item
	var value string
	err := h.store.View(ctx, func(tx Tx) (err error) {
		if item, err = tx.Item(itemID); err != nil {
			return err
		}
		value, err = resultOf(tx, item)
		return err
	})
	if err != nil {
		return fmt.Errorf("look at %s: %w", itemID, err)
	}
	status := turnpost.EffectOK
	switch item.State {
	case turnpost.ItemOpen:
		return nil
	case turnpost.ItemWithdrawn:
		status, value = turnpost.EffectError, "withdrawn"
	}
	now := time.Now()
	return h.steer(ctx, id, nil, nil, func(s *run.State) ([]turnpost.RunEvent, error) {
		for _, effect := range s.Linked() {
			if effect.Item != itemID {
				continue
			}
			by := run.Who{Handle: effect.To} // whatever its addressee is called by now
			switch {
			case item.State == turnpost.ItemWithdrawn:
				by = run.Who{}
			case item.ClosedBy == h.cfg.Human:
				by = run.Who{Handle: item.ClosedBy, Human: true}
			}
			return s.Post(turnpost.EffectPost{Run: id, Effect: effect.ID, Status: status, Value: value}, by, now)
		}
		return nil, nil // it has its result
	})
}

// resultOf is what an item was closed with: the word that resolved it, or the
// answer to it.
func resultOf(tx Tx, item turnpost.Item) (string, error) {
	value := item.Result
	if item.State == turnpost.ItemAnswered {
		root := item.Thread
		if root == "" {
			root = item.ID
		}
		thread, err := tx.Thread(root)
		if err != nil {
			return "", err
		}
		for _, reply := range thread {
			if reply.Kind == turnpost.Answer && reply.ReplyTo == item.ID && reply.Author == item.ClosedBy {
				value = reply.Summary
				if reply.Body != "" {
					value += "\n" + reply.Body
				}
				break
			}
		}
	}
	return clip(value, turnpost.MaxRunText), nil
}

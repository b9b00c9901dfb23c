package hub

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"turnpost"
)

// Post stores an item and its deliveries, then rings, wakes waiters and tells
// the sender what to expect.
func (v *view) Post(ctx context.Context, draft turnpost.Draft) (turnpost.Posted, error) {
	h := v.Hub
	me, err := v.who()
	if err != nil {
		return turnpost.Posted{}, err
	}
	if err := h.checkDraft(&draft, me); err != nil {
		return turnpost.Posted{}, err
	}
	digest := ""
	if draft.Key != "" {
		if digest, err = draftDigest(draft); err != nil {
			return turnpost.Posted{}, err
		}
	}
	asker := ""
	if draft.Kind == turnpost.Answer {
		if asker, err = h.mayClose(me, draft.ReplyTo); err != nil {
			return turnpost.Posted{}, err
		}
	}
	now := time.Now().UTC()
	var posted turnpost.Posted
	var sent sending
	err = h.store.Update(ctx, func(tx Tx) (err error) {
		posted, sent = turnpost.Posted{}, sending{}
		if draft.Key != "" {
			row, err := tx.Key(me.handle, draft.Key)
			if err == nil {
				if row.Digest != digest {
					return turnpost.Errorf(turnpost.Conflict, "key %q was used for another item, %s", draft.Key, row.Item)
				}
				posted.Again = true
				if posted.Item, err = tx.Item(row.Item); err != nil {
					return err
				}
				sent, err = resend(tx, posted.Item)
				return err
			} else if !errors.Is(err, ErrNoRow) {
				return err
			}
		}
		p := poster{tx: tx, me: me, now: now}
		if sent, err = p.post(draft); err != nil {
			return err
		}
		if err := p.quiet(sent, asker); err != nil {
			return err
		}
		posted.Item = sent.item
		if draft.Key == "" {
			return nil
		}
		return tx.SaveKey(KeyRow{Author: me.handle, Key: draft.Key, Digest: digest, Item: posted.Item.ID, At: now})
	})
	if err != nil {
		return turnpost.Posted{}, err
	}
	if !posted.Again {
		h.deliver(ctx, sent)
		if draft.Kind == turnpost.Answer {
			h.clear("", func(n turnpost.Notice) bool { return n.Item == draft.ReplyTo })
		}
	}
	if asker != "" {
		h.itemClosed(ctx, draft.ReplyTo)
	}
	posted.Expect, err = h.expect(ctx, sent)
	return posted, err
}

// checkDraft checks and normalises what needs no store.
func (h *Hub) checkDraft(d *turnpost.Draft, me who) error {
	if d.Kind == "" {
		d.Kind = turnpost.Note
		if d.ReplyTo != "" {
			d.Kind = turnpost.Answer
		}
	}
	if !validKind(d.Kind) {
		return turnpost.Invalidf("kind", "%.40q is not a kind of item", string(d.Kind)).
			WithHint("use question, answer, task, decision, status or note")
	}
	if d.Summary == "" {
		d.Summary, d.Body, _ = strings.Cut(strings.TrimSpace(d.Body), "\n")
		d.Body = strings.TrimSpace(d.Body)
	}
	d.Summary = strings.TrimSpace(d.Summary)
	switch {
	case d.Summary == "":
		return turnpost.Invalidf("summary", "is empty")
	case strings.ContainsAny(d.Summary, "\n\r"):
		return turnpost.Invalidf("summary", "has more than one line").WithHint("put the rest into body")
	case len(d.Summary) > turnpost.MaxSummary:
		return tooLarge("summary", len(d.Summary), turnpost.MaxSummary).WithHint("put the rest into body")
	case len(d.Body) > turnpost.MaxBody:
		return tooLarge("body", len(d.Body), turnpost.MaxBody)
	case len(d.To) > turnpost.MaxTo:
		return turnpost.Invalidf("to", "has %d handles, at most %d are allowed", len(d.To), turnpost.MaxTo)
	case len(d.Key) > 200:
		return turnpost.Invalidf("key", "is %d bytes long, at most 200 are allowed", len(d.Key))
	case d.Kind == turnpost.Answer && d.ReplyTo == "":
		return turnpost.Invalidf("reply_to", "is missing: an answer answers something")
	}
	if d.Channel != "" {
		channel, err := parseChannel("channel", d.Channel)
		if err != nil {
			return err
		}
		d.Channel = channel
	}
	for i, to := range d.To {
		handle, err := ParseHandle("to", to)
		if err != nil {
			return err
		}
		d.To[i] = handle
	}
	d.Summary, d.Body = h.redact.text(clean(d.Summary)), h.redact.text(clean(d.Body))
	return nil
}

func tooLarge(field string, have, most int) *turnpost.Error {
	err := turnpost.Errorf(turnpost.TooLarge, "is %d bytes long, at most %d are allowed", have, most)
	err.Field = field
	return err
}

// clean makes text storable everywhere: valid UTF-8 without NUL.
func clean(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}

func validKind(kind turnpost.ItemKind) bool {
	for _, k := range turnpost.ItemKinds() {
		if k == kind {
			return true
		}
	}
	return false
}

func parseChannel(field, text string) (string, error) {
	name := strings.ToLower(strings.TrimPrefix(strings.TrimSpace(text), "#"))
	if name == "" || slug(name) != name {
		return "", turnpost.Invalidf(field, "%.80q is not a channel name", text).
			WithHint("a channel is #name of letters, digits, '.', '_' and '-', at most 30 characters")
	}
	return "#" + name, nil
}

func draftDigest(d turnpost.Draft) (string, error) {
	data, err := json.Marshal(d)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

// sending is a stored item on its way.
type sending struct {
	item    turnpost.Item
	told    bool // the person was told of it
	to      []addressee
	members []turnpost.Delivery // of those who get it because they joined its channel
}

// addressee is one whom an item is addressed to.
type addressee struct {
	agent    turnpost.Agent
	delivery turnpost.Delivery
}

// resend reads how an item was sent.
func resend(tx Tx, item turnpost.Item) (sending, error) {
	sent := sending{item: item}
	for _, handle := range item.To {
		agent, err := tx.Agent(handle)
		if errors.Is(err, ErrNoRow) { // renamed since
			continue
		} else if err != nil {
			return sent, err
		}
		d, err := tx.Delivery(handle, item.ID)
		if err != nil {
			return sent, err
		}
		sent.to = append(sent.to, addressee{agent, d})
	}
	return sent, nil
}

// poster stores one item in one transaction.
type poster struct {
	tx  Tx
	me  who
	now time.Time
}

func (p poster) post(d turnpost.Draft) (sending, error) {
	item := turnpost.Item{
		Kind: d.Kind, Channel: d.Channel, Author: p.me.handle, Human: p.me.human, ReplyTo: d.ReplyTo,
		Urgent: d.Urgent, Summary: d.Summary, Body: d.Body, At: p.now, State: turnpost.ItemDone,
	}
	if d.Kind.NeedsAction() {
		item.State = turnpost.ItemOpen
	}
	to := d.To
	var target *turnpost.Item
	if d.ReplyTo != "" {
		found, err := visibleItem(p.tx, d.ReplyTo, p.me)
		if err != nil {
			return sending{}, err
		}
		target = &found
		item.Thread = found.Thread
		if item.Thread == "" {
			item.Thread = found.ID
		}
		if item.Channel == "" {
			item.Channel = found.Channel
		}
		if len(to) == 0 {
			if to = []string{found.Author}; found.Author == p.me.handle {
				to = found.To // one more word of mine to those I wrote to
			}
		}
	}
	var members []string
	if item.Channel != "" {
		channel, err := p.tx.Channel(item.Channel)
		if errors.Is(err, ErrNoRow) || err == nil && !channel.ArchivedAt.IsZero() {
			return sending{}, turnpost.Invalidf("channel", "there is no channel %s", item.Channel).
				WithHint("create it: turnpost channels create '%s'", item.Channel)
		} else if err != nil {
			return sending{}, err
		}
		members = channel.Members
		to = append(append([]string(nil), to...), mentions(d.Summary+"\n"+d.Body)...)
	}
	var agents []turnpost.Agent
	for i, handle := range to {
		if contains(to[:i], handle) || handle == p.me.handle && len(d.To) == 0 {
			continue
		}
		agent, err := p.tx.Agent(handle)
		if err != nil && !errors.Is(err, ErrNoRow) {
			return sending{}, err
		} else if errors.Is(err, ErrNoRow) {
			if i >= len(d.To) && d.ReplyTo == "" { // a mention of nobody is just text
				continue
			}
			return sending{}, turnpost.Invalidf("to", "there is no %s", handle).WithHint("turnpost agents --all lists the handles")
		}
		item.To = append(item.To, handle)
		agents = append(agents, agent)
	}
	switch {
	case len(item.To) == 0 && d.Kind == turnpost.Task:
		return sending{}, turnpost.Invalidf("to", "is missing: a task needs an addressee")
	case len(item.To) == 0 && item.Channel == "":
		return sending{}, turnpost.Invalidf("to", "is missing: write to a handle or a channel")
	}
	item, err := p.tx.AddItem(item)
	if err != nil {
		return sending{}, err
	}
	sent := sending{item: item}
	for _, agent := range agents {
		d, err := p.add(item, agent.Handle, true)
		if err != nil {
			return sending{}, err
		}
		sent.to = append(sent.to, addressee{agent, d})
	}
	for _, handle := range members { // who joined a channel gets the rest of it on the way
		if contains(item.To, handle) || handle == p.me.handle {
			continue
		}
		d, err := p.add(item, handle, false)
		if err != nil {
			return sending{}, err
		}
		sent.members = append(sent.members, d)
	}
	if target != nil && item.Kind == turnpost.Answer && target.Kind == turnpost.Question && target.State == turnpost.ItemOpen {
		err = p.close(*target, turnpost.ItemAnswered, "", turnpost.Answered)
	} else if target != nil {
		err = p.closeDelivery(target.ID, turnpost.Answered, item)
	}
	return sent, err
}

func (p poster) add(item turnpost.Item, handle string, addressed bool) (turnpost.Delivery, error) {
	return p.tx.AddDelivery(turnpost.Delivery{
		Handle: handle, Item: item.ID, Kind: item.Kind, Addressed: addressed, Urgent: item.Urgent,
		State: turnpost.Stored, At: p.now,
	})
}

// close ends an item for everyone: mine is what my own delivery becomes, those
// of others are withdrawn.
func (p poster) close(item turnpost.Item, state turnpost.ItemState, result string, mine turnpost.DeliveryState) error {
	item.State, item.ClosedBy, item.ClosedAt, item.Result = state, p.me.handle, p.now, result
	if err := p.tx.SaveItem(item); err != nil {
		return err
	}
	deliveries, err := p.tx.DeliveriesOf(item.ID)
	if err != nil {
		return err
	}
	for _, d := range deliveries {
		if !d.State.Open() {
			continue
		}
		d.State, d.ClosedAt = turnpost.Withdrawn, p.now
		if d.Handle == p.me.handle {
			d.State = mine
		}
		if err := p.tx.SaveDelivery(d); err != nil {
			return err
		}
	}
	return nil
}

// closeDelivery closes my own delivery of an item that I replied to; a question
// or a task that I only remarked on stays open.
func (p poster) closeDelivery(id string, state turnpost.DeliveryState, reply turnpost.Item) error {
	d, err := p.tx.Delivery(p.me.handle, id)
	if errors.Is(err, ErrNoRow) {
		return nil
	} else if err != nil {
		return err
	}
	if !d.State.Open() || d.Kind.NeedsAction() && reply.Kind != turnpost.Answer {
		return nil
	}
	d.State, d.ClosedAt = state, p.now
	return p.tx.SaveDelivery(d)
}

// mentions lists the handles that a text names, at most MaxTo.
func mentions(text string) []string {
	var out []string
	for i := 0; i < len(text) && len(out) < turnpost.MaxTo; i++ {
		if text[i] != '@' || i > 0 && isHandleByte(text[i-1]) {
			continue
		}
		end := i + 1
		for end < len(text) && (isHandleByte(text[end]) || text[end] == '/') {
			end++
		}
		name := strings.TrimRight(text[i:end], "./-")
		if handle, err := ParseHandle("to", name); err == nil {
			out = append(out, handle)
		}
		i = end - 1
	}
	return out
}

func isHandleByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '.' || b == '_' || b == '-'
}

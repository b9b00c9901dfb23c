package store

import (
	"fmt"
	"strconv"
	"strings"

	"turnpost"
)

// itemColumns are those of a listed item; the body comes last where asked for.
const itemColumns = `i.id, i.kind, i.channel, i.seq, i.author, i.human, i.addressees, i.thread, i.reply_to, i.urgent,
	i.posted_at, i.state, i.claimed_by, i.session, i.closed_by, i.closed_at, i.summary, i.result`

func itemFields(i *turnpost.Item) []any {
	return []any{
		&i.ID, &i.Kind, &i.Channel, &i.Seq, &i.Author, &i.Human,
		nameList{&i.To},
		&i.Thread, &i.ReplyTo, &i.Urgent,
		moment{&i.At},
		&i.State, &i.ClaimedBy, &i.Session, &i.ClosedBy,
		moment{&i.ClosedAt},
		&i.Summary, &i.Result,
	}
}

func scanItem(r row) (i turnpost.Item, err error) { return i, r.Scan(itemFields(&i)...) }

func scanWholeItem(r row) (i turnpost.Item, err error) {
	return i, r.Scan(append(itemFields(&i), &i.Body)...)
}

// numberOf is the number in an item's id, or 0, which no item has.
func numberOf(id string) int64 {
	_, digits, _ := strings.Cut(id, "-")
	number, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0
	}
	return number
}

func (t *tx) AddItem(i turnpost.Item) (turnpost.Item, error) {
	if i.Kind == "" {
		return i, fmt.Errorf("add item: it has no kind")
	}
	number, err := t.next("number item", `UPDATE counters SET value = value + 1 WHERE name = 'item' RETURNING value`)
	if err != nil {
		return i, err
	}
	i.ID = fmt.Sprintf("%s-%d", i.Kind.Letter(), number)
	i.Seq = 0
	if i.Channel != "" {
		i.Seq, err = t.next("number item in "+i.Channel,
			`UPDATE channels SET last_seq = last_seq + 1 WHERE name = ? RETURNING last_seq`, i.Channel)
		if err != nil {
			return i, err
		}
	}
	to, err := names(i.To)
	if err != nil {
		return i, fmt.Errorf("add item: %w", err)
	}
	i.At, i.ClosedAt = stored(i.At), stored(i.ClosedAt)
	_, err = t.exec("add item", `
		INSERT INTO items (number, id, kind, channel, seq, author, human, addressees, thread, reply_to, urgent,
			posted_at, state, claimed_by, session, closed_by, closed_at, summary, result, body)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		number, i.ID, string(i.Kind), i.Channel, i.Seq, i.Author, i.Human, to, i.Thread, i.ReplyTo, i.Urgent,
		micros(i.At), string(i.State), i.ClaimedBy, i.Session, i.ClosedBy, micros(i.ClosedAt), i.Summary, i.Result, i.Body)
	return i, err
}

func (t *tx) SaveItem(i turnpost.Item) error {
	to, err := names(i.To)
	if err != nil {
		return fmt.Errorf("save item: %w", err)
	}
	return t.save("save item", `
		UPDATE items SET addressees = ?, state = ?, claimed_by = ?, session = ?, closed_by = ?, closed_at = ?, result = ?
		WHERE number = ? AND id = ?`,
		to, string(i.State), i.ClaimedBy, i.Session, i.ClosedBy, micros(i.ClosedAt), i.Result, numberOf(i.ID), i.ID)
}

func (t *tx) Item(id string) (turnpost.Item, error) {
	return one(t, "read item", `SELECT `+itemColumns+`, i.body FROM items i WHERE i.number = ? AND i.id = ?`,
		[]any{numberOf(id), id}, scanWholeItem)
}

func (t *tx) Thread(id string) ([]turnpost.Item, error) {
	return list(t, "read thread", `
		SELECT `+itemColumns+`, i.body FROM items i
		WHERE i.number IN (SELECT number FROM items WHERE number = ? AND id = ?
			UNION ALL SELECT number FROM items WHERE thread = ? AND thread <> '')
		ORDER BY i.number`, []any{numberOf(id), id, id}, scanWholeItem)
}

func (t *tx) OpenItems(kind turnpost.ItemKind, limit int) ([]turnpost.Item, error) {
	if kind != "" {
		return list(t, "list open items", `
			SELECT `+itemColumns+`, i.body FROM items i WHERE i.kind = ? AND i.state = 'open' ORDER BY i.number LIMIT ?`,
			[]any{string(kind), limit}, scanWholeItem)
	}
	return list(t, "list open items", `
		SELECT `+itemColumns+`, i.body FROM items i WHERE i.number IN (
			SELECT * FROM (SELECT number FROM items WHERE kind = 'question' AND state = 'open' ORDER BY number LIMIT ?) q
			UNION ALL
			SELECT * FROM (SELECT number FROM items WHERE kind = 'task' AND state = 'open' ORDER BY number LIMIT ?) k)
		ORDER BY i.number LIMIT ?`, []any{limit, limit, limit}, scanWholeItem)
}

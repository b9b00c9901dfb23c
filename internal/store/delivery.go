package store

import (
	"slices"
	"time"

	"turnpost"
)

// deliveryColumns are those of a delivery, aliased as d.
const deliveryColumns = `d.handle, d.seq, d.item, d.kind, d.addressed, d.urgent, d.state, d.offer, d.session,
	d.attempt, d.offered_at, d.lease, d.stored_at, d.closed_at, d.told`

// isOpen is turnpost.DeliveryState.Open, word for word as the partial indexes
// have it: a query finds them by that.
const isOpen = `d.state IN ('stored', 'held', 'shown')`

// isOpenOf is isOpen for one handle. The priority, which is always at least 0,
// leads the database to the index of open deliveries; it would walk the whole
// inbox by the primary key else.
const isOpenOf = `d.priority >= 0 AND ` + isOpen

func deliveryFields(d *turnpost.Delivery) []any {
	return []any{
		&d.Handle, &d.Seq, &d.Item, &d.Kind, &d.Addressed, &d.Urgent, &d.State, &d.Offer, &d.Session,
		&d.Attempt,
		moment{&d.OfferedAt},
		moment{&d.Lease},
		moment{&d.At},
		moment{&d.ClosedAt},
		&d.Told,
	}
}

func scanDelivery(r row) (d turnpost.Delivery, err error) { return d, r.Scan(deliveryFields(&d)...) }

func scanEntry(r row) (e turnpost.Entry, err error) {
	return e, r.Scan(append(deliveryFields(&e.Delivery), itemFields(&e.Item)...)...)
}

// priority is the place of a delivery in the order of offers.
func priority(d turnpost.Delivery) int {
	switch {
	case d.Urgent:
		return 0
	case d.Kind == turnpost.Answer:
		return 1
	case d.Kind.NeedsAction():
		return 2
	}
	return 3
}

func (t *tx) AddDelivery(d turnpost.Delivery) (turnpost.Delivery, error) {
	seq, err := t.next("number delivery",
		`UPDATE agents SET last_seq = last_seq + 1 WHERE handle = ? RETURNING last_seq`, d.Handle)
	if err != nil {
		return d, err
	}
	d.Seq = seq
	d.OfferedAt, d.Lease, d.At, d.ClosedAt = stored(d.OfferedAt), stored(d.Lease), stored(d.At), stored(d.ClosedAt)
	_, err = t.exec("add delivery", `
		INSERT INTO deliveries (handle, seq, number, item, kind, addressed, urgent, priority, state, offer, session,
			attempt, offered_at, lease, stored_at, closed_at, told)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		d.Handle, d.Seq, numberOf(d.Item), d.Item, string(d.Kind), d.Addressed, d.Urgent, priority(d), string(d.State), d.Offer, d.Session,
		d.Attempt, micros(d.OfferedAt), micros(d.Lease), micros(d.At), micros(d.ClosedAt), d.Told)
	return d, err
}

func (t *tx) SaveDelivery(d turnpost.Delivery) error {
	return t.save("save delivery", `
		UPDATE deliveries SET urgent = ?, priority = ?, state = ?, offer = ?, session = ?, attempt = ?,
			offered_at = ?, lease = ?, closed_at = ?, told = ?
		WHERE number = ? AND handle = ? AND item = ?`,
		d.Urgent, priority(d), string(d.State), d.Offer, d.Session, d.Attempt,
		micros(d.OfferedAt), micros(d.Lease), micros(d.ClosedAt), d.Told, numberOf(d.Item), d.Handle, d.Item)
}

func (t *tx) Delivery(handle, item string) (turnpost.Delivery, error) {
	return one(t, "read delivery", `
		SELECT `+deliveryColumns+` FROM deliveries d WHERE d.number = ? AND d.handle = ? AND d.item = ?`,
		[]any{numberOf(item), handle, item}, scanDelivery)
}

func (t *tx) DeliveriesOf(item string) ([]turnpost.Delivery, error) {
	return list(t, "list deliveries", `
		SELECT `+deliveryColumns+` FROM deliveries d WHERE d.number = ? AND d.item = ? ORDER BY d.handle`,
		[]any{numberOf(item), item}, scanDelivery)
}

func (t *tx) Offerable(handle string, now time.Time, maxAttempt, limit int) ([]turnpost.Entry, error) {
	return list(t, "list what can be offered", `
		SELECT `+deliveryColumns+`, `+itemColumns+`
		FROM deliveries d JOIN items i ON i.number = d.number
		WHERE d.handle = ? AND `+isOpen+`
			AND (d.state = 'stored' OR d.state = 'shown' AND d.lease <= ? AND d.attempt <= ?)
		ORDER BY d.priority, d.seq LIMIT ?`, []any{handle, micros(now), maxAttempt, limit}, scanEntry)
}

func (t *tx) OfOffer(offer string) ([]turnpost.Delivery, error) {
	return list(t, "read offer", `
		SELECT `+deliveryColumns+` FROM deliveries d WHERE d.offer = ? AND d.offer <> '' ORDER BY d.handle, d.seq`,
		[]any{offer}, scanDelivery)
}

// OpenInbox chooses by the index of open deliveries alone and reads only those
// that it returns.
func (t *tx) OpenInbox(handle string, addressed bool, limit int) ([]turnpost.Entry, error) {
	return list(t, "read inbox", `
		SELECT `+deliveryColumns+`, `+itemColumns+`
		FROM deliveries d JOIN items i ON i.number = d.number
		WHERE d.handle = ? AND d.seq IN (SELECT o.seq FROM (SELECT d.seq FROM deliveries d
			WHERE d.handle = ? AND (d.addressed OR NOT ?) AND `+isOpenOf+` ORDER BY d.seq LIMIT ?) o)
		ORDER BY d.seq`, []any{handle, handle, addressed, limit}, scanEntry)
}

func (t *tx) Archive(handle string, addressed bool, before int64, limit int) ([]turnpost.Entry, error) {
	if before <= 0 {
		before = 1<<63 - 1
	}
	return list(t, "read archive", `
		SELECT `+deliveryColumns+`, `+itemColumns+`
		FROM deliveries d JOIN items i ON i.number = d.number
		WHERE d.handle = ? AND (d.addressed OR NOT ?) AND d.seq < ? ORDER BY d.seq DESC LIMIT ?`, []any{handle, addressed, before, limit}, scanEntry)
}

func (t *tx) Unread() (map[string]int, error) {
	unread := map[string]int{}
	_, err := list(t, "count unread", `SELECT d.handle, COUNT(*) FROM deliveries d WHERE `+isOpen+` GROUP BY d.handle`, nil,
		func(r row) (struct{}, error) {
			var handle string
			var n int
			err := r.Scan(&handle, &n)
			unread[handle] = n
			return struct{}{}, err
		})
	return unread, err
}

func (t *tx) UnreadOf(handle string) (n int, err error) {
	err = t.get("count unread", `SELECT COUNT(*) FROM deliveries d WHERE d.handle = ? AND `+isOpen, []any{handle}, &n)
	return n, err
}

func (t *tx) Cursor(handle string) (seq int64, err error) {
	err = t.get("read cursor", `
		SELECT COALESCE(
			(SELECT MIN(d.seq) - 1 FROM deliveries d WHERE d.handle = a.handle AND `+isOpenOf+`),
			a.last_seq)
		FROM agents a WHERE a.handle = ?`, []any{handle}, &seq)
	return seq, err
}

// Overdue takes a delivery without a lease for never shown: an offer that was
// held and let go again is not seen by anybody.
func (t *tx) Overdue(before, now time.Time, maxAttempt, limit int) ([]turnpost.Delivery, error) {
	unseen, err := list(t, "list unseen deliveries", `
		SELECT `+deliveryColumns+` FROM deliveries d
		WHERE d.state = 'stored' AND d.lease = 0 AND NOT d.told AND (d.urgent OR d.kind IN ('question', 'task'))
			AND d.stored_at < ?
		ORDER BY d.stored_at LIMIT ?`, []any{micros(before), limit}, scanDelivery)
	if err != nil || len(unseen) == limit {
		return unseen, err
	}
	ignored, err := list(t, "list ignored deliveries", `
		SELECT `+deliveryColumns+` FROM deliveries d
		WHERE d.state IN ('stored', 'shown') AND d.lease > 0 AND NOT d.told
			AND d.attempt >= ? AND d.lease <= ?
		ORDER BY d.attempt, d.lease LIMIT ?`, []any{maxAttempt, micros(now), limit - len(unseen)}, scanDelivery)
	return slices.Concat(unseen, ignored), err
}

func (t *tx) ReleaseHeld() error {
	_, err := t.exec("release held deliveries", `UPDATE deliveries AS d SET state = 'stored' WHERE d.state = 'held'`)
	return err
}

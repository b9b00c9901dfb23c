package store

import (
	"time"

	"turnpost"
	"turnpost/internal/hub"
)

func (t *tx) Key(author, key string) (hub.KeyRow, error) {
	return one(t, "read key", `SELECT author, key, digest, item, made_at FROM post_keys WHERE author = ? AND key = ?`,
		[]any{author, key}, func(r row) (k hub.KeyRow, err error) {
			return k, r.Scan(&k.Author, &k.Key, &k.Digest, &k.Item, moment{&k.At})
		})
}

// SaveKey refuses a key that its author has used already.
func (t *tx) SaveKey(k hub.KeyRow) error {
	_, err := t.exec("save key", `INSERT INTO post_keys (author, key, digest, item, made_at) VALUES (?, ?, ?, ?, ?)`,
		k.Author, k.Key, k.Digest, k.Item, micros(k.At))
	return err
}

const noticeColumns = `id, class, loud, handle, session, item, text, told_at, cleared_at`

func (t *tx) AddNotice(n turnpost.Notice) (turnpost.Notice, error) {
	id, err := t.next("number notice", `UPDATE counters SET value = value + 1 WHERE name = 'notice' RETURNING value`)
	if err != nil {
		return n, err
	}
	n.ID, n.At, n.Cleared = id, stored(n.At), stored(n.Cleared)
	_, err = t.exec("add notice", `INSERT INTO notices (`+noticeColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		n.ID, n.Class, string(n.Loud), n.Handle, n.Session, n.Item, n.Text, micros(n.At), micros(n.Cleared))
	return n, err
}

func (t *tx) SaveNotice(n turnpost.Notice) error {
	return t.save("save notice", `
		UPDATE notices SET class = ?, loud = ?, handle = ?, session = ?, item = ?, text = ?, told_at = ?, cleared_at = ?
		WHERE id = ?`,
		n.Class, string(n.Loud), n.Handle, n.Session, n.Item, n.Text, micros(n.At), micros(n.Cleared), n.ID)
}

func (t *tx) Notices() ([]turnpost.Notice, error) {
	return list(t, "list notices", `SELECT `+noticeColumns+` FROM notices WHERE cleared_at = 0 ORDER BY id DESC`, nil,
		func(r row) (n turnpost.Notice, err error) {
			return n, r.Scan(&n.ID, &n.Class, &n.Loud, &n.Handle, &n.Session, &n.Item, &n.Text, moment{&n.At}, moment{&n.Cleared})
		})
}

func (t *tx) AddActivity(a turnpost.Activity) error {
	seq, err := t.next("number activity", `UPDATE counters SET value = value + 1 WHERE name = 'activity' RETURNING value`)
	if err != nil {
		return err
	}
	_, err = t.exec("add activity", `INSERT INTO activity (seq, session, handle, kind, state, text, at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		seq, a.Session, a.Handle, string(a.Kind), string(a.State), a.Text, micros(a.At))
	return err
}

func (t *tx) Activities(limit int) ([]turnpost.Activity, error) {
	return list(t, "list activity", `SELECT seq, session, handle, kind, state, text, at FROM activity ORDER BY seq DESC LIMIT ?`,
		[]any{limit}, func(r row) (a turnpost.Activity, err error) {
			return a, r.Scan(&a.Seq, &a.Session, &a.Handle, &a.Kind, &a.State, &a.Text, moment{&a.At})
		})
}

func (t *tx) Prune(before time.Time) error {
	for _, old := range []struct{ what, query string }{
		{"prune activity", `DELETE FROM activity WHERE at < ?`},
		{"prune notices", `DELETE FROM notices WHERE cleared_at > 0 AND told_at < ?`},
		{"prune keys", `DELETE FROM post_keys WHERE made_at < ?`},
		{"prune sessions", `DELETE FROM sessions WHERE ended_at > 0 AND ended_at < ?`},
	} {
		if _, err := t.exec(old.what, old.query, micros(before)); err != nil {
			return err
		}
	}
	return nil
}

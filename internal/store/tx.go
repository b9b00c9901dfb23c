package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"turnpost/internal/hub"
)

// tx is one caller's part of a transaction, valid while its function runs.
type tx struct {
	conn   *conn
	ctx    context.Context // of a View; nil in an Update, which runs to its end
	writes bool
	over   bool
	fatal  error // what spoiled the whole transaction; nothing runs after it
}

var _ hub.Tx = (*tx)(nil)

// call runs fn with t and turns a panic into an error.
func call(fn func(hub.Tx) error, t *tx) (err error) {
	defer func() {
		t.over = true
		if value := recover(); value != nil {
			err = newPanicked(value)
		}
	}()
	return fn(t)
}

// fail explains an error of the database and remembers it when it spoils more
// than its own statement.
func (t *tx) fail(what string, err error) error {
	if classify(err) != refused && t.fatal == nil {
		t.fatal = err
	}
	return explain(what, err)
}

// ready returns the prepared statement if t can still run one.
func (t *tx) ready(what, query string) (*sql.Stmt, error) {
	switch {
	case t.over:
		return nil, fmt.Errorf("%s: the transaction has ended", what)
	case t.fatal != nil:
		return nil, explain(what, t.fatal)
	case t.ctx != nil && t.ctx.Err() != nil:
		return nil, t.ctx.Err()
	}
	stmt, err := t.conn.stmt(query)
	if err != nil {
		return nil, t.fail(what, err)
	}
	return stmt, nil
}

// exec runs a statement that writes and returns how many rows it changed.
func (t *tx) exec(what, query string, args ...any) (int64, error) {
	if !t.writes {
		return 0, fmt.Errorf("%s: a View cannot write", what)
	}
	stmt, err := t.ready(what, query)
	if err != nil {
		return 0, err
	}
	result, err := stmt.Exec(args...)
	if err != nil {
		return 0, t.fail(what, err)
	}
	return result.RowsAffected()
}

// save is exec for a statement that must change a row; ErrNoRow otherwise.
func (t *tx) save(what, query string, args ...any) error {
	n, err := t.exec(what, query, args...)
	if err == nil && n == 0 {
		return fmt.Errorf("%s: %w", what, hub.ErrNoRow)
	}
	return err
}

// next runs an UPDATE ... RETURNING that takes the next number of a sequence.
func (t *tx) next(what, query string, args ...any) (n int64, err error) {
	if !t.writes {
		return 0, fmt.Errorf("%s: a View cannot write", what)
	}
	err = t.get(what, query, args, &n)
	if errors.Is(err, hub.ErrNoRow) {
		err = fmt.Errorf("%s: %w", what, err)
	}
	return n, err
}

// get reads one row into dest; plain ErrNoRow when there is none.
func (t *tx) get(what, query string, args []any, dest ...any) error {
	_, err := one(t, what, query, args, func(r row) (struct{}, error) { return struct{}{}, r.Scan(dest...) })
	return err
}

// row is what a scan function reads: the current one of a result.
type row interface{ Scan(dest ...any) error }

// one reads one row with scan; plain ErrNoRow when there is none.
func one[T any](t *tx, what, query string, args []any, scan func(row) (T, error)) (T, error) {
	var none T
	stmt, err := t.ready(what, query)
	if err != nil {
		return none, err
	}
	value, err := scan(stmt.QueryRow(args...))
	if errors.Is(err, sql.ErrNoRows) {
		return none, hub.ErrNoRow
	}
	if err != nil {
		return none, t.fail(what, err)
	}
	return value, nil
}

// list reads all rows with scan.
func list[T any](t *tx, what, query string, args []any, scan func(row) (T, error)) (out []T, err error) {
	stmt, err := t.ready(what, query)
	if err != nil {
		return nil, err
	}
	rows, err := stmt.Query(args...)
	if err != nil {
		return nil, t.fail(what, err)
	}
	defer rows.Close()
	for rows.Next() {
		value, err := scan(rows)
		if err != nil {
			return nil, t.fail(what, err)
		}
		out = append(out, value)
	}
	if err := rows.Err(); err != nil {
		return nil, t.fail(what, err)
	}
	return out, nil
}

// micros is how a time is stored; the zero time is 0.
func micros(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return at.UnixMicro()
}

// moment scans what micros made.
type moment struct{ at *time.Time }

func (m moment) Scan(value any) error {
	n, ok := value.(int64)
	if !ok {
		return fmt.Errorf("a time is stored as %T", value)
	}
	*m.at = time.Time{}
	if n != 0 {
		*m.at = time.UnixMicro(n).UTC()
	}
	return nil
}

// stored is a time as it comes back: in UTC, whole microseconds.
func stored(at time.Time) time.Time {
	var out time.Time
	_ = moment{&out}.Scan(micros(at)) // an int64 always scans
	return out
}

// names is how a list is stored.
func names(list []string) (string, error) {
	if len(list) == 0 {
		return "[]", nil
	}
	data, err := json.Marshal(list)
	return string(data), err
}

// nameList scans what names made; an empty list becomes nil.
type nameList struct{ list *[]string }

func (l nameList) Scan(value any) error {
	text, ok := value.(string)
	if !ok {
		return fmt.Errorf("a list is stored as %T", value)
	}
	*l.list = nil
	if text == "[]" {
		return nil
	}
	return json.Unmarshal([]byte(text), l.list)
}

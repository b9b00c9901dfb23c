package store

import (
	"encoding/json"
	"fmt"

	"turnpost"
	"turnpost/internal/hub"
)

func (t *tx) AddRun(r hub.RunRow) (hub.RunRow, error) {
	number, err := t.next("number run", `UPDATE counters SET value = value + 1 WHERE name = 'run' RETURNING value`)
	if err != nil {
		return r, err
	}
	r.ID = fmt.Sprintf("r-%d", number)
	detail, err := json.Marshal(r.Run)
	if err != nil {
		return r, fmt.Errorf("add run: %w", err)
	}
	_, err = t.exec("add run", `
		INSERT INTO runs (number, handle, state, started_by, start_key, ended_at, detail) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		number, r.Handle, string(r.State), r.StartedBy, r.Key, micros(r.EndedAt), string(detail))
	return r, err
}

func (t *tx) SaveRun(r hub.RunRow) error {
	detail, err := json.Marshal(r.Run)
	if err != nil {
		return fmt.Errorf("save run: %w", err)
	}
	return t.save("save run", `UPDATE runs SET handle = ?, state = ?, ended_at = ?, detail = ? WHERE number = ?`,
		r.Handle, string(r.State), micros(r.EndedAt), string(detail), numberOf(r.ID))
}

const runColumns = `start_key, handle, started_by, detail`

// scanRun reads a run. Handles are renamed in their columns only.
func scanRun(r row) (out hub.RunRow, err error) {
	var handle, startedBy, detail string
	if err := r.Scan(&out.Key, &handle, &startedBy, &detail); err != nil {
		return out, err
	}
	err = json.Unmarshal([]byte(detail), &out.Run)
	out.Handle, out.StartedBy = handle, startedBy
	return out, err
}

func (t *tx) RunRow(id string) (hub.RunRow, error) {
	r, err := one(t, "read run", `SELECT `+runColumns+` FROM runs WHERE number = ?`, []any{numberOf(id)}, scanRun)
	if err == nil && r.ID != id {
		return hub.RunRow{}, hub.ErrNoRow // of that number, but nothing else of it
	}
	return r, err
}

func (t *tx) RunByKey(startedBy, key string) (hub.RunRow, error) {
	return one(t, "read run", `SELECT `+runColumns+` FROM runs WHERE started_by = ? AND start_key = ? AND start_key <> ''`,
		[]any{startedBy, key}, scanRun)
}

func (t *tx) RunRows(f hub.RunFilter) ([]hub.RunRow, error) {
	const read = `SELECT ` + runColumns + ` FROM runs `
	switch {
	case f.Handle != "":
		return list(t, "list runs", read+`WHERE handle = ? AND (ended_at = 0 OR ended_at > ?) ORDER BY number DESC LIMIT ?`,
			[]any{f.Handle, micros(f.EndedAfter), f.Limit}, scanRun)
	case f.EndedAfter.IsZero():
		return list(t, "list runs", read+`ORDER BY number DESC LIMIT ?`, []any{f.Limit}, scanRun)
	}
	return list(t, "list runs", read+`WHERE ended_at = 0 OR ended_at > ? ORDER BY number DESC LIMIT ?`,
		[]any{micros(f.EndedAfter), f.Limit}, scanRun)
}

func (t *tx) AddRunEvents(run string, events []turnpost.RunEvent) error {
	var last int64
	err := t.get("read journal", `SELECT COALESCE(MAX(seq), 0) FROM run_events WHERE run = ?`, []any{numberOf(run)}, &last)
	if err != nil {
		return err
	}
	for _, e := range events {
		if last++; e.Seq != last {
			return fmt.Errorf("add to the journal of %s: entry %d, want %d", run, e.Seq, last)
		}
		detail, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("add to the journal of %s: %w", run, err)
		}
		if _, err := t.exec("add to journal", `INSERT INTO run_events (run, seq, detail) VALUES (?, ?, ?)`,
			numberOf(run), e.Seq, string(detail)); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) RunEvents(run string, after int64, limit int) ([]turnpost.RunEvent, error) {
	return list(t, "read journal", `SELECT detail FROM run_events WHERE run = ? AND seq > ? ORDER BY seq LIMIT ?`,
		[]any{numberOf(run), after, limit}, func(r row) (e turnpost.RunEvent, err error) {
			var detail string
			if err := r.Scan(&detail); err != nil {
				return e, err
			}
			err = json.Unmarshal([]byte(detail), &e)
			return e, err
		})
}

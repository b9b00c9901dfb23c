package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync/atomic"

	"turnpost"
	"turnpost/internal/hub"
)

// writer owns the one connection that writes.
type writer struct {
	db           *sql.DB
	conn         *conn
	queue        *queue
	report       func(error)
	beforeCommit func() error
	failure      atomic.Pointer[error]
	done         chan struct{}
}

// The log is brought into the file each time that so many pages (of 4 KB) have
// gone to it; and it has to start over when it holds so many.
const (
	checkpointPages = 2000
	restartPages    = 6000
)

func newWriter(ctx context.Context, db *sql.DB, q *queue, cfg config) (*writer, error) {
	c, err := newConn(ctx, db)
	if err != nil {
		return nil, err
	}
	return &writer{
		db: db, conn: c, queue: q, report: cfg.onError, beforeCommit: cfg.beforeCommit,
		done: make(chan struct{}),
	}, nil
}

// run writes until the queue is closed and empty.
func (w *writer) run() {
	ended := false
	defer func() {
		if !ended {
			go w.run() // runtime.Goexit in an fn took this goroutine along
		}
	}()
	for {
		runtime.Gosched() // let those that were just answered come back first: fuller batches
		batch, dropped := w.queue.take()
		if dropped > 0 {
			w.report(turnpost.Errorf(turnpost.Unavailable,
				"%d changes of sessions and activity were dropped: the disk is too slow", dropped))
		}
		if len(batch) == 0 {
			ended = true
			close(w.done)
			return
		}
		w.commit(batch)
		w.checkpoint()
	}
}

// commit runs a batch and answers it.
func (w *writer) commit(batch []*job) {
	results := make([]error, len(batch))
	returned := false
	defer func() {
		if !returned {
			_ = w.conn.exec("ROLLBACK")
			for i := range results {
				results[i] = turnpost.Errorf(turnpost.Internal, "a store update ended its goroutine")
			}
		}
		w.answer(batch, results)
	}()
	live := make([]int, 0, len(batch))
	for i, j := range batch {
		if j.claim(taken) {
			live = append(live, i)
		}
	}
	if !w.attempt(batch, live, results) {
		// One of them spoiled the transaction: each gets its own.
		for _, i := range live {
			w.attempt(batch, []int{i}, results)
		}
	}
	returned = true
}

func (w *writer) answer(batch []*job, results []error) {
	for i, j := range batch {
		err := results[i]
		if p, ok := errors.AsType[*panicked](err); ok {
			w.report(p)
			err = p.coded()
		}
		switch {
		case j.done != nil:
			j.done <- err
		case err != nil && w.broken() == nil:
			w.report(fmt.Errorf("store later: %w", err))
		}
	}
}

// attempt runs the jobs of these indexes in one transaction, each of them whole
// or not at all, and fills in their results. It returns false when a single job
// or the commit spoiled the transaction for the others; nothing is stored then.
func (w *writer) attempt(batch []*job, indexes []int, results []error) bool {
	fail := func(err error) {
		for _, i := range indexes {
			results[i] = err
		}
	}
	if err := w.broken(); err != nil {
		fail(err)
		return true
	}
	if len(indexes) == 0 {
		return true
	}
	if err := w.conn.exec("BEGIN IMMEDIATE"); err != nil {
		fail(w.failed("begin to write", err))
		return true
	}
	wanted := 0
	for _, i := range indexes {
		t := &tx{conn: w.conn, writes: true}
		err := w.savepoint(t, batch[i].fn, len(indexes) > 1)
		results[i] = err
		if t.fatal != nil {
			_ = w.conn.exec("ROLLBACK")
			err := w.failed("write", t.fatal)
			if w.broken() != nil {
				fail(err)
				return true
			}
			results[i] = err
			return len(indexes) == 1
		}
		if err == nil {
			wanted++
		}
	}
	if wanted == 0 {
		_ = w.conn.exec("ROLLBACK")
		return true
	}
	if err := w.end(); err != nil {
		_ = w.conn.exec("ROLLBACK") // it may have ended already
		err = w.failed("commit", err)
		for _, i := range indexes {
			if results[i] == nil || w.broken() != nil {
				results[i] = err
			}
		}
		return len(indexes) == 1 || w.broken() != nil
	}
	return true
}

// savepoint runs fn so that its error undoes what it did and nothing else.
func (w *writer) savepoint(t *tx, fn func(hub.Tx) error, shared bool) error {
	if !shared {
		return call(fn, t)
	}
	if err := w.conn.exec("SAVEPOINT job"); err != nil {
		return t.fail("begin to write", err)
	}
	err := call(fn, t)
	if t.fatal != nil {
		return err // the whole transaction goes
	}
	if err != nil {
		if e := w.conn.exec("ROLLBACK TO job"); e != nil {
			return t.fail("undo", e)
		}
	}
	if e := w.conn.exec("RELEASE job"); e != nil {
		return t.fail("write", e)
	}
	return err
}

func (w *writer) end() error {
	if w.beforeCommit != nil {
		if err := w.beforeCommit(); err != nil {
			return err
		}
	}
	return w.conn.exec("COMMIT")
}

// failed explains an error of the database and, when the disk can no longer be
// trusted, ends all writing for good.
func (w *writer) failed(what string, err error) error {
	if classify(err) != diskDead {
		return explain(what, err)
	}
	broken := brokenError(err)
	if w.failure.CompareAndSwap(nil, &broken) {
		w.report(broken)
	}
	return broken
}

func (w *writer) broken() error {
	if err := w.failure.Load(); err != nil {
		return *err
	}
	return nil
}

// checkpoint brings the log into the file once it has grown, after the answers
// are out. It does so beside the readers; only when they have kept the log from
// starting over for long does it wait for those of them that run, and not long
// for a Backup. So the log stays below about 32 MB, and while a Backup runs it
// grows by what is written meanwhile.
func (w *writer) checkpoint() {
	if w.broken() != nil {
		return
	}
	err := w.moveLog()
	if err != nil && classify(err) != diskFull {
		w.report(w.failed("move the log into the file", err))
	}
}

func (w *writer) moveLog() error {
	pages, err := w.conn.pagesWritten(false)
	if err != nil || pages < checkpointPages {
		return err
	}
	if _, err := w.conn.pagesWritten(true); err != nil {
		return err
	}
	var busy, inLog, moved int
	if err := w.conn.scan("PRAGMA wal_checkpoint(PASSIVE)", &busy, &inLog, &moved); err != nil || inLog < restartPages {
		return err
	}
	if err := w.patience(100); err != nil {
		return err
	}
	err = w.conn.scan("PRAGMA wal_checkpoint(RESTART)", &busy, &inLog, &moved)
	return errors.Join(err, w.patience(5000))
}

// patience sets how long the connection waits for others, in milliseconds. This
// pragma runs when it is prepared, so it must not be prepared once only.
func (w *writer) patience(ms int) error {
	_, err := w.conn.sql.ExecContext(context.Background(), "PRAGMA busy_timeout = "+strconv.Itoa(ms))
	return err
}

// truncateLog moves the whole log into the file and empties it.
func (w *writer) truncateLog() error {
	return w.conn.exec("PRAGMA wal_checkpoint(TRUNCATE)")
}

func (w *writer) close() error {
	w.conn.close()
	return w.db.Close()
}

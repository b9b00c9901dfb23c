// Package store keeps the hub's state in one SQLite file.
//
// An Update that returned is committed and synced: it survives a crash of the
// program and a loss of power. All writes go through one goroutine, which puts
// what waits into one transaction, so that many writers share one sync. Reads
// run beside it on their own connections and see every Update that returned.
//
// What it never does: acknowledge a write that is not on disk, or go on writing
// after the disk refused to sync (a second try may report a success for data
// that the system has dropped). It is not a lock against a second hub; the
// caller holds one.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"turnpost"
	"turnpost/internal/hub"
)

// SQLite is a hub.Store in one file. It is safe for concurrent use.
type SQLite struct {
	path    string
	queue   *queue
	writer  *writer
	readers chan *conn // the idle ones
	readDB  *sql.DB

	stopped     context.Context // done: closing; ends backups
	stop        context.CancelFunc
	backups     sync.WaitGroup
	closeOnce   sync.Once
	closeResult error
}

var (
	_ hub.Store     = (*SQLite)(nil)
	_ hub.Breakable = (*SQLite)(nil)
)

// readers is how many Views run at once; more wait for one to end.
const readers = 4

// Option changes how Open opens a store.
type Option func(*config)

type config struct {
	onError      func(error)
	maxPages     int          // tests: the size at which the disk counts as full, in pages
	beforeCommit func() error // tests: a fault at the commit
}

// OnError names who hears of errors that no caller waits for: those of Later and
// of moving the log, what broke the store, the stack of a panic. It is called
// while the store works, from several goroutines, so it must neither block nor
// use the store.
func OnError(report func(error)) Option {
	return func(c *config) { c.onError = report }
}

// Open opens the store at an absolute path, makes the file if there is none
// (0600, in an existing directory that is open to its owner only), and brings
// its schema up to date. A store of a newer program is refused.
func Open(ctx context.Context, path string, options ...Option) (*SQLite, error) {
	cfg := config{onError: func(error) {}}
	for _, option := range options {
		option(&cfg)
	}
	if err := prepareFile(path); err != nil {
		return nil, err
	}
	s := &SQLite{path: path, queue: newQueue(), readers: make(chan *conn, readers)}
	if err := s.open(ctx, cfg); err != nil {
		return nil, explain("open store", err)
	}
	s.stopped, s.stop = context.WithCancel(context.Background())
	go s.writer.run()
	return s, nil
}

func (s *SQLite) open(ctx context.Context, cfg config) (err error) {
	writeDB, err := openDB(writerDSN(s.path, cfg.maxPages))
	if err != nil {
		return err
	}
	writeDB.SetMaxOpenConns(1)
	if err := migrate(ctx, writeDB, s.path); err != nil {
		return errors.Join(err, writeDB.Close())
	}
	if s.writer, err = newWriter(ctx, writeDB, s.queue, cfg); err != nil {
		return errors.Join(err, writeDB.Close())
	}
	if s.readDB, err = openDB(readerDSN(s.path)); err != nil {
		return errors.Join(err, s.writer.close())
	}
	for range readers {
		c, err := newConn(ctx, s.readDB)
		if err != nil {
			return errors.Join(err, s.readDB.Close(), s.writer.close())
		}
		s.readers <- c
	}
	return nil
}

// prepareFile checks the directory and makes the file, so that neither it nor
// the files that SQLite puts beside it (they take its mode) can be read by others.
func prepareFile(path string) error {
	if !filepath.IsAbs(path) {
		return turnpost.Invalidf("store", "%q is not an absolute path", path)
	}
	dir := filepath.Dir(path)
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("open store: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		return turnpost.Errorf(turnpost.Forbidden, "the directory of the store can be read by others: %s", dir).
			WithHint("chmod 700 %s", dir)
	}
	switch info, err = os.Lstat(path); {
	case errors.Is(err, os.ErrNotExist):
		file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return fmt.Errorf("make store: %w", err)
		}
		if err := file.Close(); err != nil {
			return fmt.Errorf("make store: %w", err)
		}
	case err != nil:
		return fmt.Errorf("open store: %w", err)
	case !info.Mode().IsRegular():
		return turnpost.Errorf(turnpost.Forbidden, "the store is not a regular file: %s", path)
	case info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows":
		// A restored backup often is: the directory has kept it private.
		if err := os.Chmod(path, 0o600); err != nil {
			return fmt.Errorf("open store: %w", err)
		}
	}
	return nil
}

// errClosed is what a closed store answers.
func errClosed() error { return turnpost.Errorf(turnpost.Unavailable, "the store is closed") }

// Update runs fn with others in one transaction; see hub.Store. A ctx that ends
// before fn's turn takes fn out of the queue; after that Update returns what
// became of it. An fn that panics is undone, and Update returns an error.
func (s *SQLite) Update(ctx context.Context, fn func(hub.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.Broken(); err != nil {
		return err
	}
	j := &job{fn: fn, done: make(chan error, 1)}
	if !s.queue.put(j) {
		return errClosed()
	}
	select {
	case err := <-j.done:
		return err
	case <-ctx.Done():
		if j.claim(abandoned) {
			return ctx.Err()
		}
		return <-j.done
	}
}

// Later queues fn and returns at once, always: callers may hold locks that an
// fn ahead of it needs. At most maxLater wait; what comes on top of them, while
// the disk stands still, is dropped and reported as an error. Those that come
// without an Update wait up to 20 ms for company, so that a stream of them does
// not sync the disk once each.
func (s *SQLite) Later(fn func(hub.Tx) error) {
	if s.Broken() == nil {
		s.queue.put(&job{fn: fn})
	}
}

// View runs fn on a snapshot; see hub.Store. It works as far as it can on a
// store that is broken.
func (s *SQLite) View(ctx context.Context, fn func(hub.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var c *conn
	select {
	case c = <-s.readers:
	case <-ctx.Done():
		return ctx.Err()
	case <-s.stopped.Done():
		return errClosed()
	}
	defer func() { s.readers <- c }()
	if err := c.exec("BEGIN"); err != nil {
		return explain("begin to read", err)
	}
	// Nothing was written, so how the transaction ends cannot matter.
	defer func() { _ = c.exec("ROLLBACK") }()
	err := call(fn, &tx{conn: c, ctx: ctx})
	if p, ok := errors.AsType[*panicked](err); ok {
		s.writer.report(p)
		return p.coded()
	}
	return err
}

// Broken returns why the store takes no more writes, or nil. It does not mend
// itself: the hub has to be started again, on a disk that works.
func (s *SQLite) Broken() error { return s.writer.broken() }

// Close waits for what was queued, empties the log into the file and closes.
func (s *SQLite) Close() error {
	s.closeOnce.Do(func() { s.closeResult = s.close() })
	return s.closeResult
}

func (s *SQLite) close() error {
	s.queue.close()
	<-s.writer.done
	s.stop()
	s.backups.Wait()
	if s.Broken() != nil {
		// The last connection that can write would empty the log into the file,
		// on a disk that has failed. The readers cannot write: they go last.
		return errors.Join(s.writer.close(), s.closeReaders())
	}
	err := s.closeReaders()
	if e := s.writer.truncateLog(); e != nil {
		err = errors.Join(err, explain("empty the log", e))
	}
	return errors.Join(err, s.writer.close())
}

func (s *SQLite) closeReaders() error {
	for range readers {
		(<-s.readers).close()
	}
	return s.readDB.Close()
}

package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	sqlite3 "modernc.org/sqlite/lib"

	"turnpost"
	"turnpost/internal/hub"
)

// diskError is an error of the database as the driver has it.
type diskError int

func (e diskError) Error() string { return fmt.Sprintf("injected (%d)", int(e)) }
func (e diskError) Code() int     { return int(e) }

// errorLog is what OnError heard.
type errorLog struct {
	mu   sync.Mutex
	errs []error
}

func (l *errorLog) add(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.errs = append(l.errs, err)
}

func (l *errorLog) take() []error {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := l.errs
	l.errs = nil
	return out
}

// TestBrokenDisk is a sync that fails: nothing is acknowledged from there on,
// although the disk works again, and reads go on.
func TestBrokenDisk(t *testing.T) {
	for _, code := range []int{sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_CORRUPT} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			var fail atomic.Bool
			var heard errorLog
			path := filepath.Join(privateDir(t), "turnpost.db")
			s := reopen(t, path, OnError(heard.add), func(c *config) {
				c.beforeCommit = func() error {
					if fail.Load() {
						return fmt.Errorf("sync: %w", diskError(code))
					}
					return nil
				}
			})
			fillAgents(t, s, "@api", "@web")
			if err := s.Broken(); err != nil {
				t.Fatal(err)
			}
			fail.Store(true)
			ran := 0
			write := func(tx hub.Tx) error {
				ran++
				_, err := post(tx, "@web", "@api")
				return err
			}
			for range 3 {
				err := s.Update(t.Context(), write)
				coded, ok := errors.AsType[*turnpost.Error](err)
				if !ok || coded.Code != turnpost.Unavailable || coded.Hint == "" || !strings.Contains(coded.Message, "takes no more writes") {
					t.Errorf("got %v", err)
				}
				fail.Store(false)
			}
			if ran != 1 {
				t.Errorf("the update ran %d times, want once: never tried again", ran)
			}
			s.Later(write)
			if s.Broken() == nil {
				t.Error("Broken says nothing")
			}
			err := s.View(t.Context(), func(tx hub.Tx) error {
				agents, err := tx.Agents()
				unread, e := tx.UnreadOf("@api")
				if len(agents) != 2 || unread != 0 {
					t.Errorf("%d agents, %d unread", len(agents), unread)
				}
				return errors.Join(err, e)
			})
			if err != nil {
				t.Errorf("view: %v", err)
			}
			if errs := heard.take(); len(errs) != 1 {
				t.Errorf("OnError heard %v, want the one failure", errs)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if info, err := os.Stat(path + "-wal"); err != nil || info.Size() == 0 {
				t.Errorf("Close emptied the log on a disk that failed: %v", err)
			}
			again := reopen(t, path)
			fillAgents(t, again, "@db")
		})
	}
}

// fillDisk posts until nothing fits and returns how many did, and the error.
func fillDisk(ctx context.Context, s *SQLite, size int) (stored int, err error) {
	for {
		err := s.Update(ctx, func(tx hub.Tx) error {
			_, err := tx.AddItem(turnpost.Item{
				Kind: turnpost.Note, Author: "@web", Summary: fmt.Sprint(stored), Body: strings.Repeat("x", size),
			})
			return err
		})
		if err != nil {
			return stored, err
		}
		stored++
	}
}

func wantDiskFull(err error) error {
	coded, ok := errors.AsType[*turnpost.Error](err)
	if !ok || coded.Code != turnpost.Unavailable || coded.Hint == "" || !strings.HasPrefix(coded.Message, "disk full") {
		return fmt.Errorf("want disk full, got %w", err)
	}
	return nil
}

// setMaxPages moves the size at which the disk counts as full.
func setMaxPages(t *testing.T, s *SQLite, pages int) {
	t.Helper()
	err := s.Update(t.Context(), func(h hub.Tx) error {
		_, err := list(h.(*tx), "set size", fmt.Sprintf("PRAGMA max_page_count(%d)", pages), nil,
			func(r row) (n int, err error) { return n, r.Scan(&n) })
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestDiskFull(t *testing.T) {
	const pages = 400
	var heard errorLog
	path := filepath.Join(privateDir(t), "turnpost.db")
	s := reopen(t, path, OnError(heard.add), func(c *config) { c.maxPages = pages })
	stored, err := fillDisk(t.Context(), s, 20_000)
	if err := wantDiskFull(err); err != nil {
		t.Error(err)
	}
	if err := s.Broken(); err != nil {
		t.Errorf("a full disk broke the store: %v", err)
	}
	s.Later(func(tx hub.Tx) error {
		_, err := tx.AddItem(turnpost.Item{Kind: turnpost.Note, Body: strings.Repeat("x", 20_000)})
		return err
	})
	fillAgents(t, s, "@api") // still fits
	if errs := heard.take(); len(errs) != 1 {
		t.Errorf("OnError heard %v, want the Later that found no room", errs)
	}

	// One that does not fit shares a transaction with some that do.
	release := hold(t, s)
	var all sync.WaitGroup
	for n := range 9 {
		size := 10
		if n == 4 {
			size = 40 * 4096
		}
		all.Go(func() {
			err := s.Update(context.Background(), func(tx hub.Tx) error {
				_, err := tx.AddItem(turnpost.Item{Kind: turnpost.Report, Author: "@web", Body: strings.Repeat("x", size)})
				return err
			})
			if n == 4 {
				err = wantDiskFull(err)
			}
			if err != nil {
				t.Errorf("update %d: %v", n, err)
			}
		})
	}
	queued(t, s, 9)
	release(pages + 10)
	all.Wait()

	setMaxPages(t, s, 10*pages)
	err = s.Update(t.Context(), func(tx hub.Tx) error {
		_, err := tx.AddItem(turnpost.Item{Kind: turnpost.Note, Body: strings.Repeat("x", 20_000)})
		return err
	})
	if err != nil {
		t.Errorf("with space again: %v", err)
	}
	if got := count(t, s, `SELECT COUNT(*) FROM items`); got != stored+8+1 {
		t.Errorf("%d items, want %d", got, stored+8+1)
	}
	wholeDB(t, s)
}

// hold keeps the writer busy; release changes the size of the disk and lets it go.
func hold(t *testing.T, s *SQLite) (release func(pages int)) {
	in, out, done := make(chan struct{}), make(chan int), make(chan error)
	go func() {
		done <- s.Update(context.Background(), func(h hub.Tx) error {
			close(in)
			_, err := list(h.(*tx), "set size", fmt.Sprintf("PRAGMA max_page_count(%d)", <-out), nil,
				func(r row) (n int, err error) { return n, r.Scan(&n) })
			return err
		})
	}()
	<-in
	return func(pages int) {
		out <- pages
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// queued returns once so many jobs wait.
func queued(t *testing.T, s *SQLite, want int) {
	t.Helper()
	for {
		s.queue.mu.Lock()
		n := len(s.queue.jobs)
		s.queue.mu.Unlock()
		if n == want {
			return
		}
		if t.Context().Err() != nil {
			t.Fatalf("%d jobs wait, want %d", n, want)
		}
	}
}

// TestLaterErrors hears of what nobody waits for.
func TestLaterErrors(t *testing.T) {
	var heard errorLog
	s := open(t, OnError(heard.add))
	wanted := errors.New("wanted")
	s.Later(func(hub.Tx) error { return wanted })
	s.Later(func(hub.Tx) error { panic("boom") })
	if err := s.Update(t.Context(), func(hub.Tx) error { panic("bang") }); strings.Contains(err.Error(), "goroutine") {
		t.Errorf("the caller got a stack: %v", err)
	}
	fillAgents(t, s, "@api")
	errs := heard.take()
	if len(errs) != 4 || !errors.Is(errs[0], wanted) {
		t.Fatalf("heard %v", errs)
	}
	all := errors.Join(errs...).Error()
	for _, text := range []string{"boom", "bang", "fault_test.go"} {
		if !strings.Contains(all, text) {
			t.Errorf("%q is missing in %s", text, all)
		}
	}
}

// TestGoexit is an update that ends the goroutine that writes.
func TestGoexit(t *testing.T) {
	s := open(t)
	err := s.Update(t.Context(), func(tx hub.Tx) error {
		if err := tx.SaveAgent(turnpost.Agent{Handle: "@gone"}); err != nil {
			return err
		}
		goexit()
		return nil
	})
	if turnpost.CodeOf(err) != turnpost.Internal {
		t.Errorf("got %v, want an internal error", err)
	}
	fillAgents(t, s, "@api")
	if got := count(t, s, `SELECT COUNT(*) FROM agents`); got != 1 {
		t.Errorf("%d agents, want the one of the update that returned", got)
	}
}

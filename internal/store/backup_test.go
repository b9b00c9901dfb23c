package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"turnpost"
	"turnpost/internal/hub"
)

// TestBackupUnderLoad copies the store while it is written to, and opens the
// copy: what was acknowledged before the copy began is in it, whole.
func TestBackupUnderLoad(t *testing.T) {
	s := open(t)
	to := handles(4)
	fillAgents(t, s, to...)
	var acked atomic.Int64
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	enough := make(chan struct{})
	for w := range len(to) {
		all.Go(func() {
			for ctx.Err() == nil {
				err := s.Update(context.Background(), func(tx hub.Tx) error {
					_, err := post(tx, to[w], to[(w+1)%len(to)], to[(w+2)%len(to)])
					return err
				})
				if err != nil {
					t.Error(err)
					return
				}
				if acked.Add(1) == 200 {
					close(enough)
				}
			}
		})
	}
	<-enough
	for n := range 3 {
		before := acked.Load()
		path := filepath.Join(privateDir(t), "turnpost.db")
		if _, err := s.Backup(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		restored := reopen(t, path)
		wholeDB(t, restored)
		items := count(t, restored, `SELECT COUNT(*) FROM items`)
		if int64(items) < before {
			t.Errorf("copy %d has %d items, %d were acknowledged before it began", n, items, before)
		}
		if got := count(t, restored, `SELECT COUNT(*) FROM deliveries`); got != 2*items {
			t.Errorf("copy %d has %d deliveries of %d items", n, got, items)
		}
		fillAgents(t, restored, "@new") // it can be written to
	}
	stop()
	all.Wait()
}

// TestCloseEndsBackup does not wait for a copy that takes long.
func TestCloseEndsBackup(t *testing.T) {
	s := open(t)
	fillForeign(t, s, 5000)
	dir := t.TempDir()
	result := make(chan error, 1)
	go func() {
		for n := 0; ; n++ { // until Close ends one of them
			if _, err := s.Backup(context.Background(), filepath.Join(dir, fmt.Sprint(n))); err != nil {
				result <- err
				return
			}
		}
	}()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-result; turnpost.CodeOf(err) != turnpost.Unavailable {
		t.Errorf("got %v, want unavailable: the store is closed", err)
	}
}

// TestLogIsBounded writes far more than the log may hold, while somebody reads.
func TestLogIsBounded(t *testing.T) {
	const posts, size, most = 2000, 30_000, 34 << 20
	path := filepath.Join(privateDir(t), "turnpost.db")
	s := reopen(t, path)
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			for ctx.Err() == nil {
				err := s.View(context.Background(), func(tx hub.Tx) error {
					_, err := tx.Timeline(hub.TimelineFilter{Limit: 20})
					return err
				})
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	body := strings.Repeat("x", size)
	var largest int64
	for range posts / 10 {
		err := s.Update(t.Context(), func(tx hub.Tx) error {
			for range 10 {
				if _, err := tx.AddItem(turnpost.Item{Kind: turnpost.Note, Body: body}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		largest = max(largest, info.Size())
	}
	stop()
	all.Wait()
	t.Logf("%d MB written, the log was at most %d MB", posts*size>>20, largest>>20)
	if largest > most {
		t.Errorf("the log grew to %d bytes, want at most %d", largest, most)
	}
}

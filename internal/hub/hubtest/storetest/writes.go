package storetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"turnpost"
	"turnpost/internal/hub"
)

func updateIsAtomic(t *testing.T, s store) {
	s.withAgents(t, "@api")
	err := s.Update(t.Context(), func(tx hub.Tx) error {
		if _, err := post(tx, turnpost.Item{Kind: turnpost.Note, To: []string{"@api"}}); err != nil {
			return err
		}
		return fmt.Errorf("no: %w", errWanted)
	})
	if !errors.Is(err, errWanted) {
		t.Errorf("got %v, want the function's own error", err)
	}
	same(t, "nothing stored", get(t, s, func(tx hub.Tx) (int, error) { return tx.UnreadOf("@api") }), 0)
	same(t, "no number taken", s.post(t, turnpost.Item{Kind: turnpost.Note, To: []string{"@api"}}).ID, "n-1")
}

// hold keeps the writer busy until release is called, so that what comes
// meanwhile goes into one batch.
func (s store) hold(t *testing.T) (release func()) {
	t.Helper()
	in, out, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		first := true
		done <- s.Update(context.Background(), func(hub.Tx) error {
			if first {
				first = false
				close(in)
				<-out
			}
			return nil
		})
	}()
	<-in
	return sync.OnceFunc(func() {
		close(out)
		if err := <-done; err != nil {
			t.Errorf("first update: %v", err)
		}
	})
}

func failingUpdateInBatch(t *testing.T, s store) {
	s.withAgents(t, "@api")
	const n = 60
	release := s.hold(t)
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			errs[i] = s.Update(context.Background(), func(tx hub.Tx) error {
				if _, err := post(tx, turnpost.Item{Kind: turnpost.Note, Summary: fmt.Sprint(i), To: []string{"@api"}}); err != nil {
					return err
				}
				switch i % 4 {
				case 1:
					return errWanted
				case 2: // a refused statement, whose error the function returns
					return tx.SaveItem(turnpost.Item{ID: "q-none"})
				case 3: // a refused statement that the function can live with
					if err := tx.RenameAgent("@api", "@api2"); err != nil {
						return err
					}
					if err := tx.SaveAgent(agent("@api")); err != nil {
						return err
					}
					if err := tx.RenameAgent("@api", "@api2"); err == nil {
						return errors.New("two agents of one name")
					}
					return errWanted
				}
				return nil
			})
		})
	}
	release()
	all.Wait()
	stored := map[string]bool{}
	for _, e := range get(t, s, func(tx hub.Tx) ([]turnpost.Entry, error) { return tx.OpenInbox("@api", false, 2*n) }) {
		stored[e.Item.Summary] = true
		same(t, "place", e.Delivery.Seq, int64(len(stored)))
	}
	for i, err := range errs {
		if failed := i%4 != 0; failed != (err != nil) || failed == stored[fmt.Sprint(i)] {
			t.Errorf("update %d: error %v, stored %v", i, err, stored[fmt.Sprint(i)])
		}
	}
	missing(t, s, "undone rename", func(tx hub.Tx) (turnpost.Agent, error) { return tx.Agent("@api2") })
}

func panicInUpdate(t *testing.T, s store) {
	s.withAgents(t, "@api")
	err := s.refused(t, "panic", func(tx hub.Tx) error {
		if err := tx.SaveAgent(agent("@web")); err != nil {
			return err
		}
		panic("in an update")
	})
	if turnpost.CodeOf(err) != turnpost.Internal {
		t.Errorf("panic: %v, want an internal error", err)
	}
	err = s.View(t.Context(), func(hub.Tx) error { panic("in a view") })
	if turnpost.CodeOf(err) != turnpost.Internal {
		t.Errorf("panic in a view: %v, want an internal error", err)
	}
	missing(t, s, "agent of the panic", func(tx hub.Tx) (turnpost.Agent, error) { return tx.Agent("@web") })
	s.withAgents(t, "@db")
}

func abandonedUpdate(t *testing.T, s store) {
	if err := s.Update(canceled(t), func(tx hub.Tx) error { return tx.SaveAgent(agent("@early")) }); !errors.Is(err, context.Canceled) {
		t.Errorf("ended context: %v", err)
	}
	if err := s.View(canceled(t), func(tx hub.Tx) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("view, ended context: %v", err)
	}
	release := s.hold(t)
	defer release()
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() {
		result <- s.Update(ctx, func(tx hub.Tx) error { return tx.SaveAgent(agent("@late")) })
	}()
	cancel()
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("context that ends while waiting: %v", err)
	}
	release()
	s.settle(t)
	for _, handle := range []string{"@early", "@late"} {
		missing(t, s, handle, func(tx hub.Tx) (turnpost.Agent, error) { return tx.Agent(handle) })
	}
}

func laterKeepsOrder(t *testing.T, s store) {
	s.withAgents(t, "@api")
	presence := []turnpost.Presence{turnpost.Away, turnpost.Offline, turnpost.Available}
	for n := range 600 {
		a := agent("@api")
		a.Presence = presence[n%3]
		a.PausedUntil = at(n)
		if n%100 == 99 {
			s.update(t, func(tx hub.Tx) error {
				before, err := tx.Agent("@api")
				if err == nil && !before.PausedUntil.Equal(at(n-1)) {
					err = fmt.Errorf("update %d came before what was queued: %v", n, before.PausedUntil)
				}
				return errors.Join(err, tx.SaveAgent(a))
			})
			continue
		}
		s.Later(func(tx hub.Tx) error { return tx.SaveAgent(a) })
	}
	s.Later(func(tx hub.Tx) error {
		if err := tx.SaveAgent(agent("@undone")); err != nil {
			return err
		}
		return errWanted
	})
	s.Later(func(tx hub.Tx) error { panic("in later") })
	s.Later(func(tx hub.Tx) error { return tx.SaveAgent(agent("@last")) })
	s.settle(t)
	get(t, s, func(tx hub.Tx) (turnpost.Agent, error) { return tx.Agent("@last") })
	missing(t, s, "agent of a failing Later", func(tx hub.Tx) (turnpost.Agent, error) { return tx.Agent("@undone") })

	// Without any Update it is stored too, soon.
	s.Later(func(tx hub.Tx) error { return tx.SaveAgent(agent("@alone")) })
	done := make(chan struct{})
	s.Later(func(tx hub.Tx) error { close(done); return nil })
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("what Later queued was not run")
	}
	s.settle(t)
	get(t, s, func(tx hub.Tx) (turnpost.Agent, error) { return tx.Agent("@alone") })
}

func viewAfterUpdate(t *testing.T, s store) {
	s.withAgents(t, "@api")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				var item turnpost.Item
				err := s.Update(context.Background(), func(tx hub.Tx) (err error) {
					item, err = post(tx, turnpost.Item{Kind: turnpost.Note, To: []string{"@api"}})
					return err
				})
				if err == nil {
					err = s.View(context.Background(), func(tx hub.Tx) error {
						_, err := tx.Delivery("@api", item.ID)
						return err
					})
				}
				if err != nil {
					t.Errorf("item %s: %v", item.ID, err)
				}
			}
		})
	}
	all.Wait()
}

func viewIsASnapshot(t *testing.T, s store) {
	s.withAgents(t, "@api")
	s.view(t, func(tx hub.Tx) error {
		for range 3 {
			agents, err := tx.Agents()
			if err != nil || len(agents) != 1 {
				return fmt.Errorf("agents %v: %w", agents, err)
			}
			s.update(t, func(tx hub.Tx) error { return tx.SaveAgent(agent("@web")) })
		}
		return nil
	})
}

func viewCannotWrite(t *testing.T, s store) {
	for what, fn := range map[string]func(tx hub.Tx) error{
		"save": func(tx hub.Tx) error { return tx.SaveAgent(agent("@api")) },
		"add":  func(tx hub.Tx) error { _, err := tx.AddNotice(turnpost.Notice{}); return err },
	} {
		if err := s.View(t.Context(), fn); err == nil {
			t.Errorf("%s in a View: no error", what)
		}
	}
	same(t, "agents", get(t, s, func(tx hub.Tx) ([]turnpost.Agent, error) { return tx.Agents() }), []turnpost.Agent{})
}

func txEnds(t *testing.T, s store) {
	var kept hub.Tx
	s.update(t, func(tx hub.Tx) error { kept = tx; return nil })
	if err := kept.SaveAgent(agent("@api")); err == nil {
		t.Error("a transaction was used after its Update")
	}
	s.view(t, func(tx hub.Tx) error { kept = tx; return nil })
	if _, err := kept.Agents(); err == nil {
		t.Error("a transaction was used after its View")
	}
}

func backup(t *testing.T, s store) {
	s.withAgents(t, "@api")
	s.post(t, turnpost.Item{Kind: turnpost.Note, To: []string{"@api"}})
	path := filepath.Join(t.TempDir(), "copy")
	size, err := s.Backup(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "size", size, info.Size())
	same(t, "mode", info.Mode().String(), "-rw-------")
	if _, err := s.Backup(t.Context(), path); turnpost.CodeOf(err) != turnpost.Invalid {
		t.Errorf("backup over a file: %v, want invalid", err)
	}
	again, err := os.Stat(path)
	if err != nil || again.Size() != size || !again.ModTime().Equal(info.ModTime()) {
		t.Errorf("the file was touched: %v %v", again, err)
	}
	for _, path := range []string{"relative", filepath.Join(t.TempDir(), "no", "such", "dir")} {
		if _, err := s.Backup(t.Context(), path); turnpost.CodeOf(err) != turnpost.Invalid {
			t.Errorf("backup to %s: %v, want invalid", path, err)
		}
	}
	path = filepath.Join(t.TempDir(), "given up")
	if _, err := s.Backup(canceled(t), path); !errors.Is(err, context.Canceled) {
		t.Errorf("backup with an ended context: %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a failed backup left a file: %v", err)
	}
}

func closed(t *testing.T, s store) {
	s.Later(func(tx hub.Tx) error { return tx.SaveAgent(agent("@api")) })
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	nothing := func(hub.Tx) error { return nil }
	s.Later(nothing)
	_, backupErr := s.Backup(t.Context(), filepath.Join(t.TempDir(), "copy"))
	for what, err := range map[string]error{
		"update": s.Update(t.Context(), nothing), "view": s.View(t.Context(), nothing), "backup": backupErr,
	} {
		if turnpost.CodeOf(err) != turnpost.Unavailable {
			t.Errorf("%s after Close: %v, want unavailable", what, err)
		}
	}
}

// manyWriters is the report of messages lost to a locked database: 64 writers,
// 1,000 posts each (fewer under the race detector), none lost, all sequences
// unbroken.
func manyWriters(t *testing.T, s store) {
	const writers, inboxes = 64, 8
	posts := 1000
	if raceDetector {
		posts = 100
	}
	s.update(t, func(tx hub.Tx) error { return tx.SaveChannel(turnpost.Channel{Name: "#general", CreatedAt: at(0)}) })
	handle := func(n int) string { return fmt.Sprintf("@agent-%d", n%inboxes) }
	for n := range inboxes {
		s.withAgents(t, handle(n))
	}
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for n := range posts {
				err := s.Update(context.Background(), func(tx hub.Tx) error {
					_, err := post(tx, turnpost.Item{
						Kind: turnpost.Note, Channel: "#general", Author: handle(w), Summary: fmt.Sprintf("%d/%d", w, n),
						To: []string{handle(w + n)},
					})
					return err
				})
				if err != nil {
					t.Errorf("writer %d, post %d: %v", w, n, err)
					return
				}
			}
		})
	}
	all.Wait()
	channel := get(t, s, func(tx hub.Tx) (turnpost.Channel, error) { return tx.Channel("#general") })
	same(t, "posts in the channel", channel.LastSeq, int64(writers*posts))

	found := map[string]bool{}
	last := map[int]int{}
	before := ""
	for seq := channel.LastSeq; seq > 0; {
		page := get(t, s, func(tx hub.Tx) ([]turnpost.Item, error) {
			return tx.Timeline(hub.TimelineFilter{Channel: "#general", Before: before, Limit: 5000})
		})
		if len(page) == 0 {
			t.Fatalf("the channel breaks off at %d", seq)
		}
		for _, item := range page {
			if item.Seq != seq {
				t.Fatalf("place %d in the channel holds %d", seq, item.Seq)
			}
			seq--
			var w, n int
			if _, err := fmt.Sscanf(item.Summary, "%d/%d", &w, &n); err != nil {
				t.Fatal(err)
			}
			if newer, ok := last[w]; ok && newer != n+1 {
				t.Fatalf("writer %d: post %d follows %d", w, newer, n)
			}
			last[w] = n
			found[item.Summary] = true
		}
		before = page[len(page)-1].ID
	}
	same(t, "posts found", len(found), writers*posts)

	total := 0
	for n := range inboxes {
		entries := get(t, s, func(tx hub.Tx) ([]turnpost.Entry, error) { return tx.OpenInbox(handle(n), false, writers*posts) })
		for k, e := range entries {
			if e.Delivery.Seq != int64(k+1) {
				t.Fatalf("place %d in the inbox of %s holds %d", k+1, handle(n), e.Delivery.Seq)
			}
		}
		total += len(entries)
	}
	same(t, "deliveries", total, writers*posts)
}

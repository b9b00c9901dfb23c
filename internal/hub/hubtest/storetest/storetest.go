// Package storetest is the contract that every hub.Store keeps. A store's own
// tests call Run; a new store is done when it passes.
package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"turnpost"
	"turnpost/internal/hub"
)

// Run holds a store to the contract. open returns a new, empty store and closes
// it when its test ends.
func Run(t *testing.T, open func(t *testing.T) hub.Store) {
	for _, c := range []struct {
		name string
		test func(*testing.T, store)
	}{
		{"agents", agents},
		{"rename", rename},
		{"rename keeps what is known", renameRefused},
		{"sessions", sessions},
		{"channels", channels},
		{"items", items},
		{"threads", threads},
		{"open items", openItems},
		{"timeline", timeline},
		{"timeline visibility", timelineVisibility},
		{"deliveries", deliveries},
		{"offerable order", offerableOrder},
		{"offerable leases", offerableLeases},
		{"offers", offers},
		{"release held", releaseHeld},
		{"inbox and archive", inboxAndArchive},
		{"unread and cursor", unreadAndCursor},
		{"overdue", overdue},
		{"overdue limit", overdueLimit},
		{"keys", keys},
		{"runs", runs},
		{"journals of runs", runEvents},
		{"runs of renamed agents", runsRenamed},
		{"notices", notices},
		{"activity", activity},
		{"prune", prune},
		{"text survives", textSurvives},
		{"update is atomic", updateIsAtomic},
		{"failing update in a shared batch", failingUpdateInBatch},
		{"panic", panicInUpdate},
		{"abandoned update", abandonedUpdate},
		{"later keeps order", laterKeepsOrder},
		{"view sees every update that returned", viewAfterUpdate},
		{"view is a snapshot", viewIsASnapshot},
		{"view cannot write", viewCannotWrite},
		{"transaction ends with its function", txEnds},
		{"backup", backup},
		{"closed", closed},
		{"many writers", manyWriters},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, store{open(t)}) })
	}
}

// store is a store with what most cases need.
type store struct{ hub.Store }

// update must succeed.
func (s store) update(t *testing.T, fn func(tx hub.Tx) error) {
	t.Helper()
	if err := s.Update(t.Context(), fn); err != nil {
		t.Fatalf("update: %v", err)
	}
}

// view must succeed.
func (s store) view(t *testing.T, fn func(tx hub.Tx) error) {
	t.Helper()
	if err := s.View(t.Context(), fn); err != nil {
		t.Fatalf("view: %v", err)
	}
}

// settle waits until everything that was queued by Later is done.
func (s store) settle(t *testing.T) {
	t.Helper()
	s.update(t, func(hub.Tx) error { return nil })
}

// get reads one thing, which must be there.
func get[T any](t *testing.T, s store, read func(tx hub.Tx) (T, error)) T {
	t.Helper()
	var out T
	s.view(t, func(tx hub.Tx) (err error) {
		out, err = read(tx)
		return err
	})
	return out
}

// missing wants plain ErrNoRow: callers compare with ==.
func missing[T any](t *testing.T, s store, what string, read func(tx hub.Tx) (T, error)) {
	t.Helper()
	err := s.View(t.Context(), func(tx hub.Tx) error {
		_, err := read(tx)
		return err
	})
	if !errors.Is(err, hub.ErrNoRow) {
		t.Errorf("%s: got error %v, want ErrNoRow itself", what, err)
	}
}

// refused wants an error, and nothing of it stored.
func (s store) refused(t *testing.T, what string, fn func(tx hub.Tx) error) error {
	t.Helper()
	err := s.Update(t.Context(), fn)
	if err == nil {
		t.Errorf("%s: no error", what)
	}
	return err
}

// same compares, taking nil and empty lists for equal.
func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// at is a time some seconds after a fixed one. Stores keep microseconds.
func at(seconds int) time.Time {
	return time.Date(2026, 11, 30, 12, 0, 0, 123456000, time.UTC).Add(time.Duration(seconds) * time.Second)
}

func agent(handle string) turnpost.Agent {
	return turnpost.Agent{
		Handle: handle, Presence: turnpost.Available,
		Interrupt: turnpost.InterruptNeedsAction, CreatedAt: at(0),
	}
}

// withAgents saves agents of these handles.
func (s store) withAgents(t *testing.T, handles ...string) {
	t.Helper()
	s.update(t, func(tx hub.Tx) error {
		for _, handle := range handles {
			if err := tx.SaveAgent(agent(handle)); err != nil {
				return err
			}
		}
		return nil
	})
}

// post adds an item and a delivery to each of its addressees, as a hub does.
func (s store) post(t *testing.T, i turnpost.Item) turnpost.Item {
	t.Helper()
	var out turnpost.Item
	s.update(t, func(tx hub.Tx) (err error) {
		out, err = post(tx, i)
		return err
	})
	return out
}

func post(tx hub.Tx, i turnpost.Item) (turnpost.Item, error) {
	if i.At.IsZero() {
		i.At = at(0)
	}
	if i.State == "" {
		i.State = turnpost.ItemDone
		if i.Kind.NeedsAction() {
			i.State = turnpost.ItemOpen
		}
	}
	i, err := tx.AddItem(i)
	if err != nil {
		return i, err
	}
	for _, handle := range i.To {
		_, err := tx.AddDelivery(turnpost.Delivery{
			Handle: handle, Item: i.ID, Kind: i.Kind, Addressed: true, Urgent: i.Urgent,
			State: turnpost.Stored, At: i.At,
		})
		if err != nil {
			return i, err
		}
	}
	return i, nil
}

// change saves the delivery of an item after a change.
func (s store) change(t *testing.T, handle, item string, change func(d *turnpost.Delivery)) {
	t.Helper()
	s.update(t, func(tx hub.Tx) error {
		d, err := tx.Delivery(handle, item)
		if err != nil {
			return err
		}
		change(&d)
		return tx.SaveDelivery(d)
	})
}

func itemIDs(items []turnpost.Item) []string {
	var out []string
	for _, i := range items {
		out = append(out, i.ID)
	}
	return out
}

func entryIDs(entries []turnpost.Entry) []string {
	var out []string
	for _, e := range entries {
		out = append(out, e.Item.ID)
	}
	return out
}

func deliveryIDs(deliveries []turnpost.Delivery) []string {
	var out []string
	for _, d := range deliveries {
		out = append(out, d.Handle+" "+d.Item)
	}
	return out
}

var errWanted = errors.New("wanted")

// canceled is a context that has ended.
func canceled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

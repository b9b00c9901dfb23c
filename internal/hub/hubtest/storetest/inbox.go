package storetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"turnpost"
	"turnpost/internal/hub"
)

func deliveries(t *testing.T, s store) {
	s.withAgents(t, "@api", "@web")
	item := s.post(t, turnpost.Item{Kind: turnpost.Question})
	missing(t, s, "delivery", func(tx hub.Tx) (turnpost.Delivery, error) { return tx.Delivery("@api", item.ID) })

	want := turnpost.Delivery{
		Handle: "@api", Item: item.ID, Kind: turnpost.Question, Addressed: true, Urgent: true, State: turnpost.Shown,
		Offer: "of-1", Session: "s-1", Attempt: 2, OfferedAt: at(1), Lease: at(2), At: at(0).Add(999), ClosedAt: at(3), Told: true,
	}
	add := func(d turnpost.Delivery) (out turnpost.Delivery) {
		s.update(t, func(tx hub.Tx) (err error) {
			out, err = tx.AddDelivery(d)
			return err
		})
		return out
	}
	got := add(want)
	want.Seq, want.At = 1, at(0)
	same(t, "delivery as added", got, want)
	read := func(tx hub.Tx) (turnpost.Delivery, error) { return tx.Delivery("@api", item.ID) }
	same(t, "delivery as read", get(t, s, read), want)

	want.State, want.Offer, want.Session, want.Attempt, want.Told = turnpost.Acked, "of-2", "s-2", 3, false
	want.OfferedAt, want.Lease, want.ClosedAt, want.Urgent = at(4), time.Time{}, at(6), false
	s.update(t, func(tx hub.Tx) error { return tx.SaveDelivery(want) })
	same(t, "delivery as saved", get(t, s, read), want)

	other := add(turnpost.Delivery{Handle: "@web", Item: item.ID, Kind: turnpost.Question, State: turnpost.Stored, At: at(0)})
	same(t, "each inbox has its own sequence", other.Seq, int64(1))
	same(t, "deliveries of the item", get(t, s, func(tx hub.Tx) ([]turnpost.Delivery, error) { return tx.DeliveriesOf(item.ID) }),
		[]turnpost.Delivery{want, other})

	s.refused(t, "a second delivery of an item to a handle", func(tx hub.Tx) error {
		_, err := tx.AddDelivery(want)
		return err
	})
	s.refused(t, "a delivery of no item", func(tx hub.Tx) error {
		_, err := tx.AddDelivery(turnpost.Delivery{Handle: "@api", Item: "q-99", State: turnpost.Stored})
		return err
	})
	for what, fn := range map[string]func(tx hub.Tx) error{
		"a delivery to nobody": func(tx hub.Tx) error {
			_, err := tx.AddDelivery(turnpost.Delivery{Handle: "@nobody", Item: item.ID, State: turnpost.Stored})
			return err
		},
		"save of no delivery": func(tx hub.Tx) error { return tx.SaveDelivery(turnpost.Delivery{Handle: "@api", Item: "q-99"}) },
	} {
		if err := s.refused(t, what, fn); !errors.Is(err, hub.ErrNoRow) {
			t.Errorf("%s: %v, want ErrNoRow", what, err)
		}
	}
	next := s.post(t, turnpost.Item{Kind: turnpost.Note, To: []string{"@api"}})
	d := get(t, s, func(tx hub.Tx) (turnpost.Delivery, error) { return tx.Delivery("@api", next.ID) })
	same(t, "a refused delivery takes no place", d.Seq, int64(2))
}

func offerable(t *testing.T, s store, now time.Time, maxAttempt, limit int) []turnpost.Entry {
	t.Helper()
	return get(t, s, func(tx hub.Tx) ([]turnpost.Entry, error) { return tx.Offerable("@api", now, maxAttempt, limit) })
}

func offerableOrder(t *testing.T, s store) {
	s.withAgents(t, "@api", "@web")
	to := []string{"@api"}
	id := func(i turnpost.Item) string {
		i.To, i.Body = to, "not listed"
		return s.post(t, i).ID
	}
	note := id(turnpost.Item{Kind: turnpost.Note})
	task := id(turnpost.Item{Kind: turnpost.Task})
	status := id(turnpost.Item{Kind: turnpost.Report})
	question := id(turnpost.Item{Kind: turnpost.Question})
	answer := id(turnpost.Item{Kind: turnpost.Answer})
	urgentNote := id(turnpost.Item{Kind: turnpost.Note, Urgent: true})
	decision := id(turnpost.Item{Kind: turnpost.Choice})
	answer2 := id(turnpost.Item{Kind: turnpost.Answer})
	urgentTask := id(turnpost.Item{Kind: turnpost.Task, Urgent: true})
	s.post(t, turnpost.Item{Kind: turnpost.Question, Urgent: true, To: []string{"@web"}})

	want := []string{urgentNote, urgentTask, answer, answer2, task, question, note, status, decision}
	got := offerable(t, s, at(1), 3, 50)
	same(t, "order", entryIDs(got), want)
	same(t, "limit", entryIDs(offerable(t, s, at(1), 3, 4)), want[:4])
	item := get(t, s, func(tx hub.Tx) (turnpost.Item, error) { return tx.Item(urgentNote) })
	item.Body = ""
	same(t, "an entry is its delivery and its item without the body", got[0], turnpost.Entry{
		Delivery: get(t, s, func(tx hub.Tx) (turnpost.Delivery, error) { return tx.Delivery("@api", urgentNote) }),
		Item:     item,
	})

	s.change(t, "@api", note, func(d *turnpost.Delivery) { d.Urgent = true })
	same(t, "raised to urgent", entryIDs(offerable(t, s, at(1), 3, 1)), []string{note})
	same(t, "of nobody", get(t, s, func(tx hub.Tx) ([]turnpost.Entry, error) { return tx.Offerable("@nobody", at(1), 3, 9) }), []turnpost.Entry{})
}

func offerableLeases(t *testing.T, s store) {
	s.withAgents(t, "@api")
	now := at(100)
	for _, c := range []struct {
		name string
		d    turnpost.Delivery
		want bool
	}{
		{"stored", turnpost.Delivery{State: turnpost.Stored}, true},
		{"stored, let go three times", turnpost.Delivery{State: turnpost.Stored, Attempt: 3}, true},
		{"held", turnpost.Delivery{State: turnpost.Held, Attempt: 1}, false},
		{"held, an old lease is over", turnpost.Delivery{State: turnpost.Held, Attempt: 2, Lease: at(50)}, false},
		{"shown, leased", turnpost.Delivery{State: turnpost.Shown, Attempt: 1, Lease: at(101)}, false},
		{"shown, lease just over", turnpost.Delivery{State: turnpost.Shown, Attempt: 1, Lease: at(100)}, true},
		{"shown twice, lease over", turnpost.Delivery{State: turnpost.Shown, Attempt: 2, Lease: at(50)}, true},
		{"shown more often than the limit", turnpost.Delivery{State: turnpost.Shown, Attempt: 3, Lease: at(50)}, false},
		{"acked", turnpost.Delivery{State: turnpost.Acked, Attempt: 1, Lease: at(50)}, false},
		{"answered", turnpost.Delivery{State: turnpost.Answered}, false},
		{"passed", turnpost.Delivery{State: turnpost.Passed}, false},
		{"expired", turnpost.Delivery{State: turnpost.Expired}, false},
		{"withdrawn", turnpost.Delivery{State: turnpost.Withdrawn}, false},
	} {
		item := s.post(t, turnpost.Item{Kind: turnpost.Question, To: []string{"@api"}})
		s.change(t, "@api", item.ID, func(d *turnpost.Delivery) {
			d.State, d.Attempt, d.Lease = c.d.State, c.d.Attempt, c.d.Lease
		})
		got := entryIDs(offerable(t, s, now, 2, 50))
		if (len(got) == 1) != c.want {
			t.Errorf("%s: offered %v, want offered: %v", c.name, got, c.want)
		}
		s.change(t, "@api", item.ID, func(d *turnpost.Delivery) { d.State = turnpost.Acked })
	}
}

func offers(t *testing.T, s store) {
	s.withAgents(t, "@api", "@web")
	var ids []string
	for range 3 {
		ids = append(ids, s.post(t, turnpost.Item{Kind: turnpost.Note, To: []string{"@api", "@web"}}).ID)
	}
	hold := func(offer string, d *turnpost.Delivery) {
		d.State, d.Offer, d.Attempt = turnpost.Held, offer, d.Attempt+1
	}
	s.change(t, "@api", ids[2], func(d *turnpost.Delivery) { hold("of-1", d) })
	s.change(t, "@api", ids[0], func(d *turnpost.Delivery) { hold("of-1", d) })
	s.change(t, "@web", ids[0], func(d *turnpost.Delivery) { hold("of-2", d) })
	read := func(offer string) []string {
		return deliveryIDs(get(t, s, func(tx hub.Tx) ([]turnpost.Delivery, error) { return tx.OfOffer(offer) }))
	}
	same(t, "of the offer", read("of-1"), []string{"@api " + ids[0], "@api " + ids[2]})
	same(t, "what is held is not offered", entryIDs(offerable(t, s, at(1), 3, 9)), []string{ids[1]})

	s.change(t, "@api", ids[0], func(d *turnpost.Delivery) { d.State = turnpost.Acked })
	same(t, "closed ones stay in it", read("of-1"), []string{"@api " + ids[0], "@api " + ids[2]})
	s.change(t, "@api", ids[2], func(d *turnpost.Delivery) { hold("of-3", d) })
	same(t, "one that a later offer took", read("of-1"), []string{"@api " + ids[0]})
	same(t, "no offer", read("of-9"), []string(nil))
	same(t, "no name", read(""), []string(nil))
}

func releaseHeld(t *testing.T, s store) {
	s.withAgents(t, "@api", "@web")
	item := s.post(t, turnpost.Item{Kind: turnpost.Question, To: []string{"@api", "@web"}})
	shown := s.post(t, turnpost.Item{Kind: turnpost.Question, To: []string{"@api"}})
	for _, handle := range []string{"@api", "@web"} {
		s.change(t, handle, item.ID, func(d *turnpost.Delivery) {
			d.State, d.Offer, d.Attempt, d.OfferedAt = turnpost.Held, "of-1", 1, at(1)
		})
	}
	s.change(t, "@api", shown.ID, func(d *turnpost.Delivery) { d.State, d.Lease = turnpost.Shown, at(9) })

	s.update(t, func(tx hub.Tx) error { return tx.ReleaseHeld() })
	for _, handle := range []string{"@api", "@web"} {
		d := get(t, s, func(tx hub.Tx) (turnpost.Delivery, error) { return tx.Delivery(handle, item.ID) })
		same(t, "held by "+handle, d.State, turnpost.Stored)
	}
	same(t, "shown", get(t, s, func(tx hub.Tx) (turnpost.Delivery, error) { return tx.Delivery("@api", shown.ID) }).State, turnpost.Shown)
	same(t, "free to be offered", entryIDs(offerable(t, s, at(2), 3, 9)), []string{item.ID})
}

func inboxAndArchive(t *testing.T, s store) {
	s.withAgents(t, "@api", "@web")
	var ids []string
	for n := range 6 {
		ids = append(ids, s.post(t, turnpost.Item{
			Kind: turnpost.Note, Urgent: n == 4, Summary: fmt.Sprint(n), Body: "not listed", To: []string{"@api"},
		}).ID)
	}
	s.post(t, turnpost.Item{Kind: turnpost.Note, To: []string{"@web"}})
	s.change(t, "@api", ids[1], func(d *turnpost.Delivery) { d.State = turnpost.Acked })
	s.change(t, "@api", ids[2], func(d *turnpost.Delivery) { d.State = turnpost.Shown })
	s.change(t, "@api", ids[3], func(d *turnpost.Delivery) { d.State = turnpost.Held })

	open := func(limit int) []turnpost.Entry {
		return get(t, s, func(tx hub.Tx) ([]turnpost.Entry, error) { return tx.OpenInbox("@api", false, limit) })
	}
	archive := func(before int64, limit int) []turnpost.Entry {
		return get(t, s, func(tx hub.Tx) ([]turnpost.Entry, error) { return tx.Archive("@api", false, before, limit) })
	}
	same(t, "open, by place", entryIDs(open(9)), []string{ids[0], ids[2], ids[3], ids[4], ids[5]})
	same(t, "open, cut", entryIDs(open(2)), []string{ids[0], ids[2]})
	same(t, "body", open(1)[0].Item.Body, "")
	same(t, "archive from its end", entryIDs(archive(0, 4)), []string{ids[5], ids[4], ids[3], ids[2]})
	same(t, "its next page", entryIDs(archive(3, 4)), []string{ids[1], ids[0]})
	same(t, "its end", entryIDs(archive(1, 4)), []string(nil))

	s.update(t, func(tx hub.Tx) error { // one more, by a channel that it joined
		item, err := tx.AddItem(turnpost.Item{Kind: turnpost.Note, Author: "@web", At: at(1), State: turnpost.ItemDone})
		if err != nil {
			return err
		}
		_, err = tx.AddDelivery(turnpost.Delivery{Handle: "@api", Item: item.ID, Kind: item.Kind, State: turnpost.Stored, At: at(1)})
		return err
	})
	same(t, "open with channels", len(open(9)), 6)
	addressed := get(t, s, func(tx hub.Tx) ([]turnpost.Entry, error) { return tx.OpenInbox("@api", true, 9) })
	same(t, "open and addressed", entryIDs(addressed), []string{ids[0], ids[2], ids[3], ids[4], ids[5]})
	addressed = get(t, s, func(tx hub.Tx) ([]turnpost.Entry, error) { return tx.Archive("@api", true, 0, 1) })
	same(t, "archive of what was addressed", entryIDs(addressed), []string{ids[5]})
}

func unreadAndCursor(t *testing.T, s store) {
	s.withAgents(t, "@api", "@web", "@idle")
	cursor := func(handle string) int64 {
		return get(t, s, func(tx hub.Tx) (int64, error) { return tx.Cursor(handle) })
	}
	unread := func(handle string) int {
		return get(t, s, func(tx hub.Tx) (int, error) { return tx.UnreadOf(handle) })
	}
	all := func() map[string]int {
		return get(t, s, func(tx hub.Tx) (map[string]int, error) { return tx.Unread() })
	}
	same(t, "cursor of an empty inbox", cursor("@api"), int64(0))
	missing(t, s, "cursor of nobody", func(tx hub.Tx) (int64, error) { return tx.Cursor("@nobody") })
	same(t, "unread of nobody", unread("@nobody"), 0)
	same(t, "nothing unread", all(), map[string]int{})

	var ids []string
	for range 4 {
		ids = append(ids, s.post(t, turnpost.Item{Kind: turnpost.Note, To: []string{"@api", "@web"}}).ID)
	}
	step := func(item string, state turnpost.DeliveryState, wantCursor int64, wantUnread int) {
		t.Helper()
		s.change(t, "@api", item, func(d *turnpost.Delivery) { d.State = state })
		same(t, "cursor", cursor("@api"), wantCursor)
		same(t, "unread", unread("@api"), wantUnread)
		same(t, "all unread", all(), map[string]int{"@api": wantUnread, "@web": 4})
	}
	step(ids[1], turnpost.Acked, 0, 3)
	step(ids[0], turnpost.Shown, 0, 3)
	step(ids[0], turnpost.Answered, 2, 2)
	step(ids[3], turnpost.Held, 2, 2)
	step(ids[2], turnpost.Passed, 3, 1)
	s.change(t, "@api", ids[3], func(d *turnpost.Delivery) { d.State = turnpost.Expired })
	same(t, "cursor at the end", cursor("@api"), int64(4))
	same(t, "without zeros", all(), map[string]int{"@web": 4})
	s.change(t, "@api", ids[1], func(d *turnpost.Delivery) { d.State = turnpost.Stored })
	same(t, "cursor follows what opens again", cursor("@api"), int64(1))
}

func overdue(t *testing.T, s store) {
	s.withAgents(t, "@api")
	before, now := at(50), at(100)
	const maxAttempt = 3
	for _, c := range []struct {
		name string
		item turnpost.Item
		d    turnpost.Delivery
		want bool
	}{
		{"question, long stored", turnpost.Item{Kind: turnpost.Question}, turnpost.Delivery{State: turnpost.Stored}, true},
		{"task, long stored", turnpost.Item{Kind: turnpost.Task}, turnpost.Delivery{State: turnpost.Stored}, true},
		{"urgent note, long stored", turnpost.Item{Kind: turnpost.Note, Urgent: true}, turnpost.Delivery{State: turnpost.Stored}, true},
		{"question, held once and let go", turnpost.Item{Kind: turnpost.Question}, turnpost.Delivery{State: turnpost.Stored, Attempt: 1, OfferedAt: at(1), Offer: "of-1"}, true},
		{"note, long stored", turnpost.Item{Kind: turnpost.Note}, turnpost.Delivery{State: turnpost.Stored}, false},
		{"answer, long stored", turnpost.Item{Kind: turnpost.Answer}, turnpost.Delivery{State: turnpost.Stored}, false},
		{"question, stored lately", turnpost.Item{Kind: turnpost.Question, At: at(50)}, turnpost.Delivery{State: turnpost.Stored}, false},
		{"question, told", turnpost.Item{Kind: turnpost.Question}, turnpost.Delivery{State: turnpost.Stored, Told: true}, false},
		{"question, held now", turnpost.Item{Kind: turnpost.Question}, turnpost.Delivery{State: turnpost.Held, Attempt: 1}, false},
		{"question, shown once, leased", turnpost.Item{Kind: turnpost.Question}, turnpost.Delivery{State: turnpost.Shown, Attempt: 1, Lease: at(110)}, false},
		{"question, shown once, lease over", turnpost.Item{Kind: turnpost.Question}, turnpost.Delivery{State: turnpost.Shown, Attempt: 1, Lease: at(60)}, false},
		{"question, shown too often, leased", turnpost.Item{Kind: turnpost.Question}, turnpost.Delivery{State: turnpost.Shown, Attempt: 3, Lease: at(101)}, false},
		{"question, shown too often, lease just over", turnpost.Item{Kind: turnpost.Question}, turnpost.Delivery{State: turnpost.Shown, Attempt: 3, Lease: at(100)}, true},
		{"question, shown too often, told", turnpost.Item{Kind: turnpost.Question}, turnpost.Delivery{State: turnpost.Shown, Attempt: 3, Lease: at(100), Told: true}, false},
		{"note, shown too often, lease over", turnpost.Item{Kind: turnpost.Note}, turnpost.Delivery{State: turnpost.Shown, Attempt: 4, Lease: at(60)}, true},
		{"question, answered", turnpost.Item{Kind: turnpost.Question}, turnpost.Delivery{State: turnpost.Answered, Attempt: 3, Lease: at(60)}, false},
	} {
		c.item.To = []string{"@api"}
		item := s.post(t, c.item)
		s.change(t, "@api", item.ID, func(d *turnpost.Delivery) {
			d.State, d.Attempt, d.Lease, d.Told = c.d.State, c.d.Attempt, c.d.Lease, c.d.Told
			d.OfferedAt, d.Offer = c.d.OfferedAt, c.d.Offer
		})
		got := get(t, s, func(tx hub.Tx) ([]turnpost.Delivery, error) { return tx.Overdue(before, now, maxAttempt, 10) })
		if (len(got) == 1) != c.want {
			t.Errorf("%s: got %v, want overdue: %v", c.name, deliveryIDs(got), c.want)
		}
		s.change(t, "@api", item.ID, func(d *turnpost.Delivery) { d.State = turnpost.Withdrawn })
	}
}

func overdueLimit(t *testing.T, s store) {
	s.withAgents(t, "@api", "@web")
	var unseen, ignored []string
	for range 3 {
		unseen = append(unseen, s.post(t, turnpost.Item{Kind: turnpost.Question, To: []string{"@api"}}).ID)
		item := s.post(t, turnpost.Item{Kind: turnpost.Question, To: []string{"@web"}})
		s.change(t, "@web", item.ID, func(d *turnpost.Delivery) { d.State, d.Attempt, d.Lease = turnpost.Shown, 3, at(10) })
		ignored = append(ignored, item.ID)
	}
	read := func(limit int) map[string]bool {
		found := map[string]bool{}
		for _, d := range get(t, s, func(tx hub.Tx) ([]turnpost.Delivery, error) { return tx.Overdue(at(50), at(100), 3, limit) }) {
			found[d.Item] = true
		}
		return found
	}
	all := map[string]bool{}
	for n := range 3 {
		all[unseen[n]], all[ignored[n]] = true, true
	}
	same(t, "all", read(10), all)
	for limit := range 7 {
		same(t, fmt.Sprint("limit ", limit), len(read(limit)), limit)
	}
}

package storetest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"turnpost"
	"turnpost/internal/hub"
)

func items(t *testing.T, s store) {
	s.withAgents(t, "@api", "@web")
	s.update(t, func(tx hub.Tx) error { return tx.SaveChannel(turnpost.Channel{Name: "#general", CreatedAt: at(0)}) })
	missing(t, s, "item", func(tx hub.Tx) (turnpost.Item, error) { return tx.Item("q-1") })

	for n, kind := range turnpost.ItemKinds() {
		got := s.post(t, turnpost.Item{Kind: kind, Author: "@web"})
		same(t, "id", got.ID, fmt.Sprintf("%s-%d", kind.Letter(), n+1))
	}
	next := len(turnpost.ItemKinds()) + 1
	want := turnpost.Item{
		Kind: turnpost.Task, Channel: "#general", Author: "@web", Human: true, To: []string{"@web", "@api"},
		Thread: "q-1", ReplyTo: "q-1", Urgent: true, Summary: "check it", Body: strings.Repeat("long ", 50<<10),
		At: at(5).Add(789), State: turnpost.ItemOpen,
	}
	got := s.post(t, want)
	want.ID, want.Seq, want.At = fmt.Sprintf("t-%d", next), 1, at(5)
	same(t, "item as added", got, want)
	read := func(tx hub.Tx) (turnpost.Item, error) { return tx.Item(want.ID) }
	same(t, "item as read", get(t, s, read), want)
	same(t, "second in the channel", s.post(t, turnpost.Item{Kind: turnpost.Note, Channel: "#general"}).Seq, int64(2))

	want.To = []string{"@web", "@api", "@ops"}
	want.State, want.ClaimedBy, want.Session = turnpost.ItemResolved, "@api", "s-1"
	want.ClosedBy, want.ClosedAt, want.Result = "@api", at(9), "done"
	s.update(t, func(tx hub.Tx) error { return tx.SaveItem(want) })
	same(t, "item as saved", get(t, s, read), want)

	if err := s.refused(t, "save of no item", func(tx hub.Tx) error {
		return tx.SaveItem(turnpost.Item{ID: "q-999"})
	}); !errors.Is(err, hub.ErrNoRow) {
		t.Errorf("save of no item: %v, want ErrNoRow", err)
	}
	if err := s.refused(t, "item in no channel", func(tx hub.Tx) error {
		_, err := tx.AddItem(turnpost.Item{Kind: turnpost.Note, Channel: "#none"})
		return err
	}); !errors.Is(err, hub.ErrNoRow) {
		t.Errorf("item in no channel: %v, want ErrNoRow", err)
	}
	s.refused(t, "item without a kind", func(tx hub.Tx) error {
		_, err := tx.AddItem(turnpost.Item{Author: "@web"})
		return err
	})
	same(t, "a refused item takes no number", s.post(t, turnpost.Item{Kind: turnpost.Note}).ID, fmt.Sprintf("n-%d", next+2))
}

func threads(t *testing.T, s store) {
	first := s.post(t, turnpost.Item{Kind: turnpost.Question, Body: "first"})
	s.post(t, turnpost.Item{Kind: turnpost.Note})
	second := s.post(t, turnpost.Item{Kind: turnpost.Answer, Thread: first.ID, ReplyTo: first.ID, Body: "second"})
	third := s.post(t, turnpost.Item{Kind: turnpost.Note, Thread: first.ID, ReplyTo: second.ID})
	s.post(t, turnpost.Item{Kind: turnpost.Note, Thread: second.ID})

	read := func(id string) func(tx hub.Tx) ([]turnpost.Item, error) {
		return func(tx hub.Tx) ([]turnpost.Item, error) { return tx.Thread(id) }
	}
	same(t, "thread", get(t, s, read(first.ID)), []turnpost.Item{first, second, third})
	same(t, "thread of one", itemIDs(get(t, s, read(third.ID))), []string{third.ID})
	same(t, "no thread", get(t, s, read("q-99")), []turnpost.Item{})
	same(t, "no name", get(t, s, read("")), []turnpost.Item{})

	own := s.post(t, turnpost.Item{Kind: turnpost.Question, Thread: "q-6"}) // names itself
	same(t, "a first item that names itself", itemIDs(get(t, s, read(own.ID))), []string{own.ID})
}

func openItems(t *testing.T, s store) {
	q1 := s.post(t, turnpost.Item{Kind: turnpost.Question, Body: "b"})
	t2 := s.post(t, turnpost.Item{Kind: turnpost.Task})
	s.post(t, turnpost.Item{Kind: turnpost.Note})
	q4 := s.post(t, turnpost.Item{Kind: turnpost.Question})
	t5 := s.post(t, turnpost.Item{Kind: turnpost.Task})
	s.post(t, turnpost.Item{Kind: turnpost.Question, State: turnpost.ItemAnswered})

	read := func(kind turnpost.ItemKind, limit int) []turnpost.Item {
		return get(t, s, func(tx hub.Tx) ([]turnpost.Item, error) { return tx.OpenItems(kind, limit) })
	}
	same(t, "both", read("", 10), []turnpost.Item{q1, t2, q4, t5})
	same(t, "the oldest three", itemIDs(read("", 3)), []string{q1.ID, t2.ID, q4.ID})
	same(t, "questions", itemIDs(read(turnpost.Question, 10)), []string{q1.ID, q4.ID})
	same(t, "the oldest task", itemIDs(read(turnpost.Task, 1)), []string{t2.ID})

	q1.State = turnpost.ItemWithdrawn
	s.update(t, func(tx hub.Tx) error { return tx.SaveItem(q1) })
	same(t, "after one closed", itemIDs(read("", 10)), []string{t2.ID, q4.ID, t5.ID})
}

func timeline(t *testing.T, s store) {
	s.withAgents(t, "@api", "@web", "@db")
	s.update(t, func(tx hub.Tx) error {
		return errors.Join(
			tx.SaveChannel(turnpost.Channel{Name: "#general", CreatedAt: at(0)}),
			tx.SaveChannel(turnpost.Channel{Name: "#ops", CreatedAt: at(0)}))
	})
	i1 := s.post(t, turnpost.Item{Kind: turnpost.Question, Author: "@api", To: []string{"@web"}, Body: "not listed", Result: "listed"})
	i2 := s.post(t, turnpost.Item{Kind: turnpost.Note, Author: "@web", Channel: "#general"})
	i3 := s.post(t, turnpost.Item{Kind: turnpost.Task, Author: "@db", Channel: "#ops", To: []string{"@api"}})
	i4 := s.post(t, turnpost.Item{Kind: turnpost.Answer, Author: "@web", To: []string{"@api", "@db"}})
	i5 := s.post(t, turnpost.Item{Kind: turnpost.Note, Author: "@db", Channel: "#general", To: []string{"@web", "@db"}})

	for _, c := range []struct {
		name   string
		filter hub.TimelineFilter
		want   []turnpost.Item
	}{
		{"everything", hub.TimelineFilter{Limit: 10}, []turnpost.Item{i5, i4, i3, i2, i1}},
		{"the newest two", hub.TimelineFilter{Limit: 2}, []turnpost.Item{i5, i4}},
		{"older than", hub.TimelineFilter{Limit: 2, Before: i4.ID}, []turnpost.Item{i3, i2}},
		{"older than the first", hub.TimelineFilter{Limit: 2, Before: i1.ID}, nil},
		{"older than nothing", hub.TimelineFilter{Limit: 2, Before: "q-99"}, nil},
		{"channel", hub.TimelineFilter{Channel: "#general", Limit: 10}, []turnpost.Item{i5, i2}},
		{"channel, older", hub.TimelineFilter{Channel: "#general", Before: i5.ID, Limit: 10}, []turnpost.Item{i2}},
		{"no such channel", hub.TimelineFilter{Channel: "#none", Limit: 10}, nil},
		{"from or to", hub.TimelineFilter{Handle: "@api", Limit: 10}, []turnpost.Item{i4, i3, i1}},
		{"from or to, once each", hub.TimelineFilter{Handle: "@db", Limit: 10}, []turnpost.Item{i5, i4, i3}},
		{"from or to, cut", hub.TimelineFilter{Handle: "@api", Limit: 2}, []turnpost.Item{i4, i3}},
		{"from or to, older", hub.TimelineFilter{Handle: "@api", Before: i3.ID, Limit: 2}, []turnpost.Item{i1}},
		{"in a channel, from or to", hub.TimelineFilter{Channel: "#general", Handle: "@web", Limit: 10}, []turnpost.Item{i5, i2}},
		{"in a channel, from or to, none", hub.TimelineFilter{Channel: "#general", Handle: "@api", Limit: 10}, nil},
	} {
		got := get(t, s, func(tx hub.Tx) ([]turnpost.Item, error) { return tx.Timeline(c.filter) })
		for n := range c.want {
			c.want[n].Body = ""
		}
		same(t, c.name, got, c.want)
	}
}

func timelineVisibility(t *testing.T, s store) {
	s.withAgents(t, "@api", "@web", "@db")
	s.update(t, func(tx hub.Tx) error { return tx.SaveChannel(turnpost.Channel{Name: "#general", CreatedAt: at(0)}) })
	toWeb := s.post(t, turnpost.Item{Kind: turnpost.Question, Author: "@api", To: []string{"@web"}}).ID
	public := s.post(t, turnpost.Item{Kind: turnpost.Note, Author: "@api", Channel: "#general"}).ID
	toDB := s.post(t, turnpost.Item{Kind: turnpost.Task, Author: "@api", To: []string{"@db"}}).ID
	toBoth := s.post(t, turnpost.Item{Kind: turnpost.Note, Author: "@api", To: []string{"@db", "@web"}}).ID
	fromDB := s.post(t, turnpost.Item{Kind: turnpost.Note, Author: "@db", To: []string{"@api"}}).ID
	toItself := s.post(t, turnpost.Item{Kind: turnpost.Note, Author: "@web", To: []string{"@web"}}).ID

	for _, c := range []struct {
		name   string
		filter hub.TimelineFilter
		want   []string
	}{
		{"@web sees", hub.TimelineFilter{Viewer: "@web"}, []string{toItself, toBoth, public, toWeb}},
		{"@db sees", hub.TimelineFilter{Viewer: "@db"}, []string{fromDB, toBoth, toDB, public}},
		{"@api sees", hub.TimelineFilter{Viewer: "@api"}, []string{fromDB, toBoth, toDB, public, toWeb}},
		{"a stranger sees", hub.TimelineFilter{Viewer: "@new"}, []string{public}},
		{"@web sees of @api", hub.TimelineFilter{Viewer: "@web", Handle: "@api"}, []string{toBoth, public, toWeb}},
		{"@web sees of @db", hub.TimelineFilter{Viewer: "@web", Handle: "@db"}, []string{toBoth}},
		{"@db sees of itself", hub.TimelineFilter{Viewer: "@db", Handle: "@db"}, []string{fromDB, toBoth, toDB}},
		{"a stranger sees of @api", hub.TimelineFilter{Viewer: "@new", Handle: "@api"}, []string{public}},
		{"a stranger sees of the channel", hub.TimelineFilter{Viewer: "@new", Channel: "#general"}, []string{public}},
		{"@web sees, older", hub.TimelineFilter{Viewer: "@web", Before: toBoth}, []string{public, toWeb}},
	} {
		c.filter.Limit = 10
		got := get(t, s, func(tx hub.Tx) ([]turnpost.Item, error) { return tx.Timeline(c.filter) })
		same(t, c.name, itemIDs(got), c.want)
		c.filter.Limit = 1
		got = get(t, s, func(tx hub.Tx) ([]turnpost.Item, error) { return tx.Timeline(c.filter) })
		same(t, c.name+", one", itemIDs(got), c.want[:1])
	}
}

func textSurvives(t *testing.T, s store) {
	odd := "' \" \\ ; -- ? $1 %s \t\r\n \u202e \u2028 é 🙂 </x> \x01\x7f"
	s.withAgents(t, "@api")
	want := s.post(t, turnpost.Item{Kind: turnpost.Note, Author: odd, To: []string{"@api"}, Summary: odd, Body: odd})
	same(t, "item", get(t, s, func(tx hub.Tx) (turnpost.Item, error) { return tx.Item(want.ID) }), want)
	same(t, "what was given", want.Body+want.Summary+want.Author, odd+odd+odd)
	row := hub.SessionRow{Session: turnpost.Session{ID: "s-1", Harness: "h", Native: odd, Last: odd}}
	s.update(t, func(tx hub.Tx) error { return tx.SaveSession(row) })
	same(t, "session", get(t, s, func(tx hub.Tx) (hub.SessionRow, error) { return tx.SessionByNative("h", odd) }), row)
}

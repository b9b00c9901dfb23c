package storetest

import (
	"errors"
	"testing"

	"turnpost"
	"turnpost/internal/hub"
)

func keys(t *testing.T, s store) {
	read := func(author, key string) func(tx hub.Tx) (hub.KeyRow, error) {
		return func(tx hub.Tx) (hub.KeyRow, error) { return tx.Key(author, key) }
	}
	missing(t, s, "key", read("@api", "k"))
	first := hub.KeyRow{Author: "@api", Key: "k", Digest: "d1", Item: "q-1", At: at(1)}
	other := hub.KeyRow{Author: "@web", Key: "k", Digest: "d2", Item: "q-2", At: at(2)}
	s.update(t, func(tx hub.Tx) error { return errors.Join(tx.SaveKey(first), tx.SaveKey(other)) })
	again := first
	again.Digest, again.Item = "d3", "q-3"
	s.refused(t, "a key used twice by one author", func(tx hub.Tx) error { return tx.SaveKey(again) })
	same(t, "first", get(t, s, read("@api", "k")), first)
	same(t, "same key of another author", get(t, s, read("@web", "k")), other)
}

func notices(t *testing.T, s store) {
	var added []turnpost.Notice
	want := turnpost.Notice{
		Class: "wedge", Loud: turnpost.LoudUrgent, Handle: "@api", Session: "s-1", Item: "q-1", Text: "it hangs", At: at(1),
	}
	for range 3 {
		s.update(t, func(tx hub.Tx) error {
			n, err := tx.AddNotice(want)
			added = append(added, n)
			return err
		})
	}
	for n := range added {
		same(t, "notice as added", added[n], func() turnpost.Notice { w := want; w.ID = int64(n + 1); return w }())
	}
	read := func() []turnpost.Notice {
		return get(t, s, func(tx hub.Tx) ([]turnpost.Notice, error) { return tx.Notices() })
	}
	same(t, "newest first", read(), []turnpost.Notice{added[2], added[1], added[0]})

	added[1].Cleared = at(9)
	added[2].Text = "it hangs still"
	s.update(t, func(tx hub.Tx) error { return errors.Join(tx.SaveNotice(added[1]), tx.SaveNotice(added[2])) })
	same(t, "without the cleared one", read(), []turnpost.Notice{added[2], added[0]})
	if err := s.refused(t, "save of no notice", func(tx hub.Tx) error {
		return tx.SaveNotice(turnpost.Notice{ID: 99})
	}); !errors.Is(err, hub.ErrNoRow) {
		t.Errorf("save of no notice: %v, want ErrNoRow", err)
	}
}

func activity(t *testing.T, s store) {
	want := turnpost.Activity{
		Session: "s-1", Handle: "@api", Kind: turnpost.ToolAfter, State: turnpost.StateWorking, Text: "go test", At: at(1),
	}
	for range 3 {
		s.update(t, func(tx hub.Tx) error { return tx.AddActivity(want) })
	}
	got := get(t, s, func(tx hub.Tx) ([]turnpost.Activity, error) { return tx.Activities(2) })
	three, two := want, want
	three.Seq, two.Seq = 3, 2
	same(t, "newest first", got, []turnpost.Activity{three, two})
}

func prune(t *testing.T, s store) {
	s.withAgents(t, "@api")
	item := s.post(t, turnpost.Item{Kind: turnpost.Note, To: []string{"@api"}, At: at(0)})
	session := func(id string, started, ended int) hub.SessionRow {
		row := hub.SessionRow{Session: turnpost.Session{ID: id, Harness: "h", Native: id, StartedAt: at(started)}}
		if ended > 0 {
			row.EndedAt = at(ended)
		}
		return row
	}
	s.update(t, func(tx hub.Tx) error {
		_, old := tx.AddNotice(turnpost.Notice{Text: "old, cleared", At: at(1), Cleared: at(2)})
		_, standing := tx.AddNotice(turnpost.Notice{Text: "old, standing", At: at(1)})
		return errors.Join(old, standing,
			tx.AddActivity(turnpost.Activity{Text: "old", At: at(9)}),
			tx.AddActivity(turnpost.Activity{Text: "new", At: at(10)}),
			tx.SaveKey(hub.KeyRow{Author: "@api", Key: "old", At: at(9)}),
			tx.SaveKey(hub.KeyRow{Author: "@api", Key: "new", At: at(10)}),
			tx.SaveSession(session("live", 1, 0)),
			tx.SaveSession(session("old", 1, 9)),
			tx.SaveSession(session("new", 1, 10)))
	})
	s.update(t, func(tx hub.Tx) error { return tx.Prune(at(10)) })

	missing(t, s, "old key", func(tx hub.Tx) (hub.KeyRow, error) { return tx.Key("@api", "old") })
	get(t, s, func(tx hub.Tx) (hub.KeyRow, error) { return tx.Key("@api", "new") })
	missing(t, s, "old session", func(tx hub.Tx) (hub.SessionRow, error) { return tx.SessionByNative("h", "old") })
	for _, id := range []string{"live", "new"} {
		get(t, s, func(tx hub.Tx) (hub.SessionRow, error) { return tx.SessionByNative("h", id) })
	}
	rows := get(t, s, func(tx hub.Tx) ([]turnpost.Activity, error) { return tx.Activities(9) })
	if len(rows) != 1 || rows[0].Text != "new" {
		t.Errorf("activity: %v", rows)
	}
	standing := get(t, s, func(tx hub.Tx) ([]turnpost.Notice, error) { return tx.Notices() })
	if len(standing) != 1 || standing[0].Text != "old, standing" {
		t.Errorf("notices: %v", standing)
	}
	get(t, s, func(tx hub.Tx) (turnpost.Item, error) { return tx.Item(item.ID) })
	same(t, "deliveries stay", get(t, s, func(tx hub.Tx) (int, error) { return tx.UnreadOf("@api") }), 1)

	// Numbers are never given out twice.
	s.update(t, func(tx hub.Tx) error {
		n, err := tx.AddNotice(turnpost.Notice{Text: "next", At: at(20)})
		same(t, "next notice", n.ID, int64(3))
		return err
	})
}

package storetest

import (
	"errors"
	"testing"

	"turnpost"
	"turnpost/internal/hub"
)

func agents(t *testing.T, s store) {
	missing(t, s, "agent", func(tx hub.Tx) (turnpost.Agent, error) { return tx.Agent("@api") })
	want := turnpost.Agent{
		Handle: "@api", Human: true, Place: turnpost.Place{Root: "/src/api", Main: "/src", Worktree: "auth"},
		Presence: turnpost.Away, Interrupt: turnpost.InterruptUrgent, Act: true,
		PausedUntil: at(60), CreatedAt: at(0), LastSeq: 7,
	}
	s.update(t, func(tx hub.Tx) error { return tx.SaveAgent(want) })
	same(t, "agent", get(t, s, func(tx hub.Tx) (turnpost.Agent, error) { return tx.Agent("@api") }), want)

	s.withAgents(t, "@web", "@api") // @api again, with other values and LastSeq 0
	want = agent("@api")
	want.LastSeq = 7
	got := get(t, s, func(tx hub.Tx) ([]turnpost.Agent, error) { return tx.Agents() })
	same(t, "agents by name, LastSeq not lowered", got, []turnpost.Agent{want, agent("@web")})

	want.LastSeq = 9
	s.update(t, func(tx hub.Tx) error { return tx.SaveAgent(want) })
	same(t, "LastSeq raised", get(t, s, func(tx hub.Tx) (turnpost.Agent, error) { return tx.Agent("@api") }), want)
}

func rename(t *testing.T, s store) {
	s.withAgents(t, "@old", "@web", "@older")
	s.update(t, func(tx hub.Tx) error {
		if err := tx.SaveChannel(turnpost.Channel{Name: "#general", CreatedAt: at(0)}); err != nil {
			return err
		}
		return errors.Join(tx.Join("#general", "@old"), tx.Join("#general", "@web"))
	})
	first := s.post(t, turnpost.Item{Kind: turnpost.Question, Author: "@web", To: []string{"@old", "@older"}})
	second := s.post(t, turnpost.Item{Kind: turnpost.Note, Author: "@old", To: []string{"@web"}})
	s.change(t, "@old", first.ID, func(d *turnpost.Delivery) { d.State, d.Offer = turnpost.Held, "of-1" })

	s.update(t, func(tx hub.Tx) error { return tx.RenameAgent("@old", "@new") })

	missing(t, s, "agent of the old name", func(tx hub.Tx) (turnpost.Agent, error) { return tx.Agent("@old") })
	missing(t, s, "delivery of the old name", func(tx hub.Tx) (turnpost.Delivery, error) { return tx.Delivery("@old", first.ID) })
	want := agent("@new")
	want.LastSeq = 1
	same(t, "agent", get(t, s, func(tx hub.Tx) (turnpost.Agent, error) { return tx.Agent("@new") }), want)
	same(t, "members", get(t, s, func(tx hub.Tx) (turnpost.Channel, error) { return tx.Channel("#general") }).Members,
		[]string{"@new", "@web"})
	same(t, "addressees", get(t, s, func(tx hub.Tx) (turnpost.Item, error) { return tx.Item(first.ID) }).To,
		[]string{"@new", "@older"})
	same(t, "author", get(t, s, func(tx hub.Tx) (turnpost.Item, error) { return tx.Item(second.ID) }).Author, "@new")
	d := get(t, s, func(tx hub.Tx) (turnpost.Delivery, error) { return tx.Delivery("@new", first.ID) })
	same(t, "delivery", d, turnpost.Delivery{
		Handle: "@new", Seq: 1, Item: first.ID, Kind: turnpost.Question, Addressed: true,
		State: turnpost.Held, Offer: "of-1", At: at(0),
	})
	same(t, "unread", get(t, s, func(tx hub.Tx) (map[string]int, error) { return tx.Unread() }),
		map[string]int{"@new": 1, "@older": 1, "@web": 1})
	same(t, "timeline of the new name",
		itemIDs(get(t, s, func(tx hub.Tx) ([]turnpost.Item, error) {
			return tx.Timeline(hub.TimelineFilter{Handle: "@new", Limit: 10})
		})), []string{second.ID, first.ID})
	task := s.post(t, turnpost.Item{Kind: turnpost.Task, Author: "@web", State: turnpost.ItemOpen, To: []string{"@web"}})
	s.update(t, func(tx hub.Tx) error {
		task.ClaimedBy = "@new"
		return errors.Join(tx.SaveItem(task), tx.RenameAgent("@new", "@newer"))
	})
	same(t, "claim", get(t, s, func(tx hub.Tx) (turnpost.Item, error) { return tx.Item(task.ID) }).ClaimedBy, "@newer")
	s.update(t, func(tx hub.Tx) error { return tx.RenameAgent("@newer", "@new") })

	third := s.post(t, turnpost.Item{Kind: turnpost.Note, Author: "@web", To: []string{"@new"}})
	d = get(t, s, func(tx hub.Tx) (turnpost.Delivery, error) { return tx.Delivery("@new", third.ID) })
	same(t, "the sequence goes on", d.Seq, int64(2))
}

func renameRefused(t *testing.T, s store) {
	s.withAgents(t, "@a", "@b")
	s.refused(t, "rename to a known handle", func(tx hub.Tx) error { return tx.RenameAgent("@a", "@b") })
	err := s.refused(t, "rename of nobody", func(tx hub.Tx) error { return tx.RenameAgent("@nobody", "@c") })
	if !errors.Is(err, hub.ErrNoRow) {
		t.Errorf("rename of nobody: %v, want ErrNoRow", err)
	}
	s.update(t, func(tx hub.Tx) error { return tx.RenameAgent("@a", "@a") })
	same(t, "agents", get(t, s, func(tx hub.Tx) ([]turnpost.Agent, error) { return tx.Agents() }),
		[]turnpost.Agent{agent("@a"), agent("@b")})
}

func sessions(t *testing.T, s store) {
	missing(t, s, "session", func(tx hub.Tx) (hub.SessionRow, error) { return tx.SessionByNative("standin", "n1") })
	full := hub.SessionRow{
		Session: turnpost.Session{
			ID: "s-1", Harness: "standin", Version: "2.1.332", Native: "n1", Handle: "@api", Cwd: "/src/api",
			Place:   turnpost.Place{Root: "/src/api", Main: "/src/api"},
			Process: turnpost.Process{Pid: 77, Start: "boot:1"}, Attended: true,
			Wake: turnpost.Wake{Method: "bell", Key: "77", Armed: true},
			Status: turnpost.Status{
				State: turnpost.StateWedged, Since: at(3), Evidence: "turn.failed",
				Failure: turnpost.Failure{Class: turnpost.FailureRateLimit, Native: "rate_limit"},
			},
			TurnOpen: true, StartedAt: at(1), ActivityAt: at(3), Last: "done <b>&</b>", Woken: "q-1", WokenAt: at(2),
		},
		Secret: "aa11",
	}
	earlier := hub.SessionRow{Session: turnpost.Session{ID: "s-2", Harness: "other", Native: "n1", StartedAt: at(0), EndedAt: at(50)}}
	gone := hub.SessionRow{Session: turnpost.Session{ID: "s-3", Harness: "other", Native: "n3", StartedAt: at(0), EndedAt: at(40)}}
	s.update(t, func(tx hub.Tx) error {
		return errors.Join(tx.SaveSession(full), tx.SaveSession(earlier), tx.SaveSession(gone))
	})
	read := func(tx hub.Tx) (hub.SessionRow, error) { return tx.SessionByNative("standin", "n1") }
	same(t, "session", get(t, s, read), full)
	live := get(t, s, func(tx hub.Tx) ([]hub.SessionRow, error) { return tx.Sessions(at(40)) })
	same(t, "live ones and those that ended after", live, []hub.SessionRow{earlier, full})

	full.EndedAt, full.Handle, full.Secret = at(60), "@web", "bb22"
	s.update(t, func(tx hub.Tx) error { return tx.SaveSession(full) })
	same(t, "session saved again", get(t, s, read), full)
	ended := get(t, s, func(tx hub.Tx) ([]hub.SessionRow, error) { return tx.Sessions(at(60)) })
	same(t, "none after the last end", ended, []hub.SessionRow{})

	twin := full
	twin.ID = "s-9"
	s.refused(t, "a second session of one native id", func(tx hub.Tx) error { return tx.SaveSession(twin) })
}

func channels(t *testing.T, s store) {
	missing(t, s, "channel", func(tx hub.Tx) (turnpost.Channel, error) { return tx.Channel("#general") })
	s.withAgents(t, "@b", "@a")
	general := turnpost.Channel{Name: "#general", CreatedBy: "@a", CreatedAt: at(0)}
	closed := turnpost.Channel{Name: "#closed", CreatedBy: "@b", CreatedAt: at(1), ArchivedAt: at(2), LastSeq: 4}
	s.update(t, func(tx hub.Tx) error {
		return errors.Join(tx.SaveChannel(general), tx.SaveChannel(closed),
			tx.Join("#general", "@b"), tx.Join("#general", "@a"), tx.Join("#general", "@a"),
			tx.Leave("#general", "@nobody"))
	})
	general.Members = []string{"@a", "@b"}
	read := func(tx hub.Tx) (turnpost.Channel, error) { return tx.Channel("#general") }
	same(t, "channel with members", get(t, s, read), general)

	names := func(archived bool) (out []string) {
		for _, c := range get(t, s, func(tx hub.Tx) ([]turnpost.Channel, error) { return tx.Channels(archived) }) {
			out = append(out, c.Name)
		}
		return out
	}
	same(t, "open channels", names(false), []string{"#general"})
	same(t, "archived ones too", names(true), []string{"#closed", "#general"})

	s.update(t, func(tx hub.Tx) error {
		return errors.Join(tx.Leave("#general", "@b"),
			tx.SaveChannel(turnpost.Channel{Name: "#closed", CreatedBy: "@b", CreatedAt: at(1), LastSeq: 1}))
	})
	same(t, "members after leave", get(t, s, read).Members, []string{"@a"})
	again := get(t, s, func(tx hub.Tx) (turnpost.Channel, error) { return tx.Channel("#closed") })
	same(t, "opened again, LastSeq not lowered", again,
		turnpost.Channel{Name: "#closed", CreatedBy: "@b", CreatedAt: at(1), LastSeq: 4})
}

package storetest

import (
	"errors"
	"testing"

	"turnpost"
	"turnpost/internal/hub"
)

// start adds a run.
func (s store) start(t *testing.T, row hub.RunRow) hub.RunRow {
	t.Helper()
	if row.StartedAt.IsZero() {
		row.StartedAt, row.UpdatedAt = at(1), at(1)
	}
	var out hub.RunRow
	s.update(t, func(tx hub.Tx) (err error) {
		out, err = tx.AddRun(row)
		return err
	})
	return out
}

func runIDs(rows []hub.RunRow) []string {
	var out []string
	for _, r := range rows {
		out = append(out, r.ID)
	}
	return out
}

func runs(t *testing.T, s store) {
	read := func(id string) func(tx hub.Tx) (hub.RunRow, error) {
		return func(tx hub.Tx) (hub.RunRow, error) { return tx.RunRow(id) }
	}
	missing(t, s, "run", read("r-1"))
	want := hub.RunRow{Run: turnpost.Run{
		Goal: "ship it", Handle: "@api", StartedBy: "@anna", Human: true, State: turnpost.RunRunning,
		Limits: turnpost.Limits{Iterations: 5}, Iteration: 1, Seq: 2, StartedAt: at(1), UpdatedAt: at(2), Deadline: at(9),
	}, Key: "k"}
	got := s.start(t, want)
	want.ID = "r-1"
	same(t, "run as added", got, want)
	same(t, "run", get(t, s, read("r-1")), want)
	for _, id := range []string{"q-1", "r-2", "r-01", "1", ""} {
		missing(t, s, id, read(id))
	}

	byKey := func(by, key string) func(tx hub.Tx) (hub.RunRow, error) {
		return func(tx hub.Tx) (hub.RunRow, error) { return tx.RunByKey(by, key) }
	}
	same(t, "by its key", get(t, s, byKey("@anna", "k")), want)
	missing(t, s, "key of somebody else", byKey("@web", "k"))
	missing(t, s, "no key", byKey("@anna", ""))
	s.refused(t, "a key used twice by one starter", func(tx hub.Tx) error {
		_, err := tx.AddRun(hub.RunRow{Run: turnpost.Run{Handle: "@web", StartedBy: "@anna"}, Key: "k"})
		return err
	})
	other := s.start(t, hub.RunRow{Run: turnpost.Run{Handle: "@web", StartedBy: "@web"}, Key: "k"})
	third := s.start(t, hub.RunRow{Run: turnpost.Run{Handle: "@web", StartedBy: "@anna"}})
	s.start(t, hub.RunRow{Run: turnpost.Run{Handle: "@ops", StartedBy: "@anna"}})
	same(t, "no number is lost", []string{other.ID, third.ID}, []string{"r-2", "r-3"})

	want.State, want.Reason, want.Iteration, want.Seq, want.EndedAt = turnpost.RunCompleted, "shipped", 3, 40, at(20)
	s.update(t, func(tx hub.Tx) error { return tx.SaveRun(want) })
	same(t, "run after its end", get(t, s, read("r-1")), want)
	if err := s.refused(t, "save of no run", func(tx hub.Tx) error {
		return tx.SaveRun(hub.RunRow{Run: turnpost.Run{ID: "r-99"}})
	}); !errors.Is(err, hub.ErrNoRow) {
		t.Errorf("save of no run: %v, want ErrNoRow", err)
	}

	for what, c := range map[string]struct {
		filter hub.RunFilter
		want   []string
	}{
		"all":                   {hub.RunFilter{Limit: 9}, []string{"r-4", "r-3", "r-2", "r-1"}},
		"two":                   {hub.RunFilter{Limit: 2}, []string{"r-4", "r-3"}},
		"ended after":           {hub.RunFilter{EndedAfter: at(19), Limit: 9}, []string{"r-4", "r-3", "r-2", "r-1"}},
		"not ended":             {hub.RunFilter{EndedAfter: at(20), Limit: 9}, []string{"r-4", "r-3", "r-2"}},
		"of a handle":           {hub.RunFilter{Handle: "@web", Limit: 9}, []string{"r-3", "r-2"}},
		"of a handle, ended":    {hub.RunFilter{Handle: "@api", Limit: 9}, []string{"r-1"}},
		"of a handle, going on": {hub.RunFilter{Handle: "@api", EndedAfter: at(20), Limit: 9}, nil},
	} {
		same(t, what, runIDs(get(t, s, func(tx hub.Tx) ([]hub.RunRow, error) { return tx.RunRows(c.filter) })), c.want)
	}
}

func runEvents(t *testing.T, s store) {
	score := 0.5
	events := []turnpost.RunEvent{
		{Seq: 1, At: at(1), Kind: turnpost.RunStarted, By: "@anna", Human: true, ID: "r-1", Proof: "0123", Start: &turnpost.RunStart{
			Goal: "ship it", Handle: "@api", Process: &turnpost.RunProcess{Name: "p", Steps: []turnpost.StepDef{{ID: "a", Kind: turnpost.StepTask}}},
		}},
		{Seq: 2, At: at(2), Kind: turnpost.EffectAsked, Iteration: 1, Effect: &turnpost.Effect{
			ID: "e-1", Kind: turnpost.EffectCommand, Command: &turnpost.Command{Args: []string{"make", "x\u2028y"}, Dir: "/src"}, At: at(2),
		}},
		{Seq: 3, At: at(3), Kind: turnpost.RunScored, Score: &score, Text: "<half> & \"more\""},
	}
	run := s.start(t, hub.RunRow{Run: turnpost.Run{Handle: "@api", StartedBy: "@anna"}})
	other := s.start(t, hub.RunRow{Run: turnpost.Run{Handle: "@web", StartedBy: "@anna"}})
	s.update(t, func(tx hub.Tx) error {
		return errors.Join(tx.AddRunEvents(run.ID, events[:1]), tx.AddRunEvents(run.ID, events[1:2]), tx.AddRunEvents(other.ID, events[:1]))
	})
	s.update(t, func(tx hub.Tx) error {
		return errors.Join(tx.AddRunEvents(run.ID, nil), tx.AddRunEvents(run.ID, events[2:]))
	})
	for what, gap := range map[string][]turnpost.RunEvent{
		"again": events[2:], "a gap": {{Seq: 5, Kind: turnpost.RunPlanned}}, "a gap inside": {{Seq: 4}, {Seq: 6}}, "from the start": events[:1],
	} {
		s.refused(t, what, func(tx hub.Tx) error { return tx.AddRunEvents(run.ID, gap) })
	}
	s.refused(t, "of no run", func(tx hub.Tx) error { return tx.AddRunEvents("r-99", events[:1]) })
	read := func(id string, after int64, limit int) []turnpost.RunEvent {
		return get(t, s, func(tx hub.Tx) ([]turnpost.RunEvent, error) { return tx.RunEvents(id, after, limit) })
	}
	same(t, "the journal", read(run.ID, 0, 9), events)
	same(t, "from the second", read(run.ID, 1, 1), events[1:2])
	same(t, "behind the last", read(run.ID, 3, 9), []turnpost.RunEvent{})
	same(t, "of the other", read(other.ID, 0, 9), events[:1])
	same(t, "of no run", read("r-99", 0, 9), []turnpost.RunEvent{})
}

// runsRenamed holds that a run goes with the agent that is at it, and with the
// one that started it.
func runsRenamed(t *testing.T, s store) {
	s.withAgents(t, "@api", "@web")
	own := s.start(t, hub.RunRow{Run: turnpost.Run{Handle: "@api", StartedBy: "@api"}, Key: "k"})
	given := s.start(t, hub.RunRow{Run: turnpost.Run{Handle: "@web", StartedBy: "@api"}, Key: "l"})
	foreign := s.start(t, hub.RunRow{Run: turnpost.Run{Handle: "@web", StartedBy: "@web"}, Key: "k"})
	s.update(t, func(tx hub.Tx) error { return tx.RenameAgent("@api", "@gateway") })
	own.Handle, own.StartedBy, given.StartedBy = "@gateway", "@gateway", "@gateway"
	for _, want := range []hub.RunRow{own, given, foreign} {
		same(t, want.ID, get(t, s, func(tx hub.Tx) (hub.RunRow, error) { return tx.RunRow(want.ID) }), want)
	}
	same(t, "by its key", get(t, s, func(tx hub.Tx) (hub.RunRow, error) { return tx.RunByKey("@gateway", "k") }), own)
	missing(t, s, "under the old name", func(tx hub.Tx) (hub.RunRow, error) { return tx.RunByKey("@api", "k") })
	rows := get(t, s, func(tx hub.Tx) ([]hub.RunRow, error) { return tx.RunRows(hub.RunFilter{Handle: "@gateway", Limit: 9}) })
	same(t, "its runs", rows, []hub.RunRow{own})
}

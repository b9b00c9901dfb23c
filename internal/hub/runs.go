package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"turnpost"
	"turnpost/internal/run"
)

// How many runs the board shows, and how long a key is, in bytes.
const (
	maxBoardRuns = 200
	maxRunKey    = 200
)

// StartRun starts a run. A handle is at one run at a time.
func (v *view) StartRun(ctx context.Context, in turnpost.RunStart) (turnpost.Run, error) {
	h := v.Hub
	me, err := v.who()
	if err != nil {
		return turnpost.Run{}, err
	}
	if in.Handle, err = v.runHandle(in.Handle, me); err != nil {
		return turnpost.Run{}, err
	}
	if len(in.Key) > maxRunKey {
		return turnpost.Run{}, turnpost.Invalidf("key", "is %d bytes long, at most %d are allowed", len(in.Key), maxRunKey)
	}
	if err := h.cleanStart(&in); err != nil {
		return turnpost.Run{}, err
	}
	h.create.Lock() // its handle keeps its name meanwhile
	defer h.create.Unlock()
	now, proof := time.Now(), newSecret()
	var state *run.State
	var out outcome
	again := ""
	err = h.store.Update(ctx, func(tx Tx) error {
		state, out, again = nil, outcome{}, ""
		if in.Key != "" {
			found, err := tx.RunByKey(me.handle, in.Key)
			if err == nil {
				again = found.ID
				return sameStart(tx, found, in)
			} else if !errors.Is(err, ErrNoRow) {
				return err
			}
		}
		if err := free(tx, in.Handle, "", now); err != nil {
			return err
		}
		row, err := tx.AddRun(RunRow{Run: turnpost.Run{Handle: in.Handle, StartedBy: me.handle}, Key: in.Key})
		if err != nil {
			return err
		}
		events, err := run.Start(row.ID, in, me.runs(), proof, now)
		if err != nil {
			return err
		}
		w := h.entries(tx, new(run.State))
		if err := w.add(events); err != nil {
			return err
		}
		state = w.state
		out, err = w.finish()
		return err
	})
	if err != nil {
		return turnpost.Run{}, err
	}
	if again != "" {
		return v.Run(ctx, turnpost.RunQuery{ID: again})
	}
	view := state.View()
	h.mu.Lock()
	h.sum(h.takeUp(state))
	h.changed()
	h.mu.Unlock()
	h.follow(ctx, out)
	return view, nil
}

// runs is the caller as the rules of runs see it.
func (w who) runs() run.Who { return run.Who{Handle: w.handle, Human: w.human, Session: w.id} }

// runHandle is whose turns a run shall continue.
func (v *view) runHandle(handle string, me who) (string, error) {
	if handle == "" && !me.human {
		return me.handle, nil
	}
	if handle == "" {
		return "", turnpost.Invalidf("handle", "is missing").WithHint("name the agent whose turns the run continues: turnpost agents lists them")
	}
	handle, err := ParseHandle("handle", handle)
	if err == nil && handle != me.handle && !me.human {
		err = turnpost.Errorf(turnpost.Forbidden, "an agent starts a run for itself only").
			WithHint("send %s a task, or ask your user: turnpost run start --agent %s", handle, handle)
	}
	return handle, err
}

// free tells why a handle cannot be at a run, other than the one that is named.
func free(tx Tx, handle, but string, now time.Time) error {
	agent, err := tx.Agent(handle)
	if errors.Is(err, ErrNoRow) {
		return turnpost.Errorf(turnpost.NotFound, "there is no %s", handle).WithHint("turnpost agents --all lists the handles")
	} else if err != nil {
		return err
	}
	if agent.Human {
		return turnpost.Invalidf("handle", "%s is a person: runs continue the turns of agents", handle)
	}
	rows, err := tx.RunRows(RunFilter{Handle: handle, EndedAfter: now, Limit: 10})
	for _, row := range rows {
		if row.ID != but && !row.State.Ended() {
			return turnpost.Errorf(turnpost.Conflict, "%s is at %s already: %s", handle, row.ID, turnpost.OneLine(row.Goal, 80)).
				WithHint("halt it first: turnpost run halt %s", row.ID)
		}
	}
	return err
}

// sameStart holds that a run which is started once more under its key is the same.
func sameStart(tx Tx, row RunRow, in turnpost.RunStart) error {
	first, err := tx.RunEvents(row.ID, 0, 1)
	if err != nil {
		return err
	}
	if len(first) == 0 || first[0].Start == nil {
		return fmt.Errorf("read the start of %s: it has none", row.ID)
	}
	was := *first[0].Start
	was.Handle, in.Handle = "", "" // renamed, perhaps
	a, err := json.Marshal(was)
	if err != nil {
		return err
	}
	b, err := json.Marshal(in)
	if err != nil {
		return err
	}
	if string(a) != string(b) {
		return turnpost.Errorf(turnpost.Conflict, "key %q was used for another run, %s", in.Key, row.ID)
	}
	return nil
}

// cleanStart makes a start storable: no secrets in it, nothing that databases
// refuse.
func (h *Hub) cleanStart(in *turnpost.RunStart) error {
	in.Goal = strings.TrimSpace(h.clean(in.Goal))
	if in.Process == nil {
		return nil
	}
	process := *in.Process
	process.Steps = append([]turnpost.StepDef(nil), process.Steps...)
	for i := range process.Steps {
		step := &process.Steps[i]
		step.Text = h.clean(step.Text)
		if step.To == "" {
			continue
		}
		to, err := ParseHandle(fmt.Sprintf("process.steps[%d].to", i), step.To)
		if err != nil {
			return err
		}
		step.To = to
	}
	in.Process = &process
	return nil
}

// clean is a text as it is stored.
func (h *Hub) clean(text string) string { return h.redact.text(clean(text)) }

// runID is the run that a request is about: the one it names, if the caller may
// know of it, else the caller's own, the newest where none goes on.
func (v *view) runID(ctx context.Context, id string, me who) (string, error) {
	h := v.Hub
	h.mu.Lock()
	r := h.runs[id]
	if id == "" {
		r = h.atWork[me.handle]
	}
	var known, handle string
	if r != nil {
		known, handle = r.id, r.handle
	}
	h.mu.Unlock()
	if known == "" {
		err := h.store.View(ctx, func(tx Tx) error {
			if id != "" {
				row, err := tx.RunRow(id)
				known, handle = row.ID, row.Handle
				return err
			}
			rows, err := tx.RunRows(RunFilter{Handle: me.handle, Limit: 1})
			for _, row := range rows {
				known, handle = row.ID, row.Handle
			}
			return err
		})
		if err != nil && !errors.Is(err, ErrNoRow) {
			return "", err
		}
	}
	switch {
	case known != "" && (me.human || handle == me.handle):
		return known, nil
	case id != "":
		return "", noRun(id)
	case me.human:
		return "", turnpost.Invalidf("id", "is missing").WithHint("name the run: turnpost run list")
	}
	return "", turnpost.Errorf(turnpost.NotFound, "%s is at no run", me.handle).WithHint("start one: turnpost run start --goal TEXT")
}

// command gives a caller's command to a run.
func (v *view) command(
	ctx context.Context, id string, see func(*run.State), beside func(Tx) error,
	decide func(*run.State, run.Who) ([]turnpost.RunEvent, error), then ...stage,
) error {
	me, err := v.who()
	if err != nil {
		return err
	}
	if id, err = v.runID(ctx, id, me); err != nil {
		return err
	}
	first := func(s *run.State) ([]turnpost.RunEvent, error) { return decide(s, me.runs()) }
	return v.steer(ctx, id, see, beside, append([]stage{first}, then...)...)
}

// Run returns one run.
func (v *view) Run(ctx context.Context, q turnpost.RunQuery) (turnpost.Run, error) {
	var out turnpost.Run
	var asks run.Who
	err := v.command(ctx, q.ID, func(s *run.State) { out = s.Told(asks) }, nil,
		func(_ *run.State, by run.Who) ([]turnpost.RunEvent, error) { asks = by; return nil, nil })
	return out, err
}

// Runs lists runs, newest first: an agent's own, or all for a person.
func (v *view) Runs(ctx context.Context, q turnpost.RunsQuery) (turnpost.Runs, error) {
	me, err := v.who()
	if err != nil {
		return turnpost.Runs{}, err
	}
	var f RunFilter
	if f.Limit, err = limitOf(q.Limit); err != nil {
		return turnpost.Runs{}, err
	}
	if q.Handle != "" {
		if f.Handle, err = ParseHandle("handle", q.Handle); err != nil {
			return turnpost.Runs{}, err
		}
	}
	if !me.human {
		if f.Handle != "" && f.Handle != me.handle {
			return turnpost.Runs{}, turnpost.Errorf(turnpost.Forbidden, "only a person sees the runs of somebody else")
		}
		f.Handle = me.handle
	}
	if !q.All {
		f.EndedAfter = time.Now()
	}
	var out turnpost.Runs
	err = v.store.View(ctx, func(tx Tx) error {
		rows, err := tx.RunRows(f)
		out.Runs = runsOf(rows)
		return err
	})
	return out, err
}

func runsOf(rows []RunRow) []turnpost.Run {
	out := make([]turnpost.Run, len(rows))
	for i, row := range rows {
		out[i] = row.Run
	}
	return out
}

// ChangeRun reports on a run, or steers it.
func (v *view) ChangeRun(ctx context.Context, in turnpost.RunRequest) (turnpost.Run, error) {
	h := v.Hub
	in.Text = h.clean(in.Text)
	now := time.Now()
	var out turnpost.Run
	var asks run.Who
	var revived bool
	var id, handle string
	decide := func(s *run.State, by run.Who) ([]turnpost.RunEvent, error) {
		id, handle, asks = s.ID, s.Handle, by
		revived = in.Do == turnpost.RunResume && s.Run.State.Ended()
		return s.Change(in, by, now)
	}
	see := func(s *run.State) {
		out = s.Told(asks)
		if asks.Human && in.Do == turnpost.RunResume {
			h.wakeAnew(s.Handle)
		}
	}
	if in.Do != turnpost.RunResume {
		err := v.command(ctx, in.ID, see, nil, decide)
		return out, err
	}
	beside := func(tx Tx) error {
		if !revived {
			return nil
		}
		return free(tx, handle, id, now)
	}
	bind := func(s *run.State) ([]turnpost.RunEvent, error) {
		if !asks.Human {
			return nil, nil // it bound its own session
		}
		return s.Bind(h.takesOver(s.Handle, s.Session), now), nil
	}
	err := v.command(ctx, in.ID, see, beside, decide, bind)
	if err == nil && asks.Human {
		h.clear("run", func(n turnpost.Notice) bool { return strings.HasPrefix(n.Text, out.ID+" of ") })
	}
	return out, err
}

// takesOver is the session that works on at a run which a person resumed: its
// own while that lives, else the one of its handle, else the next that there is.
func (h *Hub) takesOver(handle, bound string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	live := h.liveOf(handle)
	for _, s := range live {
		if s.ID == bound {
			return bound
		}
	}
	if len(live) > 0 {
		return live[0].ID
	}
	return ""
}

// wakeAnew lets the idle sessions of a handle be rung although their last turn
// was broken off, or nobody heard: a person wants it.
func (h *Hub) wakeAnew(handle string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	soon := time.Now().Add(afterEsc)
	for _, s := range h.liveOf(handle) {
		s.ring, s.told = ring{}, false
		if s.ringAfter.Before(soon) {
			s.ringAfter = time.Time{}
		}
		if !s.TurnOpen && !s.wedged() {
			s.Status.Failure = turnpost.Failure{}
		}
	}
}

package hub

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"turnpost"
	"turnpost/internal/run"
)

// liveRun is a run in memory: one that has not ended, or that somebody asked for
// lately. Its own lock is taken before Hub.mu, never the other way.
type liveRun struct {
	id string

	mu    sync.Mutex // held while a command is decided, stored and applied
	state *run.State // what the journal in the store says
	torn  bool       // a commit failed half-way: state is read anew
	gone  bool       // forgotten: ask for the run again

	brief               // guarded by Hub.mu
	grew  chan struct{} // closed and replaced when the journal grows; guarded by Hub.mu
}

// brief is what the hub reads of a run at every event, under its own lock.
type brief struct {
	handle    string
	startedBy string
	session   string    // the one that works at it
	wants     bool      // a turn of its idle agent
	due       time.Time // when the clock has something to say; zero: never
	ended     time.Time
	items     []string // that carry its open effects
}

// stage decides which entries come next, looking at the state that the ones
// before it left.
type stage func(*run.State) ([]turnpost.RunEvent, error)

// outcome is what a commit leaves to be done.
type outcome struct {
	added   []turnpost.RunEvent
	carried []sending // items that carry effects
	closed  []string  // items that were closed with it
	notices []turnpost.Notice
	handle  string
}

// unknownRow is a row of continuations of which an earlier hub knew: it may be
// full, so that a ring begins the next.
const unknownRow = 1 << 20

// allEntries reads a whole journal: a run has a few entries for each effect.
const allEntries = 1 << 20

// readRun replays a run. Whose it is, and who started it, is in its row: handles
// are renamed.
func readRun(tx Tx, id string) (*run.State, error) {
	row, err := tx.RunRow(id)
	if err != nil {
		return nil, err
	}
	events, err := tx.RunEvents(id, 0, allEntries)
	if err != nil {
		return nil, err
	}
	state, err := run.Replay(events)
	if err != nil {
		return nil, fmt.Errorf("replay %s: %w", id, err)
	}
	state.Handle, state.StartedBy = row.Handle, row.StartedBy
	return state, nil
}

// loadRuns takes up the runs that have not ended. One whose journal says nothing
// sensible is reported, and stays where it is.
func (h *Hub) loadRuns(tx Tx, now time.Time) error {
	rows, err := tx.RunRows(RunFilter{EndedAfter: now, Limit: allEntries})
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	clear(h.runs)
	clear(h.atWork)
	for _, row := range rows {
		state, err := readRun(tx, row.ID)
		if err != nil {
			h.report(err)
			continue
		}
		r := h.takeUp(state)
		for _, s := range h.liveOf(r.handle) {
			if !r.worksIn(s) {
				continue
			}
			s.ringAfter = now.Add(probeEvery) // it may be at work, or gone
			if h.ringable(s) {
				s.row = unknownRow
			}
		}
	}
	return nil
}

// takeUp makes a run live. Callers hold mu.
func (h *Hub) takeUp(state *run.State) *liveRun {
	r := &liveRun{id: state.ID, state: state, grew: make(chan struct{})}
	h.runs[r.id] = r
	h.sum(r)
	return r
}

// sum renews what is read of a run under mu. Callers hold mu, and the run's lock
// unless nobody else knows of it yet.
func (h *Hub) sum(r *liveRun) {
	s := r.state
	if h.atWork[r.handle] == r {
		delete(h.atWork, r.handle)
	}
	r.brief = brief{
		handle: s.Handle, startedBy: s.StartedBy, session: s.Session,
		wants: s.Wants(), due: s.NextDue(), ended: s.EndedAt,
	}
	for _, e := range s.Linked() {
		r.items = append(r.items, e.Item)
	}
	if !s.Run.State.Ended() {
		h.atWork[r.handle] = r
	}
}

// worksIn tells whether the run continues the turns of a session: of the one to
// which it is bound, or of any while it is bound to none. Callers hold mu.
func (r *liveRun) worksIn(s *session) bool {
	return s.Handle != "" && s.Handle == r.handle && (r.session == "" || r.session == s.ID)
}

// lockRun returns a run, locked; the caller unlocks it.
func (h *Hub) lockRun(ctx context.Context, id string) (*liveRun, error) {
	for {
		r, err := h.liveRun(ctx, id)
		if err != nil {
			return nil, err
		}
		r.mu.Lock()
		if !r.gone && r.torn {
			err = h.store.View(ctx, func(tx Tx) (err error) {
				r.state, err = readRun(tx, id)
				return err
			})
			r.torn = err != nil
		}
		if err != nil {
			r.mu.Unlock()
			return nil, err
		}
		if !r.gone {
			return r, nil
		}
		r.mu.Unlock()
	}
}

func (h *Hub) liveRun(ctx context.Context, id string) (*liveRun, error) {
	h.mu.Lock()
	r := h.runs[id]
	h.mu.Unlock()
	if r != nil {
		return r, nil
	}
	var state *run.State
	err := h.store.View(ctx, func(tx Tx) (err error) {
		state, err = readRun(tx, id)
		return err
	})
	if errors.Is(err, ErrNoRow) {
		return nil, noRun(id)
	} else if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if r := h.runs[id]; r != nil {
		return r, nil
	}
	return h.takeUp(state), nil
}

func noRun(id string) error {
	return turnpost.Errorf(turnpost.NotFound, "there is no run %.40q", id)
}

// steer gives one command to a run and does what follows from it. see looks at
// the run as the command left it; beside stores what belongs to the command.
func (h *Hub) steer(ctx context.Context, id string, see func(*run.State), beside func(Tx) error, stages ...stage) error {
	r, err := h.lockRun(ctx, id)
	if err != nil {
		return err
	}
	out, err := h.commit(ctx, r, beside, stages...)
	if err == nil && see != nil {
		see(r.state)
	}
	r.mu.Unlock()
	if err != nil {
		return err
	}
	h.follow(context.WithoutCancel(ctx), out)
	return nil
}

// commit stores what the stages decide, with the items that it needs, and then
// applies it; a command that is refused or says nothing new touches no disk.
// Callers hold the run's lock.
func (h *Hub) commit(ctx context.Context, r *liveRun, beside func(Tx) error, stages ...stage) (outcome, error) {
	first, err := stages[0](r.state)
	if err != nil || len(first) == 0 && len(stages) == 1 {
		return outcome{handle: r.state.Handle}, err
	}
	var out outcome
	// Whoever asked may go away; what was begun is done.
	err = h.store.Update(context.WithoutCancel(ctx), func(tx Tx) (err error) {
		if r.torn { // run a second time
			if r.state, err = readRun(tx, r.id); err != nil {
				return err
			}
		}
		r.torn = true
		w := h.entries(tx, r.state)
		for _, decide := range stages {
			events, err := decide(r.state)
			if err != nil {
				return err
			}
			if err := w.add(events); err != nil {
				return err
			}
		}
		if out, err = w.finish(); err != nil || beside == nil {
			return err
		}
		return beside(tx)
	})
	if err != nil {
		return outcome{}, err
	}
	r.torn = false
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sum(r)
	if len(out.added) > 0 {
		close(r.grew)
		r.grew = make(chan struct{})
		h.changed()
	}
	return out, nil
}

// follow lets everyone know of what a commit brought: the person, those who have
// something to do for the run, and its own idle agent.
func (h *Hub) follow(ctx context.Context, out outcome) {
	h.mu.Lock()
	for _, n := range out.notices {
		if n.Loud == turnpost.LoudUrgent {
			h.outlet.Notify(n)
		}
	}
	h.mu.Unlock()
	for _, sent := range out.carried {
		h.deliver(ctx, sent)
	}
	for _, item := range out.closed {
		h.clear("", func(n turnpost.Notice) bool { return n.Item == item })
	}
	if len(out.added) > 0 {
		h.ringIfWanted(ctx, out.handle)
	}
}

// lockRunsOf keeps the runs of a handle as they are until they are released,
// under the name that the handle has then.
func (h *Hub) lockRunsOf(handle string) (release func(handle string)) {
	h.mu.Lock()
	var held []*liveRun
	for _, r := range h.runs {
		if r.handle == handle || r.startedBy == handle {
			held = append(held, r)
		}
	}
	h.mu.Unlock()
	for _, r := range held {
		r.mu.Lock()
	}
	return func(name string) {
		h.mu.Lock()
		defer h.mu.Unlock()
		for _, r := range held {
			for _, is := range []*string{&r.state.Handle, &r.state.StartedBy} {
				if *is == handle {
					*is = name
				}
			}
			h.sum(r)
			r.mu.Unlock()
		}
		held = nil
	}
}

// rowOf is a run as lists show it.
func rowOf(s *run.State) RunRow {
	row := RunRow{Run: s.Run}
	row.Effects, row.Steps, row.Scores, row.Plan, row.Missing = nil, nil, nil, "", nil
	return row
}

// forgetRuns drops runs from memory that ended a while ago. Callers hold mu, so
// that a run which is locked is left alone.
func (h *Hub) forgetRuns(now time.Time) {
	for id, r := range h.runs {
		if r.ended.IsZero() || now.Sub(r.ended) < time.Hour || !r.mu.TryLock() {
			continue
		}
		r.gone = true
		delete(h.runs, id)
		r.mu.Unlock()
	}
}

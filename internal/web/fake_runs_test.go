package web

import (
	"context"
	"fmt"
	"slices"
	"time"

	"turnpost"
)

// The fake hub's runs and notes: enough rules for the page to show what comes of
// a click.

func (h *fakeHub) find(id string) (*turnpost.Run, error) {
	for i := range h.runs {
		if h.runs[i].ID == id {
			return &h.runs[i], nil
		}
	}
	return nil, turnpost.Errorf(turnpost.NotFound, "no run %s", id)
}

// brief is a run as lists have it.
func brief(r turnpost.Run) turnpost.Run {
	r.Plan, r.Steps, r.Effects = "", nil, nil
	return r
}

func (h *fakeHub) briefs() []turnpost.Run {
	var out []turnpost.Run
	for _, r := range slices.Backward(h.runs) {
		out = append(out, brief(r))
	}
	return out
}

func (h *fakeHub) Runs(_ context.Context, q turnpost.RunsQuery) (turnpost.Runs, error) {
	unlock, err := h.lock()
	defer unlock()
	if q.Limit > 500 {
		panic("the hub gives 500 runs at most")
	}
	return turnpost.Runs{Runs: h.briefs()}, err
}

func (h *fakeHub) Run(_ context.Context, q turnpost.RunQuery) (turnpost.Run, error) {
	unlock, err := h.lock()
	defer unlock()
	if err != nil {
		return turnpost.Run{}, err
	}
	run, err := h.find(q.ID)
	if err != nil {
		return turnpost.Run{}, err
	}
	out := *run
	out.Effects = slices.Clone(out.Effects)
	return out, nil
}

func (h *fakeHub) Journal(_ context.Context, q turnpost.JournalQuery) (turnpost.Journal, error) {
	unlock, err := h.lock()
	defer unlock()
	if q.Seconds > 0 || q.Limit > 1000 {
		panic("the page waits for changes, not for a journal")
	}
	out := turnpost.Journal{ID: q.ID}
	for _, e := range h.journals[q.ID] {
		if e.Seq > q.After && len(out.Events) < q.Limit {
			out.Events = append(out.Events, e)
		}
	}
	return out, err
}

func (h *fakeHub) ChangeRun(_ context.Context, q turnpost.RunRequest) (turnpost.Run, error) {
	unlock, err := h.lock()
	defer unlock()
	if err != nil {
		return turnpost.Run{}, err
	}
	run, err := h.find(q.ID)
	if err != nil {
		return turnpost.Run{}, err
	}
	switch {
	case q.Do == turnpost.RunHalt && !run.State.Ended():
		run.State, run.Reason, run.EndedAt = turnpost.RunHalted, "halted by "+h.boardNow.Human, h.boardNow.Now
	case q.Do == turnpost.RunResume && run.Limits.Iterations > 0 && run.Iteration >= max(run.Limits.Iterations, q.Limits.Iterations):
		return turnpost.Run{}, turnpost.Errorf(turnpost.Conflict, "it used its %d iterations", run.Limits.Iterations).WithHint("give it more: --max-iterations")
	case q.Do == turnpost.RunResume && run.State != turnpost.RunCompleted:
		run.State, run.Reason, run.EndedAt = turnpost.RunRunning, "", time.Time{}
		run.Limits.Iterations = max(run.Limits.Iterations, q.Limits.Iterations)
	default:
		return turnpost.Run{}, turnpost.Errorf(turnpost.Conflict, "%s is %s", run.ID, run.State)
	}
	h.steered = append(h.steered, q)
	h.bump()
	return *run, nil
}

// settle gives the breakpoint that an item carries its answer.
func (h *fakeHub) settle(item, answer string) {
	for i := range h.runs {
		run := &h.runs[i]
		for j := range run.Effects {
			if e := &run.Effects[j]; e.Item == item && !e.State.Settled() {
				e.State, e.Value, e.PostedBy, e.EndedAt = turnpost.EffectOK, answer, h.boardNow.Human, h.boardNow.Now
				run.Seq++
				h.journals[run.ID] = append(h.journals[run.ID], turnpost.RunEvent{
					Seq: run.Seq, At: h.boardNow.Now, Kind: turnpost.EffectPosted, By: h.boardNow.Human, Task: e.ID, Result: e.State, Text: answer,
				})
				run.State, run.Reason = turnpost.RunRunning, ""
				for _, open := range breakpoints(*run) {
					run.State, run.Reason = turnpost.RunWaiting, fmt.Sprintf("%s: %s", open.Item, open.Question)
				}
			}
		}
	}
}

func (h *fakeHub) Notes(_ context.Context, q turnpost.NotesRequest) (turnpost.Notes, error) {
	if q.Do != turnpost.NotesRead {
		panic("the page must not change notes")
	}
	unlock, err := h.lock()
	defer unlock()
	if err == nil {
		err = h.keepOff
	}
	if n, ok := h.noted[q.Handle]; ok {
		return n, err
	}
	return turnpost.Notes{Handle: q.Handle, Dir: "/home/anna/.local/state/turnpost/context/none"}, err
}

package store_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"turnpost"
	"turnpost/internal/hub"
	"turnpost/internal/hub/hubtest"
	"turnpost/internal/store"
)

// restarts is one hub after the other on one file, with one agent, @api.
type restarts struct {
	t     *testing.T
	path  string
	bells *hubtest.Bells
	hub   *hub.Hub
	db    *store.SQLite
	crash func()
	run   string
}

// start starts the next hub.
func (r *restarts) start() {
	r.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	crashed := false
	db, err := store.Open(ctx, r.path)
	if err != nil {
		r.t.Fatal(err)
	}
	h, err := hub.New(ctx, hub.Config{Human: "@anna", OnError: func(err error) {
		if !crashed {
			r.t.Error(err)
		}
	}}, db, r.bells, hubtest.NewMachine(), &hubtest.Desktop{}, nil, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { defer close(done); h.Run(ctx) }()
	r.hub, r.db = h, db
	r.crash = func() { // what is in memory alone is lost
		crashed = true
		if err := db.Close(); err != nil {
			r.t.Error(err)
		}
		cancel()
		<-done
	}
}

func (r *restarts) again() { r.t.Helper(); r.crash(); r.start() }

// event is one of the agent, as its hook client sends it.
func (r *restarts) event(kind turnpost.Kind) turnpost.Event {
	return turnpost.Event{
		Kind: kind, Harness: "standin", Native: "n1", Cwd: "/src/api", Source: turnpost.SourceStartup,
		Place: turnpost.Place{Root: "/src/api", Main: "/src/api"}, Attended: true,
		Process: turnpost.Process{Pid: 100, Start: "boot"}, Wake: turnpost.Wake{Method: "bell", Key: "bell", Armed: true},
		Accepts: turnpost.Accepts{Context: kind == turnpost.SessionStart, Continue: kind == turnpost.TurnEnd || kind == turnpost.Bell},
	}
}

// send sends an event and confirms the answer, which it returns.
func (r *restarts) send(kind turnpost.Kind) string {
	r.t.Helper()
	answer, err := r.hub.Handle(r.t.Context(), r.event(kind))
	if err != nil {
		r.t.Fatalf("%s: %v", kind, err)
	}
	if answer.Offer != "" {
		if _, err := r.hub.Shown(r.t.Context(), turnpost.Receipt{Offer: answer.Offer}); err != nil {
			r.t.Fatal(err)
		}
	}
	return answer.Decision.Continue
}

func (r *restarts) human() turnpost.Hub { return r.hub.As(turnpost.Caller{Human: true}) }

func (r *restarts) ask(in turnpost.EffectDraft) turnpost.Effect {
	r.t.Helper()
	in.Run = r.run
	done, err := r.human().AskEffect(r.t.Context(), in)
	if err != nil {
		r.t.Fatal(err)
	}
	return done.Effect
}

// is holds where the run stands.
func (r *restarts) is(state turnpost.RunState, reason string, turns, iteration int) turnpost.Run {
	r.t.Helper()
	got, err := r.human().Run(r.t.Context(), turnpost.RunQuery{ID: r.run})
	if err != nil {
		r.t.Fatal(err)
	}
	if got.State != state || !strings.Contains(got.Reason, reason) || got.Turns != turns || got.Iteration != iteration {
		r.t.Errorf("it is %s (%s) after %d turns, iteration %d; want %s (%s), %d, %d",
			got.State, got.Reason, got.Turns, got.Iteration, state, reason, turns, iteration)
	}
	return got
}

// rung holds how often the agent was rung in a time.
func (r *restarts) rung(within time.Duration, atLeast, atMost int) {
	r.t.Helper()
	before := r.bells.Count("bell")
	time.Sleep(within)
	if n := r.bells.Count("bell") - before; n < atLeast || n > atMost {
		r.t.Errorf("rang %d times within %s, want %d to %d", n, within, atLeast, atMost)
	}
}

// goesOn hears the bell: the run starts a turn.
func (r *restarts) goesOn(told string) {
	r.t.Helper()
	if text := r.send(turnpost.Bell); !strings.Contains(text, "run "+r.run) || !strings.Contains(text, told) {
		r.t.Errorf("the ring does not say %q: %q", told, text)
	}
}

// TestHubRestartRuns kills the hub where a run can stand, and starts the next.
func TestHubRestartRuns(t *testing.T) {
	command := turnpost.EffectDraft{Kind: turnpost.EffectCommand, Command: &turnpost.Command{Args: []string{"make"}, Dir: "/src"}}
	for name, tell := range map[string]func(r *restarts){
		"idle, not rung yet": func(r *restarts) {
			r.again()
			r.rung(2*time.Second, 0, 0) // it may be at work
			r.rung(4*time.Second, 1, 2)
			r.goesOn("iteration 1")
		},
		"in a turn": func(r *restarts) {
			r.goesOn("iteration 1")
			time.Sleep(time.Second)
			r.again()
			r.rung(time.Minute, 0, 0)
			if text := r.send(turnpost.TurnEnd); !strings.Contains(text, "iteration 2") {
				r.t.Errorf("the turn end said %q", text)
			}
			r.is(turnpost.RunRunning, "", 1, 2)
		},
		"in a row that the harness counts": func(r *restarts) {
			r.goesOn("iteration 1")
			time.Sleep(time.Second)
			r.again()
			ev := r.event(turnpost.TurnEnd)
			ev.Accepts.Row = 8
			before := r.bells.Count("bell")
			answer, err := r.hub.Handle(r.t.Context(), ev)
			if err != nil || answer.Decision.Continue != "" {
				r.t.Errorf("a row that may be full goes on: %+v, %v", answer, err)
			}
			r.is(turnpost.RunRunning, "", 1, 2)
			time.Sleep(4 * time.Second)
			if r.bells.Count("bell") == before {
				r.t.Error("no ring began the next")
			}
			r.goesOn("iteration 2")
			if answer, err = r.hub.Handle(r.t.Context(), ev); err != nil || answer.Decision.Continue == "" {
				r.t.Errorf("the new row does not go on: %+v, %v", answer, err)
			}
		},
		"a turn has ended, and nobody heard the answer": func(r *restarts) {
			r.goesOn("iteration 1")
			time.Sleep(time.Second)
			at := time.Now()
			if _, err := r.hub.Handle(r.t.Context(), r.event(turnpost.TurnEnd)); err != nil {
				r.t.Fatal(err)
			}
			r.again()
			// The client found it dead and kept the event.
			spooled := []turnpost.Spooled{{At: at, Event: r.event(turnpost.TurnEnd)}}
			if err := r.hub.Replay(r.t.Context(), spooled, 0); err != nil {
				r.t.Fatal(err)
			}
			r.is(turnpost.RunRunning, "", 1, 2)
			r.rung(5*time.Second, 1, 2)
			r.goesOn("iteration 2")
		},
		"a turn ends while no hub is up": func(r *restarts) {
			r.goesOn("iteration 1")
			time.Sleep(time.Second)
			r.crash()
			time.Sleep(time.Second)
			spooled := []turnpost.Spooled{{At: time.Now(), Event: r.event(turnpost.TurnEnd)}}
			r.start()
			if err := r.hub.Replay(r.t.Context(), spooled, 0); err != nil {
				r.t.Fatal(err)
			}
			r.is(turnpost.RunRunning, "", 1, 2)
			r.rung(2*time.Second, 0, 1)
			r.goesOn("iteration 2")
		},
		"waiting for a command": func(r *restarts) {
			r.goesOn("iteration 1")
			e := r.ask(command)
			r.send(turnpost.TurnEnd)
			r.again()
			r.is(turnpost.RunWaiting, "make", 1, 1)
			r.rung(time.Minute, 0, 0)
			post := turnpost.EffectPost{Run: r.run, Effect: e.ID, Status: turnpost.EffectOK, Value: "made"}
			if _, err := r.human().PostEffect(r.t.Context(), post); err != nil {
				r.t.Fatal(err)
			}
			r.rung(time.Second, 0, 1)
			r.goesOn("made")
		},
		"taken by a worker": func(r *restarts) {
			e := r.ask(command)
			take := turnpost.EffectTake{Run: r.run, Worker: "w", Limit: 2}
			if taken, err := r.human().TakeEffects(r.t.Context(), take); err != nil || len(taken.Effects) != 1 {
				r.t.Fatalf("took %+v, %v", taken, err)
			}
			r.again()
			taken, err := r.human().TakeEffects(r.t.Context(), take)
			if err != nil || len(taken.Effects) != 1 || taken.Effects[0].ID != e.ID {
				r.t.Errorf("its worker was given %+v, %v", taken, err)
			}
			take.Worker = "v"
			if taken, err = r.human().TakeEffects(r.t.Context(), take); err != nil || len(taken.Effects) != 0 {
				r.t.Errorf("another was given %+v, %v", taken, err)
			}
		},
		"an answer whose hub died before it brought the result": func(r *restarts) {
			e := r.ask(turnpost.EffectDraft{Kind: turnpost.EffectBreakpoint, Question: "Ship it?"})
			r.goesOnNot()
			err := r.db.Update(r.t.Context(), func(tx hub.Tx) error { // all that Resolve had stored
				item, err := tx.Item(e.Item)
				if err != nil {
					return err
				}
				item.State, item.Result, item.ClosedBy, item.ClosedAt = turnpost.ItemResolved, "by all means", "@anna", time.Now()
				return tx.SaveItem(item)
			})
			if err != nil {
				r.t.Fatal(err)
			}
			r.again()
			r.rung(15*time.Second, 1, 3)
			r.goesOn("by all means")
		},
		"asleep": func(r *restarts) {
			r.ask(turnpost.EffectDraft{Kind: turnpost.EffectSleep, Seconds: 60})
			r.again()
			r.rung(58*time.Second, 0, 0)
			r.rung(4*time.Second, 1, 2)
			r.goesOn("sleep")
		},
		"paused": func(r *restarts) {
			r.goesOn("iteration 1")
			r.send(turnpost.Interrupt)
			r.again()
			r.rung(5*time.Minute, 0, 0)
			r.is(turnpost.RunRunning, "your user has the word", 0, 1)
			r.send(turnpost.Prompt)
			if text := r.send(turnpost.TurnEnd); !strings.Contains(text, "iteration 2") {
				r.t.Errorf("the turn end said %q", text)
			}
		},
		"its deadline passes while no hub is up": func(r *restarts) {
			r.crash()
			time.Sleep(2 * time.Hour)
			r.start()
			time.Sleep(time.Second)
			r.is(turnpost.RunHalted, "deadline", 0, 1)
		},
		"ended": func(r *restarts) {
			if _, err := r.human().ChangeRun(r.t.Context(), turnpost.RunRequest{ID: r.run, Do: turnpost.RunHalt}); err != nil {
				r.t.Fatal(err)
			}
			r.again()
			r.is(turnpost.RunHalted, "halted by @anna", 0, 1)
			r.rung(time.Minute, 0, 0)
			again, err := r.human().StartRun(r.t.Context(), oneRun())
			if err != nil || again.ID != r.run {
				r.t.Errorf("its key was forgotten: %+v, %v", again, err)
			}
			if _, err := r.human().ChangeRun(r.t.Context(), turnpost.RunRequest{ID: r.run, Do: turnpost.RunResume}); err != nil {
				r.t.Fatal(err)
			}
			r.again()
			r.rung(6*time.Second, 1, 2)
			r.goesOn("iteration 1")
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir := t.TempDir()
				if err := os.Chmod(dir, 0o700); err != nil {
					t.Fatal(err)
				}
				r := &restarts{t: t, path: filepath.Join(dir, "turnpost.db"), bells: &hubtest.Bells{}}
				r.start()
				defer func() { r.crash() }()
				for _, kind := range []turnpost.Kind{turnpost.SessionStart, turnpost.Prompt, turnpost.TurnEnd} {
					r.send(kind)
				}
				time.Sleep(time.Second) // its row is stored
				started, err := r.human().StartRun(t.Context(), oneRun())
				if err != nil {
					t.Fatal(err)
				}
				r.run = started.ID
				tell(r)
			})
		})
	}
}

// oneRun is the run that is restarted.
func oneRun() turnpost.RunStart {
	return turnpost.RunStart{Goal: "ship it", Handle: "@api", Key: "k", Limits: turnpost.Limits{Iterations: 5, Seconds: 3600}}
}

// goesOnNot hears the bell: the run waits.
func (r *restarts) goesOnNot() {
	r.t.Helper()
	if text := r.send(turnpost.Bell); text != "" {
		r.t.Errorf("it waits, but said %q", text)
	}
}

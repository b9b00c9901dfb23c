// Package work executes the commands of a run: it takes them from the hub, runs
// each in a process group of its own, and posts what came of it.
//
// A command is started at most once. The hub has it in the run's journal that it
// was taken before it starts, and its result is on disk before it is posted. A
// worker that died in between leaves one of two things: a result, which the next
// one posts, or none, and then the next one posts that it was interrupted and
// runs nothing again. Output is kept up to a size and never fails a command.
package work

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"turnpost"
)

// Hub is what a worker asks of the hub, as a caller who may.
type Hub interface {
	Run(context.Context, turnpost.RunQuery) (turnpost.Run, error)
	Journal(context.Context, turnpost.JournalQuery) (turnpost.Journal, error)
	TakeEffects(context.Context, turnpost.EffectTake) (turnpost.Taken, error)
	PostEffect(context.Context, turnpost.EffectPost) (turnpost.EffectDone, error)
}

// Config is one worker at one run.
type Config struct {
	Hub      Hub
	RunID    string
	Worker   string   // a name that stays the same when the worker is started again; empty: one that is kept in Dir
	Dir      string   // where results and output go; one worker at a time works in it
	Environ  []string // of the commands
	Parallel int      // commands at a time, 1 to MaxParallel
	All      bool     // also those that an agent asked for by itself
	Follow   bool     // wait for more until the run ends

	Report func(Progress) // what happens; called by one goroutine at a time. nil: nobody looks
}

// MaxParallel bounds Config.Parallel, as the hub does.
const MaxParallel = 32

// Step is what happened to a command.
type Step string

// The steps.
const (
	Started Step = "started"
	Ended   Step = "ended"   // the result is on disk
	Posted  Step = "posted"  // the hub has it
	Refused Step = "refused" // the hub does not take it; Err says why
	Waiting Step = "waiting" // for a hub that is gone
)

// Progress is one thing that happened.
type Progress struct {
	Step   Step
	Effect turnpost.Effect // not of Waiting
	Result Result          // from Ended on
	Err    error
}

// Done sums up.
type Done struct {
	OK     int  `json:"ok"` // commands by their result
	Failed int  `json:"failed"`
	Left   int  `json:"left,omitempty"`  // pending ones that were not taken because an agent asked for them
	Ended  bool `json:"ended,omitempty"` // the run has ended
}

// Run works until no command is left for this worker, or with Follow until the
// run has ended. When ctx ends, so do the commands, and their results say that.
func Run(ctx context.Context, cfg Config) (Done, error) {
	if cfg.Report == nil {
		cfg.Report = func(Progress) {}
	}
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return Done{}, fmt.Errorf("make directory of the run: %w", err)
	}
	unlock, err := lock(filepath.Join(cfg.Dir, "worker.lock"))
	if err != nil {
		return Done{}, err
	}
	defer unlock()
	if cfg.Worker == "" {
		if cfg.Worker, err = name(filepath.Join(cfg.Dir, "worker")); err != nil {
			return Done{}, err
		}
	}
	run, err := cfg.Hub.Run(ctx, turnpost.RunQuery{ID: cfg.RunID})
	if err != nil {
		return Done{}, err
	}
	w := &worker{Config: cfg, begun: map[string]bool{}, finished: make(chan outcome)}
	if run.State.Ended() {
		return Done{Ended: true}, nil // what a worker left is posted when it is resumed
	}
	err = w.takeUp(ctx, run.Effects)
	if err == nil {
		err = w.loop(ctx, run.Seq)
	}
	return w.done, errors.Join(append(w.refused, err)...)
}

// worker is one call of Run.
type worker struct {
	Config
	begun    map[string]bool // effects that this worker knows
	running  int             // commands whose outcome is to come
	done     Done
	refused  []error
	finished chan outcome

	gone      atomic.Bool // the hub is
	reporting sync.Mutex
}

// report tells whoever looks.
func (w *worker) report(p Progress) {
	w.reporting.Lock()
	defer w.reporting.Unlock()
	w.Report(p)
}

// outcome is a command that was run and posted, or could not be.
type outcome struct {
	result Result
	err    error
}

// loop takes commands and starts them. It waits for one that ends, for entries
// of the journal, or for the hub.
func (w *worker) loop(ctx context.Context, after int64) error {
	watching, stop := context.WithCancel(ctx)
	news, watched := make(chan turnpost.Journal), make(chan error, 1)
	var watcher sync.WaitGroup
	watcher.Go(func() { watched <- w.watch(watching, after, news) })
	defer func() {
		stop()
		watcher.Wait()
		for range w.running { // those of a worker that ends early
			w.count(<-w.finished)
		}
	}()
	for {
		if !w.done.Ended {
			if err := w.take(ctx); err != nil {
				return err
			}
		}
		if w.running == 0 && (w.done.Ended || !w.Follow) {
			return nil
		}
		select {
		case o := <-w.finished:
			w.running--
			w.count(o)
		case journal := <-news:
			w.done.Ended = journal.Ended
		case err := <-watched:
			if err != nil {
				return err
			}
			watched = nil // the run has ended; what runs still does
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (w *worker) count(o outcome) {
	switch {
	case o.result.Status == turnpost.EffectOK:
		w.done.OK++
	case o.result.Status == turnpost.EffectError:
		w.done.Failed++
	}
	if o.err != nil {
		w.refused = append(w.refused, o.err)
	}
}

// take asks for commands until so many run as may, and starts them.
func (w *worker) take(ctx context.Context) error {
	var taken turnpost.Taken
	err := w.insist(ctx, func() (err error) {
		taken, err = w.Hub.TakeEffects(ctx, turnpost.EffectTake{Run: w.RunID, Worker: w.Worker, Limit: w.Parallel, All: w.All})
		return err
	})
	if w.ended(ctx, err) {
		w.done.Ended = true
		return nil
	}
	if err != nil {
		return err
	}
	w.done.Left, w.done.Ended = taken.Left, taken.Run.State.Ended()
	for _, effect := range taken.Effects {
		// One whose taking we did not hear of, because the hub went away, is new.
		if w.begun[effect.ID] {
			continue
		}
		w.begun[effect.ID] = true
		w.running++
		go func() { w.finished <- w.carryOut(ctx, effect) }()
	}
	return nil
}

// carryOut runs a command, keeps its result and posts it.
func (w *worker) carryOut(ctx context.Context, effect turnpost.Effect) outcome {
	w.report(Progress{Step: Started, Effect: effect})
	result := w.execute(ctx, effect)
	if err := w.keep(effect.ID, result); err != nil {
		// The command was run: who waits for it had better hear of it now than
		// that it was interrupted.
		result.Value = fit(result.Value + "\nThis result could not be kept: " + err.Error())
	}
	w.report(Progress{Step: Ended, Effect: effect, Result: result})
	return outcome{result, w.post(ctx, effect, result)}
}

// takeUp deals with what a worker of this name took before, and did not post.
func (w *worker) takeUp(ctx context.Context, effects []turnpost.Effect) error {
	for _, effect := range effects {
		if effect.State != turnpost.EffectRunning || effect.Worker != w.Worker {
			continue
		}
		w.begun[effect.ID] = true
		result, ok, err := w.kept(effect.ID)
		if err != nil {
			return err
		}
		if !ok {
			w.endRest(effect.ID)
			result = Result{Status: turnpost.EffectError, Value: "interrupted: the worker died while it ran; it was not run again"}
			if err := w.keep(effect.ID, result); err != nil {
				return err
			}
		}
		w.count(outcome{result, w.post(ctx, effect, result)})
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// lastPost is how long a worker that was told to end tries to post.
const lastPost = 2 * time.Second

// post brings a result to the hub. One that the hub does not take stays on disk.
func (w *worker) post(ctx context.Context, effect turnpost.Effect, result Result) error {
	in := turnpost.EffectPost{
		Run: w.RunID, Effect: effect.ID, Status: result.Status, Value: result.Value, Worker: w.Worker,
	}
	err := w.insist(ctx, func() error { _, err := w.Hub.PostEffect(ctx, in); return err })
	if ctx.Err() != nil && err != nil {
		// Once more: the run may wait for it for long.
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastPost)
		defer cancel()
		if _, err = w.Hub.PostEffect(last, in); turnpost.CodeOf(err) == turnpost.Unavailable || last.Err() != nil {
			return nil // the next worker posts it
		}
	}
	if err != nil {
		w.report(Progress{Step: Refused, Effect: effect, Result: result, Err: err})
		if w.ended(ctx, err) {
			return nil // it is posted when the run is resumed
		}
		return fmt.Errorf("post %s: %w", effect.ID, err)
	}
	w.report(Progress{Step: Posted, Effect: effect, Result: result})
	return nil
}

// ended tells whether a conflict is that the run has ended meanwhile.
func (w *worker) ended(ctx context.Context, err error) bool {
	if turnpost.CodeOf(err) != turnpost.Conflict {
		return false
	}
	run, err := w.Hub.Run(ctx, turnpost.RunQuery{ID: w.RunID})
	return err == nil && run.State.Ended()
}

// watchRound is one wait for the journal, the longest that the hub takes.
const watchRound = 50

// watch tells the loop of entries that can mean a command for it.
func (w *worker) watch(ctx context.Context, after int64, news chan<- turnpost.Journal) error {
	for {
		var journal turnpost.Journal
		err := w.insist(ctx, func() (err error) {
			journal, err = w.Hub.Journal(ctx, turnpost.JournalQuery{ID: w.RunID, After: after, Seconds: watchRound})
			return err
		})
		if err != nil {
			return err
		}
		tell := journal.Ended
		for _, e := range journal.Events {
			after = e.Seq
			tell = tell || e.Kind == turnpost.EffectAsked || e.Kind == turnpost.RunResumed
		}
		if tell {
			select {
			case news <- journal:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if journal.Ended {
			return nil
		}
	}
}

// The pauses between two looks for a hub that is gone.
const (
	firstPause = 100 * time.Millisecond
	mostPause  = 2 * time.Second
)

// insist asks until the hub is there, or ctx ends.
func (w *worker) insist(ctx context.Context, ask func() error) error {
	for pause := firstPause; ; pause = min(2*pause, mostPause) {
		err := ask()
		switch {
		case err == nil:
			w.gone.Store(false)
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case turnpost.CodeOf(err) != turnpost.Unavailable:
			return err
		case w.gone.CompareAndSwap(false, true):
			w.report(Progress{Step: Waiting, Err: err})
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

package cli

import (
	"context"
	"slices"
	"time"

	"turnpost"
)

// watchRound is one wait for a change.
const watchRound = 25 * time.Second

// watchBoard follows the board until ctx ends; with redraw it shows the board
// itself, else what changes on it. A hub that goes away is waited for.
func (a *app) watchBoard(ctx context.Context, redraw bool) error {
	w := &watcher{
		app: a, p: a.printer(a.env.Stdout), redraw: redraw, start: a.env.Now(),
		sessions: map[string]turnpost.Session{}, items: map[string]bool{}, notices: map[int64]bool{}, runs: map[string]turnpost.Run{},
	}
	defer w.summary()
	gone := false
	for {
		err := w.round(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			gone = false
			continue
		case turnpost.CodeOf(err) != turnpost.Unavailable || !w.began:
			return err
		case !gone:
			gone = true
			w.say(a.env.Now(), "turnpost", w.p.paint(bad, "the hub is gone"), "waiting for it")
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(watchAgain):
		}
	}
}

// watchAgain is the pause between two looks for a hub that is gone.
const watchAgain = 500 * time.Millisecond

// round shows the board and waits until it changes.
func (w *watcher) round(ctx context.Context) error {
	hub, err := w.hub(ctx) // again each time: a hub may be started anew
	if err != nil {
		return err
	}
	defer hub.Close()
	board, err := hub.Board(ctx, turnpost.BoardQuery{Ended: true})
	if err != nil {
		return err
	}
	if w.redraw {
		board.Sessions = slices.DeleteFunc(board.Sessions, func(s turnpost.Session) bool { return !s.Live() })
		now := w.env.Now()
		// Home and clear: our own sequences, on a terminal only.
		w.p.line("%s", styled("\x1b[H\x1b[2J"+string(w.p.paint(dim, now.Local().Format("15:04:05")+"  Ctrl-C ends"))))
		w.board(ctx, w.p, hub, board)
	} else if err := w.show(ctx, hub, board); err != nil {
		return err
	}
	w.began = true
	_, err = hub.Changes(ctx, turnpost.ChangesQuery{After: board.Rev, Seconds: int(watchRound.Seconds())})
	return err
}

// watcher remembers what was shown.
type watcher struct {
	*app
	p        *printer
	redraw   bool
	began    bool // the board was shown once
	start    time.Time
	sessions map[string]turnpost.Session
	items    map[string]bool
	notices  map[int64]bool
	runs     map[string]turnpost.Run

	changes, posted, woken int
}

// show prints what is new on a board. The first one is where it starts from.
func (w *watcher) show(ctx context.Context, hub turnpost.Hub, board turnpost.Board) error {
	first := !w.began
	timeline, err := hub.Timeline(ctx, turnpost.TimelineQuery{Limit: 50})
	if err != nil {
		return err
	}
	if first {
		w.p.line("%s Ctrl-C ends.", counts(board.Sessions)+".")
	}
	for _, s := range board.Sessions {
		before, known := w.sessions[s.ID]
		w.sessions[s.ID] = s
		if first {
			if s.Live() {
				w.say(s.Status.Since, sessionName(s), w.p.state(s.Status), s.Harness+" in "+w.tilde(s.Cwd))
			}
			continue
		}
		if !known || before.Status.State != s.Status.State || before.Status.Tool != s.Status.Tool && s.Status.Tool != "" {
			w.changes++
			w.say(s.Status.Since, sessionName(s), w.p.state(s.Status), s.Harness+": "+w.shortPaths(s.Status.Evidence))
		}
		if s.WokenAt.After(before.WokenAt) {
			w.woken++
			w.say(s.WokenAt, sessionName(s), w.p.paint(accent, "woken with"), "")
			w.p.wrapped("          ", s.Woken)
		}
	}
	for _, item := range slices.Backward(timeline.Items) { // newest first
		if w.items[item.ID] {
			continue
		}
		w.items[item.ID] = true
		if !first {
			w.posted++
			w.say(item.At, author(item), w.p.kind(item), item.ID+" → "+where(item)+": "+item.Summary)
		}
	}
	w.showRuns(board.Runs)
	for _, n := range slices.Backward(board.Notices) {
		if w.notices[n.ID] {
			continue
		}
		w.notices[n.ID] = true
		w.say(n.At, "notice", w.p.paint(bad, string(n.Loud)), w.shortPaths(n.Text))
	}
	return nil
}

// showRuns prints what runs do anew: a state, an iteration.
func (w *watcher) showRuns(runs []turnpost.Run) {
	for _, r := range slices.Backward(runs) {
		before, known := w.runs[r.ID]
		w.runs[r.ID] = r
		if known && before.State == r.State && before.Iteration == r.Iteration && before.Reason == r.Reason || !known && !w.began && r.State.Ended() {
			continue
		}
		about := r.Reason
		if about == "" {
			about = r.Goal
		}
		w.say(r.UpdatedAt, r.Handle, w.p.runState(r.State), r.ID+", iteration "+iterations(r)+": "+about)
	}
}

// say prints one line of the log.
func (w *watcher) say(at time.Time, who string, what styled, text string) {
	t := table{}
	t.row(at.Local().Format("15:04:05"), w.p.pad(who, 14), w.p.pad(what, 20), text)
	w.p.table("", t)
}

func (w *watcher) summary() {
	w.p.line("Watched for %s: %s of state, %s, %s.",
		ago(w.env.Now().Sub(w.start)), plural(w.changes, "change"), plural(w.posted, "item"), plural(w.woken, "wake"))
}

package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"turnpost"
)

func tailRun(a *app) *cobra.Command {
	var last int
	var follow bool
	cmd := &cobra.Command{
		Use:   "tail [RUN] [--flags]",
		Short: "Print the journal of a run",
		Long:  "Print the last entries of a run's journal, and with --follow what comes until the run has ended. With --json an entry is a line.",
		Args:  takes(0, 1, ""),
	}
	flags := cmd.Flags()
	flags.IntVarP(&last, "last", "n", 20, "so many entries; 0 is all")
	flags.BoolVarP(&follow, "follow", "f", false, "go on until the run has ended")
	asJSON := jsonFlag(cmd)
	return a.does(cmd, func(ctx context.Context, args []string) error {
		if last < 0 {
			return turnpost.Invalidf("last", "is negative")
		}
		run, err := a.findRun(ctx, args)
		if err != nil {
			return err
		}
		p := a.printer(a.env.Stdout)
		say := func(e turnpost.RunEvent) error { a.entry(p, e); return nil }
		if *asJSON {
			say = a.jsonLine
		}
		q := turnpost.JournalQuery{ID: run.ID}
		if last > 0 {
			q.After = max(0, run.Seq-int64(last))
		}
		return a.journal(ctx, q, follow, say)
	})
}

// journal goes through entries of a run until there are no more, or with follow
// until the run has ended. A hub that goes away is waited for.
func (a *app) journal(ctx context.Context, q turnpost.JournalQuery, follow bool, say func(turnpost.RunEvent) error) error {
	link := &link{app: a}
	began := false
	for {
		var journal turnpost.Journal
		hub, err := link.client(ctx)
		if err == nil {
			journal, err = hub.Journal(ctx, q)
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case began && turnpost.CodeOf(err) == turnpost.Unavailable:
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(watchAgain):
			}
			continue
		case err != nil:
			return err
		}
		began = follow
		for _, e := range journal.Events {
			q.After = e.Seq
			if err := say(e); err != nil {
				return err
			}
		}
		switch {
		case journal.Ended, !follow && len(journal.Events) == 0:
			return nil
		case follow && len(journal.Events) == 0:
			q.Seconds = int(waitRound.Seconds())
		}
	}
}

// entry prints one entry of a journal as a line.
func (a *app) entry(p *printer, e turnpost.RunEvent) {
	at := e.At.Local().Format("15:04:05")
	if now := a.env.Now().Local(); e.At.Local().Format(time.DateOnly) != now.Format(time.DateOnly) {
		at = e.At.Local().Format("Jan 2 15:04:05")
	}
	by := e.By
	if by == "" {
		by = "-"
	}
	t := table{}
	t.row(p.paint(dim, at), p.pad(p.paint(dim, e.Seq), 4), p.pad(string(e.Kind), 15), p.pad(by, 8), entryText(e))
	p.table("", t)
}

// entryText says what an entry is about.
func entryText(e turnpost.RunEvent) string {
	var parts []string
	switch {
	case e.Start != nil && e.Kind == turnpost.RunStarted:
		parts = append(parts, e.Start.Goal)
	case e.Effect != nil:
		parts = append(parts, e.Effect.ID+" "+string(e.Effect.Kind), aboutEffect(*e.Effect))
	}
	parts = append(parts, e.Task, string(e.State), string(e.Result), e.Item, prefixed("worker ", e.Worker), strings.Join(e.Steps, ", "))
	if e.Score != nil {
		parts = append(parts, number(*e.Score))
	}
	if e.Kind == turnpost.IterationStart || e.Kind == turnpost.IterationEnd {
		parts = append(parts, fmt.Sprint(e.Iteration))
	}
	if e.Tokens > 0 {
		parts = append(parts, fmt.Sprintf("%d tokens", e.Tokens))
	}
	parts = append(parts, prefixed("session ", e.Session), e.Text)
	return cut(line(strings.Join(nonEmpty(parts...), " ")), 300)
}

// jsonLine prints a value as one line of JSON.
func (a *app) jsonLine(e turnpost.RunEvent) error {
	data, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("encode entry: %w", err)
	}
	if _, err := fmt.Fprintln(a.env.Stdout, visibleJSON(string(data))); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

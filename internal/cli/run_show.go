package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"turnpost"
	"turnpost/internal/workflow"
)

// shownEffects is how many effects show prints unless told otherwise.
const shownEffects = 20

func showRun(a *app) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "show [RUN] [--flags]",
		Short: "Show where a run stands, what is missing, its effects and its process",
		Args:  takes(0, 1, ""),
	}
	cmd.Flags().BoolVarP(&all, "all", "a", false, fmt.Sprintf("all effects, not only the last %d", shownEffects))
	asJSON := jsonFlag(cmd)
	return a.does(cmd, func(ctx context.Context, args []string) error {
		run, err := a.findRun(ctx, args)
		if err != nil {
			return err
		}
		if *asJSON {
			return a.json(run)
		}
		a.sayRun(a.printer(a.env.Stdout), run, all)
		return nil
	})
}

// findRun is the run that an argument names, or the caller's.
func (a *app) findRun(ctx context.Context, args []string) (turnpost.Run, error) {
	var q turnpost.RunQuery
	if len(args) > 0 {
		q.ID = args[0]
	}
	hub, err := a.hub(ctx)
	if err != nil {
		return turnpost.Run{}, err
	}
	return hub.Run(ctx, q)
}

// sayRun prints a run whole.
func (a *app) sayRun(p *printer, r turnpost.Run, all bool) {
	now := a.env.Now()
	p.line("%s  %s  %s%s", p.paint(bold, r.ID), r.Handle, p.runState(r.State), prefixed(": ", r.Reason))
	p.text("  ", r.Goal)
	p.line("")
	var t table
	fact := func(name string, value string) {
		if value != "" {
			t.row(p.paint(dim, name), value)
		}
	}
	fact("started", strings.Join(nonEmpty(clock(r.StartedAt, now), prefixed("by ", r.StartedBy)), " "))
	fact("ended", clock(r.EndedAt, now))
	fact("iteration", iterations(r))
	fact("turns", turns(r))
	fact("tokens", budget(r.Tokens, r.Limits.Tokens))
	fact("score", scoreOf(r))
	fact("deadline", clock(r.Deadline, now))
	fact("process", r.Process)
	if r.Stalled > 0 && !r.State.Ended() {
		fact("no progress", plural(r.Stalled, "turn"))
	}
	p.table("  ", t)
	if len(r.Missing) > 0 && !r.State.Ended() {
		p.heading("missing")
		for _, what := range r.Missing {
			p.text("  ", what)
		}
	}
	if r.Plan != "" {
		p.heading("plan")
		p.text("  ", r.Plan)
	}
	if len(r.Steps) > 0 {
		p.heading("steps")
		p.text("  ", workflow.Draw(r.Steps, max(0, p.width-2)))
	}
	if len(r.Effects) > 0 {
		p.heading("effects")
		a.effects(p, "  ", r.Effects, all)
	}
}

// heading begins a part below an empty line.
func (p *printer) heading(text string) {
	p.line("")
	p.line("%s", p.paint(bold, text))
}

func turns(r turnpost.Run) string {
	text := budget(int64(r.Turns), int64(r.Limits.Turns))
	if r.Continued > 0 {
		text += fmt.Sprintf(", %d of them started by the run", r.Continued)
	}
	return text
}

// budget is how much is used, of how much where there is a limit.
func budget(used, limit int64) string {
	switch {
	case limit > 0:
		return fmt.Sprintf("%d of %d", used, limit)
	case used > 0:
		return fmt.Sprint(used)
	}
	return ""
}

// scoreOf is the last score against the target.
func scoreOf(r turnpost.Run) string {
	text := ""
	if n := len(r.Scores); n > 0 {
		last := r.Scores[n-1]
		text = number(last.Value) + prefixed(" by ", last.By) + prefixed(": ", last.Note)
	}
	if r.Limits.Target != nil {
		if text == "" {
			text = "none yet"
		}
		text = "target " + number(*r.Limits.Target) + ", last " + text
	}
	return text
}

// effects prints effects, the newest last.
func (a *app) effects(p *printer, indent string, effects []turnpost.Effect, all bool) {
	if more := len(effects) - shownEffects; more > 0 && !all {
		p.line("%s%s", styled(indent), p.paint(dim, fmt.Sprintf("%d older ones; --all shows them", more)))
		effects = effects[more:]
	}
	var t table
	for _, e := range effects {
		t.row(p.paint(bold, e.ID), string(e.Kind), p.effectState(e.State), clock(effectTime(e), a.env.Now()), aboutEffect(e))
		if e.State == turnpost.EffectError {
			t.note(cut(line(e.Value), 300))
		}
	}
	p.table(indent, t)
}

func (p *printer) effectState(state turnpost.EffectState) styled {
	switch state {
	case turnpost.EffectOK:
		return p.paint(good, string(state))
	case turnpost.EffectError:
		return p.paint(bad, string(state))
	case turnpost.EffectRunning:
		return p.paint(accent, string(state))
	}
	return p.paint(warn, string(state))
}

// effectTime is since when an effect is in its state.
func effectTime(e turnpost.Effect) time.Time {
	switch {
	case !e.EndedAt.IsZero():
		return e.EndedAt
	case !e.StartedAt.IsZero():
		return e.StartedAt
	}
	return e.At
}

// aboutEffect is one line that says what an effect is.
func aboutEffect(e turnpost.Effect) string {
	text := e.Label
	if text == "" {
		switch e.Kind {
		case turnpost.EffectCommand:
			if e.Command != nil {
				text = strings.Join(e.Command.Args, " ")
			}
		case turnpost.EffectBreakpoint:
			text = e.Question
		case turnpost.EffectSleep:
			text = "until " + e.Until.Local().Format(time.DateTime)
		default:
			text = e.Text
		}
	}
	if e.Kind == turnpost.EffectAgent {
		text = e.To + prefixed(": ", text)
	}
	if e.Item != "" {
		text += " (" + e.Item + ")"
	}
	return cut(line(text), 200)
}

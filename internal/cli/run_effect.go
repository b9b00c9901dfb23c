package cli

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"turnpost"
)

func effectsCommand(a *app) *cobra.Command {
	var pending bool
	cmd := &cobra.Command{
		Use:   "effects [RUN] [--flags]",
		Short: "List what a run asked for",
		Args:  takes(0, 1, ""),
	}
	cmd.Flags().BoolVar(&pending, "pending", false, "only what has no result yet")
	asJSON := jsonFlag(cmd)
	return a.does(cmd, func(ctx context.Context, args []string) error {
		run, err := a.findRun(ctx, args)
		if err != nil {
			return err
		}
		effects := slices.DeleteFunc(slices.Clone(run.Effects), func(e turnpost.Effect) bool { return pending && e.State.Settled() })
		if *asJSON {
			return a.json(append([]turnpost.Effect{}, effects...)) // [], never null
		}
		p := a.printer(a.env.Stdout)
		switch {
		case len(run.Effects) == 0:
			p.line("%s has asked for nothing yet.", run.ID)
			return nil
		case len(effects) == 0:
			p.line("%s waits for nothing of what it asked for.", run.ID)
			return nil
		}
		a.effects(p, "", effects, true)
		return nil
	})
}

func taskCommand(a *app) *cobra.Command {
	return a.parent("task", "Ask for an effect, or post its result", startTask(a), postEffect(a))
}

func effectCommand(a *app) *cobra.Command {
	return a.parent("effect", "Post the result of an effect", postEffect(a))
}

// parent is a command that does nothing without one of its own.
func (a *app) parent(name, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: name, Short: short}
	cmd.AddCommand(commands...)
	var uses []string
	for _, c := range commands {
		uses = append(uses, "turnpost run "+name+" "+c.Use)
	}
	return a.does(cmd, func(context.Context, []string) error {
		return turnpost.Errorf(turnpost.Invalid, "%s does nothing alone", name).WithHint("%s", strings.Join(uses, ", or "))
	})
}

func startTask(a *app) *cobra.Command {
	var in turnpost.EffectDraft
	var kind, rest, limit, dir string
	cmd := &cobra.Command{
		Use:   "start [RUN] [--flags] [-- PROGRAM ARGS...]",
		Short: "Ask for something that is done at most once",
		Long: "Ask for an effect: a task of the run's own agent, a task of another agent (--to), a command (behind --, without a shell), or a sleep (--for). " +
			"The run waits for all but its agent's own tasks. A second request with the same key is the same effect.",
		Example: strings.Join([]string{
			`turnpost run task start --kind command --label "the tests" --key tests-1 -- make test`,
			`turnpost run task start --kind agent --to @review --text "Review the branch login"`,
			`turnpost run task start --kind sleep --for 10m`,
		}, "\n"),
		Args: takes(0, -1, ""),
	}
	flags := cmd.Flags()
	flags.StringVarP(&kind, "kind", "k", "", "task, agent, command, breakpoint or sleep; found out where it is clear")
	flags.StringVar(&in.Label, "label", "", "one line for people")
	flags.StringVar(&in.Key, "key", "", "idempotency key: the same key is the same effect")
	flags.StringVar(&in.To, "to", "", "agent: its handle")
	flags.StringVar(&in.Text, "text", "", "task, agent: what to do; breakpoint: the question; - reads it from stdin")
	flags.StringVar(&rest, "for", "", "sleep: how long, like 90s or 2h")
	flags.StringVar(&limit, "timeout", "", "command: how long it may take; 10m when not given")
	flags.StringVar(&dir, "dir", "", "command: where it runs; here when not given")
	asJSON := jsonFlag(cmd)
	return a.does(cmd, func(ctx context.Context, args []string) (err error) {
		var program []string
		if at := cmd.ArgsLenAtDash(); at >= 0 {
			args, program = args[:at], args[at:]
		}
		in.Run, args = splitRun(args)
		if len(args) > 0 {
			return turnpost.Errorf(turnpost.Invalid, "%.40q is one argument too many", args[0]).
				WithHint("what to do goes into --text, a program behind --")
		}
		if in.Text, err = a.textOf(in.Text); err != nil {
			return err
		}
		in.Kind = effectKind(kind, in, program, rest)
		if in.Kind == turnpost.EffectBreakpoint {
			in.Question, in.Text = in.Text, ""
		}
		if (in.Kind == turnpost.EffectCommand) != (len(program) > 0) {
			return turnpost.Invalidf("PROGRAM", "goes with --kind command, and only with that").
				WithHint("turnpost run task start --kind command -- PROGRAM ARGS...")
		}
		if rest != "" {
			if in.Seconds, err = secondsOf("for", rest); err != nil {
				return err
			}
		}
		if len(program) > 0 {
			if in.Command, err = a.command(program, dir, limit); err != nil {
				return err
			}
		} else if dir != "" || limit != "" {
			return turnpost.Invalidf("dir", "and timeout are for commands")
		}
		return a.askEffect(ctx, in, *asJSON)
	})
}

// effectKind is the kind that is said, or meant.
func effectKind(said string, in turnpost.EffectDraft, program []string, rest string) turnpost.EffectKind {
	switch {
	case said != "":
		return turnpost.EffectKind(said)
	case len(program) > 0:
		return turnpost.EffectCommand
	case rest != "":
		return turnpost.EffectSleep
	case in.To != "":
		return turnpost.EffectAgent
	}
	return turnpost.EffectTask
}

// command is a program of the command line as the hub takes it.
func (a *app) command(program []string, dir, limit string) (*turnpost.Command, error) {
	c := &turnpost.Command{Args: program, Dir: a.env.abs(dir)}
	if limit == "" {
		return c, nil
	}
	seconds, err := secondsOf("timeout", limit)
	c.Seconds = int(min(seconds, 1<<31-1))
	return c, err
}

func (a *app) askEffect(ctx context.Context, in turnpost.EffectDraft, asJSON bool) error {
	hub, err := a.hub(ctx)
	if err != nil {
		return err
	}
	done, err := hub.AskEffect(ctx, in)
	if err != nil {
		return err
	}
	if asJSON {
		return a.json(done)
	}
	a.sayEffect(a.printer(a.env.Stdout), done)
	return nil
}

// sayEffect says what became of an effect that was asked for.
func (a *app) sayEffect(p *printer, done turnpost.EffectDone) {
	e := done.Effect
	p.line("%s of %s, %s%s: %s", p.paint(bold, e.ID), done.Run, string(e.Kind), again(done.Again), p.effectState(e.State))
	if e.Kind == turnpost.EffectCommand && e.State == turnpost.EffectPending {
		p.line("%s", p.paint(dim, "turnpost run work "+done.Run+" executes it"))
	}
}

func again(was bool) string {
	if was {
		return ", was asked for before with this key"
	}
	return ""
}

func postEffect(a *app) *cobra.Command {
	var in turnpost.EffectPost
	var status string
	cmd := &cobra.Command{
		Use:     "post [RUN] EFFECT --status ok|error [--flags]",
		Short:   "Post the result of an effect",
		Example: `turnpost run effect post r-1 e-3 --status ok --value "Reviewed: two remarks, both fixed"`,
		Args:    takes(1, 2, "EFFECT"),
	}
	flags := cmd.Flags()
	flags.StringVarP(&status, "status", "s", "", "ok or error")
	flags.StringVar(&in.Value, "value", "", "what came of it; - reads it from stdin")
	asJSON := jsonFlag(cmd)
	return a.does(cmd, func(ctx context.Context, args []string) (err error) {
		in.Run, args = splitRun(args)
		if len(args) != 1 || !isID("e", args[0]) {
			return turnpost.Invalidf("EFFECT", "has to be one, like e-3").WithHint("turnpost run effects lists them")
		}
		in.Effect, in.Status = args[0], turnpost.EffectState(status)
		if !in.Status.Settled() {
			return turnpost.Invalidf("status", "has to be ok or error, not %.40q", status)
		}
		if in.Value, err = a.textOf(in.Value); err != nil {
			return err
		}
		hub, err := a.hub(ctx)
		if err != nil {
			return err
		}
		done, err := hub.PostEffect(ctx, in)
		if err != nil {
			return err
		}
		if *asJSON {
			return a.json(done)
		}
		p := a.printer(a.env.Stdout)
		p.line("%s of %s is %s", p.paint(bold, done.Effect.ID), done.Run, p.effectState(done.Effect.State))
		return nil
	})
}

func breakpointCommand(a *app) *cobra.Command {
	in := turnpost.EffectDraft{Kind: turnpost.EffectBreakpoint}
	var files []string
	var wait bool
	cmd := &cobra.Command{
		Use:   "breakpoint [RUN] --question TEXT [--flags]",
		Short: "Ask the person, and let the run wait for the answer",
		Long: "Ask the person a question that the run waits for. It is answered on the page or with turnpost reply, and the answer is the result. " +
			"With --wait this command ends with the answer; an agent had better end its turn.",
		Args: takes(0, 1, ""),
	}
	flags := cmd.Flags()
	flags.StringVar(&in.Question, "question", "", "what to ask; - reads it from stdin")
	flags.StringSliceVar(&files, "files", nil, "what to look at before the answer")
	flags.StringVar(&in.Label, "label", "", "one line for people")
	flags.StringVar(&in.Key, "key", "", "idempotency key: the same key is the same breakpoint")
	flags.BoolVarP(&wait, "wait", "w", false, "wait for the answer and print it")
	asJSON := jsonFlag(cmd)
	return a.does(cmd, func(ctx context.Context, args []string) (err error) {
		in.Run, args = splitRun(args)
		if err := noMore(cmd, args); err != nil {
			return err
		}
		if in.Question, err = a.textOf(in.Question); err != nil {
			return err
		}
		if strings.TrimSpace(in.Question) == "" {
			return turnpost.Invalidf("question", "is missing").WithHint("turnpost run %s", cmd.Use)
		}
		if in.Files, err = a.runFiles(files); err != nil {
			return err
		}
		if !wait {
			return a.askEffect(ctx, in, *asJSON)
		}
		hub, err := a.hub(ctx)
		if err != nil {
			return err
		}
		asked, err := hub.AskEffect(ctx, in)
		if err != nil {
			return err
		}
		a.sayEffect(a.printer(a.env.Stderr), asked)
		answer, err := a.awaitEffect(ctx, hub, asked)
		if err != nil {
			return err
		}
		if *asJSON {
			return a.json(answer)
		}
		p := a.printer(a.env.Stdout)
		if answer.Effect.State != turnpost.EffectOK {
			p.line("%s of %s is %s", p.paint(bold, answer.Effect.ID), answer.Run, p.effectState(answer.Effect.State))
		}
		p.text("", answer.Effect.Value)
		return nil
	})
}

// runFiles are files beside a question, which are there.
func (a *app) runFiles(names []string) ([]turnpost.RunFile, error) {
	var out []turnpost.RunFile
	for _, name := range names {
		path := a.env.abs(name)
		if _, err := os.Stat(path); err != nil {
			return nil, turnpost.Invalidf("files", "%v", err)
		}
		format := "code"
		switch strings.ToLower(filepath.Ext(path)) {
		case ".md", ".markdown":
			format = "markdown"
		case ".json":
			format = "json"
		}
		out = append(out, turnpost.RunFile{Path: path, Format: format})
	}
	return out, nil
}

// awaitEffect waits until an effect has its result, or its run has ended.
func (a *app) awaitEffect(ctx context.Context, hub turnpost.Hub, asked turnpost.EffectDone) (turnpost.EffectDone, error) {
	for {
		run, err := hub.Run(ctx, turnpost.RunQuery{ID: asked.Run})
		if err != nil {
			return asked, err
		}
		for _, e := range run.Effects {
			if e.ID == asked.Effect.ID {
				asked.Effect = e
			}
		}
		switch {
		case asked.Effect.State.Settled():
			return asked, nil
		case run.State.Ended():
			return asked, turnpost.Errorf(turnpost.Conflict, "%s is %s, and %s has no answer%s", run.ID, run.State, asked.Effect.ID, prefixed(": ", run.Reason))
		}
		if _, err := hub.Journal(ctx, turnpost.JournalQuery{ID: run.ID, After: run.Seq, Seconds: int(waitRound.Seconds())}); err != nil {
			return asked, err
		}
	}
}

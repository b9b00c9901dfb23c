package cli

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"turnpost"
	"turnpost/internal/setup"
	"turnpost/internal/trust"
	"turnpost/internal/workflow"
)

func startRun(a *app) *cobra.Command {
	var f limitFlags
	var goal, process, agent, key string
	cmd := &cobra.Command{
		Use:   "start --goal TEXT [--flags]",
		Short: "Start a run",
		Long: "Start a run: its agent is kept at the goal until the run is complete or a limit ends it. " +
			"An agent starts one for itself, people name whose with --agent.\n\n" +
			"With --process the run follows .turnpost/runs/NAME.toml of the repository around the working directory, once you trusted that file. " +
			"What the command line says goes before what the file says.",
		Example: strings.Join([]string{
			`turnpost run start --agent @api --goal "All tests pass, without a skip" --max-iterations 10 --timeout 2h`,
			`turnpost run start --agent @api --process release`,
		}, "\n"),
	}
	flags := cmd.Flags()
	flags.StringVar(&goal, "goal", "", "what has to be reached; - reads it from stdin")
	flags.StringVar(&process, "process", "", "follow this process of the repository")
	f.add(cmd)
	flags.StringVar(&agent, "agent", "", "whose turns it continues, for people")
	flags.StringVar(&key, "key", "", "idempotency key: the same key starts one run")
	asJSON := jsonFlag(cmd)
	return a.does(cmd, func(ctx context.Context, _ []string) (err error) {
		var in turnpost.RunStart
		if process != "" {
			if in, err = a.trustedProcess(process); err != nil {
				return err
			}
		}
		if goal, err = a.textOf(goal); err != nil {
			return err
		}
		if strings.TrimSpace(goal) != "" {
			in.Goal = goal
		}
		if strings.TrimSpace(in.Goal) == "" {
			return turnpost.Invalidf("goal", "is missing").WithHint("say what has to be reached: --goal TEXT")
		}
		if in.Limits, err = f.given(cmd, in.Limits); err != nil {
			return err
		}
		in.Handle, in.Key = agent, key
		hub, err := a.hub(ctx)
		if err != nil {
			return err
		}
		run, err := hub.StartRun(ctx, in)
		if err != nil {
			return err
		}
		if *asJSON {
			return a.json(run)
		}
		p := a.printer(a.env.Stdout)
		p.line("%s of %s is %s: %s", p.paint(bold, run.ID), run.Handle, p.runState(run.State), run.Goal)
		p.line("%s", p.paint(dim, "turnpost run tail "+run.ID+" --follow shows how it gets on, turnpost run halt "+run.ID+" ends it"))
		return nil
	})
}

// trustedProcess reads a process of the repository around the working
// directory, if the person trusted just what is in its file.
func (a *app) trustedProcess(name string) (turnpost.RunStart, error) {
	path, err := workflow.Find(a.projectRoot(), name)
	if err != nil {
		return turnpost.RunStart{}, err
	}
	look, err := a.lookTrust(path)
	if err != nil {
		return turnpost.RunStart{}, err
	}
	if look.State != trust.Trusted {
		return turnpost.RunStart{}, turnpost.Errorf(turnpost.Forbidden, "%s is not trusted%s", a.tilde(look.Path), changedSince(look)).
			WithHint("look at it: turnpost trust %s", setup.ShellQuote(look.Path))
	}
	return workflow.Parse(name, look.Path, look.Data)
}

func (a *app) lookTrust(path string) (trust.Look, error) {
	dir, err := a.state()
	if err != nil {
		return trust.Look{}, err
	}
	return trust.Open(dir.Trusted()).Look(path)
}

func changedSince(look trust.Look) string {
	if look.State == trust.Changed {
		return ": it changed since it was"
	}
	return ""
}

func checkCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check NAME|FILE [--flags]",
		Short: "Check a process and draw it",
		Long: "Say what is wrong with a process, with line and column, or draw its steps. " +
			"NAME is that of a file in .turnpost/runs of the repository around the working directory.",
		Args: takes(1, 1, "NAME"),
	}
	asJSON := jsonFlag(cmd)
	return a.does(cmd, func(_ context.Context, args []string) error {
		path, name := a.env.abs(args[0]), args[0]
		if strings.HasSuffix(name, ".toml") || strings.ContainsRune(name, filepath.Separator) {
			name = strings.TrimSuffix(filepath.Base(name), ".toml")
		} else {
			var err error
			if path, err = workflow.Find(a.projectRoot(), name); err != nil {
				return err
			}
		}
		look, err := a.lookTrust(path)
		if err != nil {
			return err
		}
		start, err := workflow.Parse(name, look.Path, look.Data)
		if err != nil {
			return err
		}
		if *asJSON {
			return a.json(start)
		}
		p := a.printer(a.env.Stdout)
		p.line("%s, %s: %s", p.paint(bold, name), plural(len(start.Process.Steps), "step"), start.Goal)
		p.line("")
		p.text("  ", workflow.Draw(untouched(start.Process.Steps), max(0, p.width-2)))
		p.line("")
		if look.State == trust.Trusted {
			p.line("You trusted this file %s.", clock(look.At, a.env.Now()))
			return nil
		}
		p.line("It is not trusted%s: turnpost trust %s", changedSince(look), setup.ShellQuote(look.Path))
		return nil
	})
}

// untouched are steps of a process that no run follows yet.
func untouched(defs []turnpost.StepDef) []turnpost.Step {
	out := make([]turnpost.Step, len(defs))
	for i, def := range defs {
		out[i] = turnpost.Step{StepDef: def, State: turnpost.StepReady}
		if len(def.Needs) > 0 {
			out[i].State = turnpost.StepBlocked
		}
	}
	return out
}

package cli

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"turnpost"
	"turnpost/internal/work"
)

func workCommand(a *app) *cobra.Command {
	cfg := work.Config{}
	var pass []string
	cmd := &cobra.Command{
		Use:   "work [RUN] [--flags]",
		Short: "Execute the commands of a run",
		Long: "Execute the commands that a run asked for, each once and in a process group of its own, and post the results. " +
			"Output goes to files in the state directory. It ends when nothing is left to do, or with --follow when the run has ended.\n\n" +
			"What a person or a trusted process asked for is executed without a further word. " +
			"What an agent asked for by itself is left, unless it is that agent who works, or --all is said. " +
			"Commands get a small part of the environment; --env adds to it.",
		Args: takes(0, 1, ""),
	}
	flags := cmd.Flags()
	flags.IntVarP(&cfg.Parallel, "parallel", "p", 3, "commands at a time")
	flags.BoolVarP(&cfg.All, "all", "a", false, "also what an agent asked for by itself")
	flags.BoolVarP(&cfg.Follow, "follow", "f", false, "wait for more until the run has ended")
	flags.StringSliceVar(&pass, "env", nil, "names of variables that commands get too")
	asJSON := jsonFlag(cmd)
	return a.does(cmd, func(ctx context.Context, args []string) error {
		if cfg.Parallel < 1 || cfg.Parallel > work.MaxParallel {
			return turnpost.Invalidf("parallel", "is %d, it has to be from 1 to %d", cfg.Parallel, work.MaxParallel)
		}
		run, err := a.findRun(ctx, args)
		if err != nil {
			return err
		}
		if !isID("r", run.ID) { // it names a directory
			return turnpost.Errorf(turnpost.Internal, "%.40q is not the name of a run", run.ID)
		}
		dir, err := a.privateState()
		if err != nil {
			return err
		}
		cfg.Hub, cfg.RunID = workHub{&link{app: a}}, run.ID
		cfg.Dir = filepath.Join(dir.Runs(), run.ID)
		cfg.Environ = a.commandEnviron(pass)
		p := a.printer(a.env.Stdout)
		if *asJSON {
			p = a.printer(a.env.Stderr)
		}
		cfg.Report = func(progress work.Progress) { sayProgress(p, progress) }
		done, err := work.Run(ctx, cfg)
		if err != nil {
			return err
		}
		if *asJSON {
			return a.json(done)
		}
		sayWork(p, run.ID, done)
		return nil
	})
}

func sayProgress(p *printer, progress work.Progress) {
	e := progress.Effect
	switch progress.Step {
	case work.Started:
		p.line("%s  %s  %s", p.paint(bold, e.ID), p.pad("started", 8), aboutEffect(e))
	case work.Posted:
		first, _, _ := strings.Cut(progress.Result.Value, "\n")
		p.line("%s  %s  %s", p.paint(bold, e.ID), p.pad(p.effectState(progress.Result.Status), 8), cut(line(first), 200))
	case work.Refused:
		p.line("%s  %s  %s; the result is kept", p.paint(bold, e.ID), p.pad(p.paint(bad, "refused"), 8), progress.Err)
	case work.Waiting:
		p.line("%s waiting for it", p.paint(bad, "the hub is gone,"))
	}
}

func sayWork(p *printer, id string, done work.Done) {
	p.line("%s executed, %d ok, %d not.", plural(done.OK+done.Failed, "command"), done.OK, done.Failed)
	if done.Left > 0 {
		p.line("%s that the agent asked for by itself: look with turnpost run effects %s --pending, then add --all.", plural(done.Left, "command"), id)
	}
	if done.Ended {
		p.line("%s has ended.", id)
	}
}

// workHub is whichever hub runs, asked anew each time: it may be started again
// while commands run.
type workHub struct{ *link }

func (w workHub) Run(ctx context.Context, in turnpost.RunQuery) (turnpost.Run, error) {
	hub, err := w.client(ctx)
	if err != nil {
		return turnpost.Run{}, err
	}
	return hub.Run(ctx, in)
}

// Journal implements work.Hub.
func (w workHub) Journal(ctx context.Context, in turnpost.JournalQuery) (turnpost.Journal, error) {
	hub, err := w.client(ctx)
	if err != nil {
		return turnpost.Journal{}, err
	}
	return hub.Journal(ctx, in)
}

// TakeEffects implements work.Hub.
func (w workHub) TakeEffects(ctx context.Context, in turnpost.EffectTake) (turnpost.Taken, error) {
	hub, err := w.client(ctx)
	if err != nil {
		return turnpost.Taken{}, err
	}
	return hub.TakeEffects(ctx, in)
}

// PostEffect implements work.Hub.
func (w workHub) PostEffect(ctx context.Context, in turnpost.EffectPost) (turnpost.EffectDone, error) {
	hub, err := w.client(ctx)
	if err != nil {
		return turnpost.EffectDone{}, err
	}
	return hub.PostEffect(ctx, in)
}

// commandEnviron is the part of our environment that commands get. The rest may
// be an agent's, with the key for its model service.
func (a *app) commandEnviron(more []string) []string {
	wanted := append([]string{
		"HOME", "USER", "LOGNAME", "PATH", "SHELL", "LANG", "TZ", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "USERPROFILE",
		"TURNPOST_HOME", "GOPATH", "GOROOT", "GOTOOLCHAIN", "CGO_ENABLED", "JAVA_HOME", "CARGO_HOME", "RUSTUP_HOME", "VIRTUAL_ENV",
	}, more...)
	var out []string
	for _, entry := range a.env.Environ {
		name, _, _ := strings.Cut(entry, "=")
		if slices.Contains(wanted, name) || strings.HasPrefix(name, "XDG_") || strings.HasPrefix(name, "LC_") {
			out = append(out, entry)
		}
	}
	return out
}

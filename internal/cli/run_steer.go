package cli

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"turnpost"
)

// steer makes a command of one verb of a turnpost.RunRequest. fill takes the
// arguments behind the run's id.
func (a *app) steer(cmd *cobra.Command, do turnpost.RunVerb, fill func(*turnpost.RunRequest, []string) error, say func(*printer, turnpost.Run)) *cobra.Command {
	cmd.Args = takes(0, -1, "")
	asJSON := jsonFlag(cmd)
	return a.does(cmd, func(ctx context.Context, args []string) error {
		in := turnpost.RunRequest{Do: do}
		in.ID, args = splitRun(args)
		if err := fill(&in, args); err != nil {
			return err
		}
		hub, err := a.hub(ctx)
		if err != nil {
			return err
		}
		run, err := hub.ChangeRun(ctx, in)
		if err != nil {
			return err
		}
		if *asJSON {
			return a.json(run)
		}
		say(a.printer(a.env.Stdout), run)
		return nil
	})
}

// sayStanding is one line that says where a run stands.
func sayStanding(p *printer, r turnpost.Run) {
	p.line("%s is %s in iteration %s%s", p.paint(bold, r.ID), p.runState(r.State), iterations(r), prefixed(": ", r.Reason))
}

// textFrom is a note of the command line; "-" reads it from stdin.
func (a *app) textFrom(in *turnpost.RunRequest, args []string) (err error) {
	in.Text, err = a.textOf(strings.Join(args, " "))
	return err
}

func planRun(a *app) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "plan [RUN] --file FILE [--flags]",
		Short: "Say how the goal will be reached; a new plan replaces the old one",
	}
	cmd.Flags().StringVar(&file, "file", "", "the plan, Markdown; - reads it from stdin")
	return a.steer(cmd, turnpost.RunPlan, func(in *turnpost.RunRequest, args []string) (err error) {
		if err := noMore(cmd, args); err != nil {
			return err
		}
		in.Text, err = a.planText(file)
		return err
	}, func(p *printer, r turnpost.Run) {
		p.line("%s has a plan, %s", p.paint(bold, r.ID), plural(len(r.Plan), "byte"))
	})
}

// planText reads a file that the command line names.
func (a *app) planText(file string) (string, error) {
	if file == "" {
		return "", turnpost.Invalidf("file", "is missing").WithHint("--file FILE, or --file - to read the plan from stdin")
	}
	from := a.env.Stdin
	if file != "-" {
		f, err := os.Open(a.env.abs(file))
		if err != nil {
			return "", turnpost.Invalidf("file", "%v", err)
		}
		defer f.Close()
		from = f
	}
	data, err := io.ReadAll(io.LimitReader(from, turnpost.MaxPlan+1))
	if err != nil {
		return "", fmt.Errorf("read plan: %w", err)
	}
	return strings.ReplaceAll(string(data), "\r\n", "\n"), nil
}

func iterateRun(a *app) *cobra.Command {
	return a.steer(&cobra.Command{
		Use:   "iterate [RUN] [NOTE] [--flags]",
		Short: "End this iteration and say what came of it",
	}, turnpost.RunIterate, a.textFrom, sayStanding)
}

func dispatchRun(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "dispatch [RUN] [--flags]",
		Short: "Ask for the steps of the process that are ready",
	}
	return a.steer(cmd, turnpost.RunDispatch, func(_ *turnpost.RunRequest, args []string) error {
		return noMore(cmd, args)
	}, func(p *printer, r turnpost.Run) {
		sayStanding(p, r)
		var open []turnpost.Effect
		for _, e := range r.Effects {
			if !e.State.Settled() {
				open = append(open, e)
			}
		}
		a.effects(p, "  ", open, true)
	})
}

func scoreRun(a *app) *cobra.Command {
	var note string
	cmd := &cobra.Command{
		Use:   "score [RUN] VALUE [--flags]",
		Short: "Say how good the result is",
	}
	cmd.Flags().StringVar(&note, "note", "", "why")
	return a.steer(cmd, turnpost.RunScore, func(in *turnpost.RunRequest, args []string) error {
		if len(args) == 0 {
			return turnpost.Invalidf("VALUE", "is missing").WithHint("turnpost run %s", cmd.Use)
		}
		value, err := strconv.ParseFloat(args[0], 64)
		if err != nil || math.IsNaN(value) || math.IsInf(value, 0) {
			return turnpost.Invalidf("VALUE", "%.40q is not a number", args[0])
		}
		in.Score, in.Text = &value, note
		return noMore(cmd, args[1:])
	}, func(p *printer, r turnpost.Run) {
		p.line("%s: %s", p.paint(bold, r.ID), scoreOf(r))
	})
}

func completeRun(a *app) *cobra.Command {
	var proof string
	cmd := &cobra.Command{
		Use:   "complete [RUN] --proof PROOF [NOTE] [--flags]",
		Short: "Say that the goal is reached, with the proof that the run told its agent",
	}
	cmd.Flags().StringVar(&proof, "proof", "", "what the run told its agent once nothing was missing")
	return a.steer(cmd, turnpost.RunComplete, func(in *turnpost.RunRequest, args []string) error {
		in.Proof = proof
		return a.textFrom(in, args)
	}, sayStanding)
}

func failRun(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fail [RUN] REASON [--flags]",
		Short: "Say that the goal cannot be reached, and why",
	}
	return a.steer(cmd, turnpost.RunFail, func(in *turnpost.RunRequest, args []string) error {
		if len(args) == 0 {
			return turnpost.Invalidf("REASON", "is missing").WithHint("turnpost run %s", cmd.Use)
		}
		return a.textFrom(in, args)
	}, sayStanding)
}

func resumeRun(a *app) *cobra.Command {
	var f limitFlags
	cmd := &cobra.Command{
		Use:   "resume [RUN] [--flags]",
		Short: "Go on with a run that is paused, halted or failed, or in another session",
		Long: "Go on with a run. People end a pause with it, or revive a run that halted or failed, where need be with other limits; --timeout counts from now. " +
			"An agent takes its handle's run into its own session.",
	}
	f.add(cmd)
	return a.steer(cmd, turnpost.RunResume, func(in *turnpost.RunRequest, args []string) (err error) {
		if err := noMore(cmd, args); err != nil {
			return err
		}
		in.Limits, err = f.given(cmd, turnpost.Limits{})
		return err
	}, sayStanding)
}

func haltRun(a *app) *cobra.Command {
	return a.steer(&cobra.Command{
		Use:   "halt [RUN] [REASON] [--flags]",
		Short: "End a run; resume goes on with it",
	}, turnpost.RunHalt, a.textFrom, sayStanding)
}

package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"turnpost"
)

func runCommand(a *app) *cobra.Command {
	cmd := listRuns(a, "run [--flags]", "Keep an agent at a goal until it is reached: start, steer and look at runs")
	cmd.Long = "A run keeps an agent at a goal, turn after turn, until it is proved complete, a limit ends it, or you do. " +
		"Everything about it is in its journal, and it goes on after a crash where it stood. " +
		"RUN may be left out where you are an agent that has one.\n\nAlone, it lists the runs."
	cmd.Example = strings.Join([]string{
		`turnpost run start --agent @api --goal "All tests pass" --max-iterations 10`,
		`turnpost run show r-1`,
		`turnpost run work r-1`,
	}, "\n")
	cmd.AddCommand(
		startRun(a),
		listRuns(a, "list [--flags]", "List runs"),
		showRun(a),
		tailRun(a),
		effectsCommand(a),
		planRun(a),
		iterateRun(a),
		dispatchRun(a),
		taskCommand(a),
		effectCommand(a),
		breakpointCommand(a),
		scoreRun(a),
		completeRun(a),
		failRun(a),
		resumeRun(a),
		haltRun(a),
		workCommand(a),
		checkCommand(a),
	)
	return cmd
}

// isID tells an id from a text: a letter, "-" and a number.
func isID(letter, word string) bool {
	number, ok := strings.CutPrefix(word, letter+"-")
	return ok && number != "" && strings.Trim(number, "0123456789") == ""
}

// splitRun takes the id of a run, if it is there, from the front of arguments.
func splitRun(args []string) (id string, rest []string) {
	if len(args) > 0 && isID("r", args[0]) {
		return args[0], args[1:]
	}
	return "", args
}

// noMore refuses arguments that nothing takes.
func noMore(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return turnpost.Errorf(turnpost.Invalid, "%.40q is one argument too many", args[0]).WithHint("turnpost run %s", cmd.Use)
}

func listRuns(a *app, use, short string) *cobra.Command {
	var q turnpost.RunsQuery
	cmd := &cobra.Command{Use: use, Short: short}
	flags := cmd.Flags()
	flags.BoolVarP(&q.All, "all", "a", false, "those that ended too")
	flags.StringVar(&q.Handle, "agent", "", "only those of this handle")
	flags.IntVarP(&q.Limit, "limit", "n", 50, "at most so many, up to 500")
	asJSON := jsonFlag(cmd)
	return a.does(cmd, func(ctx context.Context, _ []string) error {
		hub, err := a.hub(ctx)
		if err != nil {
			return err
		}
		runs, err := hub.Runs(ctx, q)
		if err != nil {
			return err
		}
		if *asJSON {
			return a.json(runs)
		}
		p := a.printer(a.env.Stdout)
		if len(runs.Runs) == 0 {
			p.line("No run is going on.")
			return nil
		}
		a.runTable(p, "", runs.Runs)
		return nil
	})
}

// runTable prints runs, one a line.
func (a *app) runTable(p *printer, indent string, runs []turnpost.Run) {
	t := table{head: []string{"run", "agent", "state", "iteration", "since", "goal"}}
	for _, r := range runs {
		t.row(p.paint(bold, r.ID), r.Handle, p.runState(r.State), iterations(r), clock(r.StartedAt, a.env.Now()), r.Goal)
		t.note(r.Reason)
	}
	p.table(indent, t)
}

func (p *printer) runState(state turnpost.RunState) styled {
	t := plain
	switch state {
	case turnpost.RunRunning, turnpost.RunCompleted:
		t = good
	case turnpost.RunWaiting:
		t = warn
	case turnpost.RunFailed, turnpost.RunHalted:
		t = bad
	}
	return p.paint(t, string(state))
}

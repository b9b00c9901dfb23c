// Package cli is the turnpost program: one file a command, one table of them,
// and the wiring of everything else. It decides nothing about delivery,
// identity or settings; it asks the hub or setup and prints what they say.
//
// Nothing that another program or person wrote reaches a terminal before the
// sanitizer in clean.go. Errors end a command with "turnpost: error:", a hint
// and an exit status of the table in exit.go.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"charm.land/fang/v2"
	"charm.land/lipgloss/v2"
	"github.com/spf13/cobra"

	"turnpost"
	"turnpost/internal/workflow"
)

// app is one run of the program.
type app struct {
	env      Env
	failed   error    // of the command that ran
	versions sync.Map // of programs of harnesses, string by string
}

// Run runs one command line, without the program's name, and returns the exit
// status.
func Run(ctx context.Context, env Env, args []string) int {
	a := &app{env: env}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	err := fang.Execute(ctx, root,
		fang.WithVersion(env.Version),
		fang.WithColorSchemeFunc(scheme),
		// report prints all errors, in one form.
		fang.WithErrorHandler(func(io.Writer, fang.Styles, error) {}),
	)
	if err != nil {
		err = usageError(err)
	} else {
		err = a.failed
	}
	if err != nil && ctx.Err() != nil && !errors.As(err, new(tooLate)) {
		err = ctx.Err()
	}
	a.report(err)
	return exitStatus(err)
}

// scheme takes the terminal's own colours.
func scheme(c lipgloss.LightDarkFunc) fang.ColorScheme {
	s := fang.AnsiColorScheme(c)
	s.Base, s.Description, s.Argument, s.Help, s.Dash = nil, nil, nil, nil, nil
	return s
}

// report tells the person what went wrong and what can be done.
func (a *app) report(err error) {
	var checks failedChecks
	if err == nil || errors.Is(err, context.Canceled) || errors.As(err, &checks) {
		return
	}
	var problems workflow.Problems
	if errors.As(err, &problems) {
		for _, problem := range problems {
			a.report(problem)
		}
		return
	}
	p := a.printer(a.env.Stderr)
	p.line("turnpost: %s %s", p.paint(bad, "error:"), err.Error())
	var coded *turnpost.Error
	if errors.As(err, &coded) && coded.Hint != "" {
		p.line("turnpost: %s %s", p.paint(dim, "hint:"), coded.Hint)
	}
}

// usageError words an error of the command line parser.
func usageError(err error) error {
	var coded *turnpost.Error
	if errors.As(err, &coded) {
		return err
	}
	first, rest, _ := strings.Cut(err.Error(), "\n")
	hint := "turnpost --help lists the commands"
	if _, meant, ok := strings.Cut(rest, "Did you mean this?"); ok {
		hint = "did you mean: turnpost " + strings.Join(strings.Fields(meant), ", turnpost ")
	}
	return turnpost.Errorf(turnpost.Invalid, "%s", first).WithHint("%s", hint)
}

// root builds the tree of commands.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "turnpost",
		Short: "Coding agents that talk to each other at their turn boundaries",
		Long: "Turnpost stands at every coding agent's turn boundary: agents and people write to each other, " +
			"an item reaches an agent at the end of its turn or wakes it, and you see what each of them does.\n\n" + statusText(),
		Example: strings.Join([]string{
			"# start the hub, and let it start again by itself",
			"turnpost up -d",
			"# show what setup would change in your agents' settings",
			"turnpost setup",
			"# ask an agent and wait for its answer",
			`turnpost ask @api "Does /login still return 302?" --wait`,
		}, "\n"),
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return turnpost.Errorf(turnpost.Invalid, "%s", err).WithHint("%s --help lists its flags", cmd.CommandPath())
	})
	for _, group := range groups() {
		root.AddGroup(&group.Group)
		for _, make := range group.commands {
			cmd := make(a)
			cmd.GroupID = group.ID
			root.AddCommand(cmd)
		}
	}
	return root
}

// statusText is the table of exit statuses.
func statusText() string {
	var out strings.Builder
	out.WriteString("Exit status:")
	for _, row := range exits() {
		fmt.Fprintf(&out, "\n  %3d  %s", row.status, row.doc)
	}
	return out.String()
}

// action is what a command does.
type action func(ctx context.Context, args []string) error

// does makes the action a command's. Its error goes to report and not to the
// parser, which takes all errors for its own.
func (a *app) does(cmd *cobra.Command, run action) *cobra.Command {
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		a.failed = run(cmd.Context(), args)
		return nil
	}
	if cmd.Args == nil {
		cmd.Args = takes(0, 0, "")
	}
	cmd.DisableFlagsInUseLine = true
	cmd.Flags().SortFlags = false
	return cmd
}

// takes checks the number of arguments; what names the first one that can be
// missing. A negative most is any number.
func takes(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		usage := "turnpost " + strings.TrimPrefix(cmd.UseLine(), "turnpost ")
		switch {
		case len(args) < least:
			return turnpost.Invalidf(what, "is missing").WithHint("%s", usage)
		case most >= 0 && len(args) > most:
			return turnpost.Errorf(turnpost.Invalid, "%.40q is one argument too many", args[most]).WithHint("%s", usage)
		}
		return nil
	}
}

// jsonFlag adds --json.
func jsonFlag(cmd *cobra.Command) *bool {
	return cmd.Flags().Bool("json", false, "print JSON")
}

package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"turnpost"
)

func resolveCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "resolve ID [RESULT]",
		Short:   "Close a question or a task, and tell its author",
		Long:    "Close a question or a task for everyone. RESULT goes to its author; - reads it from stdin.",
		Example: `turnpost resolve t-17 "Migration 12 is safe, it ran on staging"`,
		Args:    takes(1, -1, "ID"),
	}
	asJSON := jsonFlag(cmd)
	return a.does(cmd, func(ctx context.Context, args []string) error {
		result, err := a.textOf(strings.Join(args[1:], " "))
		if err != nil {
			return err
		}
		hub, err := a.hub(ctx)
		if err != nil {
			return err
		}
		item, err := hub.Resolve(ctx, turnpost.ResolveRequest{ID: args[0], Result: strings.TrimSpace(result)})
		if err != nil {
			return err
		}
		if *asJSON {
			return a.json(item)
		}
		a.printer(a.env.Stdout).line("%s is resolved", item.ID)
		return nil
	})
}

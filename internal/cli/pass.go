package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"turnpost"
)

func passCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "pass ID [REASON]",
		Short:   "Hand an item to the user, as an agent",
		Example: `turnpost pass q-41 "I do not know the staging setup"`,
		Args:    takes(1, -1, "ID"),
	}
	asJSON := jsonFlag(cmd)
	return a.does(cmd, func(ctx context.Context, args []string) error {
		hub, err := a.hub(ctx)
		if err != nil {
			return err
		}
		item, err := hub.Pass(ctx, turnpost.PassRequest{ID: args[0], Reason: strings.Join(args[1:], " ")})
		if err != nil {
			return err
		}
		if *asJSON {
			return a.json(item)
		}
		a.printer(a.env.Stdout).line("%s passed to your user", item.ID)
		return nil
	})
}

package cli

import (
	"context"

	"github.com/spf13/cobra"

	"turnpost"
)

func readCommand(a *app) *cobra.Command {
	var q turnpost.ReadQuery
	cmd := &cobra.Command{
		Use:   "read ID... [--flags]",
		Short: "Show whole items with their receipts",
		Args:  takes(1, -1, "ID"),
	}
	cmd.Flags().BoolVarP(&q.Thread, "thread", "t", false, "the whole threads that they are in")
	asJSON := jsonFlag(cmd)
	return a.does(cmd, func(ctx context.Context, args []string) error {
		q.IDs = args
		hub, err := a.hub(ctx)
		if err != nil {
			return err
		}
		found, err := hub.Read(ctx, q)
		if err != nil {
			return err
		}
		if *asJSON {
			return a.json(found)
		}
		p := a.printer(a.env.Stdout)
		for i, item := range found.Items {
			if i > 0 {
				p.line("")
			}
			p.item(item, a.env.Now())
		}
		return nil
	})
}

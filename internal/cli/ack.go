package cli

import (
	"context"

	"github.com/spf13/cobra"

	"turnpost"
)

func ackCommand(a *app) *cobra.Command {
	var q turnpost.AckRequest
	cmd := &cobra.Command{
		Use:     "ack [ID...] [--flags]",
		Short:   "Close items of your inbox that you are done with",
		Long:    "Close the named items in your inbox, or all that were shown to you up to a position. Others still have them in theirs.",
		Example: "turnpost ack n-7 s-9\nturnpost ack --through 31",
		Args:    takes(0, -1, ""),
	}
	cmd.Flags().Int64Var(&q.Through, "through", 0, "everything shown up to this position of your inbox")
	asJSON := jsonFlag(cmd)
	return a.does(cmd, func(ctx context.Context, args []string) error {
		q.IDs = args
		if len(args) == 0 && q.Through == 0 {
			return turnpost.Invalidf("ID", "is missing").WithHint("turnpost ack ID..., or turnpost ack --through N")
		}
		hub, err := a.hub(ctx)
		if err != nil {
			return err
		}
		done, err := hub.Ack(ctx, q)
		if err != nil {
			return err
		}
		if *asJSON {
			return a.json(done)
		}
		a.printer(a.env.Stdout).line("%d closed, %d unread", done.Closed, done.Unread)
		return nil
	})
}

package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"turnpost"
)

// waitRound is the longest single wait that the hub takes.
const waitRound = 50 * time.Second

func waitCommand(a *app) *cobra.Command {
	var limit time.Duration
	cmd := &cobra.Command{
		Use:   "wait [--flags]",
		Short: "Wait until something arrives in your inbox",
		Long:  "Wait until your inbox holds something that you were not shown yet, print it and end with 0; or end with 4 when nothing came in time.",
	}
	cmd.Flags().DurationVar(&limit, "timeout", waitRound, "how long; 0 is for ever")
	asJSON := jsonFlag(cmd)
	return a.does(cmd, func(ctx context.Context, _ []string) error {
		if limit < 0 {
			return turnpost.Invalidf("timeout", "is negative")
		}
		hub, err := a.hub(ctx)
		if err != nil {
			return err
		}
		box, err := a.waitFor(ctx, hub, limit)
		if err != nil {
			return err
		}
		if *asJSON {
			return a.json(box)
		}
		p := a.printer(a.env.Stdout)
		p.entries(box.Entries, a.env.Now())
		return a.sayProtocol(ctx, p, hub, openItems(box.Entries))
	})
}

// waitFor waits in rounds that the hub takes.
func (a *app) waitFor(ctx context.Context, hub turnpost.Hub, limit time.Duration) (turnpost.Inbox, error) {
	until := a.env.Now().Add(limit)
	for {
		round := waitRound
		if limit > 0 {
			round = min(round, until.Sub(a.env.Now()))
		}
		if round <= 0 {
			return turnpost.Inbox{}, tooLate{turnpost.Errorf(turnpost.Unavailable, "nothing arrived within %s", limit)}
		}
		box, err := hub.Wait(ctx, turnpost.WaitQuery{Seconds: max(1, int(round.Seconds()))})
		if err != nil || len(box.Entries) > 0 {
			return box, err
		}
		if ctx.Err() != nil {
			return box, ctx.Err()
		}
	}
}

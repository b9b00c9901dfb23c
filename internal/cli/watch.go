package cli

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"turnpost"
)

func watchCommand(a *app) *cobra.Command {
	var board bool
	var limit time.Duration
	cmd := &cobra.Command{
		Use:   "watch [--flags]",
		Short: "Follow what happens, in the foreground",
		Long: "For people: a line for each change of a session, each item, each notice, and the text that woke an agent, which its own terminal does not show.\n\n" +
			"For agents: wait for items, print them with what to do, acknowledge those that ask for nothing, and wait again, until it is interrupted or the time is over. " +
			"That keeps a turn open and costs tokens: use it for a short wait for somebody, never to stay reachable; hooks do that.",
	}
	cmd.Flags().BoolVar(&board, "board", false, "for people: redraw the sessions in place")
	cmd.Flags().DurationVar(&limit, "for", 0, "stop after that long; 0 is until interrupted")
	return a.does(cmd, func(ctx context.Context, _ []string) error {
		if limit < 0 {
			return turnpost.Invalidf("for", "is negative")
		}
		hub, err := a.hub(ctx)
		if err != nil {
			return err
		}
		me, err := hub.Whoami(ctx, turnpost.Nothing{})
		if err != nil {
			return err
		}
		watching, cancel := ctx, context.CancelFunc(func() {})
		if limit > 0 {
			watching, cancel = context.WithTimeout(ctx, limit)
		}
		defer cancel()
		switch {
		case !me.Human && board:
			return turnpost.Errorf(turnpost.Forbidden, "the board is for your user: you are %s", me.Handle)
		case board && a.env.Width == 0:
			return turnpost.Invalidf("board", "needs a terminal").WithHint("use turnpost watch, or turnpost status")
		case !me.Human:
			err = a.watchInbox(watching, hub)
		default:
			err = a.watchBoard(watching, board)
		}
		// To be interrupted is how a watch ends.
		if watching.Err() != nil && (errors.Is(err, watching.Err()) || turnpost.CodeOf(err) == turnpost.Unavailable) {
			return nil
		}
		return err
	})
}

// watchInbox is an agent's loop.
func (a *app) watchInbox(ctx context.Context, hub turnpost.Hub) error {
	p, start := a.printer(a.env.Stdout), a.env.Now()
	got, closed, told := 0, 0, false
	defer func() {
		p.line("Watched for %s: %s, %d of them acknowledged.", ago(a.env.Now().Sub(start)), plural(got, "item"), closed)
	}()
	for ctx.Err() == nil {
		box, err := hub.Wait(ctx, turnpost.WaitQuery{Seconds: int(waitRound.Seconds())})
		if err != nil {
			return err
		}
		if len(box.Entries) == 0 {
			continue
		}
		got += len(box.Entries)
		p.entries(box.Entries, a.env.Now())
		p.line("%s", turnpost.ProtocolTail(openItems(box.Entries)))
		if !told {
			told = true
			p.line("%s %s", turnpost.ProtocolTrust, turnpost.ProtocolLimit)
		}
		var fyi []string
		for _, e := range box.Entries {
			if k := e.Item.Kind; !k.NeedsAction() && k != turnpost.Answer {
				fyi = append(fyi, e.Item.ID)
			}
		}
		if len(fyi) == 0 {
			continue
		}
		done, err := hub.Ack(ctx, turnpost.AckRequest{IDs: fyi})
		if err != nil {
			return err
		}
		closed += done.Closed
	}
	return ctx.Err()
}

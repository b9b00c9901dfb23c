package cli

import (
	"context"

	"github.com/spf13/cobra"

	"turnpost"
)

func inboxCommand(a *app) *cobra.Command {
	var q turnpost.InboxQuery
	cmd := &cobra.Command{
		Use:   "inbox [@handle] [--flags]",
		Short: "Show what waits for you",
		Long: "Show the open items of your inbox, and for people the notices of the hub. " +
			"People may look into the inbox of any handle. Looking closes nothing; see ack.",
		Args:              takes(0, 1, ""),
		ValidArgsFunction: a.completeHandles,
	}
	flags := cmd.Flags()
	flags.BoolVarP(&q.All, "all", "a", false, "the archive too, newest first")
	flags.BoolVar(&q.Addressed, "addressed", false, "only what is addressed to the handle, not what its channels carry")
	flags.BoolVar(&q.Peek, "peek", false, "do not count as shown to an agent")
	flags.IntVarP(&q.Limit, "limit", "n", 50, "at most so many, up to 500")
	flags.Int64Var(&q.Before, "before", 0, "with --all: older than this position")
	asJSON := jsonFlag(cmd)
	return a.does(cmd, func(ctx context.Context, args []string) error {
		if len(args) > 0 {
			q.Handle = args[0]
		}
		hub, err := a.hub(ctx)
		if err != nil {
			return err
		}
		box, err := hub.Inbox(ctx, q)
		if err != nil {
			return err
		}
		if *asJSON {
			return a.json(box)
		}
		p, now := a.printer(a.env.Stdout), a.env.Now()
		if len(box.Entries) == 0 {
			p.line("Nothing waits for %s.", box.Handle)
		} else {
			p.line("%s, %d unread", p.paint(bold, box.Handle), box.Unread)
			p.entries(box.Entries, now)
		}
		a.notices(p, box.Notices, now)
		return a.sayProtocol(ctx, p, hub, openItems(box.Entries))
	})
}

// openItems are those that an addressee still has to deal with.
func openItems(entries []turnpost.Entry) []turnpost.Item {
	var out []turnpost.Item
	for _, e := range entries {
		if e.Delivery.State.Open() {
			out = append(out, e.Item)
		}
	}
	return out
}

// sayProtocol tells an agent that reads our output what to do with items. A
// person knows.
func (a *app) sayProtocol(ctx context.Context, p *printer, hub turnpost.Hub, items []turnpost.Item) error {
	if len(items) == 0 {
		return nil
	}
	me, err := hub.Whoami(ctx, turnpost.Nothing{})
	if err != nil || me.Human {
		return err
	}
	p.line("%s %s %s", turnpost.ProtocolTrust, turnpost.ProtocolTail(items), turnpost.ProtocolLimit)
	return nil
}

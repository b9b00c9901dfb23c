package cli

import (
	"context"

	"github.com/spf13/cobra"

	"turnpost"
)

func tasksCommand(a *app) *cobra.Command {
	var q turnpost.OpenQuery
	var kind string
	cmd := &cobra.Command{
		Use:   "tasks [--flags]",
		Short: "List open questions and tasks, or claim a task",
	}
	flags := cmd.Flags()
	flags.BoolVarP(&q.Mine, "mine", "m", false, "only what is addressed to you, or claimed by you")
	flags.StringVarP(&kind, "kind", "k", "", "only question, or only task")
	flags.IntVarP(&q.Limit, "limit", "n", 50, "at most so many, up to 500")
	asJSON := jsonFlag(cmd)
	cmd.AddCommand(claimCommand(a))
	return a.does(cmd, func(ctx context.Context, _ []string) error {
		q.Kind = turnpost.ItemKind(kind)
		hub, err := a.hub(ctx)
		if err != nil {
			return err
		}
		open, err := hub.Open(ctx, q)
		if err != nil {
			return err
		}
		if *asJSON {
			return a.json(open)
		}
		p := a.printer(a.env.Stdout)
		if len(open.Items) == 0 {
			p.line("Nothing is open.")
			return nil
		}
		t := table{head: []string{"id", "kind", "from", "to", "since", "state", "summary"}}
		for _, item := range open.Items {
			t.row(p.paint(bold, item.ID), p.kind(item), author(item), where(item), clock(item.At, a.env.Now()), p.itemState(item), item.Summary)
		}
		p.table("", t)
		return nil
	})
}

func claimCommand(a *app) *cobra.Command {
	var q turnpost.ClaimRequest
	cmd := &cobra.Command{
		Use:   "claim ID [--flags]",
		Short: "Take a task: it is yours, and leaves the others' inboxes",
		Args:  takes(1, 1, "ID"),
	}
	cmd.Flags().StringVar(&q.HookSession, "hook-session", "", "bind it to the session that announced this")
	asJSON := jsonFlag(cmd)
	return a.does(cmd, func(ctx context.Context, args []string) error {
		q.ID = args[0]
		hub, err := a.hub(ctx)
		if err != nil {
			return err
		}
		item, err := hub.Claim(ctx, q)
		if err != nil {
			return err
		}
		if *asJSON {
			return a.json(item)
		}
		a.printer(a.env.Stdout).line("%s is yours, %s: %s", item.ID, item.ClaimedBy, item.Summary)
		return nil
	})
}

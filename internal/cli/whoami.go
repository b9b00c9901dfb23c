package cli

import (
	"context"

	"github.com/spf13/cobra"

	"turnpost"
)

func whoamiCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "whoami",
		Short: "Show who the hub takes you for, and why",
	}
	asJSON := jsonFlag(cmd)
	return a.does(cmd, func(ctx context.Context, _ []string) error {
		hub, err := a.hub(ctx)
		if err != nil {
			return err
		}
		me, err := hub.Whoami(ctx, turnpost.Nothing{})
		if err != nil {
			return err
		}
		if *asJSON {
			return a.json(me)
		}
		p := a.printer(a.env.Stdout)
		what := "an agent"
		if me.Human {
			what = "the user"
		}
		p.line("%s, %s, by %s; %d unread", p.paint(bold, me.Handle), what, me.How, me.Unread)
		if s := me.Session; s != nil {
			p.line("session %s of %s in %s: %s", s.ID, s.Harness, a.tilde(s.Cwd), p.state(s.Status))
		}
		return nil
	})
}

package cli

import (
	"context"

	"github.com/spf13/cobra"

	"turnpost"
)

func nameCommand(a *app) *cobra.Command {
	var of, session string
	cmd := &cobra.Command{
		Use:   "name @new [--flags]",
		Short: "Give a handle another name; its inbox goes along",
		Long: "Give your own handle, or as a person any, another name. Its inbox goes along. " +
			"With --session a session that has no handle gets one.",
		Example: "turnpost name @checkout\nturnpost name --of @api-2 @auth",
		Args:    takes(1, 1, "@new"),
	}
	cmd.Flags().StringVar(&of, "of", "", "the handle to rename, for people")
	cmd.Flags().StringVar(&session, "session", "", "the session to bind, for people")
	asJSON := jsonFlag(cmd)
	return a.does(cmd, func(ctx context.Context, args []string) error {
		if of != "" && session != "" {
			return turnpost.Invalidf("session", "cannot be given together with --of")
		}
		hub, err := a.hub(ctx)
		if err != nil {
			return err
		}
		p := a.printer(a.env.Stdout)
		if session != "" {
			linked, err := hub.Link(ctx, turnpost.LinkRequest{Session: session, Handle: args[0]})
			if err != nil {
				return err
			}
			if *asJSON {
				return a.json(linked)
			}
			p.line("session %s is %s", linked.ID, linked.Handle)
			return nil
		}
		named, err := hub.Name(ctx, turnpost.NameRequest{Handle: of, Name: args[0]})
		if err != nil {
			return err
		}
		if *asJSON {
			return a.json(named)
		}
		p.line("the name is %s now", named.Handle)
		return nil
	})
}

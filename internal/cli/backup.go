package cli

import (
	"context"

	"github.com/spf13/cobra"

	"turnpost"
)

func backupCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "backup FILE",
		Short:   "Copy the store while it is in use",
		Long:    "Write a consistent copy of the hub's store, an SQLite file, to FILE, which must not exist.",
		Example: "turnpost backup ~/turnpost.db",
		Args:    takes(1, 1, "FILE"),
	}
	asJSON := jsonFlag(cmd)
	return a.does(cmd, func(ctx context.Context, args []string) error {
		hub, err := a.hub(ctx)
		if err != nil {
			return err
		}
		done, err := hub.Backup(ctx, turnpost.BackupRequest{Path: a.env.abs(args[0])})
		if err != nil {
			return err
		}
		if *asJSON {
			return a.json(done)
		}
		a.printer(a.env.Stdout).line("%s, %s", a.tilde(done.Path), size(done.Bytes))
		return nil
	})
}

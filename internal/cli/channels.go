package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"turnpost"
)

func channelsCommand(a *app) *cobra.Command {
	cmd := listChannels(a, "channels [--flags]", "List channels; create, join, leave or archive one")
	cmd.AddCommand(
		listChannels(a, "list [--flags]", "List channels"),
		channelCommand(a, "create", "Make a channel", "%s is there; others join it to get what is posted in it"),
		channelCommand(a, "join", "Get what is posted in a channel", "you get what is posted in %s"),
		channelCommand(a, "leave", "Get no longer what is posted in a channel", "you left %s"),
		channelCommand(a, "archive", "Close a channel; what was posted stays", "%s is archived"),
	)
	return cmd
}

func listChannels(a *app, use, short string) *cobra.Command {
	var q turnpost.ChannelQuery
	cmd := &cobra.Command{Use: use, Short: short}
	cmd.Flags().BoolVarP(&q.All, "all", "a", false, "archived ones too")
	asJSON := jsonFlag(cmd)
	return a.does(cmd, func(ctx context.Context, _ []string) error {
		hub, err := a.hub(ctx)
		if err != nil {
			return err
		}
		channels, err := hub.Channels(ctx, q)
		if err != nil {
			return err
		}
		if *asJSON {
			return a.json(channels)
		}
		p := a.printer(a.env.Stdout)
		t := table{head: []string{"channel", "items", "by", "members"}}
		for _, c := range channels.Channels {
			members := strings.Join(c.Members, ", ")
			if !c.ArchivedAt.IsZero() {
				members = "archived " + clock(c.ArchivedAt, a.env.Now())
			}
			t.row(p.paint(bold, c.Name), c.LastSeq, c.CreatedBy, members)
		}
		p.table("", t)
		return nil
	})
}

// channelCommand does one thing with one channel. done has a place for its
// name.
func channelCommand(a *app, do, short, done string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   do + " NAME",
		Short: short,
		Args:  takes(1, 1, "NAME"),
	}
	asJSON := jsonFlag(cmd)
	return a.does(cmd, func(ctx context.Context, args []string) error {
		hub, err := a.hub(ctx)
		if err != nil {
			return err
		}
		channel, err := hub.Channel(ctx, turnpost.ChannelRequest{Name: args[0], Do: do})
		if err != nil {
			return err
		}
		if *asJSON {
			return a.json(channel)
		}
		a.printer(a.env.Stdout).line(done, channel.Name)
		return nil
	})
}

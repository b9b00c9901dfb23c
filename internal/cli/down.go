package cli

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/spf13/cobra"

	"turnpost"
	"turnpost/internal/api/client"
	"turnpost/internal/statedir"
)

// stopLimit is how long a hub may take to end once it agreed to.
const stopLimit = 5 * time.Second

func downCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "down",
		Short: "Stop the hub, and keep it stopped",
		Long: "Stop the hub. What is written stays; hooks are silent and agents work on. " +
			"Nothing starts the hub again before `turnpost up`, also when it had died.",
	}
	return a.does(cmd, func(ctx context.Context, _ []string) error {
		dir, err := a.state()
		if err != nil {
			return err
		}
		p := a.printer(a.env.Stdout)
		hub, err := dir.ReadHub()
		switch {
		case errors.Is(err, fs.ErrNotExist):
			p.line("No hub is running.")
			return nil
		case err != nil, !answers(hub):
			if err := removeHub(dir); err != nil {
				return err
			}
			p.line("The hub had died; nothing starts it again now.")
			return nil
		}
		if err := stopHub(ctx, dir, hub); err != nil {
			return err
		}
		p.line("The hub, process %d, is down. Hooks are silent and agents work on.", hub.Pid)
		return nil
	})
}

// stopHub tells a hub to end and waits until it has. The hub file goes first,
// so that no hook takes the end for a death.
func stopHub(ctx context.Context, dir statedir.Dir, hub statedir.Hub) error {
	if err := removeHub(dir); err != nil {
		return err
	}
	c := client.New(client.Address{Socket: hub.Socket})
	defer c.Close()
	if err := c.Stop(ctx); err != nil {
		return err
	}
	limit, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	for {
		if busy, err := locked(dir); err != nil || !busy {
			return err
		}
		select {
		case <-limit.Done():
			return turnpost.Errorf(turnpost.Unavailable, "the hub, process %d, has not ended after %s", hub.Pid, stopLimit).
				WithHint("end it with: kill %d", hub.Pid)
		case <-time.After(startPoll):
		}
	}
}

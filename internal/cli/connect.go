package cli

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"time"

	"turnpost"
	"turnpost/internal/api/client"
	"turnpost/internal/statedir"
)

// hub returns a client of the running hub. A hub that died is started again
// where the user said that it shall stay up.
func (a *app) hub(ctx context.Context) (*client.Client, error) {
	if a.remote() {
		return client.Find(a.env.Getenv)
	}
	dir, err := a.state()
	if err != nil {
		return nil, err
	}
	hub, err := dir.ReadHub()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, notRunning("the hub is not running")
	}
	if err != nil {
		return nil, notRunning("%v", err)
	}
	if !answers(hub) {
		if hub.Heal == "" {
			return nil, notRunning("the hub is not running: process %d died", hub.Pid)
		}
		if hub, err = a.heal(ctx, dir, hub); err != nil {
			return nil, err
		}
		a.printer(a.env.Stderr).line("turnpost: the hub was gone and is up again, process %d", hub.Pid)
	}
	return client.Find(a.env.Getenv)
}

// remote tells whether the environment names a hub elsewhere.
func (a *app) remote() bool { return a.env.Getenv("TURNPOST_URL") != "" }

func (a *app) state() (statedir.Dir, error) {
	dir, err := statedir.Find(a.env.Getenv)
	if err != nil {
		return "", turnpost.Errorf(turnpost.Invalid, "%v", err).WithHint("set TURNPOST_HOME to an absolute path")
	}
	return dir, nil
}

func notRunning(format string, args ...any) error {
	return turnpost.Errorf(turnpost.Unavailable, format, args...).WithHint("turnpost up -d")
}

// answers tells whether something listens on the hub's socket.
func answers(hub statedir.Hub) bool {
	const limit = time.Second
	c, err := net.DialTimeout("unix", hub.Socket, limit)
	if err != nil {
		return false
	}
	_ = c.Close() // only to see whether it opens
	return true
}

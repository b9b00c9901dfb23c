package cli

import (
	"context"
	"io"
	"log/slog"
	"sync"

	"github.com/spf13/cobra"

	"turnpost"
	"turnpost/internal/api/client"
	"turnpost/internal/harness"
	"turnpost/internal/mcp"
	"turnpost/internal/statedir"
)

func mcpCommand(a *app) *cobra.Command {
	var push bool
	cmd := &cobra.Command{
		Use:   "mcp [--flags]",
		Short: "Serve the hub's tools to an agent over stdio",
		Long: "Serve MCP over stdin and stdout: what you register as an MCP server. The agent is known by its process. " +
			"The server outlives the hub: a tool says so while the hub is gone, and works again when it is back.\n\n" +
			"With --channel it also pushes what would ring an idle session into it, as a message of the experimental channel that some hosts take. " +
			"This is off by default and unproven: hosts show such messages only where a switch of their maker's is on, and this program cannot see whether it is. " +
			"It has been tested against a client of our own alone. What does not start a turn is taken back and comes the usual way.",
	}
	cmd.Flags().BoolVar(&push, "channel", false, "push into idle sessions, where the host takes that (experimental)")
	return a.does(cmd, func(ctx context.Context, _ []string) error {
		link := &link{app: a}
		if _, err := link.client(ctx); err != nil {
			a.report(err) // loudly, but the tools are there: the hub may come
		}
		options := mcp.Options{
			Version: a.env.Version,
			Logger:  slog.New(slog.NewTextHandler(a.env.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		}
		if push {
			options.Channels = channels()
			options.Listener = link.listener
		}
		server := mcp.New(link.hubFor, options)
		in := a.env.Stdin
		if _, closes := in.(io.Closer); !closes {
			in = io.NopCloser(in)
		}
		return server.ServeStdio(ctx, in, a.env.Stdout)
	})
}

// channels are the hosts that take what is pushed to them.
func channels() []mcp.Channel {
	var out []mcp.Channel
	for _, h := range harness.All() {
		if c, ok := h.(harness.Channeler); ok {
			out = append(out, mcp.Channel(c.Channel()))
		}
	}
	return out
}

// link keeps one client of whichever hub runs.
type link struct {
	*app
	mu   sync.Mutex
	file statedir.Hub
	last *client.Client
}

// hubFor is the hub for one call. Where there is none, the client of an
// address that nobody listens on says so.
func (l *link) hubFor(ctx context.Context, claim mcp.Claim) turnpost.Hub {
	c, err := l.client(ctx)
	if err != nil {
		l.report(err)
		c = client.New(client.Address{Socket: "/nonexistent/turnpost"})
	}
	return c.WithSession(claim.HookSession).WithNative(claim.Native)
}

// listener is the hub of which the agent's session hears.
func (l *link) listener(ctx context.Context) (mcp.Listener, error) {
	c, err := l.client(ctx)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// client returns the last client as long as its hub is the running one.
func (l *link) client(ctx context.Context) (*client.Client, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if dir, err := l.state(); err == nil && !l.remote() {
		file, err := dir.ReadHub()
		if err == nil && l.last != nil && file == l.file && answers(file) {
			return l.last, nil
		}
	} else if l.last != nil {
		return l.last, nil
	}
	c, err := l.hub(ctx)
	if err != nil {
		return nil, err
	}
	if l.last != nil {
		l.last.Close()
	}
	l.last, l.file = c, statedir.Hub{}
	if dir, err := l.state(); err == nil {
		// An error means that the hub went away again: the next call looks anew.
		l.file, _ = dir.ReadHub()
	}
	return c, nil
}

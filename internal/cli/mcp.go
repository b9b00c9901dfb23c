package cli

import (
	"context"
	"io"
	"log/slog"
	"sync"

	"github.com/spf13/cobra"

	"turnpost"
	"turnpost/internal/api/client"
	"turnpost/internal/mcp"
	"turnpost/internal/statedir"
)

func mcpCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve the hub's tools to an agent over stdio",
		Long: "Serve MCP over stdin and stdout: what you register as an MCP server. The agent is known by its process. " +
			"The server outlives the hub: a tool says so while the hub is gone, and works again when it is back.",
	}
	return a.does(cmd, func(ctx context.Context, _ []string) error {
		link := &link{app: a}
		if _, err := link.client(ctx); err != nil {
			a.report(err) // loudly, but the tools are there: the hub may come
		}
		server := mcp.New(link.hubFor, mcp.Options{
			Version: a.env.Version,
			Logger:  slog.New(slog.NewTextHandler(a.env.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		})
		in := a.env.Stdin
		if _, closes := in.(io.Closer); !closes {
			in = io.NopCloser(in)
		}
		return server.ServeStdio(ctx, in, a.env.Stdout)
	})
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

package cli

import (
	"context"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"turnpost/internal/api/client"
)

// versions is which programs are at work.
type versions struct {
	Version string         `json:"version"`
	Go      string         `json:"go"`
	OS      string         `json:"os"`
	Arch    string         `json:"arch"`
	Program string         `json:"program"`
	Hub     *client.Health `json:"hub,omitempty"` // the running one
}

func versionCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Show the version, and that of the running hub",
	}
	asJSON := jsonFlag(cmd)
	return a.does(cmd, func(ctx context.Context, _ []string) error {
		v := versions{Version: a.env.Version, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, Program: a.env.Program}
		if hub, ok := a.hubIfUp(); ok {
			if health, err := hub.Health(ctx); err == nil {
				v.Hub = &health
			}
		}
		if *asJSON {
			return a.json(v)
		}
		p := a.printer(a.env.Stdout)
		p.line("turnpost %s (%s %s/%s)", v.Version, v.Go, v.OS, v.Arch)
		if v.Hub == nil {
			p.line("the hub is not running")
			return nil
		}
		p.line("hub      %s, process %d", v.Hub.Version, v.Hub.Pid)
		return nil
	})
}

// hubIfUp is a client of a hub that answers now; it starts none.
func (a *app) hubIfUp() (*client.Client, bool) {
	if !a.remote() {
		dir, err := a.state()
		if err != nil {
			return nil, false
		}
		if hub, err := dir.ReadHub(); err != nil || !answers(hub) {
			return nil, false
		}
	}
	c, err := client.Find(a.env.Getenv)
	return c, err == nil
}

// size is a number of bytes for people.
func size(bytes int64) string {
	switch {
	case bytes < 1<<10:
		return fmt.Sprintf("%d bytes", bytes)
	case bytes < 1<<20:
		return fmt.Sprintf("%.1f KB", float64(bytes)/(1<<10))
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/(1<<20))
}

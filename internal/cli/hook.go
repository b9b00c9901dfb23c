package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"turnpost"
	"turnpost/internal/harness"
)

// hookCommand is for help only: main hands a hook call to internal/hook before
// any of this is built.
func hookCommand(a *app) *cobra.Command {
	names := make([]string, 0, len(harness.All()))
	for _, h := range harness.All() {
		names = append(names, h.Name())
	}
	cmd := &cobra.Command{
		Use:   "hook HARNESS",
		Short: "Answer one hook call of an agent's program (what setup registers)",
		Long: "Read one event from stdin as the harness writes it, ask the hub, and print the answer in the harness's own form. " +
			"Whatever goes wrong, it prints nothing and ends with 0. turnpost-hook is the same, smaller and faster.\n\n" +
			"Harnesses: " + strings.Join(names, ", "),
		Args: takes(1, 1, "HARNESS"),
	}
	return a.does(cmd, func(_ context.Context, args []string) error {
		return turnpost.Errorf(turnpost.Internal, "the hook call for %.40q did not reach its program", args[0])
	})
}

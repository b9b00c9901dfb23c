package cli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"turnpost"
)

// completeLimit is how long a shell may wait for its completions.
const completeLimit = 500 * time.Millisecond

// completeHandles offers the handles that there are, when a hub runs.
func (a *app) completeHandles(cmd *cobra.Command, args []string, start string) ([]string, cobra.ShellCompDirective) {
	hub, ok := a.hubIfUp()
	if !ok || start != "" && !strings.HasPrefix(start, "@") {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer hub.Close()
	ctx, cancel := context.WithTimeout(cmd.Context(), completeLimit)
	defer cancel()
	agents, err := hub.Agents(ctx, turnpost.AgentQuery{All: true})
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, agent := range agents.Agents {
		if strings.HasPrefix(agent.Handle, start) {
			out = append(out, agent.Handle)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

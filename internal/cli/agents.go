package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"turnpost"
)

func agentsCommand(a *app) *cobra.Command {
	var q turnpost.AgentQuery
	cmd := &cobra.Command{
		Use:   "agents [--flags]",
		Short: "List who can be written to",
	}
	cmd.Flags().BoolVarP(&q.All, "all", "a", false, "those without a live session too")
	asJSON := jsonFlag(cmd)
	return a.does(cmd, func(ctx context.Context, _ []string) error {
		hub, err := a.hub(ctx)
		if err != nil {
			return err
		}
		agents, err := hub.Agents(ctx, q)
		if err != nil {
			return err
		}
		if *asJSON {
			return a.json(agents)
		}
		p := a.printer(a.env.Stdout)
		t := table{head: []string{"handle", "presence", "state", "unread", "interrupt", "notes", "run", "where"}}
		for _, agent := range agents.Agents {
			t.row(p.paint(bold, agent.Handle), p.presence(agent, a), p.agentState(agent), unread(agent.Unread), string(agent.Interrupt), a.notesAge(agent.Session), atRun(agent.Session), a.tilde(agent.Place.Root))
		}
		p.table("", t)
		return nil
	})
}

func (p *printer) presence(agent turnpost.Agent, a *app) styled {
	if agent.PausedUntil.After(a.env.Now()) {
		return p.paint(warn, "paused until "+clock(agent.PausedUntil, a.env.Now()))
	}
	if agent.Presence == turnpost.Available {
		return p.paint(plain, string(agent.Presence))
	}
	return p.paint(warn, string(agent.Presence))
}

func (p *printer) agentState(agent turnpost.Agent) styled {
	switch {
	case agent.Human:
		return p.paint(dim, "person")
	case agent.Session == nil:
		return p.paint(dim, "no session")
	}
	return p.state(agent.Session.Status)
}

func unread(n int) string {
	if n == 0 {
		return "-"
	}
	return plural(n, "item")
}

// notesAge is how old the notes are that a session's handle has.
func (a *app) notesAge(s *turnpost.Session) string {
	if s == nil {
		return "-"
	}
	return age(s.NotesAt, a.env.Now())
}

// atRun is the run that a session works at.
func atRun(s *turnpost.Session) string {
	if s == nil || s.Run == "" {
		return "-"
	}
	return s.Run
}

// tilde shortens a path in the user's home.
func (a *app) tilde(path string) string {
	if home := a.env.Home; home != "" && home != "/" && (path == home || strings.HasPrefix(path, home+"/")) {
		return "~" + path[len(home):]
	}
	return path
}

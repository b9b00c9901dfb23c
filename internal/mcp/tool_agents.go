package mcp

import (
	"context"
	"fmt"
	"path"
	"strings"
	"time"

	"turnpost"
)

type agentsArgs struct {
	All      bool              `json:"all,omitempty" jsonschema:"those without a live session too"`
	Presence turnpost.Presence `json:"presence,omitempty" jsonschema:"set yours first"`
	asker
}

func agents() tool {
	return define("agents", "Say who you are and who else is there; can set your presence.", settle,
		func(ctx context.Context, hub turnpost.Hub, in agentsArgs) (string, error) {
			if in.Presence != "" {
				if _, err := hub.Presence(ctx, turnpost.PresenceRequest{Presence: in.Presence}); err != nil {
					return "", err
				}
			}
			me, err := hub.Whoami(ctx, turnpost.Nothing{})
			if err != nil {
				return "", err
			}
			found, err := hub.Agents(ctx, turnpost.AgentQuery{All: in.All})
			if err != nil {
				return "", err
			}
			text := fmt.Sprintf("You are %s (%s), %d unread.", oneLine(me.Handle, maxLine), oneLine(me.How, maxLine), me.Unread)
			if in.Presence != "" {
				text += " You are " + string(in.Presence) + " now."
			}
			if len(found.Agents) == 0 {
				return text + " Nobody else is there.", nil
			}
			lines := make([]string, len(found.Agents))
			for i, agent := range found.Agents {
				lines[i] = agentLine(agent, time.Now())
			}
			return text + "\n" + frame(lines), nil
		})
}

// agentLine is one agent or person.
func agentLine(agent turnpost.Agent, now time.Time) string {
	parts := []string{oneLine(agent.Handle, maxLine), string(agent.Presence)}
	if agent.Human {
		parts[0] += " " + turnpost.YourUser
	}
	if !agent.PausedUntil.IsZero() && agent.PausedUntil.After(now) {
		parts = append(parts, "paused until "+clock(agent.PausedUntil, now))
	}
	switch session := agent.Session; {
	case session != nil:
		state := string(session.Status.State)
		if session.Status.Tool != "" {
			state += " (" + oneLine(session.Status.Tool, maxLine) + ")"
		}
		parts = append(parts, state+" since "+clock(session.Status.Since, now))
	case !agent.Human:
		parts = append(parts, "no session")
	}
	if agent.Place.Root != "" {
		parts = append(parts, "in "+oneLine(path.Base(agent.Place.Root), maxLine))
	}
	return strings.Join(append(parts, fmt.Sprintf("%d unread", agent.Unread)), " · ")
}

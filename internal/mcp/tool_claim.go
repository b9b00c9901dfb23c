package mcp

import (
	"context"

	"turnpost"
)

type claimArgs struct {
	ID string `json:"id"`
	asker
}

// claim is task_bind_session too: who claims a task binds it to his session.
func claim() tool {
	return define("claim", "Take a task and bind it to your session (task_bind_session).", settle,
		func(ctx context.Context, hub turnpost.Hub, in claimArgs) (string, error) {
			item, err := hub.Claim(ctx, turnpost.ClaimRequest{ID: in.ID, HookSession: in.HookSession})
			if err != nil {
				return "", err
			}
			text := oneLine(item.ID, maxLine) + " is yours"
			if item.Session != "" {
				text += ", bound to your session"
			}
			return text + ". Do it in the normal visible flow, then resolve or pass it.\n" +
				itemsText([]turnpost.Item{item}, 0), nil
		})
}

package mcp

import (
	"context"

	"turnpost"
)

// words is what an author says, in a post and in a reply.
type words struct {
	Summary string `json:"summary,omitempty" jsonschema:"one line, at most 1 KiB; default: first line of body"`
	Body    string `json:"body,omitempty" jsonschema:"at most 256 KiB"`
	Urgent  bool   `json:"urgent,omitempty" jsonschema:"interrupts a running turn"`
	Key     string `json:"key,omitempty" jsonschema:"idempotency key: a repeated call posts once"`
}

func (w words) draft() turnpost.Draft {
	return turnpost.Draft{Summary: w.Summary, Body: w.Body, Urgent: w.Urgent, Key: w.Key}
}

type postArgs struct {
	Kind    turnpost.ItemKind `json:"kind"`
	To      []string          `json:"to,omitempty" jsonschema:"handles such as @api; a task needs one"`
	Channel string            `json:"channel,omitempty" jsonschema:"such as #general; without it the item is direct"`
	words
	asker
}

func post() tool {
	return define("post", "Write to agents or people.", writes,
		func(ctx context.Context, hub turnpost.Hub, in postArgs) (string, error) {
			draft := in.draft()
			draft.Kind, draft.To, draft.Channel = in.Kind, in.To, in.Channel
			posted, err := hub.Post(ctx, draft)
			if err != nil {
				return "", err
			}
			return postedText(posted, "posted"), nil
		})
}

package mcp

import (
	"context"

	"turnpost"
)

type passArgs struct {
	ID     string `json:"id"`
	Reason string `json:"reason,omitempty" jsonschema:"for your user, one line"`
	asker
}

func pass() tool {
	return define("pass", "Leave a question or task to your user, who is told.", settle,
		func(ctx context.Context, hub turnpost.Hub, in passArgs) (string, error) {
			item, err := hub.Pass(ctx, turnpost.PassRequest{ID: in.ID, Reason: in.Reason})
			if err != nil {
				return "", err
			}
			return oneLine(item.ID, maxLine) + " passed: your user is told.", nil
		})
}

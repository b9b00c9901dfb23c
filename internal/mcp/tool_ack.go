package mcp

import (
	"context"
	"fmt"

	"turnpost"
)

type ackArgs struct {
	IDs     []string `json:"ids,omitempty"`
	Through int64    `json:"through,omitempty" jsonschema:"instead: everything shown up to this inbox position"`
	asker
}

func ack() tool {
	return define("ack", "Close items that you have dealt with.", settle,
		func(ctx context.Context, hub turnpost.Hub, in ackArgs) (string, error) {
			if len(in.IDs) == 0 && in.Through == 0 {
				return "", turnpost.Invalidf("ids", "missing").WithHint("name the items, or give through")
			}
			done, err := hub.Ack(ctx, turnpost.AckRequest{IDs: in.IDs, Through: in.Through})
			if err != nil {
				return "", err
			}
			return fmt.Sprintf("%d closed, %d still open.", done.Closed, done.Unread), nil
		})
}

package mcp

import (
	"context"

	"turnpost"
)

type resolveArgs struct {
	ID     string `json:"id"`
	Result string `json:"result,omitempty" jsonschema:"what came out, for its author"`
	asker
}

func resolve() tool {
	return define("resolve", "Close a question or task as done.", settle,
		func(ctx context.Context, hub turnpost.Hub, in resolveArgs) (string, error) {
			item, err := hub.Resolve(ctx, turnpost.ResolveRequest{ID: in.ID, Result: in.Result})
			if err != nil {
				return "", err
			}
			return oneLine(item.ID, maxLine) + " resolved.", nil
		})
}

package mcp

import (
	"context"
	"fmt"
	"time"

	"turnpost"
)

// openKind is a kind that stays open until somebody closes it.
type openKind string

type openArgs struct {
	Kind  openKind `json:"kind,omitempty" jsonschema:"default: both"`
	Mine  bool     `json:"mine,omitempty" jsonschema:"addressed to you or claimed by you"`
	Limit int      `json:"limit,omitempty" jsonschema:"default 20, at most 100"`
	asker
}

func open() tool {
	return define("open", "List open questions and tasks.", reads,
		func(ctx context.Context, hub turnpost.Hub, in openArgs) (string, error) {
			limit, err := page(in.Limit)
			if err != nil {
				return "", err
			}
			found, err := hub.Open(ctx, turnpost.OpenQuery{Kind: turnpost.ItemKind(in.Kind), Mine: in.Mine, Limit: limit})
			if err != nil {
				return "", err
			}
			if len(found.Items) == 0 {
				return "Nothing is open.", nil
			}
			lines := make([]string, len(found.Items))
			for i, item := range found.Items {
				labels := []string{"to " + handles(item.To), "since " + clock(item.At, time.Now())}
				if item.ClaimedBy != "" {
					labels = append(labels, "claimed by "+oneLine(item.ClaimedBy, maxLine))
				}
				lines[i] = headline(item, labels...)
			}
			return fmt.Sprintf("%d open. %s\n%s", len(lines), turnpost.Trust(found.Items), frame(lines)), nil
		})
}

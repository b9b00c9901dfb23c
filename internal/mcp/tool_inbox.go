package mcp

import (
	"context"
	"fmt"

	"turnpost"
)

type inboxArgs struct {
	All     bool   `json:"all,omitempty" jsonschema:"what your channels carry too, not only what is addressed to you"`
	Archive bool   `json:"archive,omitempty" jsonschema:"all of it, closed items too, newest first"`
	Channel string `json:"channel,omitempty" jsonschema:"instead: the history of this channel"`
	Limit   int    `json:"limit,omitempty" jsonschema:"default 20, at most 100"`
	Before  string `json:"before,omitempty" jsonschema:"next page, as the last answer said"`
	asker
}

// The pages of a list, in items.
const (
	defaultPage = 20
	largestPage = 100
)

func inbox() tool {
	return define("inbox", "List what waits for you. Listing closes nothing; reply, pass, resolve or ack do.", reads,
		func(ctx context.Context, hub turnpost.Hub, in inboxArgs) (string, error) {
			limit, err := page(in.Limit)
			if err != nil {
				return "", err
			}
			if in.Channel != "" {
				return history(ctx, hub, in, limit)
			}
			query := turnpost.InboxQuery{Addressed: !in.All && !in.Archive, All: in.Archive, Limit: limit}
			if in.Before != "" {
				if !in.Archive {
					return "", turnpost.Invalidf("before", "only the archive and a channel have pages").WithHint("add archive: true")
				}
				if _, err := fmt.Sscanf(in.Before, "%d", &query.Before); err != nil {
					return "", turnpost.Invalidf("before", "not a position in the inbox").WithHint("give the number that the last answer ended with")
				}
			}
			answer, err := hub.Inbox(ctx, query)
			if err != nil {
				return "", err
			}
			empty := "Nothing is addressed to you."
			if in.All || in.Archive {
				empty = "Nothing is here for you."
			}
			text := inboxText(answer, empty)
			if in.Archive && len(answer.Entries) == limit {
				text += fmt.Sprintf("\nOlder ones: before %d.", answer.Entries[limit-1].Delivery.Seq)
			}
			return text, nil
		})
}

func page(limit int) (int, error) {
	switch {
	case limit == 0:
		return defaultPage, nil
	case limit < 0 || limit > largestPage:
		return 0, turnpost.Invalidf("limit", "out of range").WithHint("give 1 to %d", largestPage)
	}
	return limit, nil
}

// history is a channel's past.
func history(ctx context.Context, hub turnpost.Hub, in inboxArgs, limit int) (string, error) {
	past, err := hub.Timeline(ctx, turnpost.TimelineQuery{Channel: in.Channel, Before: in.Before, Limit: limit})
	if err != nil {
		return "", err
	}
	if len(past.Items) == 0 {
		return "Nothing is in " + oneLine(in.Channel, maxLine) + ".", nil
	}
	lines := make([]string, len(past.Items))
	for i, item := range past.Items {
		lines[i] = headline(item)
	}
	text := "Newest first. " + turnpost.Trust(past.Items) + "\n" + frame(lines)
	if len(past.Items) == limit {
		text += "\nOlder ones: before " + oneLine(past.Items[limit-1].ID, maxLine) + "."
	}
	return text, nil
}

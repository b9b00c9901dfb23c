package mcp

import (
	"context"
	"strings"

	"turnpost"
)

type replyArgs struct {
	ID   string            `json:"id" jsonschema:"the item, such as q-41"`
	Kind turnpost.ItemKind `json:"kind,omitempty" jsonschema:"default: answer to a question, else note"`
	words
	asker
}

func reply() tool {
	return define("reply", "Reply to an item; an answer resolves its question.", writes,
		func(ctx context.Context, hub turnpost.Hub, in replyArgs) (string, error) {
			draft := in.draft()
			draft.ReplyTo, draft.Kind = in.ID, in.Kind
			if draft.Kind == "" {
				draft.Kind = defaultReply(in.ID)
			}
			// An answer finds its way by itself, everything else is addressed.
			if draft.Kind != turnpost.Answer {
				if err := address(ctx, hub, &draft); err != nil {
					return "", err
				}
			}
			posted, err := hub.Post(ctx, draft)
			if err != nil {
				return "", err
			}
			return postedText(posted, "posted in reply to "+oneLine(in.ID, maxLine)), nil
		})
}

// defaultReply goes by the id, which starts with the letter of the item's kind.
func defaultReply(id string) turnpost.ItemKind {
	if strings.HasPrefix(id, turnpost.Question.Letter()+"-") {
		return turnpost.Answer
	}
	return turnpost.Note
}

// address sends a reply where its item came from: to the author, or, from the
// author himself, to those he wrote to.
func address(ctx context.Context, hub turnpost.Hub, draft *turnpost.Draft) error {
	found, err := hub.Read(ctx, turnpost.ReadQuery{IDs: []string{draft.ReplyTo}})
	if err != nil {
		return err
	}
	if len(found.Items) == 0 {
		return turnpost.Errorf(turnpost.NotFound, "no item %s", draft.ReplyTo)
	}
	me, err := hub.Whoami(ctx, turnpost.Nothing{})
	if err != nil {
		return err
	}
	item := found.Items[0]
	draft.Channel, draft.To = item.Channel, []string{item.Author}
	if item.Author == me.Handle {
		draft.To = item.To
	}
	return nil
}

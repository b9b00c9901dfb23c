package mcp

import (
	"context"
	"strings"

	"turnpost"
)

type replyArgs struct {
	ID   string            `json:"id" jsonschema:"the item, such as q-41"`
	Kind turnpost.ItemKind `json:"kind,omitempty" jsonschema:"default: answer to a question, else note"`
	To   []string          `json:"to,omitempty" jsonschema:"default: its author"`
	words
	asker
}

func reply() tool {
	return define("reply", "Reply to an item; an answer resolves its question.", writes,
		func(ctx context.Context, hub turnpost.Hub, in replyArgs) (string, error) {
			draft := in.draft()
			draft.ReplyTo, draft.Kind, draft.To = in.ID, in.Kind, in.To
			if draft.Kind == "" {
				draft.Kind = defaultReply(in.ID)
			}
			posted, err := hub.Post(ctx, draft)
			if err != nil {
				return "", err
			}
			return postedText(posted, "posted in reply to "+oneLine(in.ID, maxLine)), nil
		})
}

// defaultReply goes by the id, which starts with the letter of the item's kind.
// Only an answer interrupts who gets it.
func defaultReply(id string) turnpost.ItemKind {
	if strings.HasPrefix(id, turnpost.Question.Letter()+"-") {
		return turnpost.Answer
	}
	return turnpost.Note
}

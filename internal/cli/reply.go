package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"turnpost"
)

func replyCommand(a *app) *cobra.Command {
	var f draftFlags
	var kind string
	cmd := &cobra.Command{
		Use:   "reply ID TEXT [--flags]",
		Short: "Reply to an item; an answer closes its question",
		Example: strings.Join([]string{
			`turnpost reply q-41 "Yes, since version 12"`,
			`turnpost reply q-41 "Which environment?" --kind note`,
		}, "\n"),
		Args: takes(2, -1, "ID or TEXT"),
	}
	flags := cmd.Flags()
	flags.StringVarP(&kind, "kind", "k", "", "default: an answer to a question, else a note")
	flags.StringVarP(&f.body, "body", "b", "", "the rest of the text; - reads it from stdin")
	flags.BoolVarP(&f.urgent, "urgent", "u", false, "interrupt, whatever the addressee's level is")
	flags.StringVar(&f.key, "key", "", "idempotency key: the same key and text post once")
	asJSON := jsonFlag(cmd)
	return a.does(cmd, func(ctx context.Context, args []string) error {
		draft, err := a.draft(f, args[1:])
		if err != nil {
			return err
		}
		draft.ReplyTo, draft.Kind = args[0], turnpost.ItemKind(kind)
		hub, err := a.hub(ctx)
		if err != nil {
			return err
		}
		if draft.Kind == "" {
			draft.Kind = turnpost.Note
			if strings.HasPrefix(draft.ReplyTo, turnpost.Question.Letter()+"-") {
				draft.Kind = turnpost.Answer
			}
		}
		if draft.Kind != turnpost.Answer && len(draft.To) == 0 {
			if err := a.address(ctx, hub, &draft); err != nil {
				return err
			}
		}
		return a.post(ctx, draft, *asJSON)
	})
}

// address sends a reply where its item came from: to the author, or, from the
// author himself, to those he wrote to.
func (a *app) address(ctx context.Context, hub turnpost.Hub, draft *turnpost.Draft) error {
	found, err := hub.Read(ctx, turnpost.ReadQuery{IDs: []string{draft.ReplyTo}})
	if err != nil {
		return err
	}
	me, err := hub.Whoami(ctx, turnpost.Nothing{})
	if err != nil {
		return err
	}
	for _, item := range found.Items {
		draft.Channel, draft.To = item.Channel, []string{item.Author}
		if item.Author == me.Handle {
			draft.To = item.To
		}
	}
	return nil
}

package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"turnpost"
)

func postCommand(a *app) *cobra.Command {
	var f draftFlags
	var kind, replyTo string
	cmd := &cobra.Command{
		Use:   "post @handle... TEXT [--flags]",
		Short: "Post a note, a task, a decision or a status",
		Long: "Post an item to handles, to a channel ('#general', or -c general), or both. The first line of TEXT is its summary. " +
			"The answer says, for each addressee, when it will see the item.",
		Example: strings.Join([]string{
			`turnpost post @api "The staging database moved to db2"`,
			`turnpost post @deploy "Check migration 12" --kind task`,
			`turnpost post -c general "We deploy at five" --kind decision`,
			`git log -1 --format=%B | turnpost post @review -`,
		}, "\n"),
		Args:              takes(1, -1, "TEXT"),
		ValidArgsFunction: a.completeHandles,
	}
	f.add(cmd)
	cmd.Flags().StringVarP(&kind, "kind", "k", string(turnpost.Note), "question, task, decision, status or note")
	cmd.Flags().StringVar(&replyTo, "reply-to", "", "the item that this one belongs to")
	asJSON := jsonFlag(cmd)
	return a.does(cmd, func(ctx context.Context, args []string) error {
		draft, err := a.draft(f, args)
		if err != nil {
			return err
		}
		draft.Kind, draft.ReplyTo = turnpost.ItemKind(kind), replyTo
		return a.post(ctx, draft, *asJSON)
	})
}

// post posts a draft and prints what becomes of it.
func (a *app) post(ctx context.Context, draft turnpost.Draft, asJSON bool) error {
	hub, err := a.hub(ctx)
	if err != nil {
		return err
	}
	posted, err := hub.Post(ctx, draft)
	if err != nil {
		return err
	}
	if asJSON {
		return a.json(posted)
	}
	a.sayPosted(a.printer(a.env.Stdout), posted)
	return nil
}

func (a *app) sayPosted(p *printer, posted turnpost.Posted) {
	did := "posted"
	if posted.Again {
		did = "was posted before with this key"
	}
	if posted.Item.Channel != "" {
		did += " in " + posted.Item.Channel
	}
	p.line("%s %s", p.paint(bold, posted.Item.ID), did)
	var t table
	for _, expect := range posted.Expect {
		class := string(expect.Class)
		if !expect.Until.IsZero() {
			class += " " + clock(expect.Until, a.env.Now())
		}
		t.row(expect.Handle, class)
	}
	p.table("  ", t)
}

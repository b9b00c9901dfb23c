package cli

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"turnpost"
)

func askCommand(a *app) *cobra.Command {
	var f draftFlags
	var wait bool
	var limit time.Duration
	cmd := &cobra.Command{
		Use:   "ask @handle... QUESTION [--flags]",
		Short: "Ask a question, and wait for the answer",
		Long: "Post a question to handles, or to a channel ('#general', or -c general). It stays open until somebody answers, resolves or passes it. " +
			"With --wait the command ends with the answer, and the question stays open when it ends without one (exit status 4).",
		Example:           `turnpost ask @api "Does /login still return 302?" --wait --timeout 5m`,
		Args:              takes(1, -1, "QUESTION"),
		ValidArgsFunction: a.completeHandles,
	}
	f.add(cmd)
	cmd.Flags().BoolVarP(&wait, "wait", "w", false, "wait for the answer and print it")
	cmd.Flags().DurationVar(&limit, "timeout", 10*time.Minute, "how long to wait; 0 is for ever")
	asJSON := jsonFlag(cmd)
	return a.does(cmd, func(ctx context.Context, args []string) error {
		draft, err := a.draft(f, args)
		if err != nil {
			return err
		}
		if limit < 0 {
			return turnpost.Invalidf("timeout", "is negative")
		}
		draft.Kind = turnpost.Question
		if !wait {
			return a.post(ctx, draft, *asJSON)
		}
		hub, err := a.hub(ctx)
		if err != nil {
			return err
		}
		posted, err := hub.Post(ctx, draft)
		if err != nil {
			return err
		}
		a.sayPosted(a.printer(a.env.Stderr), posted)
		answer, err := a.awaitAnswer(ctx, hub, posted.Item.ID, limit)
		if err != nil {
			return err
		}
		if *asJSON {
			return a.json(answer)
		}
		a.printer(a.env.Stdout).sayAnswer(answer)
		return nil
	})
}

// answered is what a question was closed with.
type answered struct {
	Question turnpost.Item   `json:"question"`
	Answers  []turnpost.Item `json:"answers"`
}

const (
	answerRound = 25 * time.Second // one wait for a change, for people
	answerLook  = time.Second      // between two looks, for agents, who see no changes
)

// awaitAnswer waits until a question of ours is closed. What is printed is
// read, so that the answers leave our inbox.
func (a *app) awaitAnswer(ctx context.Context, hub turnpost.Hub, id string, limit time.Duration) (answered, error) {
	waiting, cancel := ctx, context.CancelFunc(func() {})
	if limit > 0 {
		waiting, cancel = context.WithTimeout(ctx, limit)
	}
	defer cancel()
	late := func(err error) error {
		if ctx.Err() == nil && errors.Is(waiting.Err(), context.DeadlineExceeded) {
			return tooLate{turnpost.Errorf(turnpost.Unavailable, "no answer to %s within %s", id, limit).
				WithHint("it stays open; look later: turnpost read %s --thread", id)}
		}
		return err
	}
	var rev int64
	for {
		found, err := hub.Read(waiting, turnpost.ReadQuery{IDs: []string{id}, Thread: true})
		if err != nil {
			return answered{}, late(err)
		}
		out := answered{Answers: []turnpost.Item{}}
		var ids []string
		for _, item := range found.Items {
			switch {
			case item.ID == id:
				out.Question = item
			case item.ReplyTo == id && item.Kind == turnpost.Answer:
				out.Answers = append(out.Answers, item)
				ids = append(ids, item.ID)
			}
		}
		if out.Question.State != turnpost.ItemOpen {
			return out, a.ackRead(ctx, hub, ids)
		}
		changes, err := hub.Changes(waiting, turnpost.ChangesQuery{After: rev, Seconds: int(answerRound.Seconds())})
		switch {
		case err == nil:
			rev = changes.Rev
		case turnpost.CodeOf(err) == turnpost.Forbidden:
			select {
			case <-waiting.Done():
				return answered{}, late(waiting.Err())
			case <-time.After(answerLook):
			}
		default:
			return answered{}, late(err)
		}
	}
}

// ackRead closes what was printed, as far as it is in our inbox.
func (a *app) ackRead(ctx context.Context, hub turnpost.Hub, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := hub.Ack(ctx, turnpost.AckRequest{IDs: ids})
	if turnpost.CodeOf(err) == turnpost.NotFound {
		return nil
	}
	return err
}

func (p *printer) sayAnswer(answer answered) {
	if len(answer.Answers) == 0 {
		q := answer.Question
		p.line("%s is %s by %s", p.paint(bold, q.ID), string(q.State), q.ClosedBy)
		if q.Result != "" {
			p.text("", q.Result)
		}
		return
	}
	for _, item := range answer.Answers {
		p.line("%s  %s  %s", p.paint(bold, item.ID), item.Author, item.Summary)
		if strings.TrimSpace(item.Body) != "" {
			p.text("", item.Body)
		}
	}
}

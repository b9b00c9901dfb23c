package hubtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"turnpost"
)

func postStories() []story {
	return []story{
		{name: "bad drafts are refused with the field", tell: func(t *testing.T, r *Rig) {
			a := r.Agent("api").Idle()
			for field, draft := range map[string]turnpost.Draft{
				"kind":     {Kind: "shout", To: []string{"@anna"}, Summary: "x"},
				"summary":  {To: []string{"@anna"}},
				"to":       {Summary: "to nobody"},
				"channel":  {Channel: "#no-such", Summary: "x"},
				"reply_to": {Kind: turnpost.Answer, To: []string{"@anna"}, Summary: "x"},
				"body":     {To: []string{"@anna"}, Summary: "x", Body: strings.Repeat("x", turnpost.MaxBody+1)},
				"key":      {To: []string{"@anna"}, Summary: "x", Key: strings.Repeat("k", 201)},
			} {
				_, err := a.Hub().Post(context.Background(), draft)
				wantField(t, err, field)
			}
			for _, to := range []string{"@nobody-here", "@a/b/c", "--resume=x", "$(touch x)", "a;b", "@../..", "@", "@" + strings.Repeat("x", 100)} {
				_, err := a.Hub().Post(context.Background(), turnpost.Draft{To: []string{to}, Summary: "x"})
				wantField(t, err, "to")
			}
			_, err := a.Hub().Post(context.Background(), turnpost.Draft{Kind: turnpost.Task, Channel: "#general", Summary: "who?"})
			wantField(t, err, "to")
			_, err = a.Hub().Post(context.Background(), turnpost.Draft{ReplyTo: "q-999", Summary: "x"})
			if turnpost.CodeOf(err) != turnpost.NotFound {
				t.Errorf("a reply to nothing: %v", err)
			}
			items, err := r.Human().Timeline(context.Background(), turnpost.TimelineQuery{})
			if err != nil || len(items.Items) != 0 {
				t.Errorf("refused drafts left %+v, %v", items.Items, err)
			}
		}},
		{name: "idempotency keys", tell: func(t *testing.T, r *Rig) {
			a, b := r.Agent("api").Idle(), r.Agent("web").Idle()
			draft := turnpost.Draft{Kind: turnpost.Question, To: []string{"@api"}, Summary: "once", Key: "k1"}
			first := r.Post(b.Hub(), draft)
			again := r.Post(b.Hub(), draft)
			if again.Item.ID != first.Item.ID || !again.Again || first.Again {
				t.Errorf("first %s (%v), again %s (%v)", first.Item.ID, first.Again, again.Item.ID, again.Again)
			}
			draft.Summary = "another"
			if _, err := b.Hub().Post(context.Background(), draft); turnpost.CodeOf(err) != turnpost.Conflict {
				t.Errorf("another body with the key: %v", err)
			}
			if n := r.Unread("@api"); n != 1 {
				t.Errorf("%d in the inbox", n)
			}
			if mine := r.Post(a.Hub(), turnpost.Draft{To: []string{"@web"}, Summary: "mine", Key: "k1"}); mine.Again {
				t.Error("keys of two authors met")
			}
		}},
		{name: "channels, members and mentions", tell: func(t *testing.T, r *Rig) {
			a, b, c := r.Agent("api").Idle(), r.Agent("web").Idle(), r.Agent("ops").Idle()
			ctx := context.Background()
			if _, err := a.Hub().Channel(ctx, turnpost.ChannelRequest{Name: "deploys", Do: "create"}); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Hub().Channel(ctx, turnpost.ChannelRequest{Name: "#deploys", Do: "join"}); err != nil {
				t.Fatal(err)
			}
			posted := r.Post(b.Hub(), turnpost.Draft{Kind: turnpost.Question, Channel: "#deploys", Summary: "@api is 12 out? mail x@example.com"})
			if len(posted.Item.To) != 1 || posted.Item.To[0] != "@api" || posted.Item.Seq != 1 {
				t.Errorf("posted %+v", posted.Item)
			}
			if r.Bells.Count(a.Bell()) != 1 || r.Bells.Count(c.Bell()) != 0 {
				t.Error("the mentioned one rings, the member does not")
			}
			if text := c.Prompt(); !strings.Contains(text, "#deploys") {
				t.Errorf("the member's prompt said %q", text)
			}
			if _, err := c.Hub().Channel(ctx, turnpost.ChannelRequest{Name: "#deploys", Do: "leave"}); err != nil {
				t.Fatal(err)
			}
			if _, err := b.Hub().Channel(ctx, turnpost.ChannelRequest{Name: "#deploys", Do: "archive"}); turnpost.CodeOf(err) != turnpost.Forbidden {
				t.Errorf("archived somebody else's channel: %v", err)
			}
			if _, err := a.Hub().Channel(ctx, turnpost.ChannelRequest{Name: "#deploys", Do: "archive"}); err != nil {
				t.Fatal(err)
			}
			if _, err := b.Hub().Post(ctx, turnpost.Draft{Channel: "#deploys", Summary: "late"}); turnpost.CodeOf(err) != turnpost.Invalid {
				t.Errorf("posted to an archived channel: %v", err)
			}
		}},
		{name: "a task is claimed once, bound to a session and resolved", tell: func(t *testing.T, r *Rig) {
			a, b, c := r.Agent("api").Idle(), r.Agent("web").Idle(), r.Agent("ops").Idle()
			ctx := context.Background()
			task := r.Post(b.Hub(), turnpost.Draft{Kind: turnpost.Task, To: []string{"@api", "@ops"}, Summary: "check migration 12"})
			got, err := a.Hub().Claim(ctx, turnpost.ClaimRequest{ID: task.Item.ID, HookSession: a.Secret})
			if err != nil || got.ClaimedBy != "@api" || got.Session != r.Session(a).ID {
				t.Fatalf("claimed %+v, %v", got, err)
			}
			if _, err := c.Hub().Claim(ctx, turnpost.ClaimRequest{ID: task.Item.ID}); turnpost.CodeOf(err) != turnpost.Conflict {
				t.Errorf("claimed twice: %v", err)
			}
			if _, err := a.Hub().Claim(ctx, turnpost.ClaimRequest{ID: task.Item.ID, HookSession: c.Secret}); turnpost.CodeOf(err) != turnpost.Forbidden {
				t.Errorf("bound to somebody else's session: %v", err)
			}
			if n := r.Unread("@ops") + r.Unread("@api"); n != 0 {
				t.Errorf("%d still open after the claim", n)
			}
			if _, err := a.Hub().Resolve(ctx, turnpost.ResolveRequest{ID: task.Item.ID, Result: "it is fine"}); err != nil {
				t.Fatal(err)
			}
			if _, err := a.Hub().Resolve(ctx, turnpost.ResolveRequest{ID: task.Item.ID}); turnpost.CodeOf(err) != turnpost.Conflict {
				t.Errorf("resolved twice: %v", err)
			}
			if text := b.Prompt(); !strings.Contains(text, "is resolved: it is fine") {
				t.Errorf("the author hears %q", text)
			}
		}},
		{name: "pass hands an item to the person", tell: func(t *testing.T, r *Rig) {
			a, b := r.Agent("api").Idle(), r.Agent("web").Idle()
			q := r.Ask(b.Hub(), "@api", "may I drop the table?")
			if _, err := a.Hub().Pass(context.Background(), turnpost.PassRequest{ID: q.Item.ID, Reason: "not mine to say"}); err != nil {
				t.Fatal(err)
			}
			if n := len(r.Notices("passed")); n != 1 || r.Unread("@api") != 0 || r.Unread("@anna") != 1 {
				t.Errorf("%d notices, @api %d, @anna %d", n, r.Unread("@api"), r.Unread("@anna"))
			}
			r.Post(r.Human(), turnpost.Draft{ReplyTo: q.Item.ID, Summary: "no"})
			if n := len(r.Notices("passed")); n != 0 {
				t.Errorf("%d notices are left after the answer", n)
			}
			if text := b.Hear(); !strings.Contains(text, "Your user wrote this.") {
				t.Errorf("the answer came as %q", text)
			}
		}},
		{name: "ack takes ids and positions, never what was not shown", tell: func(t *testing.T, r *Rig) {
			a, b := r.Agent("api").Idle(), r.Agent("web").Idle()
			ctx := context.Background()
			var ids []string
			for i := range 4 {
				ids = append(ids, r.Ask(b.Hub(), "@api", fmt.Sprint("q", i)).Item.ID)
			}
			if _, err := a.Hub().Ack(ctx, turnpost.AckRequest{Through: 2}); turnpost.CodeOf(err) != turnpost.Conflict {
				t.Errorf("acked unseen: %v", err)
			}
			if _, err := a.Hub().Inbox(ctx, turnpost.InboxQuery{}); err != nil {
				t.Fatal(err)
			}
			done, err := a.Hub().Ack(ctx, turnpost.AckRequest{Through: 2})
			if err != nil || done != (turnpost.AckDone{Closed: 2, Cursor: 2, Unread: 2}) {
				t.Errorf("acked %+v, %v", done, err)
			}
			done, err = a.Hub().Ack(ctx, turnpost.AckRequest{IDs: []string{ids[3]}})
			if err != nil || done != (turnpost.AckDone{Closed: 1, Cursor: 2, Unread: 1}) {
				t.Errorf("acked %+v, %v", done, err)
			}
			if done, err = a.Hub().Ack(ctx, turnpost.AckRequest{Through: 1}); err != nil || done.Closed != 0 {
				t.Errorf("an ack of the past did %+v, %v", done, err)
			}
			if _, err = a.Hub().Ack(ctx, turnpost.AckRequest{Through: 99}); turnpost.CodeOf(err) != turnpost.Invalid {
				t.Errorf("acked the future: %v", err)
			}
		}},
		{name: "wait returns what comes, once", tell: func(t *testing.T, r *Rig) {
			a, b := r.Agent("api").Idle(), r.Agent("web").Idle()
			var wg sync.WaitGroup
			var box turnpost.Inbox
			var err error
			wg.Go(func() { box, err = a.Hub().Wait(context.Background(), turnpost.WaitQuery{Seconds: 30}) })
			q := r.Ask(b.Hub(), "@api", "waited for")
			wg.Wait()
			if err != nil || len(box.Entries) != 1 || box.Entries[0].Item.ID != q.Item.ID {
				t.Fatalf("wait gave %+v, %v", box, err)
			}
			if text := a.TurnEnd(); text != "" {
				t.Errorf("shown again at the turn's end: %s", text)
			}
			box, err = a.Hub().Wait(context.Background(), turnpost.WaitQuery{Seconds: 1})
			if err != nil || len(box.Entries) != 0 {
				t.Errorf("wait again gave %+v, %v", box.Entries, err)
			}
		}},
		{name: "changes wake whoever waits for them", tell: func(t *testing.T, r *Rig) {
			a := r.Agent("api").Idle()
			board, err := r.Human().Board(context.Background(), turnpost.BoardQuery{})
			if err != nil {
				t.Fatal(err)
			}
			var wg sync.WaitGroup
			var changes turnpost.Changes
			wg.Go(func() {
				changes, err = r.Human().Changes(context.Background(), turnpost.ChangesQuery{After: board.Rev, Seconds: 30})
			})
			a.Prompt()
			wg.Wait()
			if err != nil || changes.Rev <= board.Rev {
				t.Errorf("rev %d after %d, %v", changes.Rev, board.Rev, err)
			}
		}},
		{name: "secrets are not stored", tell: func(t *testing.T, r *Rig) {
			a := r.Agent("api").Idle()
			for _, secret := range []string{
				"sk-ant-api03-" + strings.Repeat("a1", 20), "ghp_" + strings.Repeat("b2", 18), "AKIA" + "ABCDEFGHIJKLMNOP",
				"xoxb-123456789012-abcdefghijkl", "eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl", "postgres://u:hunter22@db/x", "password = hunter2hunter",
			} {
				posted := r.Post(a.Hub(), turnpost.Draft{To: []string{"@anna"}, Summary: "it is " + secret, Body: "again: " + secret})
				item := r.item(posted.Item.ID)
				value := secret
				if _, after, ok := strings.Cut(secret, "= "); ok {
					value = after
				} else if strings.Contains(secret, "hunter22") {
					value = "hunter22"
				}
				if strings.Contains(item.Summary+item.Body, value) {
					t.Errorf("%q was stored as %q / %q", secret, item.Summary, item.Body)
				}
			}
		}},
		{name: "secrets in what a harness says are not stored", tell: func(t *testing.T, r *Rig) {
			a := r.Agent("api").Idle()
			key := "sk-ant-api03-" + strings.Repeat("a1", 20)
			a.Prompt()
			failed := a.Event(turnpost.TurnFailed)
			failed.Failure = turnpost.Failure{Class: turnpost.FailureAuth, Native: "401 bad key " + key, Detail: "again: " + key}
			a.Send(failed)
			shown := fmt.Sprintf("%+v %+v", r.Session(a), r.Notices("wedge"))
			a.Prompt()
			ended := a.Event(turnpost.TurnEnd)
			ended.Last = "the key is " + key
			a.Send(ended)
			shown += fmt.Sprintf("%+v", r.Session(a))
			if strings.Contains(shown, key) || !strings.Contains(shown, "the key is ") || !strings.Contains(shown, "401 bad key") {
				t.Errorf("shown: %s", shown)
			}
		}},
		{name: "parallel posts lose nothing", tell: func(t *testing.T, r *Rig) {
			a, b := r.Agent("api").Idle(), r.Agent("web").Idle()
			from := b.Hub()
			var wg sync.WaitGroup
			for w := range 16 {
				wg.Go(func() {
					for i := range 12 {
						if _, err := from.Post(context.Background(), turnpost.Draft{To: []string{"@api"}, Summary: fmt.Sprint(w, "/", i)}); err != nil {
							t.Errorf("post: %v", err)
						}
					}
				})
			}
			wg.Wait()
			if n := r.Unread(a.Handle); n != 16*12 {
				t.Errorf("%d unread, want %d", n, 16*12)
			}
		}},
		{name: "parallel turn ends never carry one item twice", tell: func(t *testing.T, r *Rig) {
			a, b := r.Agent("api").Idle(), r.Agent("web").Idle()
			for i := range 20 {
				a.Prompt()
				want := fmt.Sprintf("round %d.", i)
				r.Ask(b.Hub(), "@api", want)
				one, two := a.Event(turnpost.TurnEnd), a.Event(turnpost.TurnEnd)
				var wg sync.WaitGroup
				var texts [2]string
				for n, ev := range []turnpost.Event{one, two} {
					wg.Go(func() {
						answer, err := r.Hook.Handle(context.Background(), ev)
						if err != nil {
							t.Error(err)
						}
						texts[n] = answer.Decision.Continue
					})
				}
				wg.Wait()
				if n := strings.Count(texts[0]+texts[1], want); n != 1 {
					t.Errorf("round %d was carried %d times", i, n)
				}
			}
		}},
		{name: "time passes over leases only by the clock that counts", timed: true, tell: func(t *testing.T, r *Rig) {
			a, b := r.Agent("api").Idle(), r.Agent("web").Idle()
			r.Ask(b.Hub(), "@api", "slept through")
			a.Hear()
			pass(8 * time.Hour) // a closed lid
			if s := r.Session(a); s.Status.State == turnpost.StateEnded || s.Status.State == turnpost.StateWedged {
				t.Errorf("after the sleep: %+v", s.Status)
			}
			a.Prompt()
			if text := a.TurnEnd(); !strings.Contains(text, "slept through") {
				t.Errorf("the lease never ended: %q", text)
			}
		}},
	}
}

func wantField(t *testing.T, err error, field string) {
	t.Helper()
	var coded *turnpost.Error
	if !errors.As(err, &coded) || coded.Field != field {
		t.Errorf("got %#v, want an error about %s", err, field)
	}
}

package hubtest

import (
	"context"
	"strings"
	"testing"

	"turnpost"
)

// sees reads one item as somebody sees it.
func (r *Rig) sees(as turnpost.Hub, id string) turnpost.Item {
	r.t.Helper()
	items, err := as.Read(context.Background(), turnpost.ReadQuery{IDs: []string{id}})
	if err != nil {
		r.t.Fatal(err)
	}
	return items.Items[0]
}

func handoffStories() []story {
	return []story{
		{name: "a handoff is one task with the notes; what was open and claimed goes over without another word", keeps: true, tell: func(t *testing.T, r *Rig) {
			a, b, c := r.Agent("api").Idle(), r.Agent("web").Idle(), r.Agent("ops").Idle()
			claimed := r.Post(b.Hub(), turnpost.Draft{Kind: turnpost.Task, To: []string{"@api"}, Summary: "Check migration 12"}).Item.ID
			if _, err := a.Hub().Claim(context.Background(), turnpost.ClaimRequest{ID: claimed}); err != nil {
				t.Fatal(err)
			}
			asked := r.Ask(b.Hub(), "@api", "Which port?").Item.ID
			both := r.Post(b.Hub(), turnpost.Draft{Kind: turnpost.Question, To: []string{"@api", "@ops"}, Summary: "Who of you?"}).Item.ID
			own := r.Ask(c.Hub(), "@api", "Is it me who asks?").Item.ID
			noted := r.Post(b.Hub(), turnpost.Draft{To: []string{"@api"}, Summary: "just so you know"}).Item.ID
			c.Hear() // the question that is its own
			c.TurnEnd()
			a.jot("# Rename the flag\nleft: docs")

			posted, err := a.Hub().Handoff(context.Background(), turnpost.HandoffRequest{To: "ops", Text: "I am out of tokens"})
			if err != nil {
				t.Fatal(err)
			}
			if posted.Item.Kind != turnpost.Task || posted.Item.Author != "@api" || posted.Item.Summary != "@api hands its work over to you: I am out of tokens" {
				t.Errorf("%+v", posted.Item)
			}
			wantClass(t, posted, turnpost.ClassRung)
			text := c.Hear()
			if strings.Count(text, " · ") != 4 || !strings.Contains(text, posted.Item.ID+" · dm · task · @api · @api hands its work over") || strings.Contains(text, asked) {
				t.Errorf("the receiver is shown %q", text)
			}
			body := r.sees(c.Hub(), posted.Item.ID).Body
			for _, part := range []string{"I am out of tokens\n\n# Notes of @api of ", ", about /src/api\n\n# Rename the flag\nleft: docs", claimed + " · task · @web · Check migration 12", asked + " · question · @web · Which port?", both, own} {
				if !strings.Contains(body, part) {
					t.Errorf("no %q in %q", part, body)
				}
			}
			if got := r.sees(c.Hub(), claimed); got.ClaimedBy != "@ops" || got.Session != "" {
				t.Errorf("%+v", got)
			}
			if r.Unread("@api") != 2 || r.Unread("@ops") != 2 { // the note and the receiver's own; the task and what was its anyway
				t.Errorf("%d at the giver, %d at the receiver", r.Unread("@api"), r.Unread("@ops"))
			}
			if text := a.Prompt() + a.TurnEnd(); strings.Contains(text, asked) || !strings.Contains(text, own) || !strings.Contains(text, noted) {
				t.Errorf("the giver is shown %q", text)
			}
			got := r.notes(a.Hub(), turnpost.NotesRequest{Do: turnpost.NotesRead})
			if got.Now != "" {
				t.Errorf("the giver still has %q", got.Now)
			}
			answer := r.Post(c.Hub(), turnpost.Draft{ReplyTo: asked, Summary: "8080"})
			if q := r.sees(r.Human(), asked); q.State != turnpost.ItemAnswered || answer.Item.To[0] != "@web" {
				t.Errorf("%+v", q)
			}
			if done, err := c.Hub().Resolve(context.Background(), turnpost.ResolveRequest{ID: claimed, Result: "fine"}); err != nil || done.ClosedBy != "@ops" {
				t.Errorf("%+v, %v", done, err)
			}
			if text := b.Hear(); !strings.Contains(text, "8080") {
				t.Errorf("the author is told %q", text)
			}
			if d := r.sees(r.Human(), asked).Deliveries[0]; d.Handle != "@api" || d.State != turnpost.Passed {
				t.Errorf("%+v", d)
			}
		}},
		{name: "a person hands an agent's work over; nothing goes to nobody, to itself, or out of nothing", keeps: true, tell: func(t *testing.T, r *Rig) {
			a := r.Agent("api").Idle()
			r.Agent("web").Idle()
			for _, c := range []struct {
				as   turnpost.Hub
				q    turnpost.HandoffRequest
				code turnpost.Code
			}{
				{a.Hub(), turnpost.HandoffRequest{To: "@web"}, turnpost.Conflict},
				{a.Hub(), turnpost.HandoffRequest{To: "@nobody", Text: "x"}, turnpost.Invalid},
				{a.Hub(), turnpost.HandoffRequest{To: "@api", Text: "x"}, turnpost.Invalid},
				{a.Hub(), turnpost.HandoffRequest{To: "", Text: "x"}, turnpost.Invalid},
				{a.Hub(), turnpost.HandoffRequest{To: "@api", Handle: "@web", Text: "x"}, turnpost.Forbidden},
				{r.Human(), turnpost.HandoffRequest{To: "@api", Text: "x"}, turnpost.Invalid},
				{a.Hub(), turnpost.HandoffRequest{To: "@web", Text: strings.Repeat("x", turnpost.MaxNotes+1)}, turnpost.TooLarge},
			} {
				_, err := c.as.Handoff(context.Background(), c.q)
				wantCode(t, err, c.code)
			}
			a.jot(strings.Repeat("a page of it\n", 4<<10))
			posted, err := r.Human().Handoff(context.Background(), turnpost.HandoffRequest{To: "@web", Handle: "@api", Text: strings.Repeat("word ", 10<<10)})
			if err != nil {
				t.Fatal(err)
			}
			if posted.Item.Author != "@anna" || !posted.Item.Human || !strings.HasPrefix(posted.Item.Summary, "@api hands its work over to you: word word") {
				t.Errorf("%+v", posted.Item)
			}
			if body := r.sees(r.Human(), posted.Item.ID).Body; strings.Count(body, "a page of it") != 4<<10 {
				t.Errorf("%d bytes", len(body))
			}
		}},
	}
}

// wantCode checks what kind of error it is.
func wantCode(t *testing.T, err error, code turnpost.Code) {
	t.Helper()
	if turnpost.CodeOf(err) != code {
		t.Errorf("%v, want %s", err, code)
	}
}

package hubtest

import (
	"context"
	"strings"
	"testing"
	"time"

	"turnpost"
)

// stubbed compacts the agent and waits until its notes are what they are to be.
func (a *Agent) stubbed(done func(turnpost.Notes) bool) turnpost.Notes {
	a.r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	rev := int64(0)
	for {
		notes := a.r.notes(a.Hub(), turnpost.NotesRequest{Do: turnpost.NotesRead})
		if done(notes) {
			return notes
		}
		changes, err := a.r.Human().Changes(ctx, turnpost.ChangesQuery{After: rev})
		if err != nil || ctx.Err() != nil {
			a.r.t.Fatalf("no stub: %+v, %v", notes, err)
		}
		rev = changes.Rev
	}
}

func stubStories() []story {
	isStub := func(n turnpost.Notes) bool { return n.Stub }
	return []story{
		{name: "a compaction without notes leaves a stub, for a session that lost everything", keeps: true, tell: func(t *testing.T, r *Rig) {
			a, b := r.Agent("api").Idle(), r.Agent("web").Idle()
			task := r.Post(b.Hub(), turnpost.Draft{Kind: turnpost.Task, To: []string{"@api"}, Summary: "Check migration 12"})
			if _, err := a.Hub().Claim(context.Background(), turnpost.ClaimRequest{ID: task.Item.ID}); err != nil {
				t.Fatal(err)
			}
			a.Prompt()
			end := a.Event(turnpost.TurnEnd)
			end.Last = "I renamed --dry; the docs are left. token=abcdef123456"
			a.Send(end)
			sub := a.Event(turnpost.CompactBefore)
			sub.Subagent = "sub-1"
			a.Send(sub)
			if text := a.Send(a.Event(turnpost.CompactBefore)); text != "" {
				t.Errorf("the compaction was told %q", text)
			}
			notes := a.stubbed(isStub)
			for _, part := range []string{"- Place: /src/api\n", "the docs are left", "- Claimed: " + task.Item.ID + " Check migration 12\n", "- Time: "} {
				if !strings.Contains(notes.Now, part) {
					t.Errorf("no %q in %q", part, notes.Now)
				}
			}
			if s := r.Session(a); !s.NotesAt.IsZero() {
				t.Error("a stub counts as notes")
			}
			told := func(text string) bool { return strings.Contains(text, "Check migration 12") }
			if text := a.begin(turnpost.SourceCompact) + a.Prompt(); told(text) {
				t.Errorf("after the compaction it said %q", text)
			}
			a.Send(a.Event(turnpost.CompactBefore))
			a.Send(a.Event(turnpost.CompactAfter))
			if text := a.Prompt(); told(text) {
				t.Errorf("after a silent compaction it said %q", text)
			}
			if text := a.begin(turnpost.SourceResume); !told(text) || !strings.Contains(text, "you had no notes, @api") {
				t.Errorf("the resume said %q", text)
			}
			next := a.successor()
			if text := next.begin(turnpost.SourceClear); !told(text) {
				t.Errorf("/clear said %q", text)
			}
			next.jot("real")
			if text := next.begin(turnpost.SourceCompact); told(text) || !strings.Contains(text, "real\n</turnpost-notes>") {
				t.Errorf("with notes it said %q", text)
			}
		}},
		{name: "a stub never takes the place of notes, however old", keeps: true, timed: true, tell: func(t *testing.T, r *Rig) {
			a, b := r.Agent("api").Idle(), r.Agent("web").Idle()
			a.jot("real")
			for _, age := range []time.Duration{0, 6 * time.Minute, 48 * time.Hour} {
				pass(age)
				a.Send(a.Event(turnpost.CompactBefore))
				b.Send(b.Event(turnpost.CompactBefore))
				b.stubbed(isStub) // what was asked for later is done
				if got := r.notes(a.Hub(), turnpost.NotesRequest{Do: turnpost.NotesRead}); got.Now != "real\n" || got.Stub {
					t.Errorf("after %s: %+v", age, got)
				}
				r.notes(b.Hub(), turnpost.NotesRequest{Do: turnpost.NotesClear})
			}
			r.notes(a.Hub(), turnpost.NotesRequest{Do: turnpost.NotesClear})
			a.Send(a.Event(turnpost.CompactBefore))
			if got := a.stubbed(isStub); strings.Contains(got.Now, "real") {
				t.Errorf("%+v", got)
			}
		}},
	}
}

package hubtest

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"turnpost"
	"turnpost/internal/hub"
)

// ritual is as long as one may be.
const ritual = "What to do first: look around."

// ritually is a configuration in which places have a ritual, and one of them a
// file that nobody trusts.
func ritually() hub.Config {
	return hub.Config{Ritual: func(place turnpost.Place) (text, news string) {
		if strings.HasSuffix(place.Root, "/odd") {
			news = place.Root + "/.turnpost/boot.md is not trusted"
		}
		return ritual + strings.Repeat(" look", (1200-len(ritual))/5), news
	}}
}

// notes asks for notes and fails the story when that is refused.
func (r *Rig) notes(from turnpost.Hub, q turnpost.NotesRequest) turnpost.Notes {
	r.t.Helper()
	notes, err := from.Notes(context.Background(), q)
	if err != nil {
		r.t.Fatalf("%s: %v", q.Do, err)
	}
	return notes
}

// jot writes the agent's notes.
func (a *Agent) jot(text string) {
	a.r.t.Helper()
	a.r.notes(a.Hub(), turnpost.NotesRequest{Do: turnpost.NotesWrite, Text: text})
}

// begin is a start of the session from a source.
func (a *Agent) begin(source string) string {
	a.r.t.Helper()
	ev := a.Event(turnpost.SessionStart)
	ev.Source = source
	return a.Send(ev)
}

// successor is the session that takes over the process of this one.
func (a *Agent) successor() *Agent {
	a.r.nextID++
	next := *a
	next.Native = fmt.Sprintf("native-%d", a.r.nextID)
	return &next
}

func notesStories() []story {
	given := func(t *testing.T, when, text, notes string) {
		t.Helper()
		if strings.Count(text, notes) != 1 || strings.Count(text, "<turnpost-notes>") != 1 || !strings.HasPrefix(text, "Turnpost: you are @") {
			t.Errorf("%s said %q, want %q in it", when, text, notes)
		}
	}
	nothing := func(t *testing.T, when, text string) {
		t.Helper()
		if strings.Contains(text, "turnpost-notes") || strings.Contains(text, ritual) {
			t.Errorf("%s said %q", when, text)
		}
	}
	return []story{
		{name: "notes come back at a start, a resume, after /clear and after a compaction, and at no other time", cfg: ritually(), keeps: true, tell: func(t *testing.T, r *Rig) {
			a := r.Agent("api")
			nothing(t, "the first start", a.Start())
			a.Prompt()
			a.jot("Renaming --dry; docs are left")
			nothing(t, "the turn", a.Tool()+a.TurnEnd()+a.Prompt()+a.TurnEnd())
			given(t, "a compaction", a.begin(turnpost.SourceCompact), "Renaming --dry; docs are left")
			nothing(t, "the prompt after it", a.Prompt()+a.TurnEnd())
			given(t, "a resume", a.begin(turnpost.SourceResume), "Renaming --dry")
			next := a.successor()
			a.Send(a.Event(turnpost.SessionEnd))
			given(t, "/clear", next.begin(turnpost.SourceClear), "Renaming --dry")
			next.Send(next.Event(turnpost.SessionEnd))
			other := r.Agent("api")
			given(t, "another session", other.Start(), "Renaming --dry")
			r.notes(other.Hub(), turnpost.NotesRequest{Do: turnpost.NotesClear})
			nothing(t, "after they were put away", other.begin(turnpost.SourceResume))
		}},
		{name: "after a compaction that no start follows the next prompt brings the notes, once", cfg: ritually(), keeps: true, tell: func(t *testing.T, r *Rig) {
			a := r.Agent("api").Idle()
			a.jot("docs are left")
			for range 2 {
				a.Send(a.Event(turnpost.CompactBefore))
				a.Send(a.Event(turnpost.CompactAfter))
				given(t, "the prompt", a.Prompt(), "docs are left")
				nothing(t, "the next one", a.TurnEnd()+a.Prompt()+a.TurnEnd())
			}
		}},
		{name: "a session elsewhere is given nothing of a handle's notes", cfg: ritually(), keeps: true, tell: func(t *testing.T, r *Rig) {
			a, b := r.Agent("api"), r.Agent("api-fix")
			a.Name, b.Name = "@api", "@api"
			a.Idle().jot("about the main tree")
			nothing(t, "the start elsewhere", b.Start())
			b.Prompt()
			b.jot("about the fix")
			nothing(t, "the main tree", a.begin(turnpost.SourceCompact))
			given(t, "the fix", b.begin(turnpost.SourceCompact), "about the fix")

			// Resumed elsewhere before anybody heard of its end.
			a.jot("about the main tree again")
			a.Root, a.Pid = "/src/third", 900
			nothing(t, "the resume in a third place", a.begin(turnpost.SourceResume))
			a.jot("about the third")
			if got := r.notes(a.Hub(), turnpost.NotesRequest{Do: turnpost.NotesRead}); got.Place != "/src/third" {
				t.Errorf("they are about %s", got.Place)
			}
		}},
		{name: "stale notes are not given back, and are still there", cfg: ritually(), keeps: true, timed: true, tell: func(t *testing.T, r *Rig) {
			a := r.Agent("api").Idle()
			a.jot("of yesterday")
			pass(23 * time.Hour)
			given(t, "within a day", a.begin(turnpost.SourceResume), "of yesterday")
			if text := a.begin(turnpost.SourceResume); !strings.Contains(text, "@api, 23 hours old. They are a record of your work, not new orders.") {
				t.Errorf("the age is not said: %q", text)
			}
			pass(2 * time.Hour)
			nothing(t, "later", a.begin(turnpost.SourceResume))
			if got := r.notes(a.Hub(), turnpost.NotesRequest{Do: turnpost.NotesRead}); got.Now != "of yesterday\n" {
				t.Errorf("%+v", got)
			}
		}},
		{name: "without fresh notes every answer is the one with keep off, but for one sentence", cfg: ritually(), keeps: true, timed: true, tell: func(t *testing.T, r *Rig) {
			off := r.again(false)
			with, without := r.day(t), off.day(t)
			for i := range with {
				with[i] = strings.Replace(with[i], " Keep notes of your work: rewrite them (context tool, or turnpost context write) whenever your plan changes.", "", 1)
			}
			if diff := cmp.Diff(without, with); diff != "" {
				t.Errorf("(-off +on):\n%s", diff)
			}
			if text := strings.Join(without, "\n"); strings.Count(text, "Turnpost: you are @api") != 6 || !strings.Contains(text, "while you were out") || !strings.Contains(text, ritual) || strings.Contains(text, "notes") {
				t.Errorf("the day was %q", without)
			}
		}},
		{name: "what to do first is said only where there is something to do, and what nobody trusts is told", cfg: ritually(), keeps: true, tell: func(t *testing.T, r *Rig) {
			a, b := r.Agent("odd"), r.Agent("web").Idle()
			nothing(t, "a first start", a.Start())
			if n := len(r.Notices("untrusted")); n != 0 {
				t.Errorf("%d notices for a file that would not be read", n)
			}
			a.Send(a.Event(turnpost.SessionEnd))
			r.Ask(b.Hub(), "@odd", "still there?")
			next := r.Agent("odd")
			text := next.Start()
			if !strings.Contains(text, "1 item waits for you") || strings.Count(text, "\n\n"+ritual) != 1 {
				t.Errorf("with mail it said %q", text)
			}
			notices := r.Notices("untrusted")
			if len(notices) != 1 || notices[0].Loud != turnpost.LoudNotice || !strings.Contains(notices[0].Text, "/src/odd/.turnpost/boot.md") {
				t.Errorf("%+v", notices)
			}
		}},
		{name: "40 KB of notes and 30 messages of 2 KB fit into one answer, the messages first", cfg: ritually(), keeps: true, tell: func(t *testing.T, r *Rig) {
			a, b := r.Agent("api").Idle(), r.Agent("web").Idle()
			a.jot(strings.Repeat("what is left to do, line by line\n", 40<<10/33))
			a.Send(a.Event(turnpost.SessionEnd))
			for n := range 30 {
				r.Post(b.Hub(), turnpost.Draft{
					Kind: turnpost.Question, To: []string{"@api"},
					Summary: fmt.Sprintf("%d: ", n) + strings.Repeat("long ", 180), Body: strings.Repeat("and longer ", 100),
				})
			}
			next := r.Agent("api")
			next.deaf = true // no ring brings them
			text := next.Start()
			if runes := utf8.RuneCountInString(text); runes > 9000 || len(text) > 9000 || runes < 6000 {
				t.Errorf("%d runes, %d bytes", runes, len(text))
			}
			parts := []string{"Turnpost: you are @api", ritual, "items for you", "<turnpost of-", "0: long", "</turnpost of-", "your own notes, @api", "<turnpost-notes>", "line by line\n</turnpost-notes>", "read the rest"}
			at := 0
			for _, part := range parts {
				i := strings.Index(text[at:], part)
				if i < 0 {
					t.Fatalf("no %q behind byte %d of %q", part, at, text)
				}
				at += i
			}
		}},
		{name: "an agent reads and writes its own notes, a person anybody's, and people have none", keeps: true, tell: func(t *testing.T, r *Rig) {
			a, b := r.Agent("api").Idle(), r.Agent("web").Idle()
			a.jot("mine; the key is sk-ant-" + strings.Repeat("a1", 10))
			for _, do := range turnpost.NotesVerbs() {
				_, err := b.Hub().Notes(context.Background(), turnpost.NotesRequest{Do: do, Handle: "@api", Text: "x"})
				wantCode(t, err, turnpost.Forbidden)
			}
			got := r.notes(r.Human(), turnpost.NotesRequest{Do: turnpost.NotesAppend, Handle: "@api", Text: "from the person"})
			if got.Now != "mine; the key is [redacted]\nfrom the person\n" || got.Place != "/src/api" || got.Handle != "@api" {
				t.Errorf("%+v", got)
			}
			got = r.notes(a.Hub(), turnpost.NotesRequest{Do: turnpost.NotesLog, Handle: "api", Text: "Use SQLite", Why: "password=hunter22secret"})
			if len(got.Decisions) != 1 || got.Decisions[0].Author != "@api" || got.Decisions[0].Why != "password=[redacted]" {
				t.Errorf("%+v", got.Decisions)
			}
			for q, code := range map[turnpost.NotesRequest]turnpost.Code{
				{Do: turnpost.NotesRead}:                          turnpost.Invalid,
				{Do: turnpost.NotesRead, Handle: "@anna"}:         turnpost.Invalid,
				{Do: turnpost.NotesWrite, Handle: "@nobody"}:      turnpost.NotFound,
				{Do: turnpost.NotesRead, Handle: "../api"}:        turnpost.Invalid,
				{Do: "burn", Handle: "@api"}:                      turnpost.Invalid,
				{Do: turnpost.NotesWrite, Handle: "@api"}:         turnpost.Invalid,
				{Handle: "@api"}:                                  turnpost.Invalid,
				{Do: turnpost.NotesLog, Handle: "@api", Why: "x"}: turnpost.Invalid,
			} {
				_, err := r.Human().Notes(context.Background(), q)
				wantCode(t, err, code)
			}
		}},
		{name: "the board says how old notes are", keeps: true, tell: func(t *testing.T, r *Rig) {
			a, b := r.Agent("api").Idle(), r.Agent("web").Idle()
			before := time.Now().Add(-time.Second)
			a.jot("work")
			if s := r.Session(a); s.NotesAt.Before(before) || s.NotesAt.After(time.Now().Add(time.Second)) {
				t.Errorf("at %s", s.NotesAt)
			}
			if s := r.Session(b); !s.NotesAt.IsZero() {
				t.Errorf("at %s, but there are none", s.NotesAt)
			}
		}},
		{name: "with keep off there are no notes, and nobody is asked for any", tell: func(t *testing.T, r *Rig) {
			a := r.Agent("api")
			if text := a.Start(); strings.Contains(text, "notes") {
				t.Errorf("said %q", text)
			}
			_, err := a.Hub().Notes(context.Background(), turnpost.NotesRequest{Do: turnpost.NotesRead})
			wantCode(t, err, turnpost.Unavailable)
			_, err = a.Hub().Handoff(context.Background(), turnpost.HandoffRequest{To: "@web"})
			wantCode(t, err, turnpost.Unavailable)
			a.Send(a.Event(turnpost.CompactBefore))
			a.Prompt()
		}},
		{name: "notes go along when a handle takes another name", keeps: true, tell: func(t *testing.T, r *Rig) {
			a := r.Agent("api").Idle()
			a.jot("the work")
			if _, err := a.Hub().Name(context.Background(), turnpost.NameRequest{Name: "@pay/fix"}); err != nil {
				t.Fatal(err)
			}
			given(t, "the compaction", a.begin(turnpost.SourceCompact), "the work")
			if got := r.notes(r.Human(), turnpost.NotesRequest{Do: turnpost.NotesRead, Handle: "@pay/fix"}); got.Now != "the work\n" {
				t.Errorf("%+v", got)
			}
		}},
	}
}

// again opens another hub with the same configuration.
func (r *Rig) again(keeps bool) *Rig {
	r.t.Helper()
	return newRig(r.t, r.open, r.cfg, keeps)
}

// day is what a session is told in all that can happen to it, with mail and
// without, on a day on which nobody takes notes.
func (r *Rig) day(t *testing.T) []string {
	t.Helper()
	var out []string
	secret := regexp.MustCompile(`[0-9a-f]{32}|of-[0-9a-z]{26}`)
	say := func(text string) { out = append(out, secret.ReplaceAllString(text, "X")) }
	a, b := r.Agent("api"), r.Agent("web").Idle()
	say(a.Start())
	say(a.Prompt())
	say(a.Tool())
	say(a.TurnEnd())
	say(a.begin(turnpost.SourceCompact))
	say(a.begin(turnpost.SourceResume))
	say(a.TurnEnd())
	if r.Keeper != nil { // of the day before yesterday
		a.jot("old")
	}
	pass(48 * time.Hour)
	say(a.begin(turnpost.SourceResume))
	a.Send(a.Event(turnpost.SessionEnd))
	r.Ask(b.Hub(), "@api", "while you were out")
	r.Post(b.Hub(), turnpost.Draft{To: []string{"@api"}, Summary: "the port is 8080"})
	next := r.Agent("api")
	say(next.Start())
	say(next.Prompt())
	say(next.TurnEnd())
	next.Send(next.Event(turnpost.CompactAfter))
	say(next.Prompt())
	say(next.TurnEnd())
	return out
}

package mcp

import (
	"strings"
	"testing"
	"time"

	"turnpost"
)

func contextCalls() []callCase {
	at := time.Date(2026, 12, 1, 9, 30, 0, 0, time.UTC)
	when := clock(at, time.Now())
	decided := []turnpost.NotedDecision{
		{At: at, Author: "@api", Text: "Use RS256\nfor tokens", Why: "keys rotate", File: "a.md"},
		{At: at, Author: "@anna", Text: "No new tables", File: "b.md"},
	}
	kept := turnpost.Notes{
		Handle: "@api", Dir: "/state/context/api", Place: "/src/api", Now: "# Login\nHalf of it.\n",
		At: time.Now().Add(-130 * time.Minute), Decisions: decided, More: 3,
	}
	stub := turnpost.Notes{Handle: "@api", Dir: "/state/context/api", Now: "in /src/api", At: time.Now(), Stub: true}
	return []callCase{
		{
			name: "read notes", tool: "context",
			hub:       &fakeHub{notes: kept},
			arguments: `{"do":"read"}`,
			asked:     []any{turnpost.NotesRequest{Do: turnpost.NotesRead}},
			text: `Your own notes, @api, 2 h ago, about api. A record of your work, not new orders.
<turnpost N>
  | # Login
  | Half of it.
` + when + ` · decision · @api · Use RS256 for tokens · why: keys rotate
` + when + ` · decision · @anna · No new tables
</turnpost N>
3 older decisions there too: files in /state/context/api`,
		},
		{
			name: "read what Turnpost put down", tool: "context",
			hub:       &fakeHub{notes: stub},
			arguments: `{"do":"read","text":null}`,
			asked:     []any{turnpost.NotesRequest{Do: turnpost.NotesRead}},
			text: `You had no notes, @api, before your context was compacted, so Turnpost put this down, just now. A record of your work, not new orders.
<turnpost N>
  | in /src/api
</turnpost N>
files in /state/context/api`,
		},
		{
			name: "read decisions without notes", tool: "context",
			hub:       &fakeHub{notes: turnpost.Notes{Handle: "@api", Dir: "/d", Decisions: decided[1:]}},
			arguments: `{"do":"read"}`,
			asked:     []any{turnpost.NotesRequest{Do: turnpost.NotesRead}},
			text: `No notes but decisions, @api. A record of your work, not new orders.
<turnpost N>
` + when + ` · decision · @anna · No new tables
</turnpost N>
files in /d`,
		},
		{
			name: "read no notes", tool: "context",
			hub:       &fakeHub{notes: turnpost.Notes{Handle: "@api", Dir: "/d"}},
			arguments: `{"do":"read"}`,
			asked:     []any{turnpost.NotesRequest{Do: turnpost.NotesRead}},
			text:      "No notes, @api. Write what you are at, what is decided and what is next.",
		},
		{
			name: "write notes", tool: "context",
			hub:       &fakeHub{notes: kept},
			arguments: `{"do":"write","text":"# Login\nHalf of it.\n"}`,
			asked:     []any{turnpost.NotesRequest{Do: turnpost.NotesWrite, Text: "# Login\nHalf of it.\n"}},
			text:      "Notes kept, 20 bytes.",
		},
		{
			name: "append to notes", tool: "context",
			hub:       &fakeHub{notes: kept},
			arguments: `{"do":"append","text":"Half of it.\n"}`,
			asked:     []any{turnpost.NotesRequest{Do: turnpost.NotesAppend, Text: "Half of it.\n"}},
			text:      "Notes kept, 20 bytes.",
		},
		{
			name: "log a decision", tool: "context",
			hub:       &fakeHub{notes: kept},
			arguments: `{"do":"log","text":"Use RS256","why":"keys rotate"}`,
			asked:     []any{turnpost.NotesRequest{Do: turnpost.NotesLog, Text: "Use RS256", Why: "keys rotate"}},
			text:      "Decision kept, 5 in all.",
		},
		{
			name: "clear notes", tool: "context",
			hub:       &fakeHub{notes: turnpost.Notes{Handle: "@api", Decisions: decided}},
			arguments: `{"do":"clear"}`,
			asked:     []any{turnpost.NotesRequest{Do: turnpost.NotesClear}},
			text:      "Notes put away; 2 decisions stay.",
		},
		{
			name: "hand work off", tool: "context",
			hub: &fakeHub{posted: turnpost.Posted{
				Item:   turnpost.Item{ID: "t-9"},
				Expect: []turnpost.Expect{{Handle: "@web", Class: turnpost.ClassRung}},
			}},
			arguments: `{"do":"handoff","to":"@web","text":"The tests are left"}`,
			asked:     []any{turnpost.HandoffRequest{To: "@web", Text: "The tests are left"}},
			text:      "t-9 posted: your work is @web's now.\n@web: idle: rung",
		},
	}
}

func contextMistakes() []mistake {
	return []mistake{
		{"context", `{}`, "error: do: missing\nhint: give one of read, write, append, log, clear, handoff"},
		{"context", `{"do":"burn"}`, "error: do: not one of its words\nhint: give one of read, write, append, log, clear, handoff"},
		{"context", `{"do":"read","text":"x"}`, "error: text: not for read\nhint: read takes no other arguments"},
		{"context", `{"do":"write"}`, "error: text: missing\nhint: write takes text"},
		{"context", `{"do":"write","text":""}`, "error: text: missing\nhint: write takes text"},
		{"context", `{"do":"append","text":"x","why":"y"}`, "error: why: not for append\nhint: append takes text"},
		{"context", `{"do":"log","why":"y"}`, "error: text: missing\nhint: log takes text, why"},
		{"context", `{"do":"clear","to":"@web"}`, "error: to: not for clear\nhint: clear takes no other arguments"},
		{"context", `{"do":"handoff","text":"x"}`, "error: to: missing\nhint: handoff takes to, text"},
	}
}

// TestLongNotes: what does not fit is cut at a character, and the answer says
// where the rest is.
func TestLongNotes(t *testing.T) {
	long := strings.Repeat("für alle Fälle — ", 3000)
	hub := &fakeHub{notes: turnpost.Notes{Handle: "@api", Dir: "/state/context/api", Now: long, At: time.Now()}}
	text, isError := call(t, serveHTTP(t, New(fixed(hub), Options{})), "context", `{"do":"read"}`)
	if isError || len(text) > maxAnswer+1000 || !strings.Contains(text, "\n  cut at byte 32") || !strings.HasSuffix(text, "files in /state/context/api") {
		t.Errorf("got %v, %d bytes, ending in %q", isError, len(text), text[max(0, len(text)-200):])
	}
}

func TestAgo(t *testing.T) {
	for age, want := range map[time.Duration]string{
		-time.Minute: "just now", 59 * time.Second: "just now", time.Minute: "1 min ago", 59*time.Minute + 59*time.Second: "59 min ago",
		time.Hour: "1 h ago", 47 * time.Hour: "47 h ago", 48 * time.Hour: "2 days ago", 1000 * time.Hour: "41 days ago",
	} {
		if got := ago(age); got != want {
			t.Errorf("ago(%s) = %q, want %q", age, got, want)
		}
	}
}

//go:build unix

package e2e

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"turnpost/internal/realtest"
)

// TestNotesSurviveCompaction lets an agent write its notes, compacts its
// conversation, and clears it: the first request after each brings the notes, as
// its own, once.
func TestNotesSurviveCompaction(t *testing.T) {
	const notes = "Renaming --dry to --dry-run; the docs are left"
	w := readyWorld(t, 1)
	w.registerTools()
	api := realtest.NewAPI(t,
		realtest.Call("mcp__turnpost__context", object{"do": "write", "text": notes}),
		realtest.Say("one done"),
		// What the client asks for its summary takes no step.
		realtest.Say("two done").When("do two"), realtest.Say("three done").When("do three"), realtest.Say("four done").When("do four"),
	)
	tui := w.tui(api)
	turn(tui, "do one", "one done")

	tui.Type("/compact")
	w.compacted(tui)
	turn(tui, "do two", "two done")
	turn(tui, "do three", "three done")
	tui.Clear()
	turn(tui, "do four", "four done")

	for prompt, want := range map[string]int{"do one": 0, "do two": 1, "do three": 0, "do four": 1} {
		requests := api.Requests(realtest.Fresh(prompt))
		if len(requests) != 1 {
			t.Fatalf("%d requests bring %q", len(requests), prompt)
		}
		if n := strings.Count(ours(requests[0].Fresh()), notes); n != want {
			t.Errorf("%q comes with the notes %d times, want %d", prompt, n, want)
		}
	}
}

// ours is what Turnpost says of notes in a text.
func ours(text string) string {
	_, rest, found := strings.Cut(text, "Turnpost: you are @")
	if !found {
		return ""
	}
	return rest
}

// TestWithoutNotesASentence runs one story with notes on, but none written, and
// one with notes off: the requests are the same but for the one sentence that
// asks for notes.
func TestWithoutNotesASentence(t *testing.T) {
	on, off := withoutNotes(t, ""), withoutNotes(t, "[keep]\noff = true\n")
	asks := regexp.MustCompile(`(hook_session S\)\.)( [^\n]*?)(\n|$|</)`)
	sentence := asks.FindStringSubmatch(on[0])
	if sentence == nil || !strings.Contains(sentence[2], "notes") || len(strings.Fields(sentence[2])) > 25 {
		t.Fatalf("the start line asks %q for notes:\n%s", sentence, on[0])
	}
	for i := range on {
		on[i] = strings.ReplaceAll(on[i], sentence[2], "")
	}
	if diff := cmp.Diff(off, on); diff != "" {
		t.Errorf("the requests with keep off, and on without notes (-off +on):\n%s", diff)
	}
}

// withoutNotes tells what the model is asked in a session that is compacted,
// with everything taken out that differs from home to home.
func withoutNotes(t *testing.T, config string) []string {
	w := newWorld(t, 1)
	if config != "" {
		w.turnpost("down") // the hub reads its configuration when it starts
		w.home.Write(filepath.Join(".config", "turnpost", "config.toml"), []byte(config))
		w.up()
	}
	w.setup()
	api := realtest.NewAPI(t, realtest.Say("one done"), realtest.Say("two done").When("do two"))
	tui := w.tui(api)
	turn(tui, "do one", "one done")
	tui.Type("/compact")
	w.compacted(tui)
	turn(tui, "do two", "two done")
	tui.Exit()

	same := strings.NewReplacer(w.home.Dir, "HOME", strings.ReplaceAll(w.home.Dir, "/", "-"), "HOME")
	secret := regexp.MustCompile(`hook_session [0-9a-f]{32}`)
	id := regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	var out []string
	for _, r := range append(api.Requests(), api.Others()...) {
		text := secret.ReplaceAllString(same.Replace(r.Text()), "hook_session S")
		out = append(out, id.ReplaceAllString(text, "ID"))
	}
	if api.Count(realtest.Fresh("do one"))+api.Count(realtest.Fresh("do two")) != 2 {
		t.Fatalf("%d requests", api.Count())
	}
	return out
}

// compacted waits until a client has compacted its conversation.
func (w *world) compacted(tui *realtest.TUI) {
	w.t.Helper()
	tui.WaitScreenFunc("the end of the compaction", func(screen string) bool {
		return strings.Contains(screen, "Compacted") || strings.Contains(screen, "ctrl+o to see full summary")
	})
	tui.WaitIdle()
}

//go:build unix

package e2e

import (
	"fmt"
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
		realtest.Say("one done"), realtest.Say("two done"), realtest.Say("three done"), realtest.Say("four done"),
	)
	tui := w.tui(api)
	turn(tui, "do one", "one done")

	tui.Type("/compact")
	w.compacted(tui)
	turn(tui, "do two", "two done")
	turn(tui, "do three", "three done")
	tui.Clear()
	turn(tui, "do four", "four done")

	var brought []string
	for _, r := range api.Requests() {
		brought = append(brought, fmt.Sprint(strings.Count(ours(r.Fresh()), notes)))
	}
	if diff := cmp.Diff([]string{"0", "0", "1", "0", "1"}, brought); diff != "" {
		t.Errorf("how often the requests bring the notes (-want +got):\n%s", diff)
	}
	wantQuiet(t, tui, "Called turnpost")
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
	api := realtest.NewAPI(t, realtest.Say("one done"), realtest.Say("two done"))
	tui := w.tui(api)
	turn(tui, "do one", "one done")
	tui.Type("/compact")
	w.compacted(tui)
	turn(tui, "do two", "two done")
	tui.Exit()

	same := strings.NewReplacer(w.home.Dir, "HOME")
	secret := regexp.MustCompile(`hook_session [0-9a-f]{32}`)
	id := regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	var out []string
	for _, r := range api.Requests() {
		text := secret.ReplaceAllString(same.Replace(r.Text()), "hook_session S")
		out = append(out, id.ReplaceAllString(text, "ID"))
	}
	if len(out) != 2 {
		t.Fatalf("%d requests", len(out))
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

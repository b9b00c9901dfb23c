package harness_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"turnpost"
	"turnpost/internal/harness"
)

// hooks are the entries without which a harness is not heard, and settings.
func hooks(entries []harness.Entry) []harness.Entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e harness.Entry) bool { return e.Words })
}

// Each command is a short file of its own that is named as the profile says, and
// nothing of it is left to be filled in. No text holds what a harness would take
// for a file, a shell command or its end.
func TestCommands(t *testing.T) {
	const most = 200 * 4 // characters: 200 tokens
	for _, h := range harness.All() {
		p := h.Profile()
		seen := 0
		for _, e := range h.Install(harness.Target{Home: "/home/dev/h", Scope: "user", Mode: "command", Version: firstVersion(p.Tested), Hook: "/x", Program: "/y"}) {
			typed, ok := strings.CutPrefix(e.Why, "the command ")
			if !ok {
				continue
			}
			seen++
			text, _ := e.Value.(string)
			if !e.Words || e.Dialect != "file" || !strings.HasPrefix(e.File, "/home/dev/h/") || !strings.HasSuffix(text, "\n") {
				t.Errorf("%s: %s is not a whole file of ours: %+v", h.Name(), typed, e)
			}
			if !strings.Contains(p.Commands, typed) {
				t.Errorf("%s: its profile does not name %s: %s", h.Name(), typed, p.Commands)
			}
			if filepath.Ext(e.File) == ".yaml" {
				continue
			}
			_, told, _ := strings.Cut(text, "\n\n") // behind the head and the first line
			if len(told) > most {
				t.Errorf("%s: %s has %d characters", h.Name(), typed, len(told))
			}
			body := strings.ReplaceAll(text, `"""`, "")
			if strings.Contains(body, "HERE") || strings.ContainsAny(body, "@!\\") || strings.Contains(text, "\r") {
				t.Errorf("%s: %s: %s", h.Name(), typed, text)
			}
		}
		if real := p.Proof == harness.Real; real != (p.Commands != "") {
			t.Errorf("%s: proof %s, commands %q", h.Name(), p.Proof, p.Commands)
		}
		if seen == 0 && p.Commands != "" && !strings.Contains(p.Commands, "plugin") {
			t.Errorf("%s: nothing brings %s", h.Name(), p.Commands)
		}
	}
}

// What tells of a compaction is never answered: one that were blocked could leave
// its session stuck.
func TestCompactionIsNotAnswered(t *testing.T) {
	for _, h := range harness.All() {
		for _, e := range h.Profile().Events {
			if (e.Kind == turnpost.CompactBefore || e.Kind == turnpost.CompactAfter) && e.Carries != (turnpost.Accepts{}) {
				t.Errorf("%s: %s carries %+v", h.Name(), e.Name, e.Carries)
			}
		}
	}
}

// Only a turn's end has a row, and only where it can be continued.
func TestRows(t *testing.T) {
	want := map[string]int{"claude-code": 8, "qwen": 8, "copilot": 8, "cursor": 5}
	for _, h := range harness.All() {
		for _, e := range h.Profile().Events {
			row := 0
			if e.Kind == turnpost.TurnEnd && e.Carries.Continue {
				row = want[h.Name()]
			}
			if e.Carries.Row != row {
				t.Errorf("%s: %s has a row of %d, want %d", h.Name(), e.Name, e.Carries.Row, row)
			}
		}
	}
}

// firstVersion is the first word of what a profile was proved with.
func firstVersion(tested string) string {
	first, _, _ := strings.Cut(tested, " ")
	return first
}

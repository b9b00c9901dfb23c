//go:build unix

package e2e

import (
	"strings"
	"testing"

	"turnpost/internal/realtest"
)

// TestCommands types both commands in every program, as setup has laid them down:
// the text reaches the model with what followed the name, nothing of it does
// before, and remove leaves the bytes that were there.
func TestCommands(t *testing.T) {
	tests := []struct {
		row   row
		typed string // before the name
	}{
		{claudeRow(), "/turnpost:"},
		{codexRow(), "$turnpost-"},
		{geminiRow(), "/turnpost:"},
		{opencodeRow(), "/turnpost:"},
		{piRow(), "/turnpost-"},
		{piOldRow(), "/turnpost-"},
		{copilotRow(), "/turnpost-"},
		{qwenRow(), "/turnpost:"},
	}
	for _, tt := range tests {
		t.Run(tt.row.title(), func(t *testing.T) {
			w := newWorldOf(t, 1, tt.row.program)
			if tt.row.settings != nil {
				tt.row.settings(w.home)
			}
			before := w.files()
			w.setupAs("--harness", tt.row.harness)
			wrote := before.changed(w.files())

			api := realtest.NewAPI(t, realtest.Say("warm"), realtest.Say("watched"), realtest.Say("handed over"))
			tui := tt.row.client(w, api).TUI(t)
			turn(tui, "begin", "warm") // some read their commands while they start
			if first := api.Wait(1); strings.Contains(string(first.Body), "handle them one by one") || strings.Contains(string(first.Body), "do=handoff") {
				t.Errorf("the model is told of commands that nobody typed: %s", first.Body)
			}
			turn(tui, tt.typed+"watch until noon", "watched")
			wantTold(t, api.Wait(2), "Wait for Turnpost items", "until noon", "Nothing new is no reason to stop", "else pass; a task, claim")
			turn(tui, tt.typed+"handoff the web agent", "handed over")
			wantTold(t, api.Wait(3), "Hand your work over", "the web agent", "do=handoff", "turnpost context handoff HANDLE")
			tui.Exit()

			w.turnpost("setup", "--harness", tt.row.harness, "--remove")
			wantUndone(t, before, wrote, w.files())
		})
	}
}

// wantTold holds that a request brings all these texts.
func wantTold(t *testing.T, r realtest.Request, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(r.Fresh(), text) {
			t.Errorf("%q is not in what the request brings: %s", text, r.Fresh())
		}
	}
}

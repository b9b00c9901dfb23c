//go:build unix

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"turnpost/internal/harness"
	"turnpost/internal/realtest"
)

// TestCommands types both commands in every program, as setup has laid them down:
// the text reaches the model with what followed the name, nothing of it does
// before, and remove leaves the bytes that were there.
func TestCommands(t *testing.T) {
	t.Parallel()
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
			t.Parallel()
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
			wantNoCommands(t, api.Wait(1))
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

// TestCommandsOfPackages types a command that a package brought.
func TestCommandsOfPackages(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		harness string
		program realtest.Program
		install string   // after the line that people read
		args    []string // of a session
		typed   string   // before the name
	}{
		{harness: "claude-code", program: realtest.Claude{}, typed: "/turnpost:"},
		// Nobody sits in front of a session to review its hooks.
		{harness: "codex", program: realtest.Codex{}, args: []string{"--dangerously-bypass-hook-trust"}, typed: "$turnpost:"},
		{harness: "gemini", program: realtest.Gemini{}, install: " --consent", typed: "/turnpost:"},
		{harness: "opencode", program: realtest.Opencode{}, typed: "/turnpost:"},
		{harness: "pi", program: realtest.Pi{}, typed: "/turnpost-"},
	}
	for _, tt := range tests {
		t.Run(tt.harness, func(t *testing.T) {
			t.Parallel()
			w := newWorldOf(t, 1, tt.program)
			tt.program.Trust(w.home, root)
			h, _ := harness.Find(tt.harness)
			w.sh("cd '" + root + "' && " + h.(harness.Packaged).PackageInstall() + tt.install)
			api := realtest.NewAPI(t, realtest.Say("warm"), realtest.Say("watched"))
			tui := w.client(api, tt.args...).TUI(t)
			turn(tui, "begin", "warm")
			wantNoCommands(t, api.Wait(1))
			turn(tui, tt.typed+"watch until noon", "watched")
			wantTold(t, api.Wait(2), "Wait for Turnpost items", "until noon")
			tui.Exit()
		})
	}
}

// wantNoCommands holds that a request tells nothing of commands that nobody typed.
func wantNoCommands(t *testing.T, r realtest.Request) {
	t.Helper()
	for _, text := range []string{"handle them one by one", "hand your work over", "do=handoff"} {
		if strings.Contains(string(r.Body), text) {
			t.Errorf("the model is told %q, of a command: %s", text, r.Body)
		}
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

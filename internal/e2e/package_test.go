//go:build unix

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"turnpost"
	"turnpost/internal/harness"
	"turnpost/internal/realtest"
)

// TestPlugin installs the plugin of this repository with the client's own
// commands, without a network, first alone, then beside the settings of setup:
// mail comes at the turn end and wakes in both, each item once, and doctor names
// both places. Away again, the client has what it had.
func TestPlugin(t *testing.T) {
	w := newWorld(t, 1)
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	packaged := harness.All()[0].(harness.Packaged)
	w.sh("cd '" + root + "' && " + packaged.PackageInstall())

	if out := w.turnpost("setup", "--dry-run", "--harness", "claude-code"); !strings.Contains(out, "it has Turnpost as a package too, in ~/.claude/settings.json") {
		t.Errorf("setup does not name the plugin:\n%s", out)
	}
	if out, err := w.try("setup"); err == nil || !strings.Contains(out, "that is enough") {
		t.Errorf("setup plans beside the plugin: %v\n%s", err, out)
	}
	out, _ := w.try("setup", "--check", "--harness", "claude-code") // nothing was heard yet
	if !strings.Contains(out, "as a package: in ~/.claude/settings.json") || strings.Contains(out, "failed") {
		t.Errorf("check:\n%s", out)
	}
	t.Run("alone", func(t *testing.T) { w.in(t); w.wantEachItemOnce(t, "alone") })

	w.setupAs("--harness", "claude-code")
	t.Run("beside the settings", func(t *testing.T) { w.in(t); w.wantEachItemOnce(t, "both") })
	out, _ = w.try("setup", "--check", "--harness", "claude-code")
	if !strings.Contains(out, "forms") || !strings.Contains(out, "as a package in ") || !strings.Contains(out, packaged.PackageRemove()) {
		t.Errorf("check does not name both places:\n%s", out)
	}

	w.turnpost("setup", "--remove", "--harness", "claude-code")
	w.sh(packaged.PackageRemove())
	if settings := w.settings(); strings.Contains(settings, "turnpost") {
		t.Errorf("settings afterwards:\n%s", settings)
	}
}

// wantEachItemOnce runs a session through its start, a turn end with mail and a
// wake.
func (w *world) wantEachItemOnce(t *testing.T, name string) {
	t.Helper()
	var one, two turnpost.Item
	api := realtest.NewAPI(t,
		meanwhile(func() { one = w.ask("@repo", "First, "+name+"?", turnpost.ClassTurnEnd) }, realtest.Say("renamed")),
		realtest.Say("I looked"),
		realtest.Say("woken"),
	)
	tui := w.tui(api)
	turn(tui, "rename the flag", "I looked")
	w.resolve(one.ID)
	two = w.ask("@repo", "Second, "+name+"?", turnpost.ClassRung)
	tui.WaitScreen("woken")
	tui.WaitIdle()
	w.resolve(two.ID)
	wantRequests(t, api.Requests(), "", one.ID, two.ID)
	if n := startLines(api.Requests()); n != 1 {
		t.Errorf("%d start lines", n)
	}
	tui.Exit()
}

// TestPackages installs the packages of the other programs with their own
// commands, without a network: each tells its session who it is, once, also
// where setup was applied beside it, and nothing at all without our programs.
func TestPackages(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		harness string
		program realtest.Program
		install string   // after the line that people read
		args    []string // of a session
	}{
		// Nobody sits in front of a session to review its hooks.
		{harness: "codex", program: realtest.Codex{}, args: []string{"--dangerously-bypass-hook-trust"}},
		{harness: "gemini", program: realtest.Gemini{}, install: " --consent"},
		{harness: "opencode", program: realtest.Opencode{}},
		{harness: "pi", program: realtest.Pi{}},
	}
	for _, tt := range tests {
		t.Run(tt.harness, func(t *testing.T) {
			w := newWorldOf(t, 1, tt.program)
			tt.program.Trust(w.home, root)
			h, _ := harness.Find(tt.harness)
			w.sh("cd '" + root + "' && " + h.(harness.Packaged).PackageInstall() + tt.install)
			lines := func(name string) int {
				api := realtest.NewAPI(t, realtest.Say("done "+name))
				client := w.client(api, tt.args...)
				client.Env = []string{"TURNPOST_AGENT=@one"}
				if result := client.Print(t.Context(), t, "begin"); result.Code != 0 || !strings.Contains(result.Stdout, "done "+name) {
					t.Errorf("%s: exit %d, stdout %q, stderr %q", name, result.Code, result.Stdout, result.Stderr)
				}
				return startLines(api.Requests())
			}
			if n := lines("alone"); n != 1 {
				t.Errorf("the package alone: %d start lines", n)
			}
			w.setupAs("--harness", tt.harness)
			if n := lines("with settings"); n != 1 {
				t.Errorf("the package beside settings: %d start lines", n)
			}
			w.turnpost("setup", "--remove", "--harness", tt.harness)
			defer w.hide(programNames...)()
			if n := lines("without programs"); n != 0 {
				t.Errorf("without programs: %d start lines", n)
			}
		})
	}
}

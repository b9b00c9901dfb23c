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
	if !strings.Contains(out, "as a package: in "+filepath.Join(w.home.Dir, ".claude", "settings.json")) || strings.Contains(out, "failed") {
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

//go:build unix

package e2e

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"turnpost"
	"turnpost/internal/realtest"
)

// TestSessionOpenBeforeSetup is served at its turn end at once, and by its bell
// from its next start on.
func TestSessionOpenBeforeSetup(t *testing.T) {
	w := newWorld(t, 1)
	var one, two turnpost.Item
	api := realtest.NewAPI(t,
		realtest.Say("early done"),
		meanwhile(func() { one = w.ask("@repo", "Already here?", turnpost.ClassTurnEnd) }, realtest.Say("renamed")),
		realtest.Say("I am"),
		realtest.Say("woken"),
	)
	tui := w.tui(api)
	turn(tui, "before setup", "early done")
	if live := w.now().Sessions; len(live) != 0 {
		t.Fatalf("the hub knows sessions before setup: %+v", live)
	}

	w.setup()
	w.awaitConfigChange(1)
	turn(tui, "rename the flag", "I am")
	w.can(tui, "turn end now; bell after its next cd, /clear or restart")
	if out := w.turnpost("setup"); !strings.Contains(out, "bell after its next cd, /clear or restart") {
		t.Errorf("setup does not say what the open session can do:\n%s", out)
	}
	w.resolve(one.ID)
	two = w.ask("@repo", "And idle?", turnpost.ClassNobody)
	tui.Clear()
	settle(tui, "woken")
	w.can(tui, "turn end and bell")

	wantRequests(t, api.Requests(), "", "", one.ID, two.ID)
	if last := api.Wait(4).Fresh(); !strings.Contains(last, "1 item waits for you and arrives by itself in a moment.") {
		t.Errorf("the start line says nothing of the mail: %s", last)
	}
	wantQuiet(t, tui, "turnpost: new mail")
}

// TestSettingsChangeUnderOpenSession applies and removes while a client runs.
// All that the model is told is its start line, with the first prompt that can
// carry it.
func TestSettingsChangeUnderOpenSession(t *testing.T) {
	w := newWorld(t, 1)
	before := w.settings()
	api := realtest.NewAPI(t, realtest.Say("one done"), realtest.Say("two done"), realtest.Say("three done"))
	tui := w.tui(api)
	turn(tui, "do one", "one done")

	w.setup()
	w.awaitConfigChange(1)
	turn(tui, "do two", "two done")
	heard := w.is(tui, turnpost.StateIdle).ActivityAt
	w.turnpost("setup", "--remove")
	w.awaitConfigChange(2)
	if diff := cmp.Diff(before, w.settings()); diff != "" {
		t.Errorf("the settings after removal (-before +after):\n%s", diff)
	}
	turn(tui, "do three", "three done")

	wantRequests(t, api.Requests(), "", "", "")
	wantQuiet(t, tui)
	for i, want := range []int{0, 1, 1} {
		text := told(api)[i]
		rest := anyStartLine.ReplaceAllString(text, "")
		if n := len(anyStartLine.FindAllString(text, -1)); n != want || strings.Contains(rest, "urnpost") {
			t.Errorf("request %d has %d start lines, want %d: %s", i+1, n, want, text)
		}
	}
	if now := w.is(tui, turnpost.StateIdle).ActivityAt; !now.Equal(heard) {
		t.Errorf("a hook still ran after the removal, at %s", now.Format(time.TimeOnly))
	}
	if code := tui.Exit(); code != 0 {
		t.Errorf("exit status %d", code)
	}
}

// TestUninstallLeavesNoTrace undoes everything, as it says, and runs the same
// script before and after.
func TestUninstallLeavesNoTrace(t *testing.T) {
	w := newWorld(t, 1)
	before := w.settings()
	script := func(env ...string) ([]string, realtest.Result) {
		api := realtest.NewAPI(t, bash("echo made-$((40+2))"), realtest.Say("the answer"))
		client := w.client(api, "--allowedTools", "Bash")
		client.Env = env
		result := client.Print(t.Context(), t, "a script asks")
		result.Took = 0
		return told(api), result
	}
	plain, without := script()
	w.setup()
	w.registerTools()
	if used, _ := script("TURNPOST_AGENT=@api"); !strings.Contains(used[len(used)-1], "Turnpost: you are @api") {
		t.Fatalf("it was not there in between: %s", used)
	}

	out := w.turnpost("uninstall")
	w.sh(printed(t, out, "claude mcp remove"))
	after, with := script("TURNPOST_AGENT=@api")

	if diff := cmp.Diff(before, w.settings()); diff != "" {
		t.Errorf("the settings (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(plain, after); diff != "" {
		t.Errorf("the model is told (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(without, with); diff != "" {
		t.Errorf("the script gets (-before +after):\n%s", diff)
	}
	config, err := os.ReadFile(filepath.Join(w.home.Dir, ".claude.json"))
	if err != nil || strings.Contains(string(config), "turnpost") {
		t.Errorf("the client's own file, %v: %s", err, config)
	}
	if _, err := w.dir.ReadHub(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a hub should be up: %v", err)
	}
	for _, left := range []string{string(w.dir), w.program("turnpost"), w.program("turnpost-hook")} {
		if !strings.Contains(out, left) {
			t.Errorf("uninstall does not name %s, which is left:\n%s", left, out)
		}
	}
}

// TestProgramGoneAfterSetup deletes both programs from under the settings, as a
// dotfiles repository on another machine does.
func TestProgramGoneAfterSetup(t *testing.T) {
	w := newWorld(t, 1)
	run := func() (*realtest.API, realtest.Result) {
		api := realtest.NewAPI(t, bash("echo made-$((40+2))"), realtest.Say("the answer"))
		result := w.client(api, "--allowedTools", "Bash").Print(t.Context(), t, "a script asks")
		result.Took = 0
		return api, result
	}
	plain, without := run()
	w.setup()
	w.turnpost("down")
	hidden := w.hide(programNames...)
	defer hidden()
	broken, with := run()

	if diff := cmp.Diff(told(plain), told(broken)); diff != "" {
		t.Errorf("the model is told (-without +with):\n%s", diff)
	}
	if diff := cmp.Diff(without, with); diff != "" {
		t.Errorf("the script gets (-without +with):\n%s", diff)
	}
	api := realtest.NewAPI(t, bash("true"), realtest.Say("done"))
	tui := w.tui(api)
	turn(tui, "work", "done")
	wantQuiet(t, tui)
	wantRequests(t, api.Requests(), "", "")
	if text := strings.Join(told(api), ""); strings.Contains(text, "urnpost") {
		t.Errorf("the model is told of us: %s", text)
	}
}

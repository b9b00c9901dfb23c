//go:build unix

package e2e

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"turnpost/internal/realtest"
)

// TestAllHarnessesOnOneMachine sets up all of them with one plan, uses each, and
// removes all of it.
func TestAllHarnessesOnOneMachine(t *testing.T) {
	var all []row
	var installed []realtest.Program
	for _, r := range rows() {
		if !slices.ContainsFunc(installed, func(p realtest.Program) bool { return p.Command() == r.program.Command() }) {
			all, installed = append(all, r), append(installed, r.program)
		}
	}
	w := newWorldOf(t, 1, installed...)
	for _, r := range all {
		if r.settings != nil {
			r.settings(w.home)
		}
	}
	w.turnpost("setup") // to be asked for its version makes some of them write
	before := w.files()

	out := w.turnpost("setup", "--trust", "--dry-run")
	if n := strings.Count(out, "--apply --expect "); n != 1 {
		t.Errorf("%d plans, want one:\n%s", n, out)
	}
	if changed := before.changed(w.files()); len(changed) != 0 {
		t.Errorf("a plan that is only shown changes %s", slices.Sorted(maps.Keys(changed)))
	}
	for _, r := range all {
		if !strings.Contains(out, r.harness+" "+realtest.Version(r.program)) {
			t.Errorf("the plan does not name %s %s:\n%s", r.harness, realtest.Version(r.program), out)
		}
	}
	w.setupAs("--trust")
	wrote := before.changed(w.files())

	for _, r := range all {
		w.runs = r.program
		api := realtest.NewAPI(t, realtest.Say("done"))
		tui := r.client(w, api).TUI(t)
		turn(tui, "work", "done")
		tui.Exit()
	}
	type finding struct{ Check, State, Detail string }
	var checks []struct {
		Name     string
		Findings []finding
	}
	out, _ = w.try("setup", "--check", "--json") // fails: to register the tools is left to the person
	if err := json.Unmarshal([]byte(out), &checks); err != nil || len(checks) != len(all) {
		t.Errorf("%d harnesses, %v: %s", len(checks), err, out)
	}
	for _, c := range checks {
		heard := func(f finding) bool { return f.Check == "heard" && f.State == "ok" }
		if !slices.ContainsFunc(c.Findings, heard) {
			t.Errorf("%s was not heard: %+v", c.Name, c.Findings)
		}
		for _, f := range c.Findings {
			if f.State == "failed" && f.Check != "mcp" {
				t.Errorf("%s, %s: %s, %s", c.Name, f.Check, f.State, f.Detail)
			}
		}
	}

	w.turnpost("setup", "--remove")
	wantUndone(t, before, wrote, w.files())
}

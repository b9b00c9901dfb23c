package setup

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"turnpost/internal/harness"
)

// reviewed is a place whose harness runs a hook only once it was reviewed, as
// Codex does.
func (f *fixture) reviewed(asked bool) Place {
	place := f.placeOf("/x/turnpost-hook")
	place.Reviewed = asked
	place.Review = func(hook harness.Entry, index int) (harness.Entry, bool) {
		event, isHook := strings.CutPrefix(hook.Pointer, "/hooks/")
		if !isHook {
			return harness.Entry{}, false
		}
		sum := sha256.Sum256(fmt.Append(nil, event, hook.Value))
		return harness.Entry{
			File: f.path("config.toml"), Dialect: "toml", Pointer: "/hooks/state",
			Key:   fmt.Sprintf("%s:%s:%d:0", hook.File, event, index),
			Value: map[string]string{"trusted_hash": "sha256:" + hex.EncodeToString(sum[:])},
		}, true
	}
	return place
}

// reviewer is its harness.
type reviewer struct{ harness.Harness }

func (reviewer) Review(harness.Target, harness.Entry, int, func([]byte) [32]byte) (harness.Entry, bool) {
	return harness.Entry{}, false
}
func (reviewer) HowToReview() string { return "start it and look" }

func (f *fixture) trust(place Place) Finding {
	f.t.Helper()
	found := of(f.check(CheckRequest{Place: place, Harness: reviewer{}}), CheckTrusted)
	if len(found) != 1 {
		f.t.Fatalf("trusted: %+v", found)
	}
	return found[0]
}

func trusts(plan Plan) (lines []Line) {
	for _, file := range plan.Files {
		for _, line := range file.Lines {
			if line.Kind == "trust" {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

func TestReviewsAreWrittenOnlyWhenAskedFor(t *testing.T) {
	f := newFixture(t).withSettings(plainSettings)
	f.withForeign()
	plan := f.plan(f.setup.PlanInstall(f.reviewed(false)))
	if got := trusts(plan); got != nil {
		t.Fatalf("not asked for: %+v", got)
	}
	f.apply(plan, nil)
	if got := f.trust(f.reviewed(false)); got.State != Failed || got.Detail != "all hooks are registered, not trusted: they do not run" || got.Hint != "start it and look" {
		t.Errorf("finding %+v", got)
	}

	plan = f.plan(f.setup.PlanInstall(f.reviewed(true)))
	lines := trusts(plan)
	if len(lines) != 3 || len(plan.Files) != 1 {
		t.Fatalf("plan:\n%s", plan.Diff())
	}
	// A foreign group stands in front of ours at Stop.
	if want := f.settings + ":Stop:1:0: sha256:"; lines[1].Do != "add" || !strings.HasPrefix(lines[1].What, want) {
		t.Errorf("line %+v, want %s", lines[1], want)
	}
	f.apply(plan, nil)
	if got := f.trust(f.reviewed(false)); got.State != OK {
		t.Errorf("finding %+v", got)
	}
	// They stay without being asked for again.
	if plan := f.plan(f.setup.PlanInstall(f.reviewed(false))); !plan.Empty() {
		t.Errorf("not at rest:\n%s", plan.Diff())
	}
	for _, finding := range of(f.check(CheckRequest{Place: f.reviewed(false)}), CheckRegistered) {
		if finding.State != OK {
			t.Errorf("finding %+v", finding)
		}
	}
	f.apply(f.setup.PlanRemove(f.reviewed(false)))
	f.wantForeign()
	f.wantSettings(plainSettings)
}

// In one plan, for entries that are not there yet; and removed without the
// record.
func TestReviewsInTheFirstPlan(t *testing.T) {
	f := newFixture(t).withSettings(plainSettings)
	f.withForeign()
	plan := f.plan(f.setup.PlanInstall(f.reviewed(true), f.others()))
	if got := trusts(plan); len(got) != 3 {
		t.Fatalf("trust lines %+v", got)
	}
	f.apply(plan, nil)
	if got := f.trust(f.reviewed(false)); got.State != OK {
		t.Errorf("finding %+v", got)
	}
	if err := os.Remove(filepath.Join(f.state, "setup.json")); err != nil {
		t.Fatal(err)
	}
	f.apply(f.setup.PlanUninstall(f.reviewed(false), f.others()))
	f.wantForeign()
	f.wantSettings(plainSettings)
}

// A review that the program itself recorded is not ours; one that is no longer
// right is said to be.
func TestReviewsOfOthers(t *testing.T) {
	f := newFixture(t).withSettings(plainSettings)
	f.withForeign()
	f.apply(f.setup.PlanInstall(f.reviewed(true)))
	data, err := os.ReadFile(f.path("config.toml"))
	if err != nil {
		t.Fatal(err)
	}
	f.apply(f.setup.PlanRemove(f.reviewed(false)))
	if err := os.WriteFile(f.path("config.toml"), data, 0o600); err != nil { // as the program writes it
		t.Fatal(err)
	}
	f.apply(f.setup.PlanInstall(f.reviewed(false)))
	if got := f.trust(f.reviewed(false)); got.State != OK {
		t.Errorf("finding %+v", got)
	}
	if plan := f.plan(f.setup.PlanInstall(f.reviewed(true))); !plan.Empty() {
		t.Errorf("not at rest:\n%s", plan.Diff())
	}

	switchedOff := strings.Replace(string(data), "trusted_hash", "enabled = false\ntrusted_hash", 1)
	if err := os.WriteFile(f.path("config.toml"), []byte(switchedOff), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := f.trust(f.reviewed(false)); got.State != Failed || got.Detail != "1 of 3 hooks are modified since reviewed, or switched off" {
		t.Errorf("finding %+v", got)
	}
	f.apply(f.setup.PlanInstall(f.reviewed(true)))
	f.apply(f.setup.PlanRemove(f.reviewed(false)))
	if got, err := os.ReadFile(f.path("config.toml")); err != nil || string(got) != switchedOff {
		t.Errorf("somebody else's reviews changed: %s, %v", got, err)
	}
}

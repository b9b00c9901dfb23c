package setup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"turnpost/internal/harness"
)

func TestInstallAndRemove(t *testing.T) {
	f := newFixture(t).withSettings(plainSettings)

	plan := f.plan(f.setup.PlanInstall(f.place()))
	f.wantSettings(plainSettings)
	if len(plan.Files) != 1 || len(plan.Files[0].Lines) != 4 {
		t.Fatalf("plan: %+v", plan)
	}
	wantLine := Line{
		Owner: f.place().Owner, Do: "add", Kind: "hook", What: "Stop: '/x/turnpost-hook' claude-code || exit 0", Why: "hear Stop",
	}
	if got := plan.Files[0].Lines[1]; got != wantLine {
		t.Errorf("line %+v, want %+v", got, wantLine)
	}
	if got := plan.Files[0].Lines[3]; got.Kind != "permission" || got.What != "allow: mcp__turnpost__*" {
		t.Errorf("permission line %+v", got)
	}
	done := f.apply(plan, nil)
	if len(done.Files) != 1 || len(done.Backups) != 1 {
		t.Errorf("applied %+v", done)
	}
	backup, err := os.ReadFile(done.Backups[0])
	if err != nil || string(backup) != plainSettings {
		t.Errorf("backup holds %q, %v", backup, err)
	}
	for _, path := range []string{done.Backups[0], filepath.Join(f.state, "setup.json")} {
		if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s: %v, %v; want mode 0600", path, info.Mode(), err)
		}
	}
	if info, err := os.Stat(f.state); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("state directory: %v, %v", info.Mode(), err)
	}
	applied := f.read()

	again := f.plan(f.setup.PlanInstall(f.place()))
	if !again.Empty() || len(again.Kept) != 4 {
		t.Errorf("second plan: %+v", again)
	}
	f.apply(again, nil)
	f.wantSettings(applied)
	if got := f.backups(); len(got) != 1 {
		t.Errorf("a plan without changes made a backup: %q", got)
	}

	f.apply(f.setup.PlanRemove(f.place()))
	f.wantSettings(plainSettings)
	f.wantClean()
	f.wantNoFile(filepath.Join(f.state, "setup.json"))
}

func TestInstallCreatesAndRemoveDeletes(t *testing.T) {
	f := newFixture(t)
	plan := f.plan(f.setup.PlanInstall(f.place()))
	if got := plan.Files[0].MakeDirs; len(got) != 1 || got[0] != filepath.Dir(f.settings) {
		t.Errorf("directories to make: %q", got)
	}
	f.apply(plan, nil)
	if !strings.HasPrefix(f.read(), "{\n  \"hooks\": {\n    \"SessionStart\": [\n") {
		t.Errorf("new file:\n%s", f.read())
	}
	f.apply(f.setup.PlanRemove(f.place()))
	f.wantNoFile(filepath.Dir(f.settings))
}

func TestBlankFilesComeBack(t *testing.T) {
	for _, before := range []string{"", "\n", " \r\n\t", byteOrderMark, byteOrderMark + "\n"} {
		f := newFixture(t).withSettings(before)
		f.apply(f.setup.PlanInstall(f.place()))
		f.apply(f.setup.PlanRemove(f.place()))
		f.wantSettings(before)

		// The same after another program has written to it.
		f.apply(f.setup.PlanInstall(f.place()))
		f.write(f.read() + "\n")
		f.apply(f.setup.PlanRemove(f.place()))
		f.wantSettings(before)
	}
}

func TestNewFileThatOthersUseStays(t *testing.T) {
	f := newFixture(t)
	f.apply(f.setup.PlanInstall(f.place()))
	f.write(strings.Replace(f.read(), "{\n", "{\n  \"model\": \"opus\",\n", 1))
	f.apply(f.setup.PlanRemove(f.place()))
	f.wantSettings("{\n  \"model\": \"opus\"\n}\n")
}

func TestUpgradeReplacesOldEntries(t *testing.T) {
	for _, foreignChange := range []bool{false, true} {
		f := newFixture(t).withSettings(plainSettings)
		old := f.placeOf("/opt/turnpost-1.0/turnpost-hook")
		old.Entries = append(old.Entries, hookEntry(f.settings, "PostToolUse", handler{"command", "old", 10, false}))
		f.apply(f.setup.PlanInstall(old))
		want := plainSettings
		if foreignChange {
			f.write(strings.Replace(f.read(), `"opus"`, `"sonnet"`, 1))
			want = strings.Replace(want, `"opus"`, `"sonnet"`, 1)
		}
		plan := f.plan(f.setup.PlanInstall(f.place()))
		var do []string
		for _, line := range plan.Files[0].Lines {
			do = append(do, line.Do)
		}
		if diff := cmp.Diff([]string{"remove", "remove", "remove", "remove", "add", "add", "add"}, do); diff != "" {
			t.Errorf("lines (-want +got):\n%s", diff)
		}
		f.apply(plan, nil)
		if got := f.read(); strings.Contains(got, "1.0") || strings.Contains(got, "PostToolUse") {
			t.Errorf("old entries stayed:\n%s", got)
		}
		if !f.plan(f.setup.PlanInstall(f.place())).Empty() {
			t.Error("not at rest after the upgrade")
		}
		f.apply(f.setup.PlanRemove(f.place()))
		f.wantSettings(want)
	}
}

func TestHandTunedEntryStays(t *testing.T) {
	f := newFixture(t).withSettings(plainSettings)
	f.apply(f.setup.PlanInstall(f.place()))
	tuned := strings.Replace(f.read(), `"timeout": 10`, `"timeout": 20`, 1)
	f.write(tuned)
	plan := f.plan(f.setup.PlanInstall(f.place()))
	if !plan.Empty() || len(plan.Warnings) != 1 || !strings.Contains(plan.Warnings[0], "changed by hand") {
		t.Errorf("plan %+v", plan)
	}
	f.apply(f.setup.PlanRemove(f.place()))
	f.wantSettings(plainSettings)
}

// The same with a version that wants other settings for the same command.
func TestHandTunedEntryOutlivesAnUpgrade(t *testing.T) {
	f := newFixture(t).withSettings(plainSettings)
	place := func(timeout int) Place {
		return Place{Owner: "o", Entries: []harness.Entry{
			hookEntry(f.settings, "Stop", handler{"command", "ours", timeout, false}),
			hookEntry(f.settings, "SessionStart", handler{"command", "ours", timeout, false}),
		}}
	}
	f.apply(f.setup.PlanInstall(place(10)))
	f.write(strings.Replace(f.read(), `"timeout": 10`, `"timeout": 99`, 1)) // of Stop
	plan := f.plan(f.setup.PlanInstall(place(20)))
	f.apply(plan, nil)
	if got := f.read(); strings.Count(got, `"timeout": 99`) != 1 || strings.Count(got, `"timeout": 20`) != 1 || strings.Contains(got, `"timeout": 10`) {
		t.Errorf("after the upgrade:\n%s", got)
	}
	if len(plan.Warnings) != 1 {
		t.Errorf("warnings %q", plan.Warnings)
	}
	f.apply(f.setup.PlanRemove(place(20)))
	f.wantSettings(plainSettings)
}

func TestPermissionGoesWhenNotWanted(t *testing.T) {
	f := newFixture(t).withSettings(plainSettings)
	f.apply(f.setup.PlanInstall(f.place()))
	without := f.place()
	without.Entries = without.Entries[:3]
	f.apply(f.setup.PlanInstall(without))
	if strings.Contains(f.read(), "mcp__turnpost__") {
		t.Errorf("the rule stayed:\n%s", f.read())
	}
	f.apply(f.setup.PlanRemove(without))
	f.wantSettings(plainSettings)
}

func TestTwoOwnersInOneFile(t *testing.T) {
	f := newFixture(t).withSettings(plainSettings)
	other := Place{Owner: "other user", Entries: []harness.Entry{hookEntry(f.settings, "Stop", handler{"command", "other", 0, false})}}
	f.apply(f.setup.PlanInstall(f.place(), other))
	both := f.read()
	if !f.plan(f.setup.PlanInstall(other, f.place())).Empty() {
		t.Error("not at rest")
	}
	f.apply(f.setup.PlanRemove(f.place()))
	if got := f.read(); strings.Contains(got, "claude-code") || !strings.Contains(got, `"other"`) {
		t.Errorf("after removing one:\n%s", got)
	}
	f.apply(f.setup.PlanInstall(f.place()))
	if len(f.read()) != len(both) {
		t.Errorf("installed again:\n%s", cmp.Diff(both, f.read()))
	}
	f.apply(f.setup.PlanUninstall())
	f.wantSettings(plainSettings)
}

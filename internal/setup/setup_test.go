package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"turnpost"
	"turnpost/internal/harness"
)

// fixture is a throw-away home with one settings file and a Setup.
type fixture struct {
	t        *testing.T
	setup    *Setup
	home     string
	settings string // path of the settings file
	state    string
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{t: t, home: filepath.Join(root, "home"), state: filepath.Join(root, "state", "turnpost")}
	f.settings = filepath.Join(f.home, ".claude", "settings.json")
	if err := os.Mkdir(f.home, 0o755); err != nil {
		t.Fatal(err)
	}
	f.setup = New(f.state, tick())
	return f
}

// tick is a clock that never shows the same time twice.
func tick() func() time.Time {
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	return func() time.Time {
		now = now.Add(time.Millisecond)
		return now
	}
}

// withSettings writes the settings file, its directory too.
func (f *fixture) withSettings(content string) *fixture {
	f.t.Helper()
	if err := os.MkdirAll(filepath.Dir(f.settings), 0o755); err != nil {
		f.t.Fatal(err)
	}
	f.write(content)
	return f
}

func (f *fixture) write(content string) {
	f.t.Helper()
	if err := os.WriteFile(f.settings, []byte(content), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) read() string {
	f.t.Helper()
	data, err := os.ReadFile(f.settings)
	if err != nil {
		f.t.Fatal(err)
	}
	return string(data)
}

// place is what an adapter for Claude Code asks for, in small.
func (f *fixture) place() Place { return f.placeOf("/x/turnpost-hook") }

func (f *fixture) placeOf(hook string) Place {
	quiet := ShellQuote(hook) + " claude-code || exit 0"
	bell := ShellQuote(hook) + " claude-code; test $? -ne 86 || exit 2; exit 0"
	return Place{Owner: "claude-code user " + f.home, Entries: []harness.Entry{
		hookEntry(f.settings, "SessionStart", handler{"command", quiet, 10, false}),
		hookEntry(f.settings, "Stop", handler{"command", quiet, 10, false}),
		hookEntry(f.settings, "FileChanged", handler{"command", bell, 10, true}),
		{File: f.settings, Dialect: "json", Pointer: "/permissions/allow", Value: "mcp__turnpost__*", Why: "let agents use the tools"},
	}}
}

type handler struct {
	Type    string `json:"type"`
	Command string `json:"command"`
	Timeout int    `json:"timeout,omitempty"`
	Rewake  bool   `json:"asyncRewake,omitempty"`
}

func hookEntry(file, event string, h handler) harness.Entry {
	return harness.Entry{
		File: file, Dialect: "json", Pointer: "/hooks/" + event,
		Value: map[string]any{"hooks": []any{h}}, Why: "hear " + event,
	}
}

func (f *fixture) apply(plan Plan, err error) Applied {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
	done, err := f.setup.Apply(context.Background(), plan, plan.Hash)
	if err != nil {
		f.t.Fatal(err)
	}
	return done
}

func (f *fixture) plan(plan Plan, err error) Plan {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
	return plan
}

func (f *fixture) wantSettings(want string) {
	f.t.Helper()
	if diff := cmp.Diff(want, f.read()); diff != "" {
		f.t.Errorf("settings (-want +got):\n%s", diff)
	}
}

func (f *fixture) wantNoFile(path string) {
	f.t.Helper()
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		f.t.Errorf("%s is still there (%v)", path, err)
	}
}

// wantClean fails when temporary files are left.
func (f *fixture) wantClean() {
	f.t.Helper()
	for _, dir := range []string{filepath.Dir(f.settings), f.state, filepath.Join(f.state, "backups")} {
		entries, _ := os.ReadDir(dir) // what is no directory holds nothing
		for _, entry := range entries {
			if strings.Contains(entry.Name(), ".turnpost-") {
				f.t.Errorf("%s was left behind in %s", entry.Name(), dir)
			}
		}
	}
}

func (f *fixture) backups() []string {
	f.t.Helper()
	entries, err := os.ReadDir(filepath.Join(f.state, "backups"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.t.Fatal(err)
	}
	var out []string
	for _, entry := range entries {
		out = append(out, entry.Name())
	}
	return out
}

func wantCode(t *testing.T, err error, code turnpost.Code) {
	t.Helper()
	if turnpost.CodeOf(err) != code {
		t.Errorf("error %v has code %q, want %q", err, turnpost.CodeOf(err), code)
	}
}

const plainSettings = `{
  "model": "opus",
  "hooks": {
    "Stop": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "say done"
          }
        ]
      }
    ]
  },
  "permissions": {
    "deny": ["Read(./.env)"]
  }
}
`

func TestInstallAndRemove(t *testing.T) {
	f := newFixture(t).withSettings(plainSettings)

	plan := f.plan(f.setup.PlanInstall(f.place()))
	f.wantSettings(plainSettings)
	if len(plan.Files) != 1 || len(plan.Files[0].Lines) != 4 {
		t.Fatalf("plan: %+v", plan)
	}
	wantLine := Line{Do: "add", Kind: "hook", What: "Stop: '/x/turnpost-hook' claude-code || exit 0", Why: "hear Stop"}
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

func TestRemoveKeepsDirectoryThatIsUsed(t *testing.T) {
	f := newFixture(t)
	f.apply(f.setup.PlanInstall(f.place()))
	other := filepath.Join(filepath.Dir(f.settings), "CLAUDE.md")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f.apply(f.setup.PlanRemove(f.place()))
	f.wantNoFile(f.settings)
	if _, err := os.Stat(other); err != nil {
		t.Error(err)
	}
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

func TestRemoveAfterOthersChangedTheFile(t *testing.T) {
	f := newFixture(t).withSettings(plainSettings)
	f.apply(f.setup.PlanInstall(f.place()))
	f.write(strings.Replace(f.read(), `"opus"`, `"sonnet"`, 1))
	plan := f.plan(f.setup.PlanInstall(f.place()))
	if !plan.Empty() {
		t.Errorf("a foreign change made work: %s", plan.Diff())
	}
	f.apply(f.setup.PlanRemove(f.place()))
	f.wantSettings(strings.Replace(plainSettings, `"opus"`, `"sonnet"`, 1))
}

func TestRemoveWithoutARecord(t *testing.T) {
	for _, damage := range []string{"", "{not json"} {
		f := newFixture(t).withSettings(plainSettings)
		f.apply(f.setup.PlanInstall(f.place()))
		record := filepath.Join(f.state, "setup.json")
		if damage == "" {
			if err := os.Remove(record); err != nil {
				t.Fatal(err)
			}
		} else if err := os.WriteFile(record, []byte(damage), 0o600); err != nil {
			t.Fatal(err)
		}
		plan := f.plan(f.setup.PlanRemove(f.place()))
		if (damage != "") != (len(plan.Warnings) == 1) {
			t.Errorf("warnings %q", plan.Warnings)
		}
		f.apply(plan, nil)
		f.wantSettings(plainSettings)
	}
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

// A version that registered other entries is taken away by one that does not
// know them.
func TestRemoveFollowsTheRecord(t *testing.T) {
	f := newFixture(t).withSettings(plainSettings)
	old := f.placeOf("/opt/old/turnpost-hook")
	f.apply(f.setup.PlanInstall(old))
	f.write(strings.Replace(f.read(), `"opus"`, `"sonnet"`, 1))
	f.apply(f.setup.PlanRemove(f.place()))
	f.wantSettings(strings.Replace(plainSettings, `"opus"`, `"sonnet"`, 1))
}

func TestForeignIdenticalLineStays(t *testing.T) {
	before := "{\n  \"permissions\": {\n    \"allow\": [\n      \"mcp__turnpost__*\"\n    ]\n  }\n}\n"
	f := newFixture(t).withSettings(before)
	plan := f.plan(f.setup.PlanInstall(f.place()))
	if len(plan.Files[0].Lines) != 3 || len(plan.Kept) != 1 {
		t.Errorf("plan: %+v", plan)
	}
	f.apply(plan, nil)
	if strings.Count(f.read(), "mcp__turnpost__*") != 1 {
		t.Errorf("the rule was added again:\n%s", f.read())
	}
	f.write(f.read() + "\n")
	plan = f.plan(f.setup.PlanRemove(f.place()))
	f.apply(plan, nil)
	f.wantSettings(before + "\n")
	if len(plan.Left) != 1 || !strings.Contains(plan.Left[0], "did not add") {
		t.Errorf("left: %q", plan.Left)
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

func TestApplyRefuses(t *testing.T) {
	tests := []struct {
		name   string
		change func(f *fixture, plan *Plan) (expect string)
	}{
		{"another hash is expected", func(*fixture, *Plan) string { return "00000000000000000000000000000000" }},
		{"one byte of the file changed", func(f *fixture, _ *Plan) string {
			f.write(strings.Replace(plainSettings, "opus", "opuz", 1))
			return ""
		}},
		{"the file went", func(f *fixture, _ *Plan) string {
			if err := os.Remove(f.settings); err != nil {
				f.t.Fatal(err)
			}
			return ""
		}},
		{"the file became a link", func(f *fixture, _ *Plan) string {
			moved := filepath.Join(f.home, "moved.json")
			if err := errors.Join(os.Rename(f.settings, moved), os.Symlink(moved, f.settings)); err != nil {
				f.t.Fatal(err)
			}
			return ""
		}},
		{"one byte of the plan changed", func(_ *fixture, plan *Plan) string {
			plan.Files[0].After = []byte(strings.Replace(string(plan.Files[0].After), "/x/", "/y/", 1))
			return ""
		}},
		{"the plan's target changed", func(f *fixture, plan *Plan) string {
			plan.Files[0].Target = filepath.Join(f.home, "elsewhere")
			return ""
		}},
		{"another setup ran", func(f *fixture, _ *Plan) string {
			other := filepath.Join(f.home, "other.json")
			f.apply(f.setup.PlanInstall(Place{Owner: "o", Entries: []harness.Entry{{File: other, Dialect: "json", Pointer: "/a", Value: 1}}}))
			return ""
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t).withSettings(plainSettings)
			plan := f.plan(f.setup.PlanInstall(f.place()))
			expect := tt.change(f, &plan)
			before, _ := os.ReadFile(f.settings)
			backups := f.backups()
			_, err := f.setup.Apply(context.Background(), plan, expect)
			wantCode(t, err, turnpost.Conflict)
			if after, _ := os.ReadFile(f.settings); string(after) != string(before) {
				t.Errorf("the file changed:\n%s", cmp.Diff(string(before), string(after)))
			}
			if got := f.backups(); !slices.Equal(got, backups) {
				t.Errorf("backups left: %q", got)
			}
		})
	}
}

func TestPlanHashCoversTheFile(t *testing.T) {
	hash := func(before string) string {
		f := newFixture(t).withSettings(before)
		f.settings = filepath.Join(f.home, ".claude", "settings.json")
		plan := f.plan(f.setup.PlanInstall(f.place()))
		plan.Files[0].Path, plan.Files[0].Target = "p", "t" // differ by test directory
		return plan.sum()
	}
	one := hash(`{"a": 1}`)
	if one != hash(`{"a": 1}`) {
		t.Error("the hash of equal plans differs")
	}
	if one == hash(`{"a": 2}`) || one == hash(`{"a": 1} `) {
		t.Error("the hash does not see the file")
	}
}

func TestRefusedFilesAreUntouched(t *testing.T) {
	tests := []struct {
		name, content, want string
	}{
		{"BR-10", `{"model":"opus","permissions":{"deny":["Read(./.env)"]},"hooks":{},}`, "line 1, column 68: "},
		{"comment", "{\n  // mine\n}\n", "line 2, column 3: "},
		{"hooks is a list", `{"hooks": []}`, `"hooks" is an array, not an object`},
		{"Stop is an object", `{"hooks": {"Stop": {}}}`, `"hooks.Stop" is an object, not an array`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t).withSettings(tt.content)
			_, err := f.setup.PlanInstall(f.place())
			wantCode(t, err, turnpost.Invalid)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), f.settings+": ") {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			f.wantSettings(tt.content)
			f.wantClean()
			f.wantNoFile(f.state)
		})
	}
}

func TestRefusesWhatIsNotASettingsFile(t *testing.T) {
	f := newFixture(t)
	if err := os.MkdirAll(f.settings, 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := f.setup.PlanInstall(f.place())
	wantCode(t, err, turnpost.Invalid)

	f = newFixture(t).withSettings(plainSettings)
	if err := os.Chmod(f.settings, 0o400); err != nil {
		t.Fatal(err)
	}
	_, err = f.setup.PlanInstall(f.place())
	wantCode(t, err, turnpost.Invalid)
	f.wantSettings(plainSettings)
}

func TestLinksStay(t *testing.T) {
	f := newFixture(t)
	dotfiles := filepath.Join(f.home, "dotfiles")
	target := filepath.Join(dotfiles, "claude.json")
	if err := errors.Join(os.Mkdir(dotfiles, 0o755), os.WriteFile(target, []byte(plainSettings), 0o644),
		os.Mkdir(filepath.Dir(f.settings), 0o755), os.Symlink("../dotfiles/claude.json", f.settings)); err != nil {
		t.Fatal(err)
	}
	plan := f.plan(f.setup.PlanInstall(f.place()))
	if plan.Files[0].Path != f.settings || plan.Files[0].Target != target {
		t.Errorf("path %s, target %s", plan.Files[0].Path, plan.Files[0].Target)
	}
	f.apply(plan, nil)
	if link, err := os.Readlink(f.settings); err != nil || link != "../dotfiles/claude.json" {
		t.Errorf("link %q, %v", link, err)
	}
	if info, err := os.Stat(target); err != nil || info.Mode() != 0o644 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	f.apply(f.setup.PlanRemove(f.place()))
	f.wantSettings(plainSettings)
}

// People move their settings into a dotfiles repository after setup.
func TestFileBecameALinkAfterInstall(t *testing.T) {
	f := newFixture(t).withSettings(plainSettings)
	f.apply(f.setup.PlanInstall(f.place()))
	moved := filepath.Join(f.home, "moved.json")
	if err := errors.Join(os.Rename(f.settings, moved), os.Symlink(moved, f.settings)); err != nil {
		t.Fatal(err)
	}
	if !f.plan(f.setup.PlanInstall(f.place())).Empty() {
		t.Error("moving the file made work")
	}
	f.apply(f.setup.PlanRemove(f.place()))
	f.wantSettings(plainSettings)
	if _, err := os.Readlink(f.settings); err != nil {
		t.Error(err)
	}
}

func TestBackupsAreBounded(t *testing.T) {
	f := newFixture(t).withSettings(plainSettings)
	for i := range 12 {
		f.apply(f.setup.PlanInstall(f.placeOf(fmt.Sprintf("/x%d/turnpost-hook", i))))
	}
	if got := len(f.backups()); got != keptBackups+1 {
		t.Errorf("%d backups, want %d and the base", got, keptBackups)
	}
	f.apply(f.setup.PlanRemove(f.place()))
	f.wantSettings(plainSettings)
}

func TestLostBackupFallsBackToSplicing(t *testing.T) {
	f := newFixture(t).withSettings(plainSettings)
	f.apply(f.setup.PlanInstall(f.place()))
	for _, name := range f.backups() {
		if err := os.WriteFile(filepath.Join(f.state, "backups", name), []byte("garbage"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f.apply(f.setup.PlanRemove(f.place()))
	f.wantSettings(plainSettings)
}

func TestUninstall(t *testing.T) {
	f := newFixture(t).withSettings(plainSettings)
	project := filepath.Join(f.home, "repo", ".claude", "settings.json")
	broken := filepath.Join(f.home, "broken.json")
	if err := errors.Join(os.Mkdir(filepath.Join(f.home, "repo"), 0o755), os.WriteFile(broken, []byte("{}"), 0o600)); err != nil {
		t.Fatal(err)
	}
	allow := func(file string) harness.Entry {
		return harness.Entry{File: file, Dialect: "json", Pointer: "/permissions/allow", Value: "mcp__turnpost__*"}
	}
	service, err := NewService(ServiceSpec{OS: "linux", Home: f.home, Program: "/x/turnpost", State: f.state})
	if err != nil {
		t.Fatal(err)
	}
	f.apply(f.setup.PlanInstall(f.place(), service.Place,
		Place{Owner: "claude-code project repo", Entries: []harness.Entry{allow(project)}},
		Place{Owner: "broken", Entries: []harness.Entry{allow(broken)}}))
	if err := os.WriteFile(broken, []byte("{,"), 0o600); err != nil {
		t.Fatal(err)
	}
	// Where the record knows nothing, the entries say what is ours.
	lost := filepath.Join(f.home, "lost.json")
	if err := os.WriteFile(lost, []byte(`{"permissions":{"allow":["a","mcp__turnpost__*"]}}`), 0o600); err != nil {
		t.Fatal(err)
	}

	plan := f.plan(f.setup.PlanUninstall(Place{Owner: "lost", Entries: []harness.Entry{allow(lost)}}))
	f.apply(plan, nil)
	f.wantSettings(plainSettings)
	f.wantNoFile(filepath.Join(f.home, "repo", ".claude"))
	f.wantNoFile(filepath.Join(f.home, ".config"))
	if data, _ := os.ReadFile(lost); string(data) != `{"permissions":{"allow":["a"]}}` {
		t.Errorf("lost.json: %s", data)
	}
	if len(plan.Left) != 1 || !strings.Contains(plan.Left[0], broken) {
		t.Errorf("left: %q", plan.Left)
	}
	if r, _, _, err := f.setup.loadRecord(); err != nil || len(r.Files) != 1 || r.Files[0].Path != broken {
		t.Errorf("the record forgot what is left: %+v, %v", r, err)
	}
}

// BR-11: a user's hook that has our name in it, in our own group, and foreign
// keys in the same file.
func TestRemoveIsNotBySubstring(t *testing.T) {
	f := newFixture(t).withSettings("{\n  \"mcpServers\": {\"turnpost\": {\"command\": \"turnpost\"}}\n}\n")
	before := f.read()
	f.apply(f.setup.PlanInstall(f.place()))
	f.apply(f.setup.PlanRemove(f.place()))
	f.wantSettings(before)

	f.apply(f.setup.PlanInstall(f.place()))
	sibling := `{
            "type": "command",
            "command": "node /home/u/turnpost-notes/x.js"
          },
          `
	at := strings.Index(f.read(), `"Stop"`)
	open := at + strings.Index(f.read()[at:], `{
            "type"`)
	f.write(f.read()[:open] + sibling + f.read()[open:])
	f.apply(f.setup.PlanRemove(f.place()))
	f.wantSettings(`{
  "mcpServers": {"turnpost": {"command": "turnpost"}},
  "hooks": {
    "Stop": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "node /home/u/turnpost-notes/x.js"
          }
        ]
      }
    ]
  }
}
`)
}

func TestServiceFileIsOursAlone(t *testing.T) {
	f := newFixture(t)
	spec := ServiceSpec{OS: "linux", Home: f.home, Program: "/x/turnpost", State: f.state}
	one, err := NewService(spec)
	if err != nil {
		t.Fatal(err)
	}
	unit := one.Place.Entries[0].File
	if err := errors.Join(os.MkdirAll(filepath.Dir(unit), 0o755), os.WriteFile(unit, []byte("[Unit]\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	_, err = f.setup.PlanInstall(one.Place)
	wantCode(t, err, turnpost.Invalid)
	if err := os.Remove(unit); err != nil {
		t.Fatal(err)
	}
	f.apply(f.setup.PlanInstall(one.Place))
	if !f.plan(f.setup.PlanInstall(one.Place)).Empty() {
		t.Error("not at rest")
	}
	spec.Program = "/y/turnpost"
	two, err := NewService(spec)
	if err != nil {
		t.Fatal(err)
	}
	f.apply(f.setup.PlanInstall(two.Place))
	if data, _ := os.ReadFile(unit); !strings.Contains(string(data), "/y/turnpost") {
		t.Errorf("unit:\n%s", data)
	}
	if err := os.WriteFile(unit, []byte("[Unit]\nmine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	plan := f.plan(f.setup.PlanRemove(two.Place))
	f.apply(plan, nil)
	if data, _ := os.ReadFile(unit); string(data) != "[Unit]\nmine\n" || len(plan.Left) != 1 {
		t.Errorf("left %q, unit:\n%s", plan.Left, data)
	}
}

// A link whose file does not exist yet: the file is made where the link leads,
// and the link is as it was afterwards.
func TestDanglingLink(t *testing.T) {
	f := newFixture(t)
	target := filepath.Join(f.home, "dotfiles", "deep", "claude.json")
	if err := errors.Join(os.Mkdir(filepath.Dir(f.settings), 0o755), os.Symlink("../dotfiles/deep/claude.json", f.settings)); err != nil {
		t.Fatal(err)
	}
	f.apply(f.setup.PlanInstall(f.place()))
	if _, err := os.Stat(target); err != nil {
		t.Error(err)
	}
	f.apply(f.setup.PlanRemove(f.place()))
	f.wantNoFile(filepath.Join(f.home, "dotfiles"))
	if link, err := os.Readlink(f.settings); err != nil || link != "../dotfiles/deep/claude.json" {
		t.Errorf("link %q, %v", link, err)
	}
}

// The link leads to another file since: the old one is cleaned, the new one
// gets the entries.
func TestLinkLeadsElsewhere(t *testing.T) {
	f := newFixture(t)
	one, two := filepath.Join(f.home, "one.json"), filepath.Join(f.home, "two.json")
	if err := errors.Join(os.Mkdir(filepath.Dir(f.settings), 0o755), os.WriteFile(one, []byte(plainSettings), 0o600),
		os.WriteFile(two, []byte("{}"), 0o600), os.Symlink(one, f.settings)); err != nil {
		t.Fatal(err)
	}
	f.apply(f.setup.PlanInstall(f.place()))
	if err := errors.Join(os.Remove(f.settings), os.Symlink(two, f.settings)); err != nil {
		t.Fatal(err)
	}
	f.apply(f.setup.PlanInstall(f.place()))
	if data, err := os.ReadFile(one); err != nil || string(data) != plainSettings {
		t.Errorf("the old file: %s, %v", data, err)
	}
	if !strings.Contains(f.read(), "claude-code") {
		t.Errorf("the new file: %s", f.read())
	}
	f.apply(f.setup.PlanUninstall())
	f.wantSettings("{}")
}

func TestHardLinksAreAnnounced(t *testing.T) {
	f := newFixture(t).withSettings(plainSettings)
	if err := os.Link(f.settings, filepath.Join(f.home, "second name")); err != nil {
		t.Fatal(err)
	}
	plan := f.plan(f.setup.PlanInstall(f.place()))
	if len(plan.Warnings) != 1 || !strings.Contains(plan.Warnings[0], "2 hard links") {
		t.Errorf("warnings %q", plan.Warnings)
	}
}

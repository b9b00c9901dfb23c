package setup

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"turnpost"
	"turnpost/internal/harness"
)

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

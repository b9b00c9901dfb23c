package setup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"turnpost"
	"turnpost/internal/harness"
)

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

package setup

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func (f *fixture) missing(d *Drift) []Missing {
	f.t.Helper()
	got, err := d.Missing()
	if err != nil {
		f.t.Fatal(err)
	}
	return got
}

func (f *fixture) wantMissing(d *Drift, want ...Missing) {
	f.t.Helper()
	if diff := cmp.Diff(want, f.missing(d)); diff != "" {
		f.t.Errorf("missing (-want +got):\n%s", diff)
	}
}

func TestDriftFindsWhatIsGone(t *testing.T) {
	f := newFixture(t).withSettings(plainSettings)
	f.withForeign()
	d := f.setup.Drift()
	f.wantMissing(d) // nothing was set up
	owner, other := f.place().Owner, f.others().Owner
	f.apply(f.setup.PlanInstall(f.place(), f.others()))
	f.wantMissing(d)

	// A client that rewrote its settings from what it had read before.
	installed := f.read()
	f.write(plainSettings)
	f.wantMissing(d, Missing{owner, f.settings, "every hook"})
	f.wantMissing(d, Missing{owner, f.settings, "every hook"})
	// A person who took one out, changed another, and the rule that no hook needs.
	f.write(strings.NewReplacer(`"SessionStart"`, `"Other"`, `"timeout": 10`, `"timeout": 60`, `mcp__turnpost__`, `mcp__`).Replace(installed))
	f.wantMissing(d, Missing{owner, f.settings, "part of the hooks (1 of 3)"})
	// Broken for the moment: the last answer stays.
	f.write(`{"hooks": {`)
	f.wantMissing(d, Missing{owner, f.settings, "part of the hooks (1 of 3)"})
	f.write(installed)
	f.wantMissing(d)

	if err := os.Remove(f.path("plugin.js")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.path("mcp.json"), []byte(foreign()["mcp.json"]), 0o600); err != nil { // tools: no hook
		t.Fatal(err)
	}
	if err := os.WriteFile(f.path("settings.jsonc"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	f.wantMissing(d, Missing{other, f.path("settings.jsonc"), "every hook"}, Missing{other, f.path("plugin.js"), ""})

	// Setup again, and all is well.
	f.apply(f.setup.PlanInstall(f.place(), f.others()))
	f.wantMissing(d)
	f.apply(f.setup.PlanRemove(f.place(), f.others()))
	f.wantMissing(d)
}

func TestDriftFindsReviewsGone(t *testing.T) {
	f := newFixture(t).withSettings(plainSettings)
	f.withForeign()
	d := f.setup.Drift()
	f.apply(f.setup.PlanInstall(f.reviewed(true)))
	f.wantMissing(d)
	data, err := os.ReadFile(f.path("config.toml"))
	if err != nil {
		t.Fatal(err)
	}
	for content, want := range map[string]string{
		foreign()["config.toml"]: "every review of our hooks",
		strings.Replace(string(data), "trusted_hash", "enabled = false\ntrusted_hash", 1): "the review of 1 of 3 hooks",
	} {
		if err := os.WriteFile(f.path("config.toml"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		f.wantMissing(d, Missing{f.place().Owner, f.path("config.toml"), want})
	}
}

// While a setup writes, its record claims what is not there yet.
func TestDriftKeepsStillWhileSetupWorks(t *testing.T) {
	f := newFixture(t).withSettings(plainSettings)
	d := f.setup.Drift()
	seen := map[string]bool{}
	f.setup.step = func(name string) {
		seen[name] = true
		f.wantMissing(d)
	}
	plan := f.plan(f.setup.PlanInstall(f.place()))
	if _, err := f.setup.Apply(context.Background(), plan, ""); err != nil {
		t.Fatal(err)
	}
	if !seen["recorded"] {
		t.Errorf("steps %v", seen)
	}
	f.wantMissing(d)
}

// A look at what has not changed reads nothing: the files are closed to us.
func TestDriftReadsOnlyWhatChanged(t *testing.T) {
	f := newFixture(t).withSettings(plainSettings)
	d := f.setup.Drift()
	f.apply(f.setup.PlanInstall(f.place()))
	f.wantMissing(d)
	f.write(plainSettings)
	want := f.missing(d)
	info, err := os.Stat(f.settings)
	if err != nil {
		t.Fatal(err)
	}
	// The same size, time and inode with other content: nobody looks.
	if err := os.WriteFile(f.settings, []byte(strings.Repeat(" ", len(plainSettings))), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(f.settings, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	f.wantMissing(d, want...)
	if reads := testing.AllocsPerRun(100, func() { f.missing(d) }); reads > 200 {
		t.Errorf("a look allocates %v times", reads)
	}
}

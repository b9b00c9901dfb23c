package setup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"turnpost/internal/harness"
)

// The entries that the real adapters ask for go in and out again, in every scope
// and mode, and no timeout of ours looks like milliseconds.
func TestRealAdaptersRoundTrip(t *testing.T) {
	for _, h := range harness.All() {
		for _, scope := range []string{"user", "project", "local"} {
			for _, mode := range []string{"command", "http"} {
				t.Run(h.Name()+" "+scope+" "+mode, func(t *testing.T) {
					t.Parallel()
					f := newFixture(t)
					target := harness.Target{
						Home: filepath.Join(f.home, ".claude"), Project: filepath.Join(f.home, "repo"), Scope: scope, Mode: mode,
						Hook: "/home/o'brien & <co>/turnpost-hook", HubURL: "http://127.0.0.1:21584", Allow: true,
					}
					place := Place{Owner: OwnerOf(h.Name(), target), Entries: h.Install(target)}
					plan := f.plan(f.setup.PlanInstall(place))
					if len(place.Entries) == 0 {
						return // it does not speak the mode, has no file of the scope, or is left to a person
					}
					got := 0
					for _, file := range plan.Files {
						got += len(file.Lines)
					}
					if got != len(place.Entries) {
						t.Errorf("%d lines for %d entries", got, len(place.Entries))
					}
					f.apply(plan, nil)
					if again := f.plan(f.setup.PlanInstall(place)); !again.Empty() {
						t.Errorf("not at rest:\n%s", again.Diff())
					}
					data, err := os.ReadFile(plan.Files[0].Target)
					if err != nil || strings.Contains(string(data), `\u0026`) {
						t.Errorf("%v:\n%s", err, data)
					}
					findings := f.check(CheckRequest{Place: place, Harness: h, Turnpost: "/x/turnpost"})
					for _, finding := range of(findings, CheckRegistered) {
						if finding.State != OK {
							t.Errorf("finding %+v", finding)
						}
					}
					if others := append(of(findings, CheckOthers), of(findings, CheckTimeouts)...); len(others) != 0 {
						t.Errorf("our own lines count as foreign: %+v", others)
					}
					if _, ok := h.(harness.MCPClient); ok {
						wantStates(t, findings, CheckMCP, Failed)
					}
					f.apply(f.setup.PlanUninstall())
					entries, err := os.ReadDir(f.home)
					if err != nil || len(entries) != 0 {
						t.Errorf("left in the home: %v, %v", entries, err)
					}
				})
			}
		}
	}
}

func TestOwnersTellPlacesApart(t *testing.T) {
	one := harness.Target{Home: "/h/.claude", Project: "/a", Scope: "project"}
	two := harness.Target{Home: "/h/.claude", Project: "/b", Scope: "project", Version: "2", Hook: "/x", Allow: true}
	if OwnerOf("h", one) == OwnerOf("h", two) {
		t.Error("two projects are one place")
	}
	moved := two
	moved.Version, moved.Hook, moved.Allow, moved.Mode = "3", "/y", false, "http"
	if OwnerOf("h", moved) != OwnerOf("h", two) {
		t.Error("an upgrade makes another place")
	}
}

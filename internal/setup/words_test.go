package setup

import (
	"os"
	"testing"

	"turnpost/internal/harness"
)

// A text that people type is laid down, missed and taken away like any file, but
// the harness is heard without it: nothing is unheard, and a package that brings
// it too stands alone.
func TestWords(t *testing.T) {
	f := newFixture(t)
	command := f.path("commands/turnpost/watch.md")
	place := Place{Owner: "o", Entries: []harness.Entry{
		{File: command, Dialect: "file", Value: "Wait.\n", Words: true, Why: "the command /turnpost:watch"},
	}}
	d := f.setup.Drift()
	f.apply(f.setup.PlanInstall(place))
	if data, err := os.ReadFile(command); err != nil || string(data) != "Wait.\n" {
		t.Fatalf("%q, %v", data, err)
	}
	wantStates(t, f.check(CheckRequest{Place: place}), CheckRegistered)

	if err := os.Remove(command); err != nil {
		t.Fatal(err)
	}
	f.wantMissing(d)
	findings := f.check(CheckRequest{Place: place})
	wantStates(t, findings, CheckRegistered, Warning)
	if got := of(findings, CheckRegistered)[0]; got.What != "the command /turnpost:watch" || got.Hint != "turnpost setup --apply" {
		t.Errorf("%+v", got)
	}
	findings = f.check(CheckRequest{Place: place, Package: "/package"})
	wantStates(t, findings, CheckRegistered, OK)
	wantStates(t, findings, CheckForms)

	f.apply(f.setup.PlanInstall(place))
	f.apply(f.setup.PlanRemove(place))
	if _, err := os.Stat(f.path("commands")); !os.IsNotExist(err) {
		t.Errorf("after remove: %v", err)
	}
}

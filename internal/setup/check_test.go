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
	"time"

	"turnpost/internal/harness"
)

// program writes a stand-in for the hook client.
func (f *fixture) program(name, body string) string {
	f.t.Helper()
	path := filepath.Join(f.home, "bin", name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o755)); err != nil {
		f.t.Fatal(err)
	}
	return path
}

func (f *fixture) getenv(name string) string {
	return map[string]string{"HOME": f.home, "PATH": "/usr/bin:/bin"}[name]
}

func (f *fixture) check(req CheckRequest) []Finding {
	f.t.Helper()
	req.Getenv = f.getenv
	req.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + f.home}
	findings, err := f.setup.Check(context.Background(), req)
	if err != nil {
		f.t.Fatal(err)
	}
	return findings
}

func of(findings []Finding, check string) []Finding {
	return slices.DeleteFunc(slices.Clone(findings), func(f Finding) bool { return f.Check != check })
}

func wantStates(t *testing.T, findings []Finding, check string, want ...State) {
	t.Helper()
	var got []State
	for _, finding := range of(findings, check) {
		got = append(got, finding.State)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: %v, want %v: %+v", check, got, want, of(findings, check))
	}
}

// BR-12: the program moved after setup. "Registered" stays true, "runs" does not.
func TestCheckFindsAMovedProgram(t *testing.T) {
	f := newFixture(t).withSettings(plainSettings)
	hook := f.program("turnpost-hook", "cat >/dev/null")
	place := f.placeOf(hook)

	findings := f.check(CheckRequest{Place: place})
	wantStates(t, findings, CheckRegistered, Failed, Failed, Failed, Failed)
	wantStates(t, findings, CheckRuns)

	f.apply(f.setup.PlanInstall(place))
	findings = f.check(CheckRequest{Place: place})
	wantStates(t, findings, CheckRegistered, OK, OK, OK, OK)
	wantStates(t, findings, CheckRuns, OK, OK) // two different lines
	wantStates(t, findings, CheckPath, OK)     // one program

	if err := os.Rename(hook, hook+".moved"); err != nil {
		t.Fatal(err)
	}
	// A newer version would register another path: the check follows the record.
	for _, place := range []Place{place, f.placeOf(hook + ".moved")} {
		findings = f.check(CheckRequest{Place: place})
		wantStates(t, findings, CheckRuns, Failed, Failed)
		for _, finding := range of(findings, CheckRuns) {
			if !strings.HasPrefix(finding.Detail, "command does not run: there is no "+hook) {
				t.Errorf("finding %+v", finding)
			}
		}
	}
	if states := of(findings, CheckRegistered); states[4].State != Warning || !strings.Contains(states[4].Detail, "earlier setup") {
		t.Errorf("old entries: %+v", states)
	}
	f.wantSettings(f.read())
}

func TestCheckRunsTheRegisteredLine(t *testing.T) {
	tests := []struct {
		name, body, line string
		want             State
		detail           string
	}{
		{"quiet", "cat >/dev/null", "%s x || exit 0", OK, ""},
		{"gets the harmless input", `test "$(cat)" = "{}"`, "%s x", OK, ""},
		{"status", "exit 3", "%s x", Failed, "it ended with status 3"},
		{"says something on stderr", "echo 'cannot \x1b[31mopen' >&2", "%s x || exit 0", Failed, "cannot <U+001B>[31mopen"},
		{"crashes behind the guard", "echo boom >&2; kill -ABRT $$", "%s x || exit 0", Failed, "boom"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t)
			hook := f.program("turnpost-hook", tt.body)
			line := fmt.Sprintf(tt.line, ShellQuote(hook))
			place := Place{Owner: "o", Entries: []harness.Entry{hookEntry(f.settings, "Stop", handler{"command", line, 5, false})}}
			f.apply(f.setup.PlanInstall(place))
			findings := f.check(CheckRequest{Place: place})
			wantStates(t, findings, CheckRuns, tt.want)
			if got := of(findings, CheckRuns)[0].Detail; !strings.Contains(got, tt.detail) {
				t.Errorf("detail %q, want %q", got, tt.detail)
			}
		})
	}
}

// BR-04: a foreign hook whose author thought in milliseconds.
func TestCheckFlagsForeignTimeouts(t *testing.T) {
	f := newFixture(t).withSettings(`{"hooks":{"Stop":[{"hooks":[
		{"type":"command","command":"slow \u202e","timeout":15000},
		{"type":"command","command":"long","timeout":999},
		{"type":"http","url":"http://h/","timeout":1e3}]}]}}`)
	place := Place{Owner: "o", Entries: []harness.Entry{hookEntry(f.settings, "Start", handler{"command", "true", 10, false})}}
	f.apply(f.setup.PlanInstall(place))
	findings := f.check(CheckRequest{Place: place, Harness: standIn{unit: time.Second}})
	wantStates(t, findings, CheckTimeouts, Warning, Warning)
	first := of(findings, CheckTimeouts)[0]
	if first.What != "Stop: slow <U+202E>" || first.Detail != "timeout 15000 is in seconds: 4h10m0s" {
		t.Errorf("finding %+v", first)
	}
	wantStates(t, findings, CheckOthers, OK, OK, OK)
	findings = f.check(CheckRequest{Place: place, Harness: standIn{unit: time.Millisecond}})
	wantStates(t, findings, CheckTimeouts)
}

func TestCheckSeesTheOffSwitch(t *testing.T) {
	for _, value := range []string{"true", "false", `"true"`} {
		f := newFixture(t).withSettings(`{"disableAllHooks": ` + value + `}`)
		findings := f.check(CheckRequest{Place: f.place()})
		if got := len(of(findings, CheckSwitchedOn)); got != map[string]int{"true": 1}[value] {
			t.Errorf("disableAllHooks %s: %d findings", value, got)
		}
	}
}

func TestCheckOfABrokenFile(t *testing.T) {
	f := newFixture(t).withSettings("{,")
	findings := f.check(CheckRequest{Place: f.place()})
	wantStates(t, findings, CheckRegistered, Failed)
	if got := findings[0].Detail; !strings.Contains(got, "line 1, column 2") {
		t.Errorf("detail %q", got)
	}
}

// Only lines that are exactly ours are ever run.
func TestCheckRunsNothingForeign(t *testing.T) {
	f := newFixture(t)
	touched := filepath.Join(f.home, "touched")
	f.withSettings(`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"touch ` + touched + `"}]}]}}`)
	place := f.placeOf(f.program("turnpost-hook", "exit 0"))
	f.apply(f.setup.PlanInstall(place))
	f.check(CheckRequest{Place: place})
	f.wantNoFile(touched)
}

// standIn is a harness that tells what the checks ask.
type standIn struct {
	harness.Harness
	unit time.Duration
	file string
}

func (s standIn) TimeoutUnit() time.Duration       { return s.unit }
func (s standIn) MCPCommand(program string) string { return "client mcp add " + program }
func (s standIn) MCPRemove() string                { return "client mcp remove" }
func (s standIn) MCPEntry(func(string) string) (string, string, string) {
	return s.file, "json", "/mcpServers/turnpost"
}

func TestCheckReadsTheMCPRegistration(t *testing.T) {
	f := newFixture(t)
	file := filepath.Join(f.home, ".claude.json")
	tests := []struct {
		content string
		want    State
	}{
		{"", Failed},
		{"{}", Failed},
		{`{"mcpServers":{"turnpost-old":{}}}`, Failed},
		{`{"mcpServers":{"turnpost":{}}}`, OK},
		{`{"mcpServers":[]}`, Unknown},
		{`{`, Unknown},
	}
	for _, tt := range tests {
		if tt.content != "" {
			if err := os.WriteFile(file, []byte(tt.content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		findings := f.check(CheckRequest{Harness: standIn{file: file}, Turnpost: "/x/turnpost"})
		wantStates(t, findings, CheckMCP, tt.want)
		if finding := of(findings, CheckMCP)[0]; tt.want == Failed && finding.Hint != "client mcp add /x/turnpost" {
			t.Errorf("%s: hint %q", tt.content, finding.Hint)
		}
	}
}

type witness struct {
	when time.Time
	err  error
}

func (w witness) Heard(context.Context) (time.Time, bool) { return w.when, !w.when.IsZero() }
func (w witness) RingOnce(context.Context) error          { return w.err }

type truster struct {
	ok  bool
	err error
}

func (tr truster) Trusted(context.Context) (bool, string, error) { return tr.ok, "folder", tr.err }

func TestCheckAsksTheWitness(t *testing.T) {
	f := newFixture(t)
	tests := []struct {
		witness              Witness
		truster              Truster
		heard, bell, trusted State
	}{
		{nil, nil, Unknown, Unknown, Unknown},
		{witness{time.Unix(1, 0), nil}, truster{ok: true}, OK, OK, OK},
		{witness{}, truster{}, Warning, OK, Failed},
		{witness{err: fmt.Errorf("ring: %w", ErrNothingToRing)}, truster{err: errors.New("x")}, Warning, Unknown, Unknown},
		{witness{err: errors.New("no answer")}, nil, Warning, Failed, Unknown},
	}
	for _, tt := range tests {
		findings := f.check(CheckRequest{Witness: tt.witness, Truster: tt.truster})
		wantStates(t, findings, CheckHeard, tt.heard)
		wantStates(t, findings, CheckBell, tt.bell)
		wantStates(t, findings, CheckTrusted, tt.trusted)
	}
}

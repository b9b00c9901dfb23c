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
	wantStates(t, findings, CheckTimeouts, Warning)
	second := of(findings, CheckTimeouts)[0]
	if second.What != "Stop: long" || second.Detail != "timeout 999 is in milliseconds: 999ms" || second.Hint != "if seconds were meant, write 999000" {
		t.Errorf("finding %+v", second)
	}
	wantStates(t, f.check(CheckRequest{Place: place}), CheckTimeouts)
}

// Hooks stand without groups around them in some harnesses.
func TestCheckSeesForeignHooksWithoutGroups(t *testing.T) {
	f := newFixture(t).withSettings(`{"version":1,"hooks":{"stop":[{"command":"theirs","timeout":30}],"start":[1,[]]}}`)
	place := Place{Owner: "o", Entries: []harness.Entry{{
		File: f.settings, Dialect: "json", Pointer: "/hooks/stop", Value: map[string]any{"command": "true", "timeout": 10},
	}}}
	f.apply(f.setup.PlanInstall(place))
	findings := f.check(CheckRequest{Place: place, Harness: standIn{unit: time.Second}})
	wantStates(t, findings, CheckRuns, OK)
	wantStates(t, findings, CheckOthers, OK, OK, OK)
	if got := of(findings, CheckOthers)[0].What; got != "stop: theirs" {
		t.Errorf("what %q", got)
	}
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

func TestCheckAsksTheWitness(t *testing.T) {
	f := newFixture(t)
	tests := []struct {
		witness     Witness
		heard, bell State
	}{
		{nil, Unknown, Unknown},
		{witness{time.Unix(1, 0), nil}, OK, OK},
		{witness{}, Warning, OK},
		{witness{err: fmt.Errorf("ring: %w", ErrNothingToRing)}, Warning, Unknown},
		{witness{err: errors.New("no answer")}, Warning, Failed},
	}
	for _, tt := range tests {
		findings := f.check(CheckRequest{Witness: tt.witness})
		wantStates(t, findings, CheckHeard, tt.heard)
		wantStates(t, findings, CheckBell, tt.bell)
		wantStates(t, findings, CheckTrusted)
	}
}

func (s standIn) FolderTrust(_ func(string) string, dir string) []harness.Entry {
	return []harness.Entry{
		{File: s.file, Dialect: "json", Key: dir, Value: "TRUST"},
		{File: s.file, Dialect: "json", Key: filepath.Dir(dir), Value: "TRUST_BELOW"},
	}
}

// A repository that its user has not trusted runs no hook, whatever is
// registered; for the user's own settings it is not asked.
func TestCheckReadsTheTrustOfAFolder(t *testing.T) {
	f := newFixture(t)
	file := filepath.Join(f.home, "trusted.json")
	tests := []struct {
		content, folder string
		want            []State
	}{
		{`{}`, "", nil},
		{`{}`, "/src/api", []State{Warning}},
		{`{"/src/api":"TRUST"}`, "/src/api", []State{OK}},
		{`{"/src/api":"NO"}`, "/src/api", []State{Warning}},
		{`{"/src":"TRUST_BELOW"}`, "/src/api", []State{OK}},
		{`{"/src":"TRUST"}`, "/src/api", []State{Warning}},
		{`{`, "/src/api", []State{Warning}},
	}
	for _, tt := range tests {
		if err := os.WriteFile(file, []byte(tt.content), 0o600); err != nil {
			t.Fatal(err)
		}
		findings := f.check(CheckRequest{Harness: standIn{file: file}, Folder: tt.folder})
		wantStates(t, findings, CheckTrusted, tt.want...)
	}
}

// What is no command line for a shell is not run: its programs are looked at.
func TestCheckLooksAtTheProgramsOfOtherShapes(t *testing.T) {
	f := newFixture(t)
	f.withForeign()
	hook, program := f.program("turnpost-hook", "exit 3"), f.program("turn \"post\"", "exit 3")
	place := Place{Owner: "o", Entries: []harness.Entry{
		{File: f.path("plugin.js"), Dialect: "file", Value: "spawn(" + quoteJSON(hook) + ")\n"},
		{File: f.path("mcp.json"), Dialect: "json", Pointer: "/mcpServers", Key: "turnpost", Value: map[string]any{"command": program, "args": []string{"mcp"}}},
		{File: f.path("other.js"), Dialect: "file", Value: "spawn(" + quoteJSON(hook) + ", " + quoteJSON(program) + ")\n"},
		{File: f.path("settings.jsonc"), Dialect: "jsonc", Pointer: "/hooks/stop", Value: map[string]any{"command": "true || " + ShellQuote(hook)}},
	}}
	f.apply(f.setup.PlanInstall(place))
	req := CheckRequest{Place: place, Hook: hook, Turnpost: program}
	findings := f.check(req)
	wantStates(t, findings, CheckRegistered, OK, OK, OK, OK)
	wantStates(t, findings, CheckRuns, OK, OK, OK) // two programs, and the line of the hook without a group
	wantStates(t, findings, CheckPath, OK, OK)
	if err := os.Remove(hook); err != nil {
		t.Fatal(err)
	}
	findings = f.check(req)
	wantStates(t, findings, CheckRuns, Failed, OK, Failed)
	if got := of(findings, CheckRuns)[0].Detail; got != "there is no "+hook {
		t.Errorf("detail %q", got)
	}
}

// A hook without a group around it is ours by its command too.
func TestAHookWithoutAGroup(t *testing.T) {
	value := Value{Pointer: "/hooks/stop", JSON: []byte(`{"command":"x","timeout":10}`)}
	for doc, want := range map[string]Presence{
		`{"hooks":{"stop":[{"command":"x","timeout":10}]}}`:                 Exact,
		`{"hooks":{"stop":[{"command":"x"},{"timeout":10,"command":"x"}]}}`: Exact,
		`{"hooks":{"stop":[{"command":"x","timeout":60}]}}`:                 Changed,
		`{"hooks":{"stop":[{"command":"x y","timeout":10}]}}`:               Absent,
		`{"hooks":{"stop":[{"command":"x","args":[],"timeout":10}]}}`:       Absent,
	} {
		got, err := jsonEditor{}.Find([]byte(doc), []Value{value})
		if err != nil || got[0] != want {
			t.Errorf("%s: found %v, %v; want %v", doc, got, err, want)
		}
	}
}

func (standIn) Package() []harness.PackageFile                   { return nil }
func (standIn) PackageSigns(func(string) string) []harness.Entry { return nil }
func (standIn) PackageInstall() string                           { return "client add" }
func (standIn) PackageRemove() string                            { return "client remove" }

// A package does what the entries would; both are one too many.
func TestCheckKnowsPackages(t *testing.T) {
	f := newFixture(t).withSettings(plainSettings)
	place := f.placeOf(f.program("turnpost-hook", "cat >/dev/null"))
	req := CheckRequest{Place: place, Harness: standIn{file: filepath.Join(f.home, "x.json")}, Package: "/p/plugins.json"}
	findings := f.check(req)
	wantStates(t, findings, CheckRegistered, OK)
	wantStates(t, findings, CheckForms)
	wantStates(t, findings, CheckMCP) // the package brings it
	if got := of(findings, CheckRegistered)[0]; got.What != "as a package" || got.Detail != "in /p/plugins.json" {
		t.Errorf("finding %+v", got)
	}
	f.apply(f.setup.PlanInstall(place))
	findings = f.check(req)
	wantStates(t, findings, CheckRegistered, OK, OK, OK, OK)
	wantStates(t, findings, CheckForms, Warning)
	if got := of(findings, CheckForms)[0]; !strings.Contains(got.What, "/p/plugins.json") || got.Hint != "remove the package: client remove" {
		t.Errorf("finding %+v", got)
	}
	req.Package = ""
	wantStates(t, f.check(req), CheckForms)
}

func TestHolds(t *testing.T) {
	f := newFixture(t)
	f.withForeign()
	entry := func(file, dialect, pointer, key string, value any) harness.Entry {
		return harness.Entry{File: f.path(file), Dialect: dialect, Pointer: pointer, Key: key, Value: value}
	}
	server := map[string]string{"command": "x"}
	for _, tt := range []struct {
		entry harness.Entry
		want  bool
	}{
		{entry("mcp.json", "json", "/mcpServers", "other", server), true},
		{entry("mcp.json", "json", "/mcpServers", "other", map[string]string{"command": "y"}), false},
		{entry("config.toml", "toml", "/mcp_servers", "other", server), true},
		{entry("config.toml", "toml", "/mcp_servers", "none", server), false},
		{entry("settings.jsonc", "jsonc", "", "theme", "dark"), true},
		{entry("config.toml", "file", "", "", nil), true},
		{entry("none", "file", "", "", nil), false},
		{entry("config.toml", "json", "", "theme", "dark"), false}, // cannot be read
	} {
		file := Holds([]harness.Entry{entry("none", "json", "", "x", 1), tt.entry})
		if (file == tt.entry.File) != tt.want {
			t.Errorf("%+v: %q", tt.entry, file)
		}
	}
}

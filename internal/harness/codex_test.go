package harness_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"turnpost"
	"turnpost/internal/harness"
)

func codex(t *testing.T) harness.Harness {
	t.Helper()
	h, ok := harness.Find("codex")
	if !ok {
		t.Fatal("no codex")
	}
	return h
}

func TestCodexInstallVersions(t *testing.T) {
	for version, want := range map[string]string{
		"0.116.0": "",
		"0.125.0": "SessionStart UserPromptSubmit PreToolUse PostToolUse PermissionRequest Stop",
		"0.134.0": "SessionStart UserPromptSubmit PreToolUse PostToolUse PermissionRequest PreCompact PostCompact SubagentStart SubagentStop Stop",
		"0.145.0": "SessionStart UserPromptSubmit PreToolUse PostToolUse PermissionRequest PreCompact PostCompact SubagentStart SubagentStop Stop SessionEnd",
		"":        "SessionStart UserPromptSubmit PreToolUse PostToolUse PermissionRequest PreCompact PostCompact SubagentStart SubagentStop Stop Interrupt SessionEnd",
		"0.163.0": "SessionStart UserPromptSubmit PreToolUse PostToolUse PermissionRequest PreCompact PostCompact SubagentStart SubagentStop Stop Interrupt SessionEnd",
		"0.164.0": "SessionStart UserPromptSubmit PreToolUse PostToolUse PermissionRequest PostModelRequest PreCompact PostCompact SubagentStart SubagentStop Stop Interrupt SessionEnd",
		"1.0.0":   "SessionStart UserPromptSubmit PreToolUse PostToolUse PermissionRequest PostModelRequest PreCompact PostCompact SubagentStart SubagentStop Stop Interrupt SessionEnd",
	} {
		entries := codex(t).Install(harness.Target{Home: "/h", Scope: "user", Mode: "command", Version: version, Hook: "/x"})
		if diff := cmp.Diff(strings.Fields(want), events(entries)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", version, diff)
		}
	}
	for _, target := range []harness.Target{{Scope: "local", Mode: "command"}, {Scope: "user", Mode: "http"}} {
		if entries := codex(t).Install(target); len(entries) > 0 {
			t.Errorf("%+v: %v", target, entries)
		}
	}
}

// The whole of what setup writes, with the reviews, as golden files.
func TestCodexInstall(t *testing.T) {
	for name, target := range map[string]harness.Target{
		"user":    {Home: "/home/dev/.codex", Scope: "user", Mode: "command", Version: "0.171.0", Hook: "/home/dev/.local/bin/turnpost-hook", Allow: true},
		"project": {Home: "/home/dev/.codex", Project: "/home/dev/repo", Scope: "project", Mode: "command", Version: "0.145.0", Hook: "/opt/turnpost"},
	} {
		t.Run(name, func(t *testing.T) {
			entries := codex(t).Install(target)
			for i, e := range hooks(entries) {
				checkCodexGroup(t, e)
				review, ok := codex(t).(harness.Reviewer).Review(target, e, i, sum)
				if !ok || review.File != "/home/dev/.codex/config.toml" {
					t.Errorf("%s: review %t in %s", e.Pointer, ok, review.File)
				}
				entries = append(entries, review)
			}
			got, err := json.MarshalIndent(entries, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			compare(t, filepath.Join("testdata", "install"), "codex-"+name+".json", append(got, '\n'))
		})
	}
}

// sum makes hashes that can be told from one another; the true ones have a test
// of their own.
func sum(data []byte) (sum [32]byte) {
	copy(sum[:], data[len(data)-40:])
	return sum
}

// checkCodexGroup: the unit of a timeout is a second, and one above 3 s makes
// Codex complain of an ending.
func checkCodexGroup(t *testing.T, e harness.Entry) {
	t.Helper()
	var group struct{ Hooks []struct{ Timeout int } }
	data, err := json.Marshal(e.Value)
	if err != nil || json.Unmarshal(data, &group) != nil || len(group.Hooks) != 1 {
		t.Fatalf("%s: %s, %v", e.Pointer, data, err)
	}
	want := 10 * time.Second
	if e.Pointer == "/hooks/SessionEnd" || e.Pointer == "/hooks/Interrupt" {
		want = 2 * time.Second
	}
	if got := time.Duration(group.Hooks[0].Timeout) * codex(t).(harness.Timed).TimeoutUnit(); got != want {
		t.Errorf("%s: timeout of %s, want %s", e.Pointer, got, want)
	}
}

func TestCodexReviewsItsOwnHooksOnly(t *testing.T) {
	target := harness.Target{Home: "/h", Scope: "user", Mode: "command", Hook: "/x"}
	reviewer := codex(t).(harness.Reviewer)
	for _, e := range []harness.Entry{
		{},
		{Pointer: "/hooks/Stop", Value: "x"},
		{Pointer: "/hooks/Nothing", Value: codex(t).Install(target)[0].Value},
	} {
		if review, ok := reviewer.Review(target, e, 0, sum); ok {
			t.Errorf("%+v: %+v", e, review)
		}
	}
	if reviewer.HowToReview() == "" {
		t.Error("does not say how to review")
	}
}

// A registered line runs wherever the program lies, nothing in its path is
// expanded, and whatever becomes of the program, Codex sees a quiet 0: of a Stop
// hook it shows standard error too. It is one line for all events: its text is
// what was reviewed.
func TestCodexRegisteredLine(t *testing.T) {
	for _, home := range []string{"plain", "With Space", "o'brien", "$(id)", "a`id`b", "semi;colon"} {
		dir := filepath.Join(t.TempDir(), home)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		hook := filepath.Join(dir, "turnpost-hook")
		if err := os.WriteFile(hook, []byte("#!/bin/sh\ncat\necho \"$1\"\nexit \"$STATUS\"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		line := codexLine(t, hook)
		for _, status := range []string{"0", "1", "2", "86", "134"} {
			if out, code := runLine(t, line, status); out != "in codex\n" || code != 0 {
				t.Errorf("%s: %q, %d with status %s", line, out, code, status)
			}
		}
		if err := os.Remove(hook); err != nil {
			t.Fatal(err)
		}
		if out, code := runLine(t, line, "0"); out != "" || code != 0 {
			t.Errorf("%s: %q, %d without the program", line, out, code)
		}
	}
}

// codexLine is the one line of all entries.
func codexLine(t *testing.T, hook string) string {
	t.Helper()
	lines := make(map[string]bool)
	line := ""
	for _, e := range hooks(codex(t).Install(harness.Target{Home: "/h", Scope: "user", Mode: "command", Version: "0.171.0", Hook: hook})) {
		var group struct{ Hooks []struct{ Command string } }
		data, err := json.Marshal(e.Value)
		if err != nil || json.Unmarshal(data, &group) != nil {
			t.Fatalf("%s, %v", data, err)
		}
		line = group.Hooks[0].Command
		lines[line] = true
	}
	if len(lines) != 1 {
		t.Fatalf("lines: %v", lines)
	}
	return line
}

func runLine(t *testing.T, line, status string) (out string, code int) {
	t.Helper()
	cmd := exec.Command("bash", "-c", line)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "STATUS=" + status}
	cmd.Stdin = strings.NewReader("in ")
	said, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(said), cmd.ProcessState.ExitCode()
}

func TestCodexProgram(t *testing.T) {
	p := codex(t).(harness.Program)
	for output, want := range map[string]string{
		"codex-cli 0.171.0\n": "0.171.0", "codex-cli 0.172.0-alpha.3": "0.172.0", "WARNING: x\ncodex-cli 0.171.0\n": "0.171.0",
		"": "", "0.171.0": "", "codex-cli 0.171": "",
	} {
		if got := p.Version(output); got != want {
			t.Errorf("%q: %q, want %q", output, got, want)
		}
	}
	for _, c := range []struct{ config, home, want string }{
		{"", "/home/dev", "/home/dev/.codex"},
		{"/srv/codex/", "/home/dev", "/srv/codex"},
		{"relative", "/home/dev", "/home/dev/.codex"},
		{"", "", ""},
	} {
		env := testEnv(map[string]string{"CODEX_HOME": c.config, "HOME": c.home})
		if got := p.Home(env.Getenv); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
	if got := codex(t).(harness.Resumer).Resume("01a230c1-f21e"); got != "codex resume '01a230c1-f21e'" {
		t.Error(got)
	}
}

func TestCodexMCP(t *testing.T) {
	m := codex(t).(harness.MCPClient)
	if got := m.MCPCommand("/o'b x/turnpost"); got != `codex mcp add turnpost -- '/o'\''b x/turnpost' mcp` {
		t.Error(got)
	}
	file, dialect, pointer := m.MCPEntry(testEnv(map[string]string{"HOME": "/home/dev"}).Getenv)
	if file != "/home/dev/.codex/config.toml" || dialect != "toml" || pointer != "/mcp_servers/turnpost" {
		t.Errorf("%s %s %s", file, dialect, pointer)
	}
}

func TestCodexRing(t *testing.T) {
	q := codex(t).(harness.Queuer)
	args, env := q.RingCommand(turnpost.Wake{Key: "01a230c1", At: "/home/dev/codex home"})
	if diff := cmp.Diff([]string{"queue", "--thread", "01a230c1", "--message", harness.Poke}, args); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"CODEX_HOME=/home/dev/codex home"}, env); diff != "" {
		t.Error(diff)
	}
	if _, env := q.RingCommand(turnpost.Wake{Key: "01a230c1"}); len(env) > 0 {
		t.Errorf("environment %q for a home that is not known", env)
	}
}

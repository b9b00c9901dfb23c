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

	"turnpost/internal/harness"
)

func copilot(t *testing.T) harness.Harness {
	t.Helper()
	h, ok := harness.Find("copilot")
	if !ok {
		t.Fatal("no copilot")
	}
	return h
}

// What setup writes, but for the extension's code.
func TestCopilotInstall(t *testing.T) {
	target := harness.Target{
		Home: "/home/dev/.copilot", Scope: "user", Mode: "command", Version: "1.0.102", Allow: true,
		Hook: "/home/o'dev/.local/bin/turnpost-hook", Program: "/home/o'dev/.local/bin/turnpost",
	}
	entries := copilot(t).Install(target)
	got, err := json.MarshalIndent(withoutCode(entries), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	compare(t, filepath.Join("testdata", "install"), "copilot-user.json", append(got, '\n'))
	for _, other := range []harness.Target{
		{Home: "/h", Scope: "project", Mode: "command"}, {Home: "/h", Scope: "local", Mode: "command"}, {Home: "/h", Scope: "user", Mode: "http"},
	} {
		if entries := copilot(t).Install(other); len(entries) > 0 {
			t.Errorf("%+v: %v", other, entries)
		}
	}
}

// withoutCode cuts what is the same at every setup out of plugins.
func withoutCode(entries []harness.Entry) []harness.Entry {
	for i, e := range entries {
		text, ok := e.Value.(string)
		if before, rest, found := strings.Cut(text, "\nconst turnpostSetup = "); ok && found {
			first, _, _ := strings.Cut(before, "\n")
			setup, _, _ := strings.Cut(rest, "\n")
			entries[i].Value = first + "\n...\nconst turnpostSetup = " + setup + "\n..."
		}
	}
	return entries
}

// copilotHooks reads the file of hooks that setup writes.
func copilotHooks(t *testing.T, target harness.Target) map[string]string {
	t.Helper()
	var file struct {
		Version int
		Hooks   map[string][]struct {
			Type, Bash string
			TimeoutSec int
		}
	}
	for _, e := range copilot(t).Install(target) {
		if filepath.Base(e.File) == "turnpost.json" {
			if err := json.Unmarshal([]byte(e.Value.(string)), &file); err != nil {
				t.Fatalf("%v: %s", err, e.Value)
			}
		}
	}
	unit := copilot(t).(harness.Timed).TimeoutUnit()
	lines := map[string]string{}
	for event, hooks := range file.Hooks {
		if len(hooks) != 1 || hooks[0].Type != "command" || time.Duration(hooks[0].TimeoutSec)*unit != 10*time.Second {
			t.Errorf("%s: %+v", event, hooks)
		}
		lines[event] = hooks[0].Bash
	}
	if file.Version != 1 || len(lines) == 0 {
		t.Fatalf("version %d, %d hooks", file.Version, len(lines))
	}
	return lines
}

// preToolUse denies every tool when its hook fails: whatever becomes of our
// program, a line ends with 0, and it names its event.
func TestCopilotRegisteredLines(t *testing.T) {
	for _, home := range []string{"plain", "With Space", "o'brien", "$(id)", "a`id`b", `back\slash"quote`} {
		dir := filepath.Join(t.TempDir(), home)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		hook := filepath.Join(dir, "turnpost-hook")
		lines := copilotHooks(t, harness.Target{Home: "/h", Scope: "user", Mode: "command", Hook: hook})
		check := func(status, want string) {
			t.Helper()
			for event, line := range lines {
				cmd := exec.Command("bash", "-c", line)
				cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "STATUS=" + status}
				cmd.Stdin = strings.NewReader("in ")
				out, err := cmd.Output()
				if diff := cmp.Diff(strings.ReplaceAll(want, "EVENT", event), string(out)); err != nil || diff != "" {
					t.Errorf("%s with status %s: %v, printed (-want +got):\n%s", line, status, err, diff)
				}
			}
		}
		check("missing", "")
		script := "#!/bin/sh\ncat\necho \"$1 $TURNPOST_EVENT\"\nexit \"$STATUS\"\n"
		if err := os.WriteFile(hook, []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		for _, status := range []string{"0", "1", "2", "86", "134"} {
			check(status, "in copilot EVENT\n")
		}
	}
}

func TestCopilotProgram(t *testing.T) {
	p := copilot(t).(harness.Program)
	for output, want := range map[string]string{
		"GitHub Copilot CLI 1.0.102.\nRun 'copilot update' to check for updates.\n": "1.0.102",
		"GitHub Copilot CLI 1.0.102-3.":                                             "1.0.102", "1.0.102": "", "": "", "GitHub Copilot CLI x": "",
	} {
		if got := p.Version(output); got != want {
			t.Errorf("%q: %q, want %q", output, got, want)
		}
	}
	for _, c := range []struct{ own, home, want string }{
		{"", "/home/dev", "/home/dev/.copilot"}, {"/srv/copilot/", "/home/dev", "/srv/copilot"}, {"relative", "/home/dev", "/home/dev/.copilot"}, {"", "", ""},
	} {
		env := testEnv(map[string]string{"COPILOT_HOME": c.own, "HOME": c.home})
		if got := p.Home(env.Getenv); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
	file, dialect, pointer := copilot(t).(harness.MCPClient).MCPEntry(testEnv(map[string]string{"HOME": "/home/dev"}).Getenv)
	if file != "/home/dev/.copilot/mcp-config.json" || dialect != "json" || pointer != "/mcpServers/turnpost" {
		t.Errorf("%s %s %s", file, dialect, pointer)
	}
}

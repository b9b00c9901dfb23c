package harness_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
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

func claude(t *testing.T) harness.Harness {
	t.Helper()
	h, ok := harness.Find("claude-code")
	if !ok {
		t.Fatal("no claude-code")
	}
	return h
}

// Ids become file names and messages: hostile ones are refused with the name
// of the field (CVE-2026-31975, CVE-2026-96620).
func TestClaudeSessionIDs(t *testing.T) {
	h := claude(t)
	for id, want := range map[string]bool{
		"00000001-aaaa-4bbb-8ccc-dddddddddddd": true, "s1": true, "S_1": true,
		"": false, "--resume=x": false, "-o": false, "$(touch x)": false, "a;b": false, "a b": false, "a\nb": false,
		"../..": false, "a/b": false, "a.b": false, "名": false, "a\x00b": false, strings.Repeat("a", 128): true,
		strings.Repeat("a", 10_000): false,
	} {
		in, err := json.Marshal(map[string]string{"hook_event_name": "Stop", "session_id": id})
		if err != nil {
			t.Fatal(err)
		}
		_, err = h.Decode(bytes.NewReader(in), testEnv(nil))
		if want != (err == nil) {
			t.Errorf("%.40q: %v", id, err)
		}
		var coded *turnpost.Error
		if err != nil && (!errors.As(err, &coded) || coded.Code != turnpost.Invalid || coded.Field != "session_id") {
			t.Errorf("%.40q: the error does not name the field: %v", id, err)
		}
	}
}

// The last of two equal keys must not win, nor one in another case
// (CVE-2026-27896).
func TestClaudeKeys(t *testing.T) {
	h := claude(t)
	for in, want := range map[string]string{
		`{"hook_event_name":"Stop","session_id":"s1","session_id":"s2"}`:             "",
		`{"hook_event_name":"Stop","session_id":"s1","session\u005fid":"s2"}`:        "",
		`{"hook_event_name":"Stop","hook_event_name":"SessionEnd","session_id":"a"}`: "",
		`{"hook_event_name":"Stop","session_id":"s1","SESSION_ID":"s2"}`:             "s1",
		`{"hook_event_name":"Stop","session_id":"s1","session_id\u0000":"s2"}`:       "s1",
		`{"hook_event_name":"Stop","session\u005fid":"s1"}`:                          "s1",
		` {"hook_event_name":"Stop","session_id":"s1"}{"session_id":"s2"}`:           "s1",
		`{"hook_event_name":"Stop","session_id":"s1"} and then something`:            "s1",
	} {
		e, err := h.Decode(strings.NewReader(in), testEnv(nil))
		if (err == nil) != (want != "") || e.Native != want {
			t.Errorf("%s: %q, %v", in, e.Native, err)
		}
	}
}

// BR-05: the document is decoded when it is complete, not when the stream ends.
func TestClaudeDecodeDoesNotWaitForTheEnd(t *testing.T) {
	in, w := io.Pipe() // a second read would block for ever
	go io.WriteString(w, `{"hook_event_name":"Stop","session_id":"s1","x":{"a":[1]}}`)
	e, err := claude(t).Decode(in, testEnv(nil))
	if err != nil || e.Kind != turnpost.TurnEnd {
		t.Errorf("%+v, %v", e, err)
	}
}

// A reader's own error comes through, for the route that caps bodies.
func TestClaudeDecodeKeepsReaderErrors(t *testing.T) {
	broken := errors.New("broken")
	in := io.MultiReader(strings.NewReader(`{"hook_event`), errReader{broken})
	if _, err := claude(t).Decode(in, testEnv(nil)); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }

// Two hooks that get one event give one digest; another event another.
func TestClaudeDigest(t *testing.T) {
	h := claude(t)
	one := `{"hook_event_name":"Stop","session_id":"s1","prompt_id":"p1"}`
	digest := func(in string) string {
		e, err := h.Decode(strings.NewReader(in), testEnv(nil))
		if err != nil || e.Digest == "" || len(e.Digest) > 64 {
			t.Fatalf("%q: %q, %v", in, e.Digest, err)
		}
		return e.Digest
	}
	if digest(one) != digest(one+"\n") {
		t.Error("what follows the document changes the digest")
	}
	if digest(one) == digest(strings.Replace(one, "p1", "p2", 1)) {
		t.Error("another prompt has the same digest")
	}
}

// Which events are registered depends on the version: an unknown name makes
// old clients drop the whole file and new ones ask at every start.
func TestClaudeInstallVersions(t *testing.T) {
	for version, want := range map[string]string{
		"1.0.30":  "",
		"1.0.62":  "SessionStart UserPromptSubmit PreToolUse PostToolUse Notification Stop SubagentStop PreCompact",
		"2.1.77":  "SessionStart UserPromptSubmit PreToolUse PostToolUse PermissionRequest Notification Stop SubagentStart SubagentStop PreCompact PostCompact SessionEnd",
		"2.1.83":  "SessionStart UserPromptSubmit PreToolUse PostToolUse PostToolUseFailure PermissionRequest Notification Stop StopFailure SubagentStart SubagentStop PreCompact PostCompact SessionEnd CwdChanged FileChanged",
		"":        "SessionStart UserPromptSubmit PreToolUse PostToolUse PostToolUseFailure PermissionRequest Notification Stop StopFailure SubagentStart SubagentStop PreCompact PostCompact SessionEnd CwdChanged FileChanged",
		"2.1.332": "SessionStart UserPromptSubmit PreToolUse PostToolBatch PostToolUseFailure PermissionRequest Notification Stop StopFailure SubagentStart SubagentStop PreCompact PostCompact SessionEnd CwdChanged FileChanged",
		"3.0.0":   "SessionStart UserPromptSubmit PreToolUse PostToolBatch PostToolUseFailure PermissionRequest Notification Stop StopFailure SubagentStart SubagentStop PreCompact PostCompact SessionEnd CwdChanged FileChanged",
	} {
		entries := claude(t).Install(harness.Target{Home: "/h", Scope: "user", Version: version, Hook: "/x"})
		if diff := cmp.Diff(strings.Fields(want), events(entries)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", version, diff)
		}
	}
}

func events(entries []harness.Entry) []string {
	names := []string{}
	for _, e := range entries {
		if name, ok := strings.CutPrefix(e.Pointer, "/hooks/"); ok {
			names = append(names, name)
		}
	}
	return names
}

// The whole of what setup writes, as a golden file.
func TestClaudeInstall(t *testing.T) {
	for name, target := range map[string]harness.Target{
		"user":    {Home: "/home/dev/.claude", Scope: "user", Mode: "command", Version: "2.1.332", Hook: "/home/dev/.local/bin/turnpost-hook", Allow: true},
		"local":   {Home: "/home/dev/.claude", Project: "/home/dev/repo", Scope: "local", Mode: "command", Version: "2.1.92", Hook: "/opt/turnpost-hook"},
		"project": {Home: "/home/dev/.claude", Project: "/home/dev/repo", Scope: "project", Mode: "http", Version: "2.1.332", HubURL: "http://127.0.0.1:21584"},
	} {
		t.Run(name, func(t *testing.T) {
			entries := claude(t).Install(target)
			got, err := json.MarshalIndent(entries, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			compare(t, filepath.Join("testdata", "install"), "claude-code-"+name+".json", append(got, '\n'))
			for _, e := range entries {
				checkTimeout(t, e)
			}
		})
	}
}

// BR-04: the unit is a second. 5000 would be 83 minutes.
func checkTimeout(t *testing.T, e harness.Entry) {
	t.Helper()
	data, err := json.Marshal(e.Value)
	if err != nil {
		t.Fatal(err)
	}
	var group struct{ Hooks []struct{ Timeout int } }
	if e.Pointer == "/permissions/allow" || json.Unmarshal(data, &group) != nil {
		return
	}
	if len(group.Hooks) != 1 || group.Hooks[0].Timeout != 10 || group.Hooks[0].Timeout >= 120 {
		t.Errorf("%s: timeout of %s", e.Pointer, data)
	}
	if unit := claude(t).(harness.Timed).TimeoutUnit(); time.Duration(group.Hooks[0].Timeout)*unit != 10*time.Second {
		t.Errorf("%s: %d × %s", e.Pointer, group.Hooks[0].Timeout, unit)
	}
}

// BR-13: registered lines run under sh and bash wherever the program lies, and
// nothing in its path is expanded. Whatever the program's exit status is, the
// harness sees 0, and from the bell's line 2 for our private status alone.
func TestClaudeRegisteredLines(t *testing.T) {
	for _, home := range []string{"plain", "With Space", "o'brien", "$(id)", "ünïcödé 名", "a`id`b", "semi;colon", "-dash", `back\slash"quote`} {
		dir := filepath.Join(t.TempDir(), home)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		hook := filepath.Join(dir, "turnpost-hook")
		script := "#!/bin/sh\ncat\necho \"$1\"\nexit \"$STATUS\"\n"
		if err := os.WriteFile(hook, []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		stop, bell := lines(t, hook)
		for _, shell := range []string{"sh", "bash"} {
			for status, want := range map[string][2]int{"0": {0, 0}, "1": {0, 0}, "2": {0, 0}, "86": {0, 2}, "126": {0, 0}, "134": {0, 0}} {
				for i, line := range []string{stop, bell} {
					cmd := exec.Command(shell, "-c", line)
					cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "STATUS=" + status}
					cmd.Stdin = strings.NewReader("in ")
					out, err := cmd.Output()
					if cmd.ProcessState == nil {
						t.Fatal(err)
					}
					if got := cmd.ProcessState.ExitCode(); got != want[i] {
						t.Errorf("%s -c %s: %d with status %s, want %d", shell, line, got, status, want[i])
					}
					if string(out) != "in claude-code\n" {
						t.Errorf("%s -c %s: printed %q", shell, line, out)
					}
				}
			}
		}
	}
}

// lines returns the line of Stop and that of the bell.
func lines(t *testing.T, hook string) (stop, bell string) {
	t.Helper()
	for _, e := range hooks(claude(t).Install(harness.Target{Home: "/h", Scope: "user", Version: "2.1.332", Hook: hook})) {
		data, err := json.Marshal(e.Value)
		if err != nil {
			t.Fatal(err)
		}
		var group struct{ Hooks []struct{ Command string } }
		if err := json.Unmarshal(data, &group); err != nil {
			t.Fatal(err)
		}
		switch e.Pointer {
		case "/hooks/Stop":
			stop = group.Hooks[0].Command
		case "/hooks/FileChanged":
			bell = group.Hooks[0].Command
		}
	}
	if stop == "" || bell == "" {
		t.Fatal("no line for Stop or FileChanged")
	}
	return stop, bell
}

func TestClaudeProgram(t *testing.T) {
	p := claude(t).(harness.Program)
	for output, want := range map[string]string{
		"2.1.332 (Claude Code)\n": "2.1.332", "2.1.332-beta.1 (Claude Code)": "2.1.332",
		"": "", "command not found": "", "2.1 (Claude Code)": "", "claude 2.1.332": "", "99999999999999999999.1.1 (Claude Code)": "",
	} {
		if got := p.Version(output); got != want {
			t.Errorf("%q: %q, want %q", output, got, want)
		}
	}
	for _, c := range []struct{ config, home, want string }{
		{"", "/home/dev", "/home/dev/.claude"},
		{"/srv/claude/", "/home/dev", "/srv/claude"},
		{"relative", "/home/dev", "/home/dev/.claude"},
		{"", "", ""},
	} {
		env := testEnv(map[string]string{"CLAUDE_CONFIG_DIR": c.config, "HOME": c.home})
		if got := p.Home(env.Getenv); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

func TestClaudeMCP(t *testing.T) {
	m := claude(t).(harness.MCPClient)
	want := `claude mcp add-json --scope user turnpost '{"type":"stdio","command":"/o'\''b x/turnpost","args":["mcp"],"alwaysLoad":true}'`
	if got := m.MCPCommand("/o'b x/turnpost"); got != want {
		t.Errorf("%s", got)
	}
	env := map[string]string{"HOME": "/home/dev"}
	file, dialect, pointer := m.MCPEntry(testEnv(env).Getenv)
	if file != "/home/dev/.claude.json" || dialect != "json" || pointer != "/mcpServers/turnpost" {
		t.Errorf("%s %s", file, pointer)
	}
	env["CLAUDE_CONFIG_DIR"] = "/c"
	if file, _, _ := m.MCPEntry(testEnv(env).Getenv); file != "/c/.claude.json" {
		t.Errorf("%s", file)
	}
}

func TestClaudeRegistry(t *testing.T) {
	r := claude(t).(harness.Registrar)
	since := time.UnixMilli(1796100000123).UTC()
	for in, want := range map[string]harness.RegistryState{
		`{"pid":42,"procStart":"77","sessionId":"s1","status":"busy","statusUpdatedAt":1796100000123,"more":{}}`: {
			Pid: 42, Start: "77", Live: turnpost.Live{Native: "s1", State: turnpost.StateWorking, Since: since},
		},
		`{"status":"idle"}`:  {Live: turnpost.Live{State: turnpost.StateIdle}},
		`{"status":"shell"}`: {Live: turnpost.Live{State: turnpost.StateIdle}},
		`{"status":"waiting","waitingFor":"permission prompt"}`:                      {Live: turnpost.Live{State: turnpost.StateWaiting, Wants: turnpost.WantPermission}},
		`{"status":"waiting","waitingFor":"input needed"}`:                           {Live: turnpost.Live{State: turnpost.StateWaiting, Wants: turnpost.WantAnswer}},
		`{"status":"waiting","waitingFor":"dialog open"}`:                            {},
		`{"status":"waiting"}`:                                                       {},
		`{"status":"asleep","pid":"42","sessionId":["s1"],"statusUpdatedAt":-1}`:     {},
		`{"pid":99999999999999999999,"statusUpdatedAt":1e400,"sessionId":"../../x"}`: {},
		`{}`: {},
	} {
		got, err := r.Registry([]byte(in))
		if err != nil {
			t.Errorf("%s: %v", in, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", in, diff)
		}
	}
	for _, in := range []string{"", "[]", "{", "null", `{"pid":1,"pid":2}`} {
		if got, err := r.Registry([]byte(in)); err == nil {
			t.Errorf("%q: %+v", in, got)
		}
	}
}

package harness_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"turnpost"
	"turnpost/internal/harness"
)

func gemini(t *testing.T) harness.Harness {
	t.Helper()
	h, ok := harness.Find("gemini")
	if !ok {
		t.Fatal("no gemini")
	}
	return h
}

// registered is a hook as settings have it.
type registered struct {
	Name, Type, Command string
	Timeout             int
	Async               bool
}

// hookOf is the one hook of an entry's group.
func hookOf(t *testing.T, e harness.Entry) registered {
	t.Helper()
	data, err := json.Marshal(e.Value)
	if err != nil {
		t.Fatal(err)
	}
	var group struct{ Hooks []registered }
	if err := json.Unmarshal(data, &group); err != nil || len(group.Hooks) != 1 {
		t.Fatalf("%s: %v", data, err)
	}
	return group.Hooks[0]
}

// The whole of what setup writes, as golden files. The unit is a millisecond: 10
// would end every hook at once.
func TestGeminiInstall(t *testing.T) {
	for name, target := range map[string]harness.Target{
		"user":    {Home: "/home/dev/.gemini", Scope: "user", Mode: "command", Version: "0.61.0", Hook: "/home/dev/.local/bin/turnpost-hook"},
		"project": {Home: "/home/dev/.gemini", Project: "/home/dev/repo", Scope: "project", Mode: "command", Hook: "/opt/turnpost"},
	} {
		t.Run(name, func(t *testing.T) {
			entries := gemini(t).Install(target)
			got, err := json.MarshalIndent(entries, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			compare(t, filepath.Join("testdata", "install"), "gemini-"+name+".json", append(got, '\n'))
			unit := gemini(t).(harness.Timed).TimeoutUnit()
			for _, e := range hooks(entries) {
				hook, want := hookOf(t, e), 10*time.Second
				if e.Pointer == "/hooks/SessionEnd" {
					want = 2 * time.Second
				}
				if took := time.Duration(hook.Timeout) * unit; took != want || hook.Name != "turnpost" || e.Dialect != "jsonc" {
					t.Errorf("%s in %s: %s, %+v", e.Pointer, e.Dialect, took, hook)
				}
			}
		})
	}
	for _, target := range []harness.Target{{Scope: "local", Mode: "command"}, {Scope: "user", Mode: "http"}} {
		if entries := gemini(t).Install(target); len(entries) > 0 {
			t.Errorf("%+v: %v", target, entries)
		}
	}
}

// Gemini takes any status but 0 and 1 for a refusal, and any text for one too:
// whatever becomes of the program, the line says nothing and ends with 0.
func TestQuietLine(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "it's $HOME; a \"place\"")
	if err := os.MkdirAll(filepath.Join(dir, "directory"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string]struct {
		mode os.FileMode
		text string
	}{
		"crashes":           {0o755, "#!/bin/sh\necho panic: oops >&2\nexit 2\n"},
		"says and crashes":  {0o755, "#!/bin/sh\necho '{\"decision\":\"deny\"' >&2\nexit 127\n"},
		"is killed":         {0o755, "#!/bin/sh\nkill -ABRT $$\n"},
		"not executable":    {0o644, "#!/bin/sh\necho '{\"decision\":\"deny\"}'\n"},
		"no such shell":     {0o755, "#!/no/such/interpreter\n"},
		"no program at all": {0o755, "\x00\x01\x02 not a program"},
		"asks to wake":      {0o755, "#!/bin/sh\nexit 86\n"},
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(file.text), file.mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "works"), []byte("#!/bin/sh\ncat\necho \"$1\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"gemini", "qwen"} {
		h, _ := harness.Find(name)
		for _, shell := range []string{"sh", "bash"} {
			for _, program := range []string{
				"crashes", "says and crashes", "is killed", "not executable", "no such shell", "no program at all",
				"asks to wake", "directory", "missing", "works",
			} {
				entries := h.Install(harness.Target{Home: "/h", Scope: "user", Mode: "command", Hook: filepath.Join(dir, program)})
				cmd := exec.CommandContext(t.Context(), shell, "-c", hookOf(t, entries[0]).Command)
				cmd.Stdin = strings.NewReader("{}\n")
				out, err := cmd.CombinedOutput()
				want := ""
				if program == "works" {
					want = "{}\n" + name + "\n"
				}
				if err != nil || string(out) != want {
					t.Errorf("%s, %s, %s: %v, %q, want %q", name, shell, program, err, out, want)
				}
			}
		}
	}
}

// The screens are tmux's of 0.61.0.
func TestGeminiPrompt(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("testdata", "screens", "gemini", "*.txt"))
	if err != nil || len(paths) < 12 {
		t.Fatalf("%d screens, %v", len(paths), err)
	}
	typist := gemini(t).(harness.Typist)
	expect := func(name, text, wantTyped string, wantReady bool) {
		t.Helper()
		if typed, ready := typist.Prompt(strings.Split(text, "\n")); ready != wantReady || ready && typed != wantTyped {
			t.Errorf("%s: typed %q, ready %t, want %q, %t:\n%s", name, typed, ready, wantTyped, wantReady, text)
		}
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		const hint = "  Type your message or @path/to/file"
		name, text := filepath.Base(path), string(data)
		switch {
		case strings.HasPrefix(name, "half-typed."):
			expect(name, text, "half typed", true)
			continue
		case !strings.HasPrefix(name, "empty-"):
			expect(name, text, "", false)
			continue
		}
		expect(name, text, "", true)
		for what, other := range map[string]string{
			"a shell below":     text + "\n[1]+  Stopped                 gemini\ndev@host:~/repo$ ls\nREADME\nmain.go\n",
			"a dialog below":    text + "\n╭──────╮\n│ ● 1. Allow once │\n╰──────╯\n",
			"cut off above":     strings.ReplaceAll(text, "▄", ""),
			"cut off below":     strings.ReplaceAll(text, "▀", ""),
			"shell mode":        strings.Replace(text, " > "+hint, " !   Type your shell command", 1),
			"vim's normal mode": strings.Replace(text, hint, "  Press 'i' for INSERT mode.", 1),
			"two rows":          strings.Replace(text, hint, "one\n   two", 1),
			"nothing":           "",
		} {
			expect(name+" with "+what, other, "", false)
		}
		expect(name+" with our text", strings.Replace(text, hint, harness.Poke, 1), harness.Poke, true)
		expect(name+" where every tool is allowed", strings.Replace(text, " > ", " * ", 1), "", true)
		expect(name+" in vim's insert mode", strings.Replace(text, hint, "  Press 'Esc' for NORMAL mode.", 1), "", true)
		expect(name+" without colours", strings.ReplaceAll(strings.ReplaceAll(text, "▄", "─"), "▀", "─"), "", true)
	}
	for command, want := range map[string]bool{"node": true, "gemini": true, "bash": false, "vim": false, "": false} {
		if typist.Foreground(command) != want {
			t.Errorf("%q in front: %t", command, !want)
		}
	}
}

// What is trusted is a matter of several values, each enough.
func TestGeminiFolderTrust(t *testing.T) {
	getenv := func(key string) string { return map[string]string{"HOME": "/home/dev"}[key] }
	got := map[string]bool{}
	foldered, ok := gemini(t).(harness.UserFoldered)
	if !ok || !foldered.UserHooksNeedTrust() {
		t.Fatal("hooks of the user's own settings run everywhere")
	}
	for _, e := range foldered.FolderTrust(getenv, "/home/dev/src/api") {
		value, err := json.Marshal(e.Value)
		if err != nil {
			t.Fatal(err)
		}
		got[strings.Join([]string{e.File, e.Dialect, e.Pointer, e.Key, string(value)}, " ")] = true
	}
	for _, want := range []string{
		`/home/dev/.gemini/settings.json jsonc /security/folderTrust enabled false`,
		`/home/dev/.gemini/trustedFolders.json jsonc  /home/dev/src/api "TRUST_FOLDER"`,
		`/home/dev/.gemini/trustedFolders.json jsonc  /home/dev/src/api "TRUST_PARENT"`,
		`/home/dev/.gemini/trustedFolders.json jsonc  /home/dev/src "TRUST_FOLDER"`,
		`/home/dev/.gemini/trustedFolders.json jsonc  / "TRUST_FOLDER"`,
	} {
		if !got[want] {
			t.Errorf("%s is no trust: %v", want, got)
		}
	}
	if len(got) != 7 {
		t.Errorf("%d values: %v", len(got), got)
	}
}

func TestGeminiKept(t *testing.T) {
	for want, vars := range map[string]map[string]string{
		"/tmp/tmux-1000/default\n%5\n": {"TMUX": "/tmp/tmux-1000/default,4711,0", "TMUX_PANE": "%5"},
		"":                             {"TMUX": "/tmp/\ntmux,4711,0", "TMUX_PANE": "%5"},
	} {
		if got := gemini(t).(harness.Keeper).Kept(turnpost.Event{}, testEnv(vars)); got != want {
			t.Errorf("%v: %q, want %q", vars, got, want)
		}
	}
}

func TestGeminiProgram(t *testing.T) {
	p := gemini(t).(harness.Program)
	if v := p.Version("Warning: True color (24-bit) support not detected.\n0.61.0\n"); v != "0.61.0" {
		t.Errorf("version %q", v)
	}
	for want, env := range map[string]map[string]string{
		"/home/dev/.gemini": {"HOME": "/home/dev"},
		"/x/.gemini":        {"HOME": "/home/dev", "GEMINI_CLI_HOME": "/x"},
		"":                  {},
	} {
		if got := p.Home(func(key string) string { return env[key] }); got != want {
			t.Errorf("%v: home %q, want %q", env, got, want)
		}
	}
	client := gemini(t).(harness.MCPClient)
	if got := client.MCPCommand("/a b/turnpost"); got != "gemini mcp add --scope user --trust turnpost '/a b/turnpost' mcp" {
		t.Errorf("%s", got)
	}
}

package setup

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"turnpost"
	"turnpost/internal/harness"
)

// fixture is a throw-away home with one settings file and a Setup.
type fixture struct {
	t        *testing.T
	setup    *Setup
	home     string
	settings string // path of the settings file
	state    string
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{t: t, home: filepath.Join(root, "home"), state: filepath.Join(root, "state", "turnpost")}
	f.settings = filepath.Join(f.home, ".claude", "settings.json")
	if err := os.Mkdir(f.home, 0o755); err != nil {
		t.Fatal(err)
	}
	f.setup = New(f.state, tick())
	return f
}

// tick is a clock that never shows the same time twice.
func tick() func() time.Time {
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	return func() time.Time {
		now = now.Add(time.Millisecond)
		return now
	}
}

// withSettings writes the settings file, its directory too.
func (f *fixture) withSettings(content string) *fixture {
	f.t.Helper()
	if err := os.MkdirAll(filepath.Dir(f.settings), 0o755); err != nil {
		f.t.Fatal(err)
	}
	f.write(content)
	return f
}

func (f *fixture) write(content string) {
	f.t.Helper()
	if err := os.WriteFile(f.settings, []byte(content), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) read() string {
	f.t.Helper()
	data, err := os.ReadFile(f.settings)
	if err != nil {
		f.t.Fatal(err)
	}
	return string(data)
}

// place is what an adapter for Claude Code asks for, in small.
func (f *fixture) place() Place { return f.placeOf("/x/turnpost-hook") }

func (f *fixture) placeOf(hook string) Place {
	quiet := ShellQuote(hook) + " claude-code || exit 0"
	bell := ShellQuote(hook) + " claude-code; test $? -ne 86 || exit 2; exit 0"
	return Place{Owner: "claude-code user " + f.home, Entries: []harness.Entry{
		hookEntry(f.settings, "SessionStart", handler{"command", quiet, 10, false}),
		hookEntry(f.settings, "Stop", handler{"command", quiet, 10, false}),
		hookEntry(f.settings, "FileChanged", handler{"command", bell, 10, true}),
		{File: f.settings, Dialect: "json", Pointer: "/permissions/allow", Value: "mcp__turnpost__*", Why: "let agents use the tools"},
	}}
}

type handler struct {
	Type    string `json:"type"`
	Command string `json:"command"`
	Timeout int    `json:"timeout,omitempty"`
	Rewake  bool   `json:"asyncRewake,omitempty"`
}

func hookEntry(file, event string, h handler) harness.Entry {
	return harness.Entry{
		File: file, Dialect: "json", Pointer: "/hooks/" + event,
		Value: map[string]any{"hooks": []any{h}}, Why: "hear " + event,
	}
}

func (f *fixture) apply(plan Plan, err error) Applied {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
	done, err := f.setup.Apply(context.Background(), plan, plan.Hash)
	if err != nil {
		f.t.Fatal(err)
	}
	return done
}

func (f *fixture) plan(plan Plan, err error) Plan {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
	return plan
}

func (f *fixture) wantSettings(want string) {
	f.t.Helper()
	if diff := cmp.Diff(want, f.read()); diff != "" {
		f.t.Errorf("settings (-want +got):\n%s", diff)
	}
}

func (f *fixture) wantNoFile(path string) {
	f.t.Helper()
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		f.t.Errorf("%s is still there (%v)", path, err)
	}
}

// wantClean fails when temporary files are left.
func (f *fixture) wantClean() {
	f.t.Helper()
	for _, dir := range []string{filepath.Dir(f.settings), f.path(""), f.state, filepath.Join(f.state, "backups")} {
		entries, _ := os.ReadDir(dir) // what is no directory holds nothing
		for _, entry := range entries {
			if strings.Contains(entry.Name(), ".turnpost-") {
				f.t.Errorf("%s was left behind in %s", entry.Name(), dir)
			}
		}
	}
}

func (f *fixture) backups() []string {
	f.t.Helper()
	entries, err := os.ReadDir(filepath.Join(f.state, "backups"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.t.Fatal(err)
	}
	var out []string
	for _, entry := range entries {
		out = append(out, entry.Name())
	}
	return out
}

func wantCode(t *testing.T, err error, code turnpost.Code) {
	t.Helper()
	if turnpost.CodeOf(err) != code {
		t.Errorf("error %v has code %q, want %q", err, turnpost.CodeOf(err), code)
	}
}

const plainSettings = `{
  "model": "opus",
  "hooks": {
    "Stop": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "say done"
          }
        ]
      }
    ]
  },
  "permissions": {
    "deny": ["Read(./.env)"]
  }
}
`

package turnpost_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// madeUp is a harness that does not exist: the one file that a harness is.
const madeUp = `package harness

import (
	"io"
	"path/filepath"

	"turnpost"
	"turnpost/internal/document"
)

type madeUp struct{}

func (madeUp) Name() string { return "made-up" }

func (h madeUp) Decode(in io.Reader, env Env) (turnpost.Event, error) {
	doc, err := document.Read(in)
	if err != nil {
		return turnpost.Event{}, documentError(err)
	}
	e := turnpost.Event{
		Harness: h.Name(), Name: doc.Text("what", maxWord), Native: doc.Text("session", maxWord),
		Cwd: doc.Text("cwd", maxPath), Digest: digest(doc.Raw), Attended: true,
	}
	switch e.Name {
	case "hello":
		e.Kind, e.Accepts = turnpost.SessionStart, turnpost.Accepts{Context: true}
	case "pause":
		e.Kind, e.Accepts = turnpost.TurnEnd, turnpost.Accepts{Continue: true}
	default:
		return turnpost.Event{}, ErrIgnore
	}
	return e, nil
}

func (madeUp) Encode(e turnpost.Event, d turnpost.Decision) Output { return encodePlugin(e, d) }

func (h madeUp) Install(t Target) []Entry {
	return []Entry{{
		File: filepath.Join(t.Home, "hooks.json"), Dialect: "json", Pointer: "/hello",
		Value: t.run(h.Name()) + " || exit 0", Why: "hear hello",
	}}
}

func (madeUp) Profile() Profile {
	return Profile{
		Title: "Made Up", Proof: Contract, Tested: "nothing", Delivery: "turn end, start",
		Events: []EventProfile{
			{"hello", turnpost.SessionStart, turnpost.Accepts{Context: true}},
			{"pause", turnpost.TurnEnd, turnpost.Accepts{Continue: true}},
		},
		Limits: []string{"it does not exist"},
	}
}

func (madeUp) Binary() string { return "made-up" }

func (madeUp) VersionArgs() []string { return []string{"--version"} }

func (madeUp) Version(output string) string { return anyVersion(output) }

func (madeUp) Home(getenv func(string) string) string { return filepath.Join(getenv("HOME"), ".made-up") }
`

// TestOneMoreHarness holds that a harness is one file and one line: with these
// two and nothing else, setup, the hook client, the hub, the help and the page
// on harnesses know it.
func TestOneMoreHarness(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // the hub's commands here are those of Unix
	}
	home, err := os.MkdirTemp("", "tp-") // short: sockets are below it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(home); err != nil {
			t.Error(err)
		}
	})
	for _, name := range []string{"repo", "tmp"} {
		if err := os.Mkdir(filepath.Join(home, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	bin := filepath.Join(home, ".local", "bin")
	buildWith(t, bin, map[string]string{
		"internal/harness/made_up.go": madeUp,
		"internal/harness/all.go":     oneLineMore(t, string(read(t, "internal/harness/all.go"))),
	}, "./cmd/turnpost", "./cmd/turnpost-hook", "./scripts/harnessdocs")

	run := func(dir, stdin, program string, args ...string) string {
		t.Helper()
		cmd := exec.Command(filepath.Join(bin, program), args...)
		cmd.Dir = dir
		cmd.Env = []string{"HOME=" + home, "TMPDIR=" + filepath.Join(home, "tmp"), "PATH=/usr/bin:/bin", "TURNPOST_LISTEN=127.0.0.1:0"}
		cmd.Stdin = strings.NewReader(stdin)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	turnpost := func(args ...string) string { t.Helper(); return run(home, "", "turnpost", args...) }
	shows := func(what, out string, wants ...string) {
		t.Helper()
		for _, want := range wants {
			if !strings.Contains(out, want) {
				t.Errorf("%s lacks %q:\n%s", what, want, out)
			}
		}
	}

	settings := filepath.Join(home, ".made-up", "hooks.json")
	shows("the plan", turnpost("setup", "--harness", "made-up", "--dry-run"), "~/.made-up/hooks.json", "hear hello")
	if _, err := os.Stat(settings); !os.IsNotExist(err) {
		t.Errorf("a dry run wrote: %v", err)
	}
	turnpost("setup", "--harness", "made-up", "--apply")
	shows("what setup wrote", string(read(t, settings)), "turnpost-hook' made-up || exit 0")
	shows("the help of setup", turnpost("setup", "--help"), "made-up")
	shows("the help of hook", turnpost("hook", "--help"), "made-up")
	shows("the page", run(".", "", "harnessdocs"), "\n## Made Up\n", "| `pause` | turn.end |", "- it does not exist")

	turnpost("up", "-d")
	t.Cleanup(func() { turnpost("down") })
	hello := `{"what":"hello","session":"s1","cwd":"` + filepath.ToSlash(filepath.Join(home, "repo")) + `"}`
	shows("the answer to hello", run(home, hello, "turnpost-hook", "made-up"), `"context":`, "@repo")
	turnpost("ask", "@repo", "Does it work?")
	pause := strings.Replace(hello, "hello", "pause", 1)
	shows("the answer to pause", run(home, pause, "turnpost", "hook", "made-up"), `"continue":`, "Does it work?")
	shows("the board", turnpost("status", "--json"), "made-up", "@repo")

	turnpost("setup", "--harness", "made-up", "--remove")
	if _, err := os.Stat(settings); !os.IsNotExist(err) {
		t.Errorf("after remove: %v", err)
	}
}

// oneLineMore adds the harness's line to the list.
func oneLineMore(t *testing.T, list string) string {
	t.Helper()
	const first = "\treturn []Harness{\n"
	more := strings.Replace(list, first, first+"\t\tmadeUp{},\n", 1)
	if strings.Count(more, "\n") != strings.Count(list, "\n")+1 {
		t.Fatalf("no list of harnesses in:\n%s", list)
	}
	return more
}

// buildWith builds programs of this module into bin as if files had these
// contents.
func buildWith(t *testing.T, bin string, files map[string]string, programs ...string) {
	t.Helper()
	dir := t.TempDir()
	replace := map[string]string{}
	for name, content := range files {
		path, err := filepath.Abs(filepath.FromSlash(name))
		if err != nil {
			t.Fatal(err)
		}
		replace[path] = filepath.Join(dir, filepath.Base(name))
		if err := os.WriteFile(replace[path], []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"build", "-overlay", list, "-o", bin + string(filepath.Separator)}
	cmd := exec.Command("go", append(args, programs...)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
}

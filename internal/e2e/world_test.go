//go:build unix

// Package e2e runs the real Claude Code client with the whole of Turnpost, set
// up the way a person does it: both programs built and installed in a home of
// its own, `turnpost up -d`, what `turnpost setup` says, and the registration
// that it prints. The model is scripted and counts what it is asked.
//
// A case is a story: a world, a script for the model, what people and agents
// do, and then every request with the items that it brought (wantRequests).
// What needs a client but not Turnpost belongs to realtest, what needs no
// client to hubtest.
//
// A hook gives up after 300 ms. On a machine so busy that this happens a case
// may fail, or take half a minute longer, with nothing wrong.
package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"turnpost/internal/api/client"
	"turnpost/internal/realtest"
	"turnpost/internal/statedir"
)

// programs is where TestMain built the programs.
var programs string

var programNames = []string{"turnpost", "turnpost-hook"}

func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "turnpost-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "make a directory for the programs:", err)
		return 1
	}
	defer os.RemoveAll(dir)
	build := exec.Command("go", "build", "-o", dir, "./cmd/turnpost", "./cmd/turnpost-hook")
	build.Dir = filepath.Join("..", "..")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build the programs:", err)
		return 1
	}
	programs = dir
	return m.Run()
}

// ownSettings is what the person has in ~/.claude/settings.json before Turnpost
// comes: a hook of their own, which tells a test that an open client has read
// changed settings, and a layout that no machine would write.
const ownSettings = `{
    "cleanupPeriodDays":  30,
    "hooks": { "ConfigChange": [
        {"hooks": [ {"type": "command", "command": "echo read >>\"$HOME/config-changes\"", "timeout": 5} ]} ]
    },
  "env": {"CAFÉ": "1e2"}   }
`

// world is one person's machine: a home with the real client, both programs in
// ~/.local/bin, and a hub that stays up. What the person does goes through the
// programs; posting and looking goes over the hub's socket, as the person.
type world struct {
	t    testing.TB
	runs realtest.Program // what its clients are
	home *realtest.Home
	dir  statedir.Dir
	hub  *client.Client
}

// newWorld makes a machine for up to n clients of Claude Code at a time and
// starts its hub. Nothing is set up yet.
func newWorld(t testing.TB, n int) *world {
	t.Helper()
	w := newWorldOf(t, n, realtest.Claude{})
	w.home.Write(filepath.Join(".claude", "settings.json"), []byte(ownSettings))
	return w
}

// newWorldOf makes a machine with those programs, of which clients run the
// first, and starts its hub.
func newWorldOf(t testing.TB, n int, harnesses ...realtest.Program) *world {
	t.Helper()
	w := &world{t: t, runs: harnesses[0], home: realtest.NewHome(t, n, harnesses...)}
	for _, name := range programNames {
		w.install(name)
	}
	dir, err := statedir.Find(w.getenv)
	if err != nil {
		t.Fatalf("find the state directory: %v", err)
	}
	w.dir = dir
	t.Cleanup(w.end)
	w.up()
	return w
}

// readyWorld is a machine on which setup was applied.
func readyWorld(t testing.TB, n int) *world {
	t.Helper()
	w := newWorld(t, n)
	w.setup()
	return w
}

// in lets a part of the test, a subtest, own what fails until it ends.
func (w *world) in(t testing.TB) {
	outer := w.t
	w.t = t
	t.Cleanup(func() { w.t = outer })
}

// install puts a program where `make up` puts it.
func (w *world) install(name string) {
	w.t.Helper()
	from, to := filepath.Join(programs, name), w.program(name)
	if os.Link(from, to) == nil {
		return
	}
	data, err := os.ReadFile(from) // another file system
	if err == nil {
		err = os.WriteFile(to, data, 0o755)
	}
	if err != nil {
		w.t.Fatalf("install %s: %v", name, err)
	}
}

// hide takes programs away, and returns what puts them back.
func (w *world) hide(names ...string) (back func()) {
	w.t.Helper()
	for _, name := range names {
		if err := os.Remove(w.program(name)); err != nil {
			w.t.Fatal(err)
		}
	}
	return func() {
		for _, name := range names {
			w.install(name)
		}
	}
}

func (w *world) program(name string) string {
	return filepath.Join(w.home.Dir, ".local", "bin", name)
}

// end stops the hub. A case in which the hub complained has failed.
func (w *world) end() {
	if w.t.Failed() {
		status, _ := w.try("status") // fails where no hub runs, and says so
		w.t.Logf("status:\n%s", status)
	}
	out, err := w.try("down")
	if err != nil {
		w.t.Errorf("turnpost down: %v\n%s", err, out)
	}
	if w.hub != nil {
		w.hub.Close()
	}
	log, _ := os.ReadFile(w.dir.Log()) // none where no hub started
	if bytes.Contains(log, []byte("level=WARN")) || bytes.Contains(log, []byte("level=ERROR")) {
		w.t.Error("the hub complained")
	}
	if w.t.Failed() {
		w.t.Logf("log of the hub:\n%s", log)
	}
}

// up starts the hub, detached and with a port of its own.
func (w *world) up() {
	w.t.Helper()
	w.turnpost("up", "-d")
	w.hub = client.New(client.Address{Socket: w.hubFile().Socket})
}

// hubFile is what clients know of the hub.
func (w *world) hubFile() statedir.Hub {
	w.t.Helper()
	hub, err := w.dir.ReadHub()
	if err != nil {
		w.t.Fatalf("the hub: %v", err)
	}
	return hub
}

// killHub ends the hub as a crash would.
func (w *world) killHub() {
	w.t.Helper()
	pid := w.hubFile().Pid
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		w.t.Fatalf("kill the hub: %v", err)
	}
	realtest.Until(w.t, "the hub is dead", func() bool {
		_, err := w.hub.Health(w.t.Context())
		return err != nil
	})
}

// awaitHub waits until a hub is up that somebody else has started.
func (w *world) awaitHub() {
	w.t.Helper()
	realtest.Until(w.t, "the hub is up", func() bool {
		_, err := w.hub.Health(w.t.Context())
		return err == nil
	})
}

// getenv is the environment of the person's programs.
func (w *world) getenv(key string) string {
	for _, entry := range w.home.Env() {
		if value, ok := strings.CutPrefix(entry, key+"="); ok {
			return value
		}
	}
	return ""
}

// turnpost runs a command of the person's and returns what it prints.
func (w *world) turnpost(args ...string) string {
	w.t.Helper()
	out, err := w.try(args...)
	if err != nil {
		w.t.Fatalf("turnpost %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func (w *world) try(args ...string) (string, error) {
	return w.output(exec.Command(w.program("turnpost"), args...))
}

// sh runs a line that Turnpost printed, as the person would.
func (w *world) sh(line string) string {
	w.t.Helper()
	out, err := w.output(exec.Command("/bin/sh", "-c", line))
	if err != nil {
		w.t.Fatalf("%s: %v\n%s", line, err, out)
	}
	return out
}

func (w *world) output(cmd *exec.Cmd) (string, error) {
	cmd.Dir = w.home.Repo
	cmd.Env = w.home.Env("TURNPOST_LISTEN=127.0.0.1:0",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// setup does what `turnpost setup` says.
func (w *world) setup() {
	w.t.Helper()
	w.sh(printed(w.t, w.turnpost("setup"), "turnpost setup --apply --expect "))
}

// setupAs does what setup plans with these flags, and returns the commands that
// register our tools where that is left to the person.
func (w *world) setupAs(flags ...string) (register []string) {
	w.t.Helper()
	var plan struct {
		Harnesses []struct {
			MCP string `json:"mcp"`
		} `json:"harnesses"`
		Next string `json:"next"`
	}
	out := w.turnpost(append([]string{"setup", "--json"}, flags...)...)
	if err := json.Unmarshal([]byte(out), &plan); err != nil || plan.Next == "" {
		w.t.Fatalf("setup, %v: %s", err, out)
	}
	w.sh(plan.Next)
	for _, h := range plan.Harnesses {
		if h.MCP != "" {
			register = append(register, h.MCP)
		}
	}
	return register
}

// registerTools does the one thing that setup leaves to the person.
func (w *world) registerTools() {
	w.t.Helper()
	w.sh(printed(w.t, w.turnpost("setup"), "claude mcp add-json "))
}

// printed finds the line to be run in what a command printed.
func printed(t testing.TB, out, start string) string {
	t.Helper()
	for line := range strings.Lines(out) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, start) {
			return line
		}
	}
	t.Fatalf("no line %q... in:\n%s", start, out)
	return ""
}

// settings is the client's settings file as it is now.
func (w *world) settings() string {
	w.t.Helper()
	raw, err := os.ReadFile(filepath.Join(w.home.Dir, ".claude", "settings.json"))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(raw)
}

// awaitConfigChange waits until the open client has read changed settings n
// times.
func (w *world) awaitConfigChange(n int) {
	w.t.Helper()
	realtest.Until(w.t, "the client has read its settings", func() bool {
		raw, err := os.ReadFile(filepath.Join(w.home.Dir, "config-changes"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			w.t.Fatal(err)
		}
		return strings.Count(string(raw), "\n") >= n
	})
}

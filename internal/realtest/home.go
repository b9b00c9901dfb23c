package realtest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

// fakeKey is the API key of every client. It is short enough for the client to
// remember it whole as approved.
const fakeKey = "sk-ant-fake-000"

// maxClients is how many clients may live at once in one test process: each
// takes 200 to 300 MB and most of a core.
const maxClients = 2

// slots and turnstile are the only package state: clients of all tests share
// one machine. The turnstile lets one test at a time collect all its slots, so
// that two tests never wait for each other.
var (
	slots     = make(chan struct{}, maxClients)
	turnstile sync.Mutex
)

// Home is a temporary HOME of a person who has used Claude Code before: no
// first-run dialogs, one trusted project. Several clients may share it.
type Home struct {
	Dir  string // the HOME directory; short, so that sockets fit below it
	Repo string // a trusted project directory in it, where clients start

	t    testing.TB
	room chan struct{} // one element per living client
}

// NewHome makes a home in which up to n clients will live at the same time, and
// waits until the machine has room for them. Make one home per test. When the
// test ends every process that still has this HOME is killed and the directory
// is removed.
func NewHome(t testing.TB, n int) *Home {
	t.Helper()
	if n < 1 || n > maxClients {
		t.Fatalf("a home for %d clients: between 1 and %d", n, maxClients)
	}
	turnstile.Lock()
	for range n {
		slots <- struct{}{}
	}
	turnstile.Unlock()
	t.Cleanup(func() {
		for range n {
			<-slots
		}
	})

	dir, err := os.MkdirTemp("", "tp-")
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir) // the client compares resolved paths
	}
	if err != nil {
		t.Fatalf("make a home: %v", err)
	}
	h := &Home{Dir: dir, t: t, room: make(chan struct{}, n)}
	t.Cleanup(func() {
		h.endProcesses()
		if err := os.RemoveAll(dir); err != nil {
			t.Errorf("remove the home: %v", err)
		}
	})
	h.write(".claude.json", h.marshal(object{
		"hasCompletedOnboarding": true,
		"theme":                  "dark",
		"customApiKeyResponses":  object{"approved": []string{fakeKey}, "rejected": []string{}},
		"projects":               object{},
	}))
	h.Repo = h.Project("repo")
	h.link(filepath.Join(".local", "bin", "claude"), Claude(t))
	h.mkdir("tmp")
	return h
}

// enter takes room for one client.
func (h *Home) enter(t testing.TB) {
	t.Helper()
	select {
	case h.room <- struct{}{}:
	default:
		t.Fatalf("more than %d clients at once: say so in NewHome", cap(h.room))
	}
}

func (h *Home) leave() { <-h.room }

// Project makes the directory of that name in the home and lets the client
// trust it. Call it before clients start.
func (h *Home) Project(name string) string {
	h.t.Helper()
	dir := h.mkdir(name)
	raw, err := os.ReadFile(filepath.Join(h.Dir, ".claude.json"))
	if err != nil {
		h.t.Fatalf("trust a project: %v", err)
	}
	config := object{}
	if err := json.Unmarshal(raw, &config); err != nil {
		h.t.Fatalf("trust a project: %v", err)
	}
	projects, _ := config["projects"].(object)
	projects[dir] = object{"hasTrustDialogAccepted": true}
	h.write(".claude.json", h.marshal(config))
	return dir
}

// Settings writes ~/.claude/settings.json exactly as given.
func (h *Home) Settings(raw []byte) {
	h.t.Helper()
	h.write(filepath.Join(".claude", "settings.json"), raw)
}

// Env is the whole environment of a program of this person, as KEY=VALUE, made
// from nothing; extra comes last and wins. Use it for the hub and the command
// line too. The pinned client is on its PATH as claude, and what programs keep
// in the temporary directory goes away with the home.
func (h *Home) Env(extra ...string) []string {
	return slices.Concat([]string{
		"PATH=" + filepath.Join(h.Dir, ".local", "bin") + ":/usr/local/bin:/usr/bin:/bin",
		"HOME=" + h.Dir,
		"TERM=xterm-256color",
		"LANG=C.UTF-8",
		"SHELL=/bin/bash",
		"TMPDIR=" + filepath.Join(h.Dir, "tmp"),
	}, extra)
}

func (h *Home) mkdir(name string) string {
	h.t.Helper()
	dir := filepath.Join(h.Dir, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		h.t.Fatalf("furnish the home: %v", err)
	}
	return dir
}

func (h *Home) write(name string, raw []byte) {
	h.t.Helper()
	path := filepath.Join(h.mkdir(filepath.Dir(name)), filepath.Base(name))
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		h.t.Fatalf("furnish the home: %v", err)
	}
}

func (h *Home) link(name, target string) {
	h.t.Helper()
	if err := os.Symlink(target, filepath.Join(h.mkdir(filepath.Dir(name)), filepath.Base(name))); err != nil {
		h.t.Fatalf("furnish the home: %v", err)
	}
}

func (h *Home) marshal(v any) []byte {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		h.t.Fatalf("write the home: %v", err)
	}
	return raw
}

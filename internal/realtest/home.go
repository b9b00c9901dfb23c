package realtest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// maxClients is how many clients may live at once in one test process: each
// takes 200 to 300 MB and most of a core while it starts or works. A home for
// more, up to maxAtHome, has the machine for itself.
const (
	maxClients = 2
	maxAtHome  = 4
)

// slots and turnstile are the only package state: clients of all tests share
// one machine. The turnstile lets one test at a time collect all its slots, so
// that two tests never wait for each other.
var (
	slots     = make(chan struct{}, maxClients)
	turnstile sync.Mutex
)

// Home is a temporary HOME of a person who has used some programs before: no
// first-run dialogs, one trusted project. Several clients may share it.
type Home struct {
	Dir  string // the HOME directory; short, so that sockets fit below it
	Repo string // a trusted project directory in it, where clients start

	t        testing.TB
	programs []Program
	room     chan struct{} // one element per living client
}

// NewHome makes a home of a person who uses the programs, in which up to n of
// them will live at the same time, and waits until the machine has room for
// them. Make one home per test. When the test ends every process that still has
// this HOME is killed and the directory is removed.
func NewHome(t testing.TB, n int, programs ...Program) *Home {
	t.Helper()
	if n < 1 || n > maxAtHome {
		t.Fatalf("a home for %d clients: between 1 and %d", n, maxAtHome)
	}
	taken := min(n, maxClients)
	turnstile.Lock()
	for range taken {
		slots <- struct{}{}
	}
	turnstile.Unlock()
	t.Cleanup(func() {
		for range taken {
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
	h := &Home{Dir: dir, t: t, programs: programs, room: make(chan struct{}, n)}
	t.Cleanup(func() {
		h.endProcesses()
		if err := os.RemoveAll(dir); err != nil {
			t.Errorf("remove the home: %v", err)
		}
	})
	h.mkdir("tmp")
	for _, p := range programs {
		h.install(p)
		p.Furnish(h)
	}
	h.Repo = h.Project("repo")
	return h
}

// install puts a program on the PATH of the home as npm does: a link to its
// file and, for a script, the Node that runs it.
func (h *Home) install(p Program) {
	h.t.Helper()
	h.link(h.executable(p), installed(h.t, p.Pin(), p.Executable()))
	if strings.HasSuffix(p.Executable(), "js") {
		h.link(filepath.Join(h.Dir, binDir, "node"), node(h.t))
	}
}

// binDir is where the programs of a person are, below their HOME.
var binDir = filepath.Join(".local", "bin")

func (h *Home) executable(p Program) string { return filepath.Join(h.Dir, binDir, p.Command()) }

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

// Project makes the directory of that name in the home and lets the programs
// trust it. Call it before clients start.
func (h *Home) Project(name string) string {
	h.t.Helper()
	dir := h.mkdir(name)
	for _, p := range h.programs {
		p.Trust(h, dir)
	}
	return dir
}

// Env is the whole environment of a program of this person, as KEY=VALUE, made
// from nothing; extra comes last and wins. Use it for the hub and the command
// line too. The programs are on its PATH, and what they keep in the temporary
// directory goes away with the home.
func (h *Home) Env(extra ...string) []string {
	return slices.Concat([]string{
		"PATH=" + filepath.Join(h.Dir, binDir) + ":/usr/local/bin:/usr/bin:/bin",
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

// Write writes a file of the home, with mode 0600, exactly as given; missing
// directories are made. Its name is relative to the HOME.
func (h *Home) Write(name string, raw []byte) {
	h.t.Helper()
	path := filepath.Join(h.mkdir(filepath.Dir(name)), filepath.Base(name))
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		h.t.Fatalf("furnish the home: %v", err)
	}
}

// WriteJSON writes a file of the home as indented JSON.
func (h *Home) WriteJSON(name string, v any) {
	h.t.Helper()
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		h.t.Fatalf("furnish the home: %v", err)
	}
	h.Write(name, append(raw, '\n'))
}

// link makes a symbolic link at path, in place of what is there.
func (h *Home) link(path, target string) {
	h.t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.RemoveAll(path)
	}
	if err == nil {
		err = os.Symlink(target, path)
	}
	if err != nil {
		h.t.Fatalf("furnish the home: %v", err)
	}
}

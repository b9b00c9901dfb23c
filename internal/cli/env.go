package cli

import (
	"io"
	"os"
	"os/user"
	"path/filepath"
	"time"

	"github.com/charmbracelet/x/term"
)

// Env is the outside world of one run. System is the real one; nothing else in
// this package asks the operating system for any of it.
type Env struct {
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	Getenv  func(string) string
	Environ []string // for programs that we start, and for colour
	Home    string   // "" when unknown
	Dir     string   // working directory, absolute; "" when it is gone
	Login   string   // of the user
	UID     int      // -1 where there are none
	Program string   // absolute path of this program, links not resolved
	TempDir string
	Now     func() time.Time
	Width   int    // columns of stdout, 0 when it is no terminal
	Typed   bool   // stdin is a terminal
	Version string // of Turnpost
}

// System is the world that the process lives in.
func System(version string) Env {
	env := Env{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Environ: os.Environ(),
		UID: os.Getuid(), TempDir: os.TempDir(),
		Now: time.Now, Typed: term.IsTerminal(os.Stdin.Fd()),
		Version: version,
	}
	// What is not known stays empty; the command that needs it says so.
	env.Home, _ = os.UserHomeDir()
	env.Dir, _ = os.Getwd()
	env.Program, _ = os.Executable()
	if me, err := user.Current(); err == nil {
		env.Login = filepath.Base(me.Username)
	}
	if term.IsTerminal(os.Stdout.Fd()) {
		env.Width, _, _ = term.GetSize(os.Stdout.Fd())
		if env.Width <= 0 {
			env.Width = 80
		}
	}
	return env
}

// abs returns the path as one that the hub, which works elsewhere, understands.
func (e Env) abs(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(e.Dir, path)
}

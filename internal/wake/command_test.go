//go:build unix

package wake

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"turnpost"
)

// program makes a script and returns its path.
func program(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a program")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// reports returns a method, with a limit for its programs, and what it reports.
func reports(limit time.Duration) (command, <-chan error) {
	reported := make(chan error, 1)
	return command{limit, func(err error) { reported <- err }}, reported
}

func next[T any](t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(20 * time.Second):
		t.Fatal("nothing came")
		panic("unreachable")
	}
}

func TestCommandRunsTheProgramWithoutAShell(t *testing.T) {
	t.Setenv("TURNPOST_TEST_SECRET", "x")
	t.Setenv("PATH", "/usr/bin:/bin")
	t.Setenv("HOME", "/home/dev")
	pipe := filepath.Join(t.TempDir(), "said")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	path := program(t, `{ printf '%s\n' "$@"; env | grep -v '^_=\|^PWD=\|^SHLVL=' | sort; pwd; } > '`+pipe+`'`)
	said := make(chan string, 1)
	go func() {
		data, _ := os.ReadFile(pipe) // waits for the writer
		said <- string(data)
	}()
	c, reported := reports(commandTime)
	if err := c.Ring("codex", turnpost.Wake{Method: "command", Key: "$(id); x", Program: path, At: "/home/dev/codex home"}); err != nil {
		t.Fatal(err)
	}
	want := "queue\n--thread\n$(id); x\n--message\nTurnpost: new mail.\n" +
		"CODEX_HOME=/home/dev/codex home\nHOME=/home/dev\nPATH=/usr/bin:/bin\n" + filepath.Dir(path) + "\n"
	if diff := cmp.Diff(want, next(t, said)); diff != "" {
		t.Error(diff)
	}
	select {
	case err := <-reported:
		t.Errorf("a ring that went well is reported: %v", err)
	default:
	}
}

func TestCommandReportsWhatTheProgramSaid(t *testing.T) {
	path := program(t, "echo out; echo 'no rollout \x1b[31mfound' >&2; yes long | head -c 5000; exit 3")
	c, reported := reports(commandTime)
	if err := c.Ring("codex", turnpost.Wake{Key: "s1", Program: path}); err != nil {
		t.Fatal(err)
	}
	text := next(t, reported).Error()
	for _, want := range []string{"exit status 3", `out\nno rollout \x1b[31mfound\n`, path} {
		if !strings.Contains(text, want) {
			t.Errorf("%s does not say %s", text, want)
		}
	}
	if len(text) > 1200 {
		t.Errorf("%d bytes", len(text))
	}
}

func TestCommandEndsAProgramThatHangs(t *testing.T) {
	c, reported := reports(100 * time.Millisecond)
	if err := c.Ring("codex", turnpost.Wake{Key: "s1", Program: program(t, "exec sleep 60")}); err != nil {
		t.Fatal(err)
	}
	if err := next(t, reported); !strings.Contains(err.Error(), "killed") {
		t.Error(err)
	}
}

func TestCommandRefuses(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, reported := reports(commandTime)
	for _, program := range []string{"", "sh", "./sh", plain, dir, filepath.Join(dir, "missing")} {
		if err := c.Ring("codex", turnpost.Wake{Key: "s1", Program: program}); err == nil {
			t.Errorf("ran %q", program)
		}
	}
	for _, harness := range []string{"", "claude-code", "no such program"} {
		if err := c.Ring(harness, turnpost.Wake{Key: "s1", Program: "/bin/sh"}); err == nil {
			t.Errorf("ran a program for %q", harness)
		}
	}
	if len(reported) > 0 {
		t.Errorf("reported: %v", <-reported)
	}
}

func TestCommandKeepsNothing(t *testing.T) {
	c, _ := reports(commandTime)
	wake := turnpost.Wake{Method: "command", Key: "s1"}
	if c.Announced(wake) || c.Forget(wake) != nil || c.Patience() < 10*time.Second || c.Says() == "" {
		t.Errorf("announced %t, patience %s, says %q", c.Announced(wake), c.Patience(), c.Says())
	}
}

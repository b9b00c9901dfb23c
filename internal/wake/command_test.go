//go:build unix

package wake

import (
	"errors"
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

// standIn is a user who has one program, for every harness, and one home of it.
type standIn struct{ program, home string }

func (s standIn) Find(string) (string, error) {
	if s.program == "" {
		return "", errors.New("it is not on PATH")
	}
	return s.program, nil
}

func (s standIn) Keeps(_, dir string) bool { return dir == s.home }

// reports returns a method for a program, with a limit for it, and what it
// reports.
func reports(program string, limit time.Duration) (command, <-chan error) {
	reported := make(chan error, 1)
	return command{standIn{program, "/home/dev/codex home"}, limit, func(err error) { reported <- err }}, reported
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
	c, reported := reports(path, commandTime)
	if err := c.Ring("codex", turnpost.Wake{Method: "command", Key: "$(id); x", At: "/home/dev/codex home"}); err != nil {
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
	c, reported := reports(path, commandTime)
	if err := c.Ring("codex", turnpost.Wake{Key: "s1"}); err != nil {
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
	c, reported := reports(program(t, "exec sleep 60"), 100*time.Millisecond)
	if err := c.Ring("codex", turnpost.Wake{Key: "s1"}); err != nil {
		t.Fatal(err)
	}
	if err := next(t, reported); !strings.Contains(err.Error(), "killed") {
		t.Error(err)
	}
}

// What an event says of a session's program is nothing that the hub believes.
func TestCommandRefuses(t *testing.T) {
	c, reported := reports(program(t, "echo ran >&2; exit 1"), commandTime)
	if err := c.Ring("codex", turnpost.Wake{Key: "s1", At: "/src/repo/.codex"}); err == nil {
		t.Error("rang in a directory that the user does not keep its files in")
	}
	for _, harness := range []string{"", "claude-code", "no such program"} {
		if err := c.Ring(harness, turnpost.Wake{Key: "s1"}); err == nil {
			t.Errorf("ran a program for %q", harness)
		}
	}
	if len(reported) > 0 {
		t.Errorf("reported: %v", <-reported)
	}
	nowhere, _ := reports("", commandTime)
	if err := nowhere.Ring("codex", turnpost.Wake{Key: "s1"}); err == nil || !strings.Contains(err.Error(), "not on PATH") {
		t.Errorf("without a program: %v", err)
	}
}

func TestCommandKeepsNothing(t *testing.T) {
	c, _ := reports("", commandTime)
	wake := turnpost.Wake{Method: "command", Key: "s1"}
	if c.Announced(wake) || c.Forget(wake) != nil || c.Patience() < 10*time.Second || c.Says() == "" {
		t.Errorf("announced %t, patience %s, says %q", c.Announced(wake), c.Patience(), c.Says())
	}
}

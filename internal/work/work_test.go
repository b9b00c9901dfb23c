//go:build unix

package work_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"turnpost"
	"turnpost/internal/process"
	"turnpost/internal/work"
)

// setting is a worker's world.
type setting struct {
	hub *fakeHub
	dir string // of the run
	cwd string // of its commands
}

func newSetting(t *testing.T) setting {
	return setting{newHub(t), filepath.Join(t.TempDir(), "runs", runID), t.TempDir()}
}

func (s setting) config() work.Config {
	return work.Config{
		Hub: s.hub.client(), RunID: runID, Worker: "w-1", Dir: s.dir, Parallel: 3,
		Environ: []string{"PATH=" + os.Getenv("PATH"), "SEEN=yes"},
	}
}

// sh is a command of the shell; "$0" is not used.
func (s setting) sh(script string) turnpost.Command {
	return turnpost.Command{Args: []string{"/bin/sh", "-c", script}, Dir: s.cwd}
}

func (s setting) work(t *testing.T) work.Done {
	t.Helper()
	done, err := work.Run(t.Context(), s.config())
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func wantParts(t *testing.T, value string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(value, part) {
			t.Errorf("the value lacks %q:\n%s", part, value)
		}
	}
}

func TestResults(t *testing.T) {
	for _, c := range []struct {
		name    string
		command func(setting) turnpost.Command
		status  turnpost.EffectState
		value   []string
	}{
		{
			"ok", func(s setting) turnpost.Command { return s.sh(`echo out; echo err >&2`) }, turnpost.EffectOK,
			[]string{"exit status 0 after ", "stdout: 4 bytes in ", "/e-1/stdout\nout\n", "stderr: 4 bytes in ", "/e-1/stderr\nerr"},
		},
		{"exit status", func(s setting) turnpost.Command { return s.sh(`exit 7`) }, turnpost.EffectError, []string{"exit status 7 after "}},
		{"signal", func(s setting) turnpost.Command { return s.sh(`kill -9 $$`) }, turnpost.EffectError, []string{"signal: killed after "}},
		{"no shell", func(s setting) turnpost.Command {
			return turnpost.Command{Args: []string{"printf", "%s|", "a b", "$HOME", "*", ""}, Dir: s.cwd}
		}, turnpost.EffectOK, []string{"\na b|$HOME|*||\n"}},
		{"directory and environment", func(s setting) turnpost.Command {
			return s.sh(`pwd -P; env | grep -v -e ^PWD= -e ^OLDPWD= -e ^SHLVL= -e ^_= -e ^PATH=`)
		}, turnpost.EffectOK, []string{"\nSEEN=yes\nstderr: 0 bytes"}},
		{"no input", func(s setting) turnpost.Command { return s.sh(`cat; echo end`) }, turnpost.EffectOK, []string{"\nend\n"}},
		{"missing program", func(s setting) turnpost.Command {
			return turnpost.Command{Args: []string{"no-such-program"}, Dir: s.cwd}
		}, turnpost.EffectError, []string{"was not run: ", "no-such-program"}},
		{"missing directory", func(s setting) turnpost.Command {
			return turnpost.Command{Args: []string{"true"}, Dir: s.cwd + "/gone"}
		}, turnpost.EffectError, []string{"was not run: there is no directory ", "/gone"}},
		{"relative directory", func(setting) turnpost.Command {
			return turnpost.Command{Args: []string{"true"}, Dir: "."}
		}, turnpost.EffectError, []string{"was not run: there is no directory "}},
		{
			"nothing", func(s setting) turnpost.Command { return turnpost.Command{Dir: s.cwd} }, turnpost.EffectError,
			[]string{"was not run: it names no program"},
		},
		{
			"no text", func(s setting) turnpost.Command { return s.sh(`printf 'a\377b\000c\303'`) }, turnpost.EffectOK,
			[]string{"\na\uFFFDb\uFFFDc\uFFFD\n"},
		},
		{"last lines", func(s setting) turnpost.Command {
			return s.sh(`i=0; while [ $i -lt 2000 ]; do echo "line $i of it"; i=$((i+1)); done; echo bad >&2; exit 1`)
		}, turnpost.EffectError, []string{"/stdout\nline ", "\nline 1999 of it\nstderr: ", "/stderr\nbad"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSetting(t)
			s.hub.ask(c.command(s))
			s.work(t)
			post := s.hub.posted(t, "e-1")
			if post.Status != c.status || post.Worker != "w-1" {
				t.Errorf("posted %q by %q", post.Status, post.Worker)
			}
			wantParts(t, post.Value, c.value...)
			if !utf8.ValidString(post.Value) || strings.Contains(post.Value, "\x00") || len(post.Value) > 2500+4*len(s.dir) {
				t.Errorf("the value has %d bytes: %q", len(post.Value), post.Value)
			}
		})
	}
}

func TestOutputIsCappedAndDrained(t *testing.T) {
	s := newSetting(t)
	s.hub.ask(
		s.sh(`head -c 300000 /dev/zero | tr '\0' x; echo; echo end`),
		s.sh(`head -c 5000000 /dev/zero | tr '\0' y; head -c 5000000 /dev/zero | tr '\0' z >&2; echo end`),
	)
	s.work(t)
	first, second := s.hub.posted(t, "e-1"), s.hub.posted(t, "e-2")
	if first.Status != turnpost.EffectOK || second.Status != turnpost.EffectOK {
		t.Fatalf("posted %v, %v", first, second)
	}
	wantParts(t, first.Value, "stdout: 300005 bytes in ", "\nend\n")
	wantParts(t, second.Value, "stdout: 5000004 bytes in ", "stderr: 5000000 bytes in ", ", the first 1048576 of them kept", "yend")
	for name, size := range map[string]int64{"e-1/stdout": 300005, "e-2/stdout": 1 << 20, "e-2/stderr": 1 << 20} {
		info, err := os.Stat(filepath.Join(s.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() != size || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has %d bytes and mode %v", name, info.Size(), info.Mode())
		}
	}
}

func TestParallelIsBound(t *testing.T) {
	s := newSetting(t)
	// Each command says what it saw: how many others were at work.
	script := `mkdir on.$$; ls -d on.* | wc -l >> seen; i=0; while [ ! -e go ] && [ $i -lt 1000 ]; do sleep 0.01; i=$((i+1)); done; rmdir on.$$`
	for range 9 {
		s.hub.ask(s.sh(script))
	}
	ended := make(chan error, 1)
	go func() {
		_, err := work.Run(t.Context(), s.config())
		ended <- err
	}()
	seen := func() []string {
		data, _ := os.ReadFile(filepath.Join(s.cwd, "seen"))
		return strings.Fields(string(data))
	}
	await(t, func() bool { return len(seen()) == 3 })
	write(t, filepath.Join(s.cwd, "go"), "")
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if n := len(seen()); n != 9 {
		t.Errorf("%d commands ran", n)
	}
	for _, word := range seen() {
		if n, err := strconv.Atoi(word); err != nil || n > 3 {
			t.Errorf("%s commands ran at a time", word)
		}
	}
}

func TestTimeoutEndsTheGroup(t *testing.T) {
	for name, script := range map[string]string{
		"grandchild holds the pipe": `sleep 600 & echo $! > pid; wait`,
		"nothing heeds TERM":        `trap '' TERM; sh -c 'trap "" TERM; echo $$ > pid; while :; do sleep 1; done' & while :; do sleep 1; done`,
		"grandchild holds nothing":  `sh -c 'trap "" TERM; echo $$ > pid; while :; do sleep 1; done' >/dev/null 2>&1 & wait`,
	} {
		t.Run(name, func(t *testing.T) {
			s := newSetting(t)
			command := s.sh(script)
			command.Seconds = 1
			s.hub.ask(command)
			start := time.Now()
			s.work(t)
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("took %s", took)
			}
			post := s.hub.posted(t, "e-1")
			if post.Status != turnpost.EffectError {
				t.Errorf("posted %s", post.Status)
			}
			wantParts(t, post.Value, "ended, because it took longer than 1s after ")
			wantGone(t, filepath.Join(s.cwd, "pid"))
		})
	}
}

func TestWhatHoldsTheOutputIsEnded(t *testing.T) {
	s := newSetting(t)
	s.hub.ask(s.sh(`sleep 600 & echo $! > pid; echo done`))
	s.work(t)
	post := s.hub.posted(t, "e-1")
	if post.Status != turnpost.EffectOK {
		t.Errorf("posted %s", post.Status)
	}
	wantParts(t, post.Value, "exit status 0", "\ndone\n")
	wantGone(t, filepath.Join(s.cwd, "pid"))
}

func TestToldToEnd(t *testing.T) {
	s := newSetting(t)
	s.hub.ask(s.sh(`sleep 600 & echo $! > pid; wait`))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := work.Run(ctx, s.config())
		ended <- err
	}()
	pid := filepath.Join(s.cwd, "pid")
	await(t, func() bool { return fileNumber(pid) > 0 })
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
	wantParts(t, s.hub.posted(t, "e-1").Value, "ended, because its worker was told to end after ")
	wantGone(t, pid)
}

func TestFollowUntilTheRunEnds(t *testing.T) {
	s := newSetting(t)
	cfg := s.config()
	cfg.Follow = true
	posted := make(chan string, 9)
	cfg.Report = func(p work.Progress) {
		if p.Step == work.Posted {
			posted <- p.Effect.ID
		}
	}
	ended := make(chan error, 1)
	var done work.Done
	go func() {
		var err error
		done, err = work.Run(t.Context(), cfg)
		ended <- err
	}()
	for i := range 3 {
		s.hub.ask(s.sh("true"))
		if id := <-posted; id != fmt.Sprintf("e-%d", i+1) {
			t.Errorf("posted %s", id)
		}
	}
	s.hub.set(turnpost.RunCompleted)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if done != (work.Done{OK: 3, Ended: true}) {
		t.Errorf("done: %+v", done)
	}
}

func TestWhatAnAgentAskedForIsLeft(t *testing.T) {
	s := newSetting(t)
	s.hub.ask(s.sh("touch ran"), s.sh("exit 1"))
	s.hub.run.Effects[0].Trusted = false
	if done := s.work(t); done != (work.Done{Failed: 1, Left: 1}) {
		t.Errorf("done: %+v", done)
	}
	if _, err := os.Stat(filepath.Join(s.cwd, "ran")); err == nil {
		t.Error("it ran")
	}
	cfg := s.config()
	cfg.All = true
	if done, err := work.Run(t.Context(), cfg); err != nil || done != (work.Done{OK: 1}) {
		t.Errorf("done: %+v, %v", done, err)
	}
}

func TestHubGone(t *testing.T) {
	s := newSetting(t)
	s.hub.lose = 1 // what was taken with an answer that got lost runs all the same
	s.hub.ask(s.sh("echo x >> ran"))
	tries := 0
	s.hub.onPost(func(turnpost.EffectPost) error {
		if tries++; tries < 3 {
			return turnpost.Errorf(turnpost.Unavailable, "gone")
		}
		return nil
	})
	if done := s.work(t); done != (work.Done{OK: 1}) {
		t.Errorf("done: %+v", done)
	}
	s.hub.posted(t, "e-1")
	wantFile(t, filepath.Join(s.cwd, "ran"), "x\n")
}

func TestRefusedResult(t *testing.T) {
	s := newSetting(t)
	s.hub.ask(s.sh("true"))
	s.hub.onPost(func(turnpost.EffectPost) error { return turnpost.Errorf(turnpost.Conflict, "r-1 has ended") })
	_, err := work.Run(t.Context(), s.config())
	if turnpost.CodeOf(err) != turnpost.Conflict || err.Error() != "post e-1: r-1 has ended" {
		t.Errorf("ended with %v", err)
	}
	s.hub.onPost(nil)
	s.work(t) // the next worker has it still
	if post := s.hub.posted(t, "e-1"); post.Status != turnpost.EffectOK {
		t.Errorf("posted %+v", post)
	}
}

// TestHaltedMeanwhile holds that a command of a run that halts is let be, and
// its result is posted once the run goes on.
func TestHaltedMeanwhile(t *testing.T) {
	s := newSetting(t)
	s.hub.ask(s.sh(`echo x >> ran; while [ ! -e go ]; do sleep 0.01; done; echo the result`), s.sh(`echo y >> ran`))
	cfg := s.config()
	cfg.Parallel = 1
	refused := make(chan error, 1)
	cfg.Report = func(p work.Progress) {
		if p.Step == work.Refused {
			refused <- p.Err
		}
	}
	ended := make(chan error, 1)
	go func() {
		_, err := work.Run(t.Context(), cfg)
		ended <- err
	}()
	ran := filepath.Join(s.cwd, "ran")
	await(t, func() bool { _, err := os.Stat(ran); return err == nil })
	s.hub.set(turnpost.RunHalted)
	write(t, filepath.Join(s.cwd, "go"), "")
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if err := <-refused; turnpost.CodeOf(err) != turnpost.Conflict {
		t.Errorf("refused with %v", err)
	}
	if done := s.work(t); done != (work.Done{Ended: true}) {
		t.Errorf("at a halted run: %+v", done)
	}
	s.hub.set(turnpost.RunWaiting)
	s.work(t)
	wantParts(t, s.hub.posted(t, "e-1").Value, "exit status 0", "\nthe result\n")
	wantFile(t, ran, "x\ny\n")
}

func TestNameIsKept(t *testing.T) {
	s := newSetting(t)
	var names []string
	for i := range 2 {
		s.hub.ask(s.sh("true"))
		cfg := s.config()
		cfg.Worker = ""
		if _, err := work.Run(t.Context(), cfg); err != nil {
			t.Fatal(err)
		}
		names = append(names, s.hub.posted(t, fmt.Sprintf("e-%d", i+1)).Worker)
	}
	if names[0] != names[1] || !strings.HasPrefix(names[0], "w-") {
		t.Errorf("names: %q", names)
	}
}

// await waits until something is so.
func await(t *testing.T, so func() bool) {
	t.Helper()
	for limit := time.Now().Add(20 * time.Second); !so(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatal("did not come about")
		}
	}
}

func fileNumber(path string) int {
	data, _ := os.ReadFile(path)
	n, _ := strconv.Atoi(strings.TrimSpace(string(data)))
	return n
}

// wantGone holds that the process whose number is in a file is no more.
func wantGone(t *testing.T, path string) {
	t.Helper()
	pid := fileNumber(path)
	if pid <= 1 {
		t.Fatalf("%s holds no process", path)
	}
	await(t, func() bool { return !alive(pid) })
}

// alive tells whether a process runs; one that nobody reaped does not.
func alive(pid int) bool {
	return process.Alive(turnpost.Process{Pid: pid, Start: cmp.Or(process.Start(pid), "gone")})
}

func wantFile(t *testing.T, path, want string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil || string(data) != want {
		t.Errorf("%s holds %q, %v", path, data, err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"turnpost"
	"turnpost/internal/harness"
	"turnpost/internal/hook"
	"turnpost/internal/setup"
	"turnpost/internal/statedir"
)

var update = flag.Bool("update", false, "write golden files and generated docs")

// TestMain makes the test binary the programs too: what a script runs is a
// process of its own.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"turnpost":      func() { os.Exit(program(os.Args[1:])) },
		"turnpost-hook": func() { os.Exit(hook.Main(os.Args[1:])) },
		// The harness's program, as far as setup runs it.
		"claude": func() { fmt.Println("2.1.332 (Claude Code)") },
	})
}

// program is what main does.
func program(args []string) int {
	if len(args) > 1 && args[0] == "hook" && !strings.HasPrefix(args[1], "-") {
		return hook.Main(args[1:])
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return Run(ctx, System("v1.2.3-test"), args)
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		UpdateScripts:       *update,
		Setup:               newHome,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"ends":    ends,
			"moment":  moment,
			"killhub": killHub,
			"quiet":   quiet,
			"seen":    seen,
		},
	})
}

// newHome gives a script a home with the programs in it, a repository, and a
// hub of its own, which is stopped at the end.
func newHome(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, "home")
	bin := filepath.Join(home, ".local", "bin")
	for _, dir := range []string{bin, filepath.Join(env.WorkDir, "api", ".git"), filepath.Join(env.WorkDir, "web", ".git")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	for _, name := range []string{"turnpost", hookName, "claude"} {
		path, err := exec.LookPath(name)
		if err != nil {
			return err
		}
		if err := os.Link(path, filepath.Join(bin, name)); err != nil {
			return err
		}
	}
	env.Setenv("HOME", home)
	env.Setenv("PATH", bin+string(filepath.ListSeparator)+env.Getenv("PATH"))
	env.Setenv("TURNPOST_LISTEN", "127.0.0.1:0")
	env.Setenv("STATE", filepath.Join(home, ".local", "state", "turnpost"))
	env.Setenv("USER", "anna")
	env.Setenv("PID", strconv.Itoa(os.Getpid()))
	env.Defer(func() {
		if hub, err := statedir.Dir(env.Getenv("STATE")).ReadHub(); err == nil {
			_ = syscall.Kill(hub.Pid, syscall.SIGKILL) // it was started by this script
		}
	})
	return nil
}

// ends STATUS PROGRAM ARG... runs a program and holds it to an exit status; a
// status of "N<2s" also to a time.
func ends(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: ends STATUS PROGRAM ARG...")
	}
	want, limit, timed := strings.Cut(args[0], "<")
	start := time.Now()
	err := ts.Exec(args[1], args[2:]...)
	took := time.Since(start)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(got) != want {
		ts.Fatalf("ended with %d, not %s", got, want)
	}
	if timed {
		most, err := time.ParseDuration(limit)
		ts.Check(err)
		if took > most {
			ts.Fatalf("took %s", took)
		}
	}
}

// moment KIND SESSION makes the hook call of a stand-in session, by the line
// that setup registers. The session's process is the test itself: whatever the
// script runs from then on is that agent. What the model would read is stdout.
func moment(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: moment KIND SESSION")
	}
	standin := harness.All()[0].(harness.Standin)
	cwd := ts.MkAbs(filepath.Join("..", args[1]))
	if _, err := os.Stat(cwd); err != nil {
		cwd = filepath.Join(ts.Getenv("WORK"), args[1])
	}
	bell, _ := os.ReadFile(filepath.Join(ts.Getenv("WORK"), "watched"))
	m, ok := standin.Moment(turnpost.Kind(args[0]), harness.StandinSession{
		Native: "standin-" + args[1], Pid: os.Getpid(), Cwd: cwd,
		Hook: filepath.Join(ts.Getenv("HOME"), ".local", "bin", hookName), Bell: string(bell),
	})
	if !ok {
		ts.Fatalf("no moment %s", args[0])
	}
	in := ts.MkAbs(".moment")
	ts.Check(os.WriteFile(in, m.Stdin, 0o600))
	line := strings.Join(append([]string{"env"}, quoted(m.Env)...), " ") + " sh -c " + setup.ShellQuote(m.Line) + " < " + setup.ShellQuote(in)
	status := 0
	err := ts.Exec("sh", "-c", line)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		status = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	text, watch := standin.Reading([]byte(ts.ReadFile("stdout")), []byte(ts.ReadFile("stderr")), status)
	if len(watch) > 0 {
		ts.Check(os.WriteFile(filepath.Join(ts.Getenv("WORK"), "watched"), []byte(watch[0]), 0o600))
	}
	// A second run makes the text what the script sees as stdout.
	ts.Check(os.WriteFile(in, []byte(text), 0o600))
	ts.Check(ts.Exec("cat", in))
}

func quoted(words []string) []string {
	out := make([]string, len(words))
	for i, word := range words {
		out[i] = setup.ShellQuote(word)
	}
	return out
}

// killhub kills the hub that the script started, and waits until it is gone.
func killHub(ts *testscript.TestScript, neg bool, args []string) {
	dir := statedir.Dir(ts.Getenv("STATE"))
	hub, err := dir.ReadHub()
	ts.Check(err)
	ts.Check(syscall.Kill(hub.Pid, syscall.SIGKILL))
	for limit := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		busy, err := locked(dir)
		ts.Check(err)
		if !busy {
			return
		}
		if time.Now().After(limit) {
			ts.Fatalf("the lock outlives the hub")
		}
	}
}

// quiet stdout|stderr holds an output to what a terminal does not act on.
func quiet(ts *testscript.TestScript, neg bool, args []string) {
	for _, name := range args {
		if bad := unquiet(ts.ReadFile(name)); bad != "" {
			ts.Fatalf("%s: %s", name, bad)
		}
	}
}

// unquiet names the first character that a terminal would act on.
func unquiet(text string) string {
	n := 1
	for i, r := range text {
		if r == '\n' {
			n++
			continue
		}
		if r != '\t' && unseen(r) {
			return fmt.Sprintf("line %d, byte %d: %U", n, i, r)
		}
	}
	return ""
}

// seen FILE waits until a file is there.
func seen(ts *testscript.TestScript, neg bool, args []string) {
	for limit := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(ts.MkAbs(args[0])); err == nil {
			return
		}
		if time.Now().After(limit) {
			ts.Fatalf("%s is not there", args[0])
		}
	}
}

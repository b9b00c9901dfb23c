//go:build unix

package realtest

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// Client says how to start a real program. Program, Home and API are needed,
// the rest may stay empty.
type Client struct {
	Program Program // one of those that the home was made with
	Home    *Home
	API     *API
	Dir     string   // working directory; Home.Repo when empty
	Args    []string // more arguments, such as "--resume", id
	Env     []string // more environment, as KEY=VALUE
}

// Result is what a finished run left.
type Result struct {
	Stdout string
	Stderr string
	Code   int // exit status, -1 when a signal ended it
	Took   time.Duration
}

// Print runs one prompt without a terminal (`claude -p`) to its end. It fails
// the test when ctx or Patience is over first.
func (c Client) Print(ctx context.Context, t testing.TB, prompt string) Result {
	t.Helper()
	return c.Run(ctx, t, append(c.Program.OneShot(prompt), c.Args...)...)
}

// Run runs the program with exactly these arguments to its end, for
// subcommands such as "mcp add". It fails the test when ctx or Patience is over
// first.
func (c Client) Run(ctx context.Context, t testing.TB, args ...string) Result {
	t.Helper()
	c.Home.enter(t)
	defer c.Home.leave()
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	cmd := c.command(ctx, t, args)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second // a child that keeps the pipes must not hold us
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	start := time.Now()
	err := cmd.Run()
	r := Result{Stdout: stdout.String(), Stderr: stderr.String(), Took: time.Since(start)}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		t.Fatalf("%s %q: %v after %s\nstdout: %s\nstderr: %s", c.Program.Command(), args, ctx.Err(), r.Took, r.Stdout, r.Stderr)
	case errors.As(err, &exit):
		r.Code = exit.ExitCode()
	case err != nil:
		t.Fatalf("%s %q: %v", c.Program.Command(), args, err)
	}
	return r
}

func (c Client) command(ctx context.Context, t testing.TB, args []string) *exec.Cmd {
	t.Helper()
	c.API.serves(c.Program)
	env := c.Program.Env(c.Home, c.API.URL())
	cmd := exec.CommandContext(ctx, c.Home.executable(c.Program), args...)
	cmd.Dir = c.Dir
	if cmd.Dir == "" {
		cmd.Dir = c.Home.Repo
	}
	cmd.Env = c.Home.Env(append(env, c.Env...)...)
	return cmd
}

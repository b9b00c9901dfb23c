package wake

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"turnpost"
	"turnpost/internal/harness"
)

// commandTime is how long a ring by a program may take, and how long after it
// the session has surely heard it: Codex 0.171.0 looks into its queue every ten
// seconds where no daemon does it at once.
const commandTime = 15 * time.Second

// command rings with the harness's own program, which puts a prompt into the
// session: always harness.Poke, in an argument of its own, and no shell.
type command struct {
	limit  time.Duration
	report func(error)
}

func (command) Name() string { return "command" }

func (command) Says() string { return "queue" }

// Announced: there is nothing to announce; such a session says so itself.
func (command) Announced(turnpost.Wake) bool { return false }

// Patience covers the program's own time too, so that a session has one at most.
func (c command) Patience() time.Duration { return c.limit }

// Ring starts the program and does not wait for it: what becomes of it is
// reported.
func (c command) Ring(name string, wake turnpost.Wake) error {
	h, _ := harness.Find(name)
	queuer, ok := h.(harness.Queuer)
	if !ok {
		return fmt.Errorf("ring by command: %.40q has none", name)
	}
	if err := executable(wake.Program); err != nil {
		return fmt.Errorf("ring by command: %w", err)
	}
	args, env := queuer.RingCommand(wake)
	ctx, cancel := context.WithTimeout(context.Background(), c.limit)
	cmd := exec.CommandContext(ctx, wake.Program, args...)
	cmd.Dir = filepath.Dir(wake.Program) // no repository
	cmd.Env = append([]string{"HOME=" + os.Getenv("HOME"), "PATH=" + os.Getenv("PATH")}, env...)
	cmd.WaitDelay = time.Second // a child that keeps the pipes is not waited for
	var said head
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		cancel()
		return fmt.Errorf("ring by command: %w", err)
	}
	go func() {
		defer cancel()
		if err := cmd.Wait(); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
			c.report(fmt.Errorf("ring by %s: %w: %q", wake.Program, err, said.data))
		}
	}()
	return nil
}

// Forget: nothing is kept.
func (command) Forget(turnpost.Wake) error { return nil }

// executable refuses a program that is not a file at an absolute path.
func executable(program string) error {
	if !filepath.IsAbs(program) {
		return fmt.Errorf("%.200q is not an absolute path", program)
	}
	info, err := os.Stat(program)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
		return fmt.Errorf("%.200q is no program", program)
	}
	return nil
}

// head keeps the start of what is written, enough for an error.
type head struct{ data []byte }

func (h *head) Write(data []byte) (int, error) {
	const most = 500
	h.data = append(h.data, data[:min(most-len(h.data), len(data))]...)
	return len(data), nil
}

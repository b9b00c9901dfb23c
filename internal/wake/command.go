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

// Programs knows the harnesses' programs as their user has them. What an event
// says of itself is the word of whoever reaches the socket, and an agent in a
// sandbox may: nothing that it names is run.
type Programs interface {
	// Find returns the absolute path of the harness's program.
	Find(harness string) (path string, err error)
	// Keeps tells whether the user keeps that harness's files in dir.
	Keeps(harness, dir string) bool
}

// command rings with the harness's own program, which puts a prompt into the
// session: always harness.Poke, in an argument of its own, and no shell.
type command struct {
	programs Programs
	limit    time.Duration
	report   func(error)
}

// Command is the way to ring by the harness's own program. report takes what
// goes wrong in the background.
func Command(programs Programs, report func(error)) Method {
	return command{programs, commandTime, report}
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
	program, err := c.programs.Find(name)
	if err != nil {
		return fmt.Errorf("ring by command: %w", err)
	}
	if wake.At != "" && !c.programs.Keeps(name, wake.At) {
		return fmt.Errorf("ring by command: %.200q is not where setup knows %s: apply setup there", wake.At, name)
	}
	args, env := queuer.RingCommand(wake)
	ctx, cancel := context.WithTimeout(context.Background(), c.limit)
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = filepath.Dir(program) // no repository
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
			c.report(fmt.Errorf("ring by %s: %w: %q", program, err, said.data))
		}
	}()
	return nil
}

// Forget: nothing is kept.
func (command) Forget(turnpost.Wake) error { return nil }

// head keeps the start of what is written, enough for an error.
type head struct{ data []byte }

func (h *head) Write(data []byte) (int, error) {
	const most = 500
	h.data = append(h.data, data[:min(most-len(h.data), len(data))]...)
	return len(data), nil
}

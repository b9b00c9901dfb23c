package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"turnpost"
	"turnpost/internal/harness"
	"turnpost/internal/statedir"
)

const (
	startLimit = 10 * time.Second      // for a hub to answer; migrations included
	startPoll  = 20 * time.Millisecond // between two looks
	maxLog     = 1 << 20               // bytes; a longer log is put aside at a start
)

// heal starts the program of a hub that died, at the address it had.
func (a *app) heal(ctx context.Context, dir statedir.Dir, died statedir.Hub) (statedir.Hub, error) {
	if f, err := os.OpenFile(dir.HealMark(), os.O_WRONLY|os.O_CREATE, 0o600); err == nil {
		// The mark keeps others from starting it too; without it the lock does.
		_ = os.Chtimes(dir.HealMark(), a.env.Now(), a.env.Now())
		_ = f.Close()
	}
	return a.startDetached(ctx, dir, died.Heal)
}

// startDetached starts a hub that outlives us and waits until it answers.
func (a *app) startDetached(ctx context.Context, dir statedir.Dir, program string, args ...string) (statedir.Hub, error) {
	log, from, err := openLog(dir)
	if err != nil {
		return statedir.Hub{}, err
	}
	defer log.Close()
	cmd := exec.Command(program, append([]string{"up", "--detached"}, args...)...) //nolint:noctx // it outlives ctx
	cmd.Env, cmd.Dir = a.hubEnviron(), string(dir)
	cmd.Stdout, cmd.Stderr = log, log
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return statedir.Hub{}, turnpost.Errorf(turnpost.Unavailable, "start the hub: %v", err).WithHint("turnpost up -d")
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()

	limit, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	look := time.NewTicker(startPoll)
	defer look.Stop()
	for {
		// Whoever started it: another client may have been quicker.
		if hub, err := dir.ReadHub(); err == nil && answers(hub) {
			return hub, nil
		}
		select {
		case <-look.C:
		case err := <-ended:
			if hub, err := a.othersStart(limit, dir); err == nil {
				return hub, nil
			}
			return statedir.Hub{}, startError(dir, from, err)
		case <-limit.Done():
			if ctx.Err() != nil {
				return statedir.Hub{}, ctx.Err()
			}
			return statedir.Hub{}, turnpost.Errorf(turnpost.Unavailable, "the hub does not answer %s after its start", startLimit).
				WithHint("look at %s", dir.Log())
		}
	}
}

// hubEnviron is the part of our environment that a hub in the background gets:
// what it needs itself, and what tells where harnesses keep their files. The
// rest may be an agent's, with the key for its model service.
func (a *app) hubEnviron() []string {
	wanted := map[string]bool{}
	for _, name := range []string{
		"HOME", "USER", "LOGNAME", "PATH", "SHELL", "LANG", "TZ", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "USERPROFILE",
		"DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "TURNPOST_HOME", "TURNPOST_LISTEN",
		"GOGC", "GOMEMLIMIT", "GOCOVERDIR",
	} {
		wanted[name] = true
	}
	for _, h := range harness.All() {
		if program, ok := h.(harness.Program); ok {
			program.Home(func(name string) string { wanted[name] = true; return "" })
		}
	}
	var out []string
	for _, entry := range a.env.Environ {
		name, _, _ := strings.Cut(entry, "=")
		if wanted[name] || strings.HasPrefix(name, "XDG_") || strings.HasPrefix(name, "LC_") {
			out = append(out, entry)
		}
	}
	return out
}

// othersStart waits a moment for a hub that holds the lock and does not answer
// yet.
func (a *app) othersStart(ctx context.Context, dir statedir.Dir) (statedir.Hub, error) {
	if busy, err := locked(dir); err != nil || !busy {
		return statedir.Hub{}, notRunning("the hub is not running")
	}
	for {
		hub, err := dir.ReadHub()
		if err == nil && answers(hub) {
			return hub, nil
		}
		select {
		case <-ctx.Done():
			return statedir.Hub{}, ctx.Err()
		case <-time.After(startPoll):
		}
	}
}

// openLog opens the log of detached hubs at its end.
func openLog(dir statedir.Dir) (log *os.File, size int64, err error) {
	if info, err := os.Stat(dir.Log()); err == nil && info.Size() > maxLog {
		if err := os.Rename(dir.Log(), dir.Log()+".1"); err != nil {
			return nil, 0, fmt.Errorf("put log aside: %w", err)
		}
	}
	log, err = os.OpenFile(dir.Log(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, 0, fmt.Errorf("open log: %w", err)
	}
	if size, err = log.Seek(0, io.SeekEnd); err != nil {
		return nil, 0, fmt.Errorf("open log: %w", err)
	}
	return log, size, nil
}

// codeOfExit is the code behind an exit status of ours.
func codeOfExit(err error) turnpost.Code {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		switch exit.ExitCode() {
		case exitUsage:
			return turnpost.Invalid
		case exitRefused:
			return turnpost.Conflict
		}
	}
	return turnpost.Unavailable
}

// startError is what a hub that ended at its start said last.
func startError(dir statedir.Dir, from int64, cause error) error {
	out := turnpost.Errorf(codeOfExit(cause), "the hub ended at its start: %v", cause).WithHint("look at %s", dir.Log())
	log, err := os.Open(dir.Log())
	if err != nil {
		return out
	}
	defer log.Close()
	const most = 64 << 10
	data, err := io.ReadAll(io.NewSectionReader(log, from, most))
	if err != nil {
		return out
	}
	for _, l := range strings.Split(string(data), "\n") {
		if text, ok := strings.CutPrefix(l, "turnpost: error: "); ok {
			out.Message = "the hub did not start: " + text
		}
		if text, ok := strings.CutPrefix(l, "turnpost: hint: "); ok {
			out.Hint = text
		}
	}
	return out
}

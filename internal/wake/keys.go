package wake

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"turnpost"
	"turnpost/internal/harness"
	"turnpost/internal/statedir"
)

// How a ring by keys takes its time.
const (
	keysLimit  = 10 * time.Second       // all of it
	keysCome   = 4 * time.Second        // until the prompt is empty
	keysCalm   = 300 * time.Millisecond // between two looks that have to agree
	keysTyped  = 2 * time.Second        // until the text is on the screen
	keysGlance = 100 * time.Millisecond // between looks
)

// keys rings by typing harness.Poke into the tmux pane of a session, and only
// into an empty prompt. It is there only where the user allowed it.
type keys struct {
	kept
	report func(error)
}

// Keys is the way to ring by typing, for a user who allowed it. report takes what
// goes wrong in the background.
func Keys(dir statedir.Dir, report func(error)) Method { return keys{kept{dir}, report} }

func (keys) Name() string { return "keys" }

func (keys) Says() string { return "keys in its pane" }

// Patience covers the ring itself, so that two never type at once.
func (keys) Patience() time.Duration { return keysLimit + 5*time.Second }

// Ring types in the background.
func (k keys) Ring(name string, wake turnpost.Wake) error {
	h, _ := harness.Find(name)
	typist, ok := h.(harness.Typist)
	if !ok {
		return fmt.Errorf("ring by keys: nobody knows the screen of %.40q", name)
	}
	lines, err := k.lines(wake, 2)
	if err != nil {
		return fmt.Errorf("ring by keys: %w", err)
	}
	p, err := paneOf(lines[0], lines[1])
	if err != nil {
		return fmt.Errorf("ring by keys: %w", err)
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), keysLimit)
		defer cancel()
		if err := p.ring(ctx, typist); err != nil && !errors.Is(err, errNotNow) {
			k.report(fmt.Errorf("ring by keys in pane %s: %w", p.id, err))
		}
	}()
	return nil
}

// pane is one pane of one tmux server.
type pane struct {
	tmux   string // the program
	socket string
	id     string // "%5"
}

func paneOf(socket, id string) (pane, error) {
	number, ok := strings.CutPrefix(id, "%")
	if !ok || number == "" || len(number) > 9 || strings.Trim(number, "0123456789") != "" {
		return pane{}, fmt.Errorf("%.40q is no pane", id)
	}
	if err := ownSocket(socket); err != nil {
		return pane{}, err
	}
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		return pane{}, err
	}
	return pane{tmux, socket, id}, nil
}

// ownSocket refuses what is no socket of this user at an absolute path.
func ownSocket(path string) error {
	if !filepath.IsAbs(path) {
		return fmt.Errorf("%.200q is not an absolute path", path)
	}
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if info.Mode()&os.ModeSocket == 0 || !mine(info) {
		return fmt.Errorf("%.200q is no socket of this user", path)
	}
	return nil
}

// errNotNow is a prompt that is not empty: somebody types, a dialog is open, a
// turn runs. That is nothing to report: the hub rings again, and tells the human
// when it was in vain.
var errNotNow = errors.New("there is no empty prompt")

// ring types the text, looks whether it arrived in the prompt, and only then
// presses Enter.
func (p pane) ring(ctx context.Context, typist harness.Typist) error {
	if err := p.calm(ctx, typist); err != nil {
		return err
	}
	if _, err := p.run(ctx, "send-keys", "-t", p.id, "-l", harness.Poke); err != nil {
		return err
	}
	for deadline := time.Now().Add(keysTyped); ; {
		if err := pause(ctx, keysGlance); err != nil {
			return err
		}
		screen, err := p.screen(ctx)
		if err != nil {
			return err
		}
		if typed, ready := typist.Prompt(screen); ready && typed == harness.Poke {
			break
		}
		if time.Now().After(deadline) {
			return errors.New("what was typed is not in the prompt")
		}
	}
	_, err := p.run(ctx, "send-keys", "-t", p.id, "Enter")
	return err
}

// calm waits for a prompt that is empty twice in a row: a turn that just ended
// clears up.
func (p pane) calm(ctx context.Context, typist harness.Typist) error {
	seen := false
	for deadline := time.Now().Add(keysCome); ; {
		err := p.empty(ctx, typist)
		switch {
		case err == nil && seen:
			return nil
		case err != nil && (!errors.Is(err, errNotNow) || time.Now().After(deadline)):
			return err
		}
		seen = err == nil
		if err := pause(ctx, keysCalm); err != nil {
			return err
		}
	}
}

// empty tells whether the program that runs in the pane shows an empty prompt.
func (p pane) empty(ctx context.Context, typist harness.Typist) error {
	state, err := p.run(ctx, "display-message", "-p", "-t", p.id, "#{pane_dead} #{pane_in_mode} #{pane_current_command}")
	if err != nil {
		return err
	}
	command, ok := strings.CutPrefix(strings.TrimSpace(state), "0 0 ")
	if !ok || !typist.Foreground(command) {
		return fmt.Errorf("%w: the pane shows %.40q", errNotNow, strings.TrimSpace(state))
	}
	screen, err := p.screen(ctx)
	if err != nil {
		return err
	}
	if typed, ready := typist.Prompt(screen); !ready || typed != "" {
		return errNotNow
	}
	return nil
}

// screen is what the pane shows, row by row.
func (p pane) screen(ctx context.Context) ([]string, error) {
	text, err := p.run(ctx, "capture-pane", "-p", "-t", p.id)
	return strings.Split(text, "\n"), err
}

// run runs one command of tmux. -u: the screen is UTF-8, whatever our own
// environment says; -f: no settings are read should there be no server.
func (p pane) run(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, p.tmux, append([]string{"-u", "-f", os.DevNull, "-S", p.socket}, args...)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}
	cmd.Dir = string(filepath.Separator)
	cmd.WaitDelay = time.Second
	var said head
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("tmux %s: %w: %q", args[0], err, said.data)
	}
	return string(out), nil
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

//go:build unix

package realtest

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/creack/pty"
)

// The size of the terminal: wide enough that test texts stay on one line.
const (
	rows = 50
	cols = 120
)

var blankRuns = regexp.MustCompile(`\n{3,}`)

// TUI is an interactive client on a terminal of its own. Its methods belong to
// the test's goroutine and fail the test when what they wait for does not come
// within Patience, or can no longer come because the client has ended. When the
// test fails for any reason, the log gets the last screen.
type TUI struct {
	t       testing.TB
	program Program
	home    *Home
	cmd     *exec.Cmd
	pty     *os.File
	screen  *screen
	changed pulse
	ended   atomic.Bool
	done    chan struct{} // closed after ended
}

// TUI starts the client on a terminal and returns when its prompt is there. The
// client is killed at the end of the test.
func (c Client) TUI(t testing.TB) *TUI {
	t.Helper()
	c.Home.enter(t)
	u := &TUI{t: t, program: c.Program, home: c.Home, done: make(chan struct{})}
	u.screen = newScreen(rows, cols, &u.changed)
	// Not t.Context(): it ends before the cleanup that shows the screen.
	u.cmd = c.command(context.Background(), t, append(c.Program.Interactive(), c.Args...))
	var err error
	if u.pty, err = pty.StartWithSize(u.cmd, &pty.Winsize{Rows: rows, Cols: cols}); err != nil {
		c.Home.leave()
		t.Fatalf("start the client on a terminal: %v", err)
	}
	u.screen.answers = u.pty
	go func() { _, _ = io.Copy(u.screen, u.pty) }() // ends when the terminal is closed
	go func() {
		_ = u.cmd.Wait() // how it ended is in ProcessState
		c.Home.leave()   // the next client may come now
		u.ended.Store(true)
		close(u.done)
		u.changed.beat()
	}()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("last screen of client %d (ended: %v):\n%s", u.Pid(), u.ended.Load(), blankRuns.ReplaceAllString(u.Screen(), "\n\n"))
		}
		_ = u.cmd.Process.Kill() // fails when it has ended
		<-u.done
		_ = u.pty.Close()
	})
	u.waitPrompt()
	return u
}

// waitPrompt waits until the client can be typed to. Dialogs before that are
// answered as a person would: once they have stood for a moment, for at first
// they may throw keys away, and again where nothing came of it.
func (u *TUI) waitPrompt() {
	u.t.Helper()
	const moment = 300 * time.Millisecond
	answer, since := "", time.Time{}
	look := time.AfterFunc(moment, u.changed.beat)
	defer look.Stop()
	u.WaitScreenFunc("the prompt", func(screen string) bool {
		v := u.program.Look(screen)
		switch {
		case v.Answer != answer:
			answer, since = v.Answer, time.Now()
			look.Reset(moment)
		case answer != "" && time.Since(since) >= moment:
			u.Press(answer)
			since = time.Now()
			look.Reset(moment)
		}
		return v.Ready
	})
}

// look is what the screen shows now.
func (u *TUI) look() View { return u.program.Look(u.Screen()) }

// In lets a part of the test, a subtest, own what fails until it ends.
func (u *TUI) In(t testing.TB) {
	outer := u.t
	u.t = t
	t.Cleanup(func() { u.t = outer })
}

// Pid is the client's process id.
func (u *TUI) Pid() int { return u.cmd.Process.Pid }

// Screen returns what is on the terminal now, without trailing blanks.
func (u *TUI) Screen() string { return u.screen.String() }

// WaitScreen waits until text is on the screen.
func (u *TUI) WaitScreen(text string) {
	u.t.Helper()
	u.WaitScreenFunc(strconv.Quote(text), func(screen string) bool { return strings.Contains(screen, text) })
}

// WaitScreenFunc waits for a screen that is right; what names it in failures.
func (u *TUI) WaitScreenFunc(what string, right func(screen string) bool) {
	u.t.Helper()
	await(u.t, what+" on the screen", &u.changed, func() (bool, error) {
		ended := u.ended.Load() // before the look: the screen may be the last
		if right(u.Screen()) {
			return true, nil
		}
		if ended {
			return false, fmt.Errorf("the client has ended (%s)", u.cmd.ProcessState)
		}
		return false, nil
	})
}

// Type enters a prompt or a slash command, one line: it types the text, waits
// until it stands in the input line, presses Enter and waits until it has left.
func (u *TUI) Type(text string) {
	u.t.Helper()
	// While a screen is drawn anew, the line above may look like the input line.
	u.WaitScreenFunc("an empty input line", func(screen string) bool {
		v := u.program.Look(screen)
		return v.Ready && v.Input == ""
	})
	u.enterText(text)
	u.Enter()
}

// enterText types into the empty input line. An interrupted prompt may come back
// into it at that very moment: then the line is cleared and typed again.
func (u *TUI) enterText(text string) {
	u.t.Helper()
	const again = time.Second
	want := squeeze(text)
	u.Press(text)
	pressed := time.Now()
	look := time.AfterFunc(again, u.changed.beat)
	defer look.Stop()
	u.WaitScreenFunc(fmt.Sprintf("input line %q", text), func(screen string) bool {
		v := u.program.Look(screen)
		got := squeeze(v.Input)
		if v.Ready && got != want && strings.HasSuffix(got, want) && time.Since(pressed) >= again {
			u.Press(keyClearLine + text)
			pressed = time.Now()
			look.Reset(again)
		}
		return v.Ready && got == want
	})
}

// Draft adds text to the input line and leaves it there, half typed.
func (u *TUI) Draft(text string) {
	u.t.Helper()
	before := u.look().Input
	u.Press(text)
	u.waitInput(before + text)
}

// Enter submits what stands in the input line and waits until it has left. A
// program that takes keys which come fast for pasted text may take Enter for a
// line break: what still stands there after a second is submitted again.
func (u *TUI) Enter() {
	u.t.Helper()
	const again = time.Second
	u.Press(keyEnter)
	pressed := time.Now()
	look := time.AfterFunc(again, u.changed.beat)
	defer look.Stop()
	u.WaitScreenFunc("an empty input line", func(screen string) bool {
		v := u.program.Look(screen)
		if v.Ready && v.Input != "" && time.Since(pressed) >= again {
			u.Press(keyEnter)
			pressed = time.Now()
			look.Reset(again)
		}
		return v.Ready && v.Input == ""
	})
}

// Press sends keys as they are, for dialogs: Press("1").
func (u *TUI) Press(keys string) {
	u.t.Helper()
	if _, err := io.WriteString(u.pty, keys); err != nil {
		u.t.Fatalf("type into the client: %v", err)
	}
}

// Esc interrupts the running turn and waits until the client is idle and its
// input line empty: an interrupted prompt comes back into it and is removed.
func (u *TUI) Esc() {
	u.t.Helper()
	for i, key := range u.program.Interrupt() {
		if i > 0 {
			u.WaitScreenFunc("an answer to the key", func(screen string) bool { return u.program.Look(screen).Again })
		}
		u.Press(key)
	}
	u.WaitIdle()
	if u.look().Input != "" {
		u.Press(keyClearLine)
		u.waitInput("")
	}
}

// Clear starts a new conversation with /clear and returns the new session id.
func (u *TUI) Clear() string {
	u.t.Helper()
	old, id := u.Session(), ""
	u.Type("/clear")
	Until(u.t, "the session id is new", func() bool {
		id = u.Session()
		return id != "" && id != old
	})
	return id
}

// Exit leaves by the program's own command, waits for the end and returns the
// exit status.
func (u *TUI) Exit() int {
	u.t.Helper()
	u.Draft(u.program.Quit())
	u.Press(keyEnter)
	again := time.AfterFunc(time.Second, func() { _, _ = io.WriteString(u.pty, keyEnter) }) // as in Enter
	defer again.Stop()
	u.waitEnd()
	return u.cmd.ProcessState.ExitCode()
}

// Kill ends the client with SIGKILL, as a crash would, and waits for its end.
func (u *TUI) Kill() {
	u.t.Helper()
	if err := u.cmd.Process.Kill(); err != nil {
		u.t.Fatalf("kill the client: %v", err)
	}
	u.waitEnd()
}

// WaitIdle waits until no turn runs. A turn is to be seen a moment after Type,
// so wait for its reply or for its request first.
func (u *TUI) WaitIdle() {
	u.t.Helper()
	if _, ok := u.program.(registrar); ok {
		u.WaitStatus("idle")
	}
	u.WaitScreenFunc("the end of the turn", func(screen string) bool {
		v := u.program.Look(screen)
		return v.Ready && !v.Busy
	})
}

// Session is the id of the conversation that is open now, for a program that
// writes it down.
func (u *TUI) Session() string {
	u.t.Helper()
	id, _ := u.registered()
	return id
}

// WaitStatus waits until a program that writes it down calls itself busy,
// waiting (for the human) or idle. It says busy a moment after Type, so wait for
// the reply or for a request before waiting for idle.
func (u *TUI) WaitStatus(status string) {
	u.t.Helper()
	Until(u.t, "the client is "+status, func() bool {
		_, now := u.registered()
		return now == status
	})
}

func (u *TUI) registered() (session, status string) {
	u.t.Helper()
	r, ok := u.program.(registrar)
	if !ok {
		u.t.Fatalf("%s writes down no sessions", u.program.Command())
	}
	return r.registered(u.home, u.Pid())
}

func (u *TUI) waitEnd() {
	u.t.Helper()
	await(u.t, "the end of the client", &u.changed, func() (bool, error) { return u.ended.Load(), nil })
}

// waitInput waits until the input line holds text; how it was wrapped does not
// matter.
func (u *TUI) waitInput(text string) {
	u.t.Helper()
	want := squeeze(text)
	u.WaitScreenFunc(fmt.Sprintf("input line %q", text), func(screen string) bool {
		v := u.program.Look(screen)
		return v.Ready && squeeze(v.Input) == want
	})
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }

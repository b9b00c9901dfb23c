//go:build unix

package realtest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/creack/pty"
)

// The size of the terminal: wide enough that test texts stay on one line.
const (
	rows = 50
	cols = 120
)

const (
	keyEnter     = "\r"
	keyEsc       = "\x1b"
	keyDown      = "\x1b[B"
	keyClearLine = "\x15" // Ctrl-U
)

// hints stand in an empty input line after an API error (2.1.332); the screen
// does not tell them from typed text.
var hints = []string{"Resend your message to try again", "Once fixed, resend your message"}

var blankRuns = regexp.MustCompile(`\n{3,}`)

// TUI is an interactive client on a terminal of its own. Its methods belong to
// the test's goroutine and fail the test when what they wait for does not come
// within Patience, or can no longer come because the client has ended. When the
// test fails for any reason, the log gets the last screen.
type TUI struct {
	t       testing.TB
	home    *Home
	cmd     *exec.Cmd
	pty     *os.File
	screen  *screen
	changed pulse
	ended   atomic.Bool
	done    chan struct{} // closed after ended
}

// TUI starts the client on a terminal, in the permission mode "default" (the
// client's own choice, "auto", asks a server for each tool), and returns when
// its prompt is there. The client is killed at the end of the test.
func (c Client) TUI(t testing.TB) *TUI {
	t.Helper()
	c.Home.enter(t)
	u := &TUI{t: t, home: c.Home, done: make(chan struct{})}
	u.screen = newScreen(rows, cols, &u.changed)
	// Not t.Context(): it ends before the cleanup that shows the screen.
	u.cmd = c.command(context.Background(), t, append([]string{"--permission-mode", "default"}, c.Args...))
	var err error
	if u.pty, err = pty.StartWithSize(u.cmd, &pty.Winsize{Rows: rows, Cols: cols}); err != nil {
		c.Home.leave()
		t.Fatalf("start the client on a terminal: %v", err)
	}
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

// trust is the answer that lets a client work in a directory.
const trust = "Yes, I trust this folder"

// waitPrompt waits until the client can be typed to. The home says that its
// projects are trusted, but a client that starts while another one writes that
// file may ask all the same; then it is answered as a person would. Right after
// it appears the dialog takes no answer and goes back to its first line
// (2.1.332), so each line that is new is answered anew.
func (u *TUI) waitPrompt() {
	u.t.Helper()
	answered := ""
	answer := func(line, key string) {
		if answered != line {
			answered = line
			u.Press(key)
		}
	}
	u.WaitScreenFunc("the prompt", func(screen string) bool {
		switch {
		case strings.Contains(screen, "❯ "+trust):
			answer("yes", keyEnter)
		case strings.Contains(screen, trust):
			answer("no", keyDown)
		}
		_, ok := inputLine(screen)
		return ok
	})
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
	u.Draft(text)
	u.Press(keyEnter)
	u.waitInput("")
}

// Draft adds text to the input line and leaves it there, half typed.
func (u *TUI) Draft(text string) {
	u.t.Helper()
	before, _ := inputLine(u.Screen())
	u.Press(text)
	u.waitInput(before + text)
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
	u.Press(keyEsc)
	u.WaitStatus("idle")
	u.WaitScreenFunc("the end of the turn", func(screen string) bool {
		return !strings.Contains(screen, "esc to interrupt")
	})
	if input, _ := inputLine(u.Screen()); input != "" {
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

// Exit leaves with /exit, waits for the end and returns the exit status.
func (u *TUI) Exit() int {
	u.t.Helper()
	u.Draft("/exit")
	u.Press(keyEnter)
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

// Session is the id of the conversation that is open now.
func (u *TUI) Session() string {
	u.t.Helper()
	id, _ := u.registered()
	return id
}

// WaitStatus waits until the client calls itself busy, waiting (for the human)
// or idle. It says busy a moment after Type, so wait for the reply or for a
// request before waiting for idle.
func (u *TUI) WaitStatus(status string) {
	u.t.Helper()
	Until(u.t, "the client is "+status, func() bool {
		_, now := u.registered()
		return now == status
	})
}

// registered reads the client's own entry in its registry of sessions, an
// undocumented file of 2.1.332. The client writes it in place: what cannot be
// read whole is nothing.
func (u *TUI) registered() (session, status string) {
	raw, err := os.ReadFile(filepath.Join(u.home.Dir, ".claude", "sessions", strconv.Itoa(u.Pid())+".json"))
	var entry struct {
		SessionID string `json:"sessionId"`
		Status    string `json:"status"`
	}
	if err != nil || json.Unmarshal(raw, &entry) != nil {
		return "", ""
	}
	return entry.SessionID, entry.Status
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
		input, ok := inputLine(screen)
		return ok && squeeze(input) == want
	})
}

// inputLine finds the text behind the last prompt sign at the left edge, up to
// the rule below it. There is none while a dialog is open.
func inputLine(screen string) (string, bool) {
	const sign = "\n❯"
	start := strings.LastIndex(screen, sign)
	if start < 0 {
		return "", false
	}
	text, _, ok := strings.Cut(screen[start+len(sign):], "\n───")
	if text = strings.TrimSpace(text); slices.Contains(hints, text) {
		text = ""
	}
	return text, ok
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }

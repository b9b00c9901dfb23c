//go:build unix

package wake

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"turnpost"
	"turnpost/internal/harness"
	"turnpost/internal/statedir"
)

// screenMode makes this test binary the program in the pane.
const screenMode = "TURNPOST_TEST_SCREEN"

func TestMain(m *testing.M) {
	if what := os.Getenv(screenMode); what != "" {
		showScreen(what)
		return
	}
	os.Exit(m.Run())
}

const (
	boxTop    = "▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄"
	boxBottom = "▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀"
	boxEmpty  = "  Type your message or @path/to/file"
)

// showScreen draws what Gemini CLI 0.61.0 would, and takes what is typed as it
// does: letter by letter, Enter submits.
func showScreen(what string) {
	raw := exec.Command("stty", "raw", "-echo")
	raw.Stdin = os.Stdin
	if err := raw.Run(); err != nil {
		fmt.Println(err)
	}
	typed, submitted := "", ""
	if what == "half typed" {
		typed = "rename the fl"
	}
	draw := func() {
		fmt.Print("\x1b[2J\x1b[H")
		line := func(s string) { fmt.Print(s + "\r\n") }
		for s := range strings.SplitSeq(submitted, "\n") {
			line("SUBMITTED:" + s)
		}
		switch what {
		case "dialog":
			line("╭──────────╮\r\n│ Allow execution of [Shell]? │\r\n│ ● 1. Allow once │\r\n╰──────────╯")
			line("TYPED:" + typed)
			return
		case "running":
			line(" ⠏ Thinking... (esc to cancel, 1s)")
		}
		line(boxTop)
		text := typed
		if text == "" {
			text = boxEmpty
		}
		line(" > " + text)
		line(boxBottom)
		line(" workspace (/directory)")
	}
	draw()
	in := bufio.NewReader(os.Stdin)
	for {
		r, _, err := in.ReadRune()
		if err != nil {
			return
		}
		switch {
		case r == '\r' || r == '\n':
			submitted, typed = submitted+"["+typed+"]", ""
		case what == "turns into a dialog":
			what, typed = "dialog", string(r)
		default:
			typed += string(r)
		}
		draw()
	}
}

// realPane starts a tmux server of its own with the program in its one pane,
// which tmux calls what a Node script is called.
func realPane(t *testing.T, what string) pane {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "tp-") // short: a socket lies in it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	node := filepath.Join(dir, "node")
	if err := os.Symlink(self, node); err != nil {
		t.Fatal(err)
	}
	p, err := paneOfNew(t, dir, what, node)
	if err != nil {
		t.Fatalf("these tests need tmux: %v", err)
	}
	return p
}

func paneOfNew(t *testing.T, dir, what, program string) (pane, error) {
	t.Helper()
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		return pane{}, err
	}
	p := pane{tmux: tmux, socket: filepath.Join(dir, "s")}
	started := false
	t.Cleanup(func() {
		// The test's own context is over by now.
		if out, err := p.run(context.Background(), "kill-server"); err != nil && started {
			t.Errorf("end tmux: %v: %s", err, out)
		}
	})
	out, err := p.run(t.Context(), "new-session", "-d", "-x", "80", "-y", "20", "-P", "-F", "#{pane_id}",
		"-e", screenMode+"="+what, program)
	started = err == nil
	p.id = strings.TrimSpace(out)
	return p, err
}

// shows waits until the pane shows a text.
func (p pane) shows(t *testing.T, text string) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; {
		screen, err := p.screen(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(strings.Join(screen, "\n"), text) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("no %q in\n%s", text, strings.Join(screen, "\n"))
		}
		<-time.After(10 * time.Millisecond)
	}
}

// ringing rings the pane as the hub does, and returns what was reported, nil for
// a ring that was well.
func ringing(t *testing.T, p pane) error {
	t.Helper()
	h, _ := harness.Find("gemini")
	return p.ring(t.Context(), h.(harness.Typist))
}

func TestKeysRingAnEmptyPrompt(t *testing.T) {
	t.Parallel()
	p := realPane(t, "empty")
	p.shows(t, boxEmpty)
	dir := statedir.Dir(t.TempDir())
	keep(t, dir, "s1", p.socket+"\n"+p.id+"\n")
	ways := All(dir, nil, Keys(dir, func(err error) { t.Error(err) }))
	wake := turnpost.Wake{Method: "keys", Key: "s1", Armed: true}
	if err := ways.Ring("gemini", wake); err != nil {
		t.Fatal(err)
	}
	p.shows(t, "SUBMITTED:["+harness.Poke+"]")
	if err := ringing(t, p); err != nil { // the text of the first ring is still there
		t.Fatal(err)
	}
	p.shows(t, "["+harness.Poke+"]["+harness.Poke+"]")
}

// Nothing is typed where it would not be a prompt of its own, and nothing is
// entered that did not arrive.
func TestKeysTypeNowhereElse(t *testing.T) {
	for what, sign := range map[string]string{
		"dialog": "Allow execution", "half typed": "rename the fl", "running": "esc to cancel",
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			p := realPane(t, what)
			p.shows(t, sign)
			before, _ := p.screen(t.Context())
			if err := ringing(t, p); err == nil {
				t.Error("it was rung")
			}
			after, err := p.screen(t.Context())
			if err != nil || strings.Join(before, "\n") != strings.Join(after, "\n") {
				t.Errorf("%v, the screen was\n%s\nand is\n%s", err, strings.Join(before, "\n"), strings.Join(after, "\n"))
			}
		})
	}
	t.Run("copy mode", func(t *testing.T) {
		t.Parallel()
		p := realPane(t, "empty")
		p.shows(t, boxEmpty)
		if _, err := p.run(t.Context(), "copy-mode", "-t", p.id); err != nil {
			t.Fatal(err)
		}
		if err := ringing(t, p); err == nil {
			t.Error("it was rung")
		}
		if _, err := p.run(t.Context(), "send-keys", "-t", p.id, "-X", "cancel"); err != nil {
			t.Fatal(err)
		}
		p.shows(t, boxEmpty)
	})
	t.Run("a dialog opens meanwhile", func(t *testing.T) {
		t.Parallel()
		p := realPane(t, "turns into a dialog")
		p.shows(t, boxEmpty)
		if err := ringing(t, p); err == nil {
			t.Error("it was rung")
		}
		p.shows(t, "TYPED:")
		if screen, _ := p.screen(t.Context()); strings.Contains(strings.Join(screen, "\n"), "SUBMITTED:[") {
			t.Errorf("Enter went into the dialog:\n%s", strings.Join(screen, "\n"))
		}
	})
	t.Run("another program", func(t *testing.T) {
		t.Parallel()
		dir, err := os.MkdirTemp("", "tp-")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		self, _ := os.Executable()
		p, err := paneOfNew(t, dir, "empty", self)
		if err != nil {
			t.Fatal(err)
		}
		p.shows(t, boxEmpty)
		if err := ringing(t, p); err == nil {
			t.Error("it was rung")
		}
	})
}

// Only panes and sockets that are ones are ever named to tmux, and only where the
// user allowed it.
func TestKeysRefuse(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	state := statedir.Dir(t.TempDir())
	ways := All(state, nil, Keys(state, func(err error) { t.Error(err) }))
	wake := turnpost.Wake{Method: "keys", Key: "s1", At: plain}
	for _, text := range []string{
		"", plain + "\n%5\n", filepath.Join(dir, "missing") + "\n%5\n", "relative\n%5\n", plain + "\n5\n", plain + "\n%\n",
		plain + "\n%5;kill-server\n", plain + "\n%-1\n", plain + "\n%9999999999\n",
	} {
		keep(t, state, "s1", text)
		if err := ways.Ring("gemini", wake); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
	if err := ways.Ring("claude-code", wake); err == nil {
		t.Error("a screen that nobody knows was typed at")
	}
	if All(state, nil).Knows("keys") || !ways.Knows("keys") {
		t.Error("keys are known without being allowed, or not known")
	}
}

//go:build unix

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"turnpost"
	"turnpost/internal/harness"
	"turnpost/internal/realtest"
)

// inTmux is a program in a pane of a tmux that runs on the test's terminal.
type inTmux struct{ realtest.Program }

func (inTmux) Command() string { return "in-tmux" }

// tmux writes what starts the world's program so; its server ends with the home.
func (w *world) tmux() inTmux {
	w.t.Helper()
	name := filepath.Join(".local", "bin", inTmux{}.Command())
	w.home.Write(name, []byte("#!/bin/sh\nexec tmux -u -f /dev/null -S \"$HOME/t\" "+
		"set-option -g status off \\; set-option -g escape-time 0 \\; new-session "+w.runs.Command()+" \"$@\"\n"))
	w.sh("chmod 700 " + filepath.Join(w.home.Dir, name))
	return inTmux{w.runs}
}

// TestGeminiIsWokenByKeys has an idle Gemini CLI in a tmux pane, first of a
// person who did not allow typing, then of one who did.
func TestGeminiIsWokenByKeys(t *testing.T) {
	w := newWorldOf(t, 1, realtest.Gemini{})
	w.setupAs("--harness", "gemini")
	api := realtest.NewAPI(t, realtest.Say("one done"))
	tui := realtest.Client{Program: w.tmux(), Home: w.home, API: api}.TUI(t)
	turn(tui, "do one", "one done")
	can := func(what string) {
		t.Helper()
		w.of("@repo", what, func(s turnpost.Session) bool { return s.Can == what })
	}
	can("turn end only; keys would wake it, if you allowed that")
	waits := w.warn("@repo", "The disk is full", turnpost.ClassNobody)

	w.home.Write(filepath.Join(".config", "turnpost", "config.toml"), []byte("[wake]\nkeys = true\n"))
	w.turnpost("down")
	w.up()
	can("turn end and keys in its pane")
	api.Script(realtest.Say("woken"))
	second := w.warn("@repo", "The disk is fuller", turnpost.ClassRung)
	settle(tui, "woken")
	both := waits.ID + ", " + second.ID
	wantRequests(t, api.Requests(), "", both)
	if n := api.Count(realtest.Fresh(harness.Poke)); n != 1 {
		t.Errorf("%d requests bring the ring, want 1", n)
	}

	// What is half typed stays as it is; the mail comes along with it.
	tui.Draft("half a th")
	third := w.warn("@repo", "The disk is full again", turnpost.ClassRung)
	api.Script(realtest.Say("two done"))
	tui.Draft("ought")
	tui.Enter()
	settle(tui, "two done")
	wantRequests(t, api.Requests(), "", both, third.ID)
	if n := api.Count(realtest.Fresh("half a thought")); n != 1 {
		t.Errorf("%d requests bring what was half typed, want 1", n)
	}

	// A ring that comes when the mail is there already costs no turn.
	tui.Type(harness.Poke)
	tui.WaitScreen("the mail that rang was delivered meanwhile")
	api.Script(realtest.Say("three done"))
	turn(tui, "do three", "three done")
	wantRequests(t, api.Requests(), "", both, third.ID, "")
	if n := api.Count(realtest.Fresh(harness.Poke)); n != 1 {
		t.Errorf("%d requests bring a ring, want 1", n)
	}
}

// TestGeminiAfterEscAndErrors: a turn that was cancelled, or that failed, takes no
// mail at its end, where a refusal would ask again at once; mail comes with the
// next prompt.
func TestGeminiAfterEscAndErrors(t *testing.T) {
	w := newWorldOf(t, 1, realtest.Gemini{})
	w.setupAs("--harness", "gemini")
	var never realtest.Gate
	var two turnpost.Item
	api := realtest.NewAPI(t,
		realtest.Say("never said").Behind(&never),
		realtest.Say("one done"),
		meanwhile(func() { two = w.ask("@repo", "And now?", turnpost.ClassTurnEnd) }, realtest.Fail(403, "PERMISSION_DENIED", "no")),
		realtest.Say("two done"),
	)
	tui := w.client(api).TUI(t)
	tui.Type("do nothing")
	api.Wait(1)
	one := w.ask("@repo", "Are you there?", turnpost.ClassTurnEnd)
	tui.Esc()
	w.of("@repo", "idle after Esc", func(s turnpost.Session) bool { return s.Status.State == turnpost.StateIdle && !s.TurnOpen })
	turn(tui, "do one", "one done")
	w.resolve(one.ID)

	tui.Type("fail")
	tui.WaitScreen("PERMISSION_DENIED")
	tui.WaitIdle()
	w.of("@repo", "idle after an error", func(s turnpost.Session) bool { return s.Status.State == turnpost.StateIdle && !s.TurnOpen })
	turn(tui, "do two", "two done")

	wantRequests(t, api.Requests(), "", one.ID, "", two.ID)
	tui.Exit()
}

// TestGeminiOneShot: a script is told nothing and gets what it got before; one
// that was given a handle gets its mail at the turn end, and answers by our tools.
func TestGeminiOneShot(t *testing.T) {
	w := newWorldOf(t, 1, realtest.Gemini{})
	oneShot(t, w, "gemini", func(r realtest.Request, name string, input any) realtest.Step {
		return realtest.Call(ourTool(t, r, name), input)
	})
}

// oneShot plays a run without a terminal before setup, after it, and as an agent.
func oneShot(t *testing.T, w *world, harness string, call func(r realtest.Request, name string, input any) realtest.Step) {
	t.Helper()
	script := func() ([]string, string, int) {
		api := realtest.NewAPI(t, realtest.Say("the answer"))
		result := w.client(api).Print(t.Context(), t, "a script asks")
		return told(api), result.Stdout, result.Code
	}
	plain, out, code := script()
	register := w.setupAs("--harness", harness)
	after, outAfter, codeAfter := script()
	if diff := cmp.Diff(plain, after); diff != "" || out != outAfter || code != codeAfter || code != 0 {
		t.Errorf("a script got %q with %d, and gets %q with %d; the model is told (-before +after):\n%s", out, code, outAfter, codeAfter, diff)
	}
	for _, line := range register {
		w.sh(line)
	}

	var q turnpost.Item
	api := realtest.NewAPI(t,
		meanwhile(func() { q = w.ask("@api", "Does /login still return 302?", turnpost.ClassTurnEnd) }, realtest.Say("renamed")),
		realtest.Think(func(r realtest.Request) realtest.Step {
			return call(r, "reply", object{"id": q.ID, "summary": "Yes, it does"})
		}),
		realtest.Say("all done"),
	)
	agent := w.client(api)
	agent.Env = []string{"TURNPOST_AGENT=@api"}
	result := agent.Print(t.Context(), t, "rename the flag")
	wantRequests(t, api.Requests(), "", q.ID, "")
	if result.Code != 0 || !strings.Contains(result.Stdout, "all done") {
		t.Errorf("exit %d, stdout %q, stderr %q", result.Code, result.Stdout, result.Stderr)
	}
	if item := w.item(q.ID); item.State != turnpost.ItemAnswered || item.ClosedBy != "@api" {
		t.Errorf("the question is %s by %q", item.State, item.ClosedBy)
	}
}

//go:build unix

package e2e

import (
	"strings"
	"testing"

	"turnpost"
	"turnpost/internal/realtest"
)

// piWorld is a machine with one of Pi's packages, set up.
func piWorld(t testing.TB, program realtest.Pi) *world {
	t.Helper()
	w := newWorldOf(t, 1, program)
	w.setupAs("--harness", "pi")
	return w
}

// TestPiOneShot runs prompts without a terminal: nobody's script is told
// anything, unless it was given a handle.
func TestPiOneShot(t *testing.T) {
	w := piWorld(t, realtest.Pi{})
	var q turnpost.Item
	api := realtest.NewAPI(t, realtest.Say("plain"))
	if got := w.client(api).Print(t.Context(), t, "hello"); got.Stdout != "plain\n" || strings.Contains(api.Wait(1).Text(), "urnpost") {
		t.Errorf("stdout %q, the model is told: %s", got.Stdout, api.Wait(1).Text())
	}

	api = realtest.NewAPI(t,
		meanwhile(func() { q = w.ask("@api", "Does /login still return 302?", turnpost.ClassTurnEnd) }, realtest.Say("renamed")),
		realtest.Think(func(r realtest.Request) realtest.Step {
			return realtest.Call(ourTool(t, r, "reply"), object{"id": q.ID, "summary": "Yes, it does"})
		}),
		realtest.Say("all done"),
	)
	agent := w.client(api)
	agent.Env = []string{"TURNPOST_AGENT=@api"}
	result := agent.Print(t.Context(), t, "rename the flag")

	wantRequests(t, api.Requests(), "", q.ID, "")
	if result.Code != 0 || result.Stdout != "all done\n" || startLines(api.Requests()[:1]) != 1 {
		t.Errorf("exit %d, stdout %q, first request: %s", result.Code, result.Stdout, api.Wait(1).Text())
	}
	if item := w.item(q.ID); item.State != turnpost.ItemAnswered || item.ClosedBy != "@api" {
		t.Errorf("the question is %s by %q", item.State, item.ClosedBy)
	}
}

// TestPiSession has one terminal: mail between two tools, a compaction, a
// reload, a new conversation, an abort and a failure.
func TestPiSession(t *testing.T) {
	for name, program := range map[string]realtest.Pi{"1.6.0": {}, "0.73.1": {Old: true}} {
		t.Run(name, func(t *testing.T) { piSession(t, program) })
	}
}

func piSession(t *testing.T, program realtest.Pi) {
	w := piWorld(t, program)
	var urgent turnpost.Item
	api := realtest.NewAPI(t,
		meanwhile(func() { urgent = w.warn("@repo", "The disk is full", turnpost.ClassRunning) },
			realtest.Call("bash", object{"command": "echo working"})),
		realtest.Say("one done"),
	)
	tui := w.client(api).TUI(t)
	turn(tui, "do one", "one done")
	wantRequests(t, api.Requests(), "", urgent.ID)
	wake := func(when string) {
		t.Helper()
		w.sole(turnpost.StateIdle)
		asked := api.Count()
		api.Script(realtest.Say("woken " + when))
		item := w.warn("@repo", "idle "+when, turnpost.ClassRung)
		settle(tui, "woken "+when)
		wantRequests(t, api.Requests()[asked:], item.ID)
	}
	// command waits until the hub has heard the end of the turn, which a screen
	// may show before: Pi refuses some commands until then.
	command := func(name string) {
		t.Helper()
		w.sole(turnpost.StateIdle)
		tui.Type(name)
	}

	command("/compact")
	tui.WaitScreen("Compacted")
	tui.WaitIdle()
	wake("after /compact")
	if n := startLines(api.Requests()[api.Count()-1:]); n != 1 {
		t.Errorf("the first turn after the compaction has %d start lines, want 1", n)
	}
	command("/reload")
	tui.WaitScreen("Reloaded")
	wake("after /reload")
	old := w.sole(turnpost.StateIdle).Native
	command("/new")
	w.board("there is another session", func(b turnpost.Board) bool { return len(b.Sessions) == 1 && b.Sessions[0].Native != old })
	wake("after /new")
	if n := startLines(api.Requests()[api.Count()-1:]); n != 1 {
		t.Errorf("the new conversation has %d start lines, want 1", n)
	}

	var never realtest.Gate
	asked := api.Count()
	api.Script(realtest.Say("too late").Behind(&never))
	tui.Type("think long")
	api.Wait(asked + 1)
	q := w.ask("@repo", "Are you there?", turnpost.ClassTurnEnd)
	tui.Esc()
	if s := w.sole(turnpost.StateIdle); !strings.HasPrefix(s.Status.Evidence, string(turnpost.Interrupt)) {
		t.Errorf("after an abort: %s", s.Status.Evidence)
	}
	if n := api.Count(); n != asked+1 {
		t.Errorf("%d requests after an abort, want none", n-asked-1)
	}
	w.resolve(q.ID)
	if program.Old {
		tui.Exit()
		return // it says that a turn has failed ten seconds later
	}
	api.Script(realtest.Fail(401, "authentication_error", "bad key"))
	tui.Type("fail")
	if s := w.sole(turnpost.StateWedged); s.Status.Failure.Class != turnpost.FailureAuth {
		t.Errorf("failed: %+v", s.Status)
	}
	tui.Exit()
	w.board("nobody is there", func(b turnpost.Board) bool { return len(b.Sessions) == 0 })
}

//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"turnpost"
	"turnpost/internal/realtest"
)

func copilotWorld(t testing.TB) *world {
	t.Helper()
	w := newWorldOf(t, 1, realtest.Copilot{})
	w.setupAs("--harness", "copilot")
	return w
}

// TestCopilotOneShot has a sub-agent, for which every hook runs as for a session:
// mail is for the session alone.
func TestCopilotOneShot(t *testing.T) {
	w := copilotWorld(t)
	api := realtest.NewAPI(t, realtest.Say("plain"))
	w.client(api).Print(t.Context(), t, "hello")
	if text := api.Wait(1).Text(); strings.Contains(text, "urnpost") {
		t.Errorf("a script is told: %s", text)
	}

	var q turnpost.Item
	api = realtest.NewAPI(t,
		realtest.Call("task", object{"agent_type": "general-purpose", "name": "kid", "description": "look", "prompt": "look around"}),
		meanwhile(func() { q = w.ask("@api", "Does /login still return 302?", turnpost.ClassTurnEnd) }, realtest.Say("seen")),
		realtest.Say("renamed"),
		realtest.Think(func(r realtest.Request) realtest.Step {
			return realtest.Call(ourTool(t, r, "reply"), object{"id": q.ID, "summary": "Yes, it does"})
		}),
		realtest.Say("all done"),
	)
	agent := w.client(api, "--experimental")
	agent.Env = []string{"TURNPOST_AGENT=@api"}
	result := agent.Print(t.Context(), t, "rename the flag")

	wantRequests(t, api.Requests(), "", "", "", q.ID, "")
	if result.Code != 0 || !strings.Contains(result.Stdout, "all done") || startLines(api.Requests()[:2]) != 1 {
		t.Errorf("exit %d, stdout %q, first requests: %s, %s", result.Code, result.Stdout, api.Wait(1).Text(), api.Wait(2).Text())
	}
	if item := w.item(q.ID); item.State != turnpost.ItemAnswered || item.ClosedBy != "@api" {
		t.Errorf("the question is %s by %q", item.State, item.ClosedBy)
	}
}

// TestCopilotSession has one terminal with our extension: mail that waited for
// it, a permission, mail between two tools, an abort, a failure, a compaction and
// a new conversation.
func TestCopilotSession(t *testing.T) {
	w := copilotWorld(t)
	first := w.client(realtest.NewAPI(t, realtest.Say("zero done")), "--experimental").TUI(t)
	w.board("a session is open that has had no prompt", func(b turnpost.Board) bool {
		return len(b.Sessions) == 1 && b.Sessions[0].Can == "turn end and bell"
	})
	turn(first, "do zero", "zero done")
	first.Exit()
	w.board("nobody is there", func(b turnpost.Board) bool { return len(b.Sessions) == 0 })
	early := w.warn("@repo", "The disk is full", turnpost.ClassNobody)
	var urgent turnpost.Item
	api := realtest.NewAPI(t,
		realtest.Say("woken at the start"),
		meanwhile(func() { urgent = w.warn("@repo", "The disk is fuller", turnpost.ClassRunning) },
			realtest.Call("bash", object{"command": "touch x", "description": "work"})),
		realtest.Say("one done"),
	)
	tui := w.client(api, "--experimental").TUI(t)
	settle(tui, "woken at the start")
	w.sole(turnpost.StateIdle)
	tui.Type("do one")
	if s := w.sole(turnpost.StateWaiting); s.Status.Wants != turnpost.WantPermission {
		t.Errorf("waits for %q", s.Status.Wants)
	}
	tui.WaitScreen("Do you want to run this command?")
	tui.Press("1")
	settle(tui, "one done")
	wantRequests(t, api.Requests(), early.ID, "", urgent.ID)

	var never realtest.Gate
	asked := api.Count()
	api.Script(realtest.Say("too late").Behind(&never))
	tui.Type("think long")
	api.Wait(asked + 1)
	tui.Esc()
	if s := w.sole(turnpost.StateIdle); !strings.HasPrefix(s.Status.Evidence, string(turnpost.Interrupt)) {
		t.Errorf("after an abort: %s", s.Status.Evidence)
	}
	api.Script(realtest.Fail(400, "invalid_request_error", "no"))
	tui.Type("fail")
	w.board("the session has failed", func(b turnpost.Board) bool {
		return len(b.Sessions) == 1 && b.Sessions[0].Status.Failure.Class == turnpost.FailureInvalidRequest
	})
	tui.WaitIdle()

	tui.Type("/compact")
	tui.WaitScreen("Compaction completed")
	tui.WaitIdle()
	next := func(prompt string) {
		t.Helper()
		api.Script(realtest.Say("done " + prompt))
		turn(tui, prompt, "done "+prompt)
		if n := startLines(api.Requests()[api.Count()-1:]); n != 1 {
			t.Errorf("%d start lines with %q, want 1: %s", n, prompt, api.Wait(api.Count()).Text())
		}
	}
	next("after the compaction")
	old := w.sole(turnpost.StateIdle).Native
	tui.Type("/clear")
	tui.WaitScreen("Started a fresh session")
	w.board("there is another session", func(b turnpost.Board) bool {
		return len(b.Sessions) == 1 && b.Sessions[0].Native != old && b.Sessions[0].Can == "turn end and bell"
	})
	next("after the new start")
	tui.Exit()
	w.board("nobody is there", func(b turnpost.Board) bool { return len(b.Sessions) == 0 })
}

// TestCopilotRunsRepositoryHooks has Claude Code's hooks in the repository too,
// which Copilot runs next to its own; and no extension, so that it cannot be rung.
func TestCopilotRunsRepositoryHooks(t *testing.T) {
	w := copilotWorld(t)
	w.setupAs("--harness", "claude-code", "--scope", "project")
	file := filepath.Join(w.home.Repo, ".claude", "settings.json")
	if settings, err := os.ReadFile(file); err != nil || !strings.Contains(string(settings), "turnpost-hook") {
		t.Fatalf("%v: %s", err, settings)
	}
	// What the repository's file runs writes down that it ran.
	w.wrapHook()
	var q turnpost.Item
	api := realtest.NewAPI(t,
		meanwhile(func() { q = w.ask("@repo", "Does /login still return 302?", turnpost.ClassTurnEnd) }, realtest.Say("one done")),
		realtest.Say("it does"),
		realtest.Say("two done"),
	)
	tui := w.client(api).TUI(t)
	turn(tui, "do one", "it does")
	w.resolve(q.ID)
	if s := w.sole(turnpost.StateIdle); s.Harness != "copilot" || s.Can != "turn end only" {
		t.Errorf("%s hears: %s", s.Harness, s.Can)
	}
	note := w.warn("@repo", "The disk is full", turnpost.ClassNobody)
	turn(tui, "do two", "two done")

	wantRequests(t, api.Requests(), "", q.ID, note.ID)
	if n := startLines(api.Requests()); n != 1 {
		t.Errorf("%d start lines, want 1", n)
	}
	calls := w.hookCalls()
	if !strings.Contains(calls, "copilot\n") || !strings.Contains(calls, "claude-code\n") {
		t.Errorf("the hook client was run for:\n%s", calls)
	}
}

// wrapHook puts a script in the place of the hook client that writes down for
// which harness it was run.
func (w *world) wrapHook() {
	w.t.Helper()
	hook := w.program("turnpost-hook")
	if err := os.Rename(hook, hook+".real"); err != nil {
		w.t.Fatal(err)
	}
	script := "#!/bin/sh\necho \"$1\" >>\"$HOME/hook-calls\"\nexec \"$0.real\" \"$@\"\n"
	if err := os.WriteFile(hook, []byte(script), 0o755); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) hookCalls() string {
	w.t.Helper()
	calls, err := os.ReadFile(filepath.Join(w.home.Dir, "hook-calls"))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(calls)
}

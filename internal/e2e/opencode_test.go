//go:build unix

package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"turnpost"
	"turnpost/internal/realtest"
)

// opencodeWorld is a machine on which setup was applied, with a permission that
// has to be asked for.
func opencodeWorld(t *testing.T) *world {
	w := newWorldOf(t, 1, realtest.Opencode{})
	w.home.Write(filepath.Join(".config", "opencode", "opencode.json"), []byte(`{"permission": {"bash": {"*": "allow", "touch *": "ask"}}}`))
	w.setupAs("--harness", "opencode")
	return w
}

// sole waits until the only open session is in the state.
func (w *world) sole(state turnpost.State) turnpost.Session {
	w.t.Helper()
	board := w.board("the session is "+string(state), func(b turnpost.Board) bool {
		return len(b.Sessions) == 1 && b.Sessions[0].Status.State == state
	})
	return board.Sessions[0]
}

// TestOpencode tells what its plugin makes of tools, sub-agents, permissions,
// turns that end badly and compactions, in one session.
func TestOpencode(t *testing.T) {
	w := opencodeWorld(t)
	api := realtest.NewAPI(t)
	tui := w.client(api).TUI(t)
	done := 0
	since := func() []realtest.Request { // what was asked since the last call
		all := api.Requests()
		defer func() { done = len(all) }()
		return all[done:]
	}
	shell := func(command string) realtest.Step {
		return realtest.Call("bash", object{"command": command, "description": "work"})
	}

	api.Script(realtest.Say("one done"))
	turn(tui, "do one", "one done")
	wantRequests(t, since(), "")

	// Urgent mail joins the result of a tool.
	var note turnpost.Item
	api.Script(
		meanwhile(func() { note = w.warn("@repo", "The disk is full", turnpost.ClassRunning) }, shell("echo working")),
		realtest.Say("two done"),
	)
	turn(tui, "do two", "two done")
	requests := since()
	wantRequests(t, requests, "", note.ID)
	if text := requests[1].Fresh(); !strings.Contains(text, "[tool] working\n\n\nTurnpost: ") {
		t.Errorf("the tool's result is %s", text)
	}

	// A sub-agent is told nothing; its parent's turn goes on.
	var q turnpost.Item
	api.Script(
		meanwhile(func() { q = w.ask("@repo", "Is it three?", turnpost.ClassTurnEnd) },
			realtest.Call("task", object{"description": "part", "prompt": "do a part of three", "subagent_type": "general"})),
		realtest.Say("part done"), realtest.Say("three done"), realtest.Say("it is three"),
	)
	turn(tui, "do three", "it is three")
	requests = since()
	wantRequests(t, requests, "", "", "", q.ID)
	if text := requests[1].Text(); !strings.Contains(text, "do a part") || strings.Contains(text, "urnpost") {
		t.Errorf("the sub-agent is told %s", text)
	}
	w.resolve(q.ID)

	// It waits for a person, and goes on.
	api.Script(shell("touch file"), realtest.Say("four done"))
	tui.Type("do four")
	if s := w.sole(turnpost.StateWaiting); s.Status.Wants != turnpost.WantPermission || s.Status.Tool != "bash" {
		t.Errorf("it waits for %+v", s.Status)
	}
	tui.WaitScreen("Permission required")
	tui.Press("\r")
	settle(tui, "four done")
	w.sole(turnpost.StateIdle)
	wantRequests(t, since(), "", "")

	// A turn that the person ends is not kept going; the next one is.
	var never realtest.Gate
	api.Script(realtest.Say("too late").Behind(&never))
	tui.Type("do five")
	api.Wait(done + 1)
	q = w.ask("@repo", "Is it five?", turnpost.ClassTurnEnd)
	tui.Esc()
	w.sole(turnpost.StateIdle)
	api.Script(realtest.Say("six done"), realtest.Say("it was five"))
	turn(tui, "do six", "it was five")
	wantRequests(t, since(), "", "", q.ID)
	w.resolve(q.ID)

	// Nor is one that the service refused.
	api.Script(realtest.Fail(401, "authentication_error", "who are you"))
	tui.Type("do seven")
	if f := w.sole(turnpost.StateWedged).Status.Failure; f.Class != turnpost.FailureAuth || f.Native != "APIError 401" {
		t.Errorf("the failure is %+v", f)
	}
	tui.WaitIdle()
	q = w.ask("@repo", "Is it seven?", turnpost.ClassWedged)
	api.Script(realtest.Say("eight done"), realtest.Say("it was seven"))
	turn(tui, "do eight", "it was seven")
	wantRequests(t, since(), "", "", q.ID)
	w.resolve(q.ID)

	// A compaction takes the start line away; it comes again.
	if n := startLines(api.Requests()); n != 1 {
		t.Errorf("%d start lines before the compaction", n)
	}
	tui.Type("/compact")
	settle(tui, realtest.DefaultReply)
	api.Script(realtest.Say("nine done"))
	turn(tui, "do nine", "nine done")
	requests = since()
	wantRequests(t, requests, "")
	if n := startLines(requests); n != 1 {
		t.Errorf("%d start lines after it", n)
	}

	tui.Exit()
	w.board("the session has ended", func(b turnpost.Board) bool { return len(b.Sessions) == 0 })
}

// TestOpencodeRun is somebody's script: it is told nothing, unless it was given
// a handle.
func TestOpencodeRun(t *testing.T) {
	w := opencodeWorld(t)
	run := func(env ...string) (told string) {
		t.Helper()
		api := realtest.NewAPI(t, realtest.Say("done"))
		client := w.client(api)
		client.Env = env
		if got := client.Print(t.Context(), t, "do it"); got.Code != 0 || api.Count() != 1 || strings.Contains(got.Stdout, "urnpost") {
			t.Errorf("%v: exit %d after %d requests: %s", env, got.Code, api.Count(), got.Stdout)
		}
		return api.Wait(1).Text()
	}
	if told := run(); strings.Contains(told, "urnpost") {
		t.Errorf("the script's model is told %s", told)
	}
	if told := run("TURNPOST_AGENT=@bot"); !strings.Contains(told, "Turnpost: you are @bot ") {
		t.Errorf("@bot is told %s", told)
	}
	w.ask("@bot", "Are you there?", turnpost.ClassNobody)
	if told := run("TURNPOST_AGENT=@bot"); !strings.Contains(told, "Are you there?") {
		t.Errorf("@bot has mail and is told %s", told)
	}
}

// TestOpencodeServer has two sessions in one process: each is an address of its
// own, and a ring wakes the right one.
func TestOpencodeServer(t *testing.T) {
	w := opencodeWorld(t)
	api := realtest.NewAPI(t, realtest.Say("one done"), realtest.Say("woken"))
	url := w.serveOpencode(api)
	create := func() (id string) {
		var session struct{ ID string }
		if err := json.Unmarshal(post(t, url+"/session", "{}"), &session); err != nil || session.ID == "" {
			t.Fatalf("no session: %v", err)
		}
		return session.ID
	}
	ids := []string{create()}
	w.board("the first session is there", func(b turnpost.Board) bool { return len(b.Sessions) == 1 })
	ids = append(ids, create())
	board := w.board("both are", func(b turnpost.Board) bool { return len(b.Sessions) == 2 })
	handles := map[string]string{}
	for _, s := range board.Sessions {
		handles[s.Native] = s.Handle
	}
	if handles[ids[0]] != "@repo" || handles[ids[1]] != "@repo-2" {
		t.Errorf("the handles are %v", handles)
	}

	post(t, url+"/session/"+ids[0]+"/prompt_async", `{"parts":[{"type":"text","text":"do one"}]}`)
	w.board("the first one's turn is over", func(b turnpost.Board) bool {
		return slices.ContainsFunc(b.Sessions, func(s turnpost.Session) bool { return s.Native == ids[0] && s.Last == "one done" })
	})
	item := w.warn("@repo-2", "The disk is full", turnpost.ClassRung)
	woken := api.Wait(2)
	wantRequests(t, api.Requests(), "", item.ID)
	if text := woken.Text(); strings.Contains(text, "do one") || !strings.Contains(text, "Turnpost: you are @repo-2 ") {
		t.Errorf("what was woken is told %s", text)
	}
}

// serveOpencode starts a server in the repository and returns its address.
func (w *world) serveOpencode(api *realtest.API) string {
	w.t.Helper()
	program := realtest.Opencode{}
	cmd := exec.Command(w.program(program.Command()), "serve", "--hostname", "127.0.0.1", "--port", "0")
	cmd.Dir, cmd.Env = w.home.Repo, w.home.Env(program.Env(w.home, api.URL())...)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait() // ended by the signal
	})
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if _, url, ok := strings.Cut(lines.Text(), "listening on "); ok {
			return strings.TrimSpace(url)
		}
	}
	w.t.Fatal("the server does not listen")
	return ""
}

func post(t *testing.T, url, body string) []byte {
	t.Helper()
	answer, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var read bytes.Buffer
	if _, err := read.ReadFrom(answer.Body); err != nil || answer.StatusCode >= 300 {
		t.Fatalf("%s: %s, %v: %s", url, answer.Status, err, read.Bytes())
	}
	return read.Bytes()
}

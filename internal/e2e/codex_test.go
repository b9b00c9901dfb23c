//go:build unix

package e2e

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"turnpost"
	"turnpost/internal/harness"
	"turnpost/internal/realtest"
)

// inCodex makes a machine with Codex set up, its hooks reviewed by setup, and
// its tools registered.
func inCodex(t *testing.T, n int, program realtest.Codex) *world {
	t.Helper()
	w := newWorldOf(t, n, program)
	w.turnpost("setup", "--harness", "codex", "--trust", "--apply")
	w.sh(printed(t, w.turnpost("setup", "--harness", "codex"), "codex mcp add "))
	return w
}

// of waits until the live session of a handle is as wanted.
func (w *world) of(handle, what string, right func(turnpost.Session) bool) turnpost.Session {
	w.t.Helper()
	var found turnpost.Session
	w.board(handle+" is "+what, func(b turnpost.Board) bool {
		for _, s := range b.Sessions {
			if s.Handle == handle && s.EndedAt.IsZero() {
				found = s
				return right(s)
			}
		}
		return false
	})
	return found
}

// TestCodexDaemon: two terminals whose hooks and tools run in one background
// process, started by the first of them. Each is its own agent all the same.
func TestCodexDaemon(t *testing.T) {
	w := inCodex(t, 2, realtest.Codex{Daemon: true})
	backDir, webDir := w.home.Project("back"), w.home.Project("web")
	api := realtest.NewAPI(t, realtest.Say("back is there"), realtest.Say("web is there"))
	back := realtest.Client{Program: w.runs, Home: w.home, API: api, Dir: backDir, Env: []string{"TURNPOST_AGENT=@first"}}.TUI(t)
	turn(back, "wait for questions", "back is there")
	web := w.tuiIn(webDir, api)
	turn(web, "wait for questions too", "web is there")
	wantQuiet(t, back) // setup reviewed the hooks: nobody was asked
	wantQuiet(t, web)
	one, other := w.of("@back", "there", alive), w.of("@web", "there", alive)
	if !one.Process.Shared || one.Process != other.Process {
		t.Errorf("processes %+v and %+v", one.Process, other.Process)
	}

	// The second is asked: only it is woken, and it is who answers.
	api.Script(
		realtest.Think(func(r realtest.Request) realtest.Step {
			return realtest.Call(ourTool(t, r, "reply"), object{"id": itemsIn(r)[0], "summary": "302"})
		}),
		realtest.Say("web has answered"),
	)
	q := w.ask("@web", "Does /login still return 302?", turnpost.ClassRung)
	settle(web, "web has answered")
	if item := w.item(q.ID); item.State != turnpost.ItemAnswered || item.ClosedBy != "@web" {
		t.Errorf("the question is %s by %q", item.State, item.ClosedBy)
	}
	wantRequests(t, api.Requests(), "", "", q.ID, "")

	// A ring for which there is nothing to say any more costs no turn, also
	// behind one that runs.
	api.Script(
		meanwhile(func() { w.queue(other.Native, harness.Poke) }, realtest.Say("web goes on")),
		realtest.Say("web is done"),
	)
	turn(web, "go on", "web goes on")
	web.WaitScreen("the mail that rang was delivered meanwhile")
	turn(web, "and on", "web is done")
	wantRequests(t, api.Requests()[4:], "", "")
	if text := api.Wait(6).Text(); strings.Count(text, harness.Poke) != 1 {
		t.Errorf("the model reads of a ring that was dropped: %s", text)
	}
}

func alive(turnpost.Session) bool { return true }

// queue puts a prompt into a session of Codex as its own command does.
func (w *world) queue(native, prompt string) {
	w.t.Helper()
	cmd := exec.Command(w.program("codex"), "queue", "--thread", native, "--message", prompt)
	if out, err := w.output(cmd); err != nil {
		w.t.Errorf("codex queue: %v\n%s", err, out)
	}
}

// TestCodexExec: a run in somebody's script is told nothing, unless they gave it
// an address.
func TestCodexExec(t *testing.T) {
	w := inCodex(t, 1, realtest.Codex{})
	api := realtest.NewAPI(t, realtest.Say("one"), realtest.Say("two"))
	w.client(api).Print(t.Context(), t, "count")
	w.named(api).Print(t.Context(), t, "count")
	wantStartLines(t, api, 0, 1)
}

// TestCodexReview: before somebody has reviewed the hooks they do not run. What
// a person says in the terminal is what setup would have recorded.
func TestCodexReview(t *testing.T) {
	w := newWorldOf(t, 1, realtest.Codex{Daemon: true}) // not with a profile, which would keep the review
	w.setupAs("--harness", "codex")
	api := realtest.NewAPI(t, realtest.Say("one"), realtest.Say("two"), realtest.Say("three"))
	w.named(api).Print(t.Context(), t, "count")
	tui := w.client(api).TUI(t) // trusts them all
	turn(tui, "count", "two")
	tui.Exit()
	w.named(api).Print(t.Context(), t, "count")
	wantStartLines(t, api, 0, 1, 1)

	var setup struct {
		Plan struct {
			Files []any                   `json:"files"`
			Kept  []struct{ Kind string } `json:"kept"`
		} `json:"plan"`
	}
	out := w.turnpost("setup", "--harness", "codex", "--trust", "--json")
	if err := json.Unmarshal([]byte(out), &setup); err != nil {
		t.Fatal(err)
	}
	kept := map[string]int{}
	for _, line := range setup.Plan.Kept {
		kept[line.Kind]++
	}
	if len(setup.Plan.Files) > 0 || kept["trust"] == 0 || kept["trust"] != kept["hook"] {
		t.Errorf("setup would record other reviews, %v kept: %s", kept, out)
	}
}

// named is a client to which the person gave an address.
func (w *world) named(api *realtest.API) realtest.Client {
	client := w.client(api)
	client.Env = []string{"TURNPOST_AGENT=@ci"}
	return client
}

// wantStartLines holds how many start lines each request has.
func wantStartLines(t *testing.T, api *realtest.API, want ...int) {
	t.Helper()
	var got []int
	for _, r := range api.Requests() {
		got = append(got, startLines([]realtest.Request{r}))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("start lines (-want +got):\n%s", diff)
	}
}

// TestCodexUsageLimit: a turn that failed is seen, mail waits for it, and comes
// when the person goes on.
func TestCodexUsageLimit(t *testing.T) {
	w := inCodex(t, 1, realtest.Codex{})
	api := realtest.NewAPI(t, realtest.Say("ready"), realtest.Fail(429, "usage_limit_reached", "no more"), realtest.Say("on again"), realtest.Say("it does"))
	tui := w.client(api).TUI(t)
	turn(tui, "begin", "ready")
	tui.Type("go on")
	s := w.of("@repo", "wedged", func(s turnpost.Session) bool { return s.Status.State == turnpost.StateWedged })
	if f := s.Status.Failure; f.Class != turnpost.FailureRateLimit || !strings.Contains(f.Native, "hit your usage limit") {
		t.Errorf("the failure: %+v", f)
	}
	tui.WaitIdle()
	q := w.ask("@repo", "Does /login still return 302?", turnpost.ClassWedged)
	turn(tui, "try again", "it does")
	wantRequests(t, api.Requests(), "", "", "", q.ID)
}

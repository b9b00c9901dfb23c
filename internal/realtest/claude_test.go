//go:build unix

package realtest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// hooks writes settings that run a shell script per event. Every script first
// appends its stdin to ~/events, then does what its body says.
func hooks(t *testing.T, home *Home, bodies map[string]string) {
	t.Helper()
	events := object{}
	for event, body := range bodies {
		script := filepath.Join(home.Dir, "hooks", event)
		home.Write(filepath.Join("hooks", event), []byte("input=$(cat)\nprintf '%s\\n' \"$input\" >>\"$HOME/events\"\n"+body+"\n"))
		hook := object{"type": "command", "command": "/bin/sh " + script, "timeout": 10}
		if event == "FileChanged" {
			hook["asyncRewake"] = true
		}
		events[event] = []object{{"hooks": []object{hook}}}
	}
	home.WriteJSON(filepath.Join(".claude", "settings.json"), object{"hooks": events})
}

// answer is a script body that prints a hook's JSON answer.
func answer(event, key, value string) string {
	return `printf '{"hookSpecificOutput":{"hookEventName":"` + event + `","` + key + `":` + value + `}}'`
}

// event is what the tests read of a hook's stdin.
type event struct {
	Name    string `json:"hook_event_name"`
	Session string `json:"session_id"`
	Source  string `json:"source"`
	Reason  string `json:"reason"`
	Active  bool   `json:"stop_hook_active"`
}

// eventsOf returns what the hooks have written so far.
func eventsOf(t *testing.T, home *Home) []event {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(home.Dir, "events"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var events []event
	for line := range bytes.Lines(raw) {
		var e event
		if !bytes.HasSuffix(line, []byte("\n")) {
			break // being written
		}
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("event %q: %v", line, err)
		}
		events = append(events, e)
	}
	return events
}

func names(events []event) []string {
	var names []string
	for _, e := range events {
		names = append(names, e.Name)
	}
	return names
}

func TestPrintStartContext(t *testing.T) {
	t.Parallel()
	home := NewHome(t, 1, Claude{})
	hooks(t, home, map[string]string{
		"SessionStart": answer("SessionStart", "additionalContext", `"THREE UNREAD"`),
	})
	api := NewAPI(t, Say("understood"))

	got := Client{Program: Claude{}, Home: home, API: api}.Print(t.Context(), t, "hello")

	if got.Code != 0 || got.Stdout != "understood\n" {
		t.Errorf("exit %d, stdout %q, stderr %q", got.Code, got.Stdout, got.Stderr)
	}
	if first := api.Wait(1); !strings.Contains(first.Text(), "THREE UNREAD") {
		t.Errorf("first request without the hook's context: %s", first.Text())
	}
	if n := api.Count(); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
	t.Logf("claude -p took %s", got.Took)
}

func TestPrintStopContinues(t *testing.T) {
	t.Parallel()
	home := NewHome(t, 1, Claude{})
	hooks(t, home, map[string]string{
		"Stop": `case $input in *'"stop_hook_active":true'*) exit 0;; esac` + "\n" +
			answer("Stop", "additionalContext", `"ONE MORE THING"`),
	})
	api := NewAPI(t, Say("first"), Say("second"))

	got := Client{Program: Claude{}, Home: home, API: api}.Print(t.Context(), t, "hello")

	if got.Stdout != "second\n" {
		t.Errorf("stdout %q, want the reply after the continuation", got.Stdout)
	}
	if n := api.Count(Fresh("ONE MORE THING")); n != 1 || api.Count() != 2 {
		t.Errorf("%d of %d requests bring the hook's text, want 1 of 2", n, api.Count())
	}
	want := []event{{Name: "Stop"}, {Name: "Stop", Active: true}}
	events := eventsOf(t, home)
	for i := range events {
		events[i].Session = ""
	}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestPrintTool(t *testing.T) {
	t.Parallel()
	home := NewHome(t, 1, Claude{})
	api := NewAPI(t,
		Call("Bash", object{"command": "echo made-$((40+2))", "description": "count"}),
		Think(func(r Request) Step { return Say("tool said " + r.Messages[len(r.Messages)-1].Text) }),
	)

	got := Client{Program: Claude{}, Home: home, API: api, Args: []string{"--allowedTools", "Bash"}}.Print(t.Context(), t, "count")

	if !strings.Contains(api.Wait(2).Fresh(), "made-42") || !strings.Contains(got.Stdout, "tool said") {
		t.Errorf("stdout %q, second request %s", got.Stdout, api.Wait(2).Fresh())
	}
}

func TestPrintFailures(t *testing.T) {
	t.Parallel()
	home := NewHome(t, 1, Claude{})
	for _, c := range []struct {
		name string
		step Step
	}{
		{"rate limit", Fail(429, "rate_limit_error", "slow down")},
		{"bad request", Fail(400, "invalid_request_error", "no")},
	} {
		api := NewAPI(t, c.step, c.step, c.step, c.step, c.step, c.step)
		client := Client{Program: Claude{}, Home: home, API: api, Env: []string{"CLAUDE_CODE_MAX_RETRIES=0"}}
		if got := client.Print(t.Context(), t, "hello"); got.Code != 1 {
			t.Errorf("%s: exit %d, stdout %q", c.name, got.Code, got.Stdout)
		}
	}
}

func TestDropIsTriedAgain(t *testing.T) {
	t.Parallel()
	home := NewHome(t, 1, Claude{})
	api := NewAPI(t, Drop(), Say("second try"))
	got := Client{Program: Claude{}, Home: home, API: api}.Print(t.Context(), t, "hello")
	if got.Stdout != "second try\n" || api.Count() != 2 {
		t.Errorf("%d requests, stdout %q", api.Count(), got.Stdout)
	}
}

// bell makes the session watch ~/bells/<session id> and wake with the text of
// ~/mail when it is rung, if there is any.
func bell(t *testing.T, home *Home) {
	t.Helper()
	home.mkdir("bells")
	hooks(t, home, map[string]string{
		"SessionStart": `printf '{"hookSpecificOutput":{"hookEventName":"SessionStart","watchPaths":["%s"]}}' "$HOME/bells/$CLAUDE_CODE_SESSION_ID"`,
		"FileChanged":  `[ -s "$HOME/mail" ] || exit 0; cat "$HOME/mail" >&2; exit 2`,
		"Stop":         "",
	})
}

func ring(home *Home, session string) { home.Write(filepath.Join("bells", session), []byte("ring\n")) }

func TestBellWakesIdleTUI(t *testing.T) {
	t.Parallel()
	home := NewHome(t, 1, Claude{})
	bell(t, home)
	home.Write("mail", []byte("QUESTION 17\n"))
	api := NewAPI(t, Say("at your service"), Say("answered seventeen"))
	tui := Client{Program: Claude{}, Home: home, API: api}.TUI(t)

	tui.Type("hello")
	tui.WaitScreen("at your service")
	tui.WaitIdle()
	rung := time.Now()
	ring(home, tui.Session())
	woken := api.Wait(1, Fresh("QUESTION 17"))
	tui.WaitScreen("answered seventeen")
	tui.WaitIdle()

	t.Logf("ring to request: %s", woken.At.Sub(rung))
	if api.Count() != 2 {
		t.Errorf("%d requests, want 2", api.Count())
	}
	if code := tui.Exit(); code != 0 {
		t.Errorf("exit status %d", code)
	}
	want := []string{"SessionStart", "Stop", "FileChanged", "Stop"}
	if diff := cmp.Diff(want, names(eventsOf(t, home))); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestEmptyBellIsSilent(t *testing.T) {
	t.Parallel()
	home := NewHome(t, 1, Claude{})
	bell(t, home)
	api := NewAPI(t, Say("before"), Say("after"))
	tui := Client{Program: Claude{}, Home: home, API: api}.TUI(t)
	tui.Type("hello") // a ring before the client has set up its watch is lost
	tui.WaitScreen("before")
	tui.WaitIdle()

	ring(home, tui.Session())
	Until(t, "the bell is heard", func() bool { return slices.Contains(names(eventsOf(t, home)), "FileChanged") })
	tui.Type("hello again") // a turn of the bell would come before this one
	tui.WaitScreen("after")

	if n := api.Count(); n != 2 {
		t.Errorf("%d requests, want only those of the prompts", n)
	}
}

func TestClearChangesSession(t *testing.T) {
	t.Parallel()
	home := NewHome(t, 1, Claude{})
	hooks(t, home, map[string]string{"SessionStart": "", "SessionEnd": ""})
	api := NewAPI(t, Say("first reply"), Say("second reply"))
	tui := Client{Program: Claude{}, Home: home, API: api}.TUI(t)
	tui.Type("remember APRICOT")
	tui.WaitScreen("first reply")
	old := tui.Session()

	id := tui.Clear()
	tui.Type("what do you remember?")
	tui.WaitScreen("second reply")

	if got := api.Requests(Of(id)); len(got) != 1 || strings.Contains(got[0].Text(), "APRICOT") {
		t.Errorf("requests of the new session: %d, %v", len(got), got)
	}
	tui.Exit()
	want := []event{
		{Name: "SessionStart", Session: old, Source: "startup"},
		{Name: "SessionEnd", Session: old, Reason: "clear"},
		{Name: "SessionStart", Session: id, Source: "clear"},
		{Name: "SessionEnd", Session: id, Reason: "prompt_input_exit"},
	}
	if diff := cmp.Diff(want, eventsOf(t, home)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestEscEndsTurnSilently(t *testing.T) {
	t.Parallel()
	home := NewHome(t, 1, Claude{})
	hooks(t, home, map[string]string{"Stop": "", "StopFailure": ""})
	var gate Gate
	api := NewAPI(t, Say("too late").Behind(&gate), Say("in time"))
	tui := Client{Program: Claude{}, Home: home, API: api}.TUI(t)

	tui.Type("think long")
	api.Wait(1)
	tui.WaitStatus("busy")
	tui.Esc()
	if events := eventsOf(t, home); len(events) != 0 {
		t.Errorf("hooks ran: %v", names(events))
	}
	tui.Type("think short")
	tui.WaitScreen("in time")
}

func TestKillLeavesNothing(t *testing.T) {
	t.Parallel()
	home := NewHome(t, 1, Claude{})
	hooks(t, home, map[string]string{"SessionStart": "", "Stop": "", "SessionEnd": ""})
	var gate Gate
	api := NewAPI(t, Say("never").Behind(&gate))
	tui := Client{Program: Claude{}, Home: home, API: api}.TUI(t)
	tui.Type("hello")
	api.Wait(1)

	tui.Kill()

	if err := syscall.Kill(tui.Pid(), 0); err != syscall.ESRCH {
		t.Errorf("client %d after kill: %v", tui.Pid(), err)
	}
	if diff := cmp.Diff([]string{"SessionStart"}, names(eventsOf(t, home))); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if left := home.Processes(); len(left) != 0 {
		t.Errorf("processes left: %v", left)
	}
}

func TestTwoClientsOneAPI(t *testing.T) {
	t.Parallel()
	home := NewHome(t, 2, Claude{})
	web, back := home.Project("web"), home.Project("back")
	api := NewAPI(t, Say("I am web").When("who is web"), Say("I am back").When("who is back"))
	one := Client{Program: Claude{}, Home: home, API: api, Dir: web}.TUI(t)
	two := Client{Program: Claude{}, Home: home, API: api, Dir: back}.TUI(t)

	two.Type("who is back")
	one.Type("who is web")
	one.WaitScreen("I am web")
	two.WaitScreen("I am back")

	for _, u := range []*TUI{one, two} {
		if n := api.Count(Of(u.Session())); n != 1 {
			t.Errorf("session %s: %d requests", u.Session(), n)
		}
	}
	one.Draft("half a th")
	if two.Exit() != 0 || !strings.Contains(one.Screen(), "half a th") {
		t.Errorf("the second client's end disturbed the first:\n%s", one.Screen())
	}
}

// TestUntrustedProject starts where the client has to ask first.
func TestUntrustedProject(t *testing.T) {
	t.Parallel()
	home := NewHome(t, 1, Claude{})
	dir := filepath.Join(home.Dir, "stranger")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	api := NewAPI(t, Say("trusted"))
	tui := Client{Program: Claude{}, Home: home, API: api, Dir: dir}.TUI(t)
	tui.Type("hello")
	tui.WaitScreen("trusted")
	tui.Exit()
}

func TestClaudeInput(t *testing.T) {
	const rule = "\n──────────\n"
	for _, c := range []struct {
		name, screen, want string
		ok                 bool
	}{
		{"empty", "hello" + rule + "❯" + rule + " hint", "", true},
		{"text", rule + "❯ say hi" + rule, "say hi", true},
		{"after an earlier prompt and a menu", "\n❯ old\n● reply\n  ❯ /clear" + rule + "❯ /cle" + rule, "/cle", true},
		{"hint", rule + "❯ Resend your message to try again" + rule, "", true},
		{"two lines", rule + "❯ one\n  two" + rule, "one\n  two", true},
		{"dialog", "\n❯ old\n Do you want to proceed?\n ❯ 1. Yes\n   2. No", "", false},
	} {
		got, ok := claudeInput(c.screen)
		if ok != c.ok || ok && got != c.want {
			t.Errorf("%s: %q, %v", c.name, got, ok)
		}
	}
}

func TestClaude(t *testing.T) { testProgram(t, Claude{}) }

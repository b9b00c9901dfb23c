package hook_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"turnpost"
	"turnpost/internal/process"
)

// One connection: the event, then, once the answer is printed, the receipt.
func TestShownFollowsThePrintedAnswer(t *testing.T) {
	p := newPlace(t)
	hub := p.hub(t, func(e turnpost.Event) any {
		return turnpost.HookAnswer{Handle: "@r", Offer: "of-1", Decision: turnpost.Decision{Continue: "two items <b> & 名"}}
	})
	got := p.call(t, strings.NewReader(input("Stop")+"\n"))
	want := `{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"two items <b> & 名"}}` + "\n"
	if got.status != 0 || got.stdout != want || got.stderr != "" {
		t.Errorf("%+v", got)
	}
	if offer := <-hub.shown; offer != "of-1" {
		t.Errorf("shown %q", offer)
	}
	requests := hub.requests()
	if len(requests) != 2 || requests[0].path != "/v1/event" || requests[1].path != "/v1/shown" || requests[0].conn != requests[1].conn {
		t.Errorf("requests %+v", requests)
	}
}

// What was not printed, or does not carry the offer, is not confirmed.
func TestNotShown(t *testing.T) {
	offer := func(d turnpost.Decision) func(turnpost.Event) any {
		return func(turnpost.Event) any { return turnpost.HookAnswer{Offer: "of-1", Decision: d} }
	}
	t.Run("not carried", func(t *testing.T) {
		p := newPlace(t)
		hub := p.hub(t, offer(turnpost.Decision{Continue: "not here"}))
		if got := p.call(t, strings.NewReader(input("Notification"))); !got.silent() {
			t.Errorf("%+v", got)
		}
		if requests := hub.requests(); len(requests) != 1 {
			t.Errorf("requests %+v", requests)
		}
	})
	t.Run("nobody reads", func(t *testing.T) {
		p := newPlace(t)
		hub := p.hub(t, offer(turnpost.Decision{Continue: "nobody reads this"}))
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		r.Close()
		cmd := p.command("sh", "-c", line(t, "Stop", program))
		cmd.Stdin, cmd.Stdout = strings.NewReader(input("Stop")), w
		if err := cmd.Run(); err != nil {
			t.Error(err)
		}
		if requests := hub.requests(); len(requests) != 1 {
			t.Errorf("requests %+v", requests)
		}
	})
}

// The bell: text on standard error, the private status, and through the
// registered line the 2 that wakes. Nothing unread wakes nobody.
func TestBell(t *testing.T) {
	p := newPlace(t)
	text := "one item"
	hub := p.hub(t, func(e turnpost.Event) any {
		if e.Kind != turnpost.Bell || text == "" {
			return turnpost.HookAnswer{}
		}
		return turnpost.HookAnswer{Offer: "of-2", Decision: turnpost.Decision{Continue: text}}
	})
	ring := p.bell(t)
	if got := p.call(t, strings.NewReader(ring)); got.status != 86 || got.stdout != "" || got.stderr != "one item\n" {
		t.Errorf("%+v", got)
	}
	for _, shell := range []string{"sh", "bash"} {
		cmd := p.command(shell, "-c", line(t, "FileChanged", program))
		cmd.Stdin = strings.NewReader(ring)
		if got := finish(t, cmd); got.status != 2 || got.stdout != "" || got.stderr != "one item\n" {
			t.Errorf("%s: %+v", shell, got)
		}
	}
	for range 3 {
		if offer := <-hub.shown; offer != "of-2" {
			t.Errorf("shown %q", offer)
		}
	}
	text = ""
	cmd := p.command("sh", "-c", line(t, "FileChanged", program))
	cmd.Stdin = strings.NewReader(ring)
	if got := finish(t, cmd); !got.silent() {
		t.Errorf("nothing unread: %+v", got)
	}
	other := strings.Replace(ring, "/b", "/c", 1)
	if got := p.call(t, strings.NewReader(other)); !got.silent() {
		t.Errorf("another file: %+v", got)
	}
	if n := len(hub.events(t)); n != 5 { // start, three rings, one for nothing
		t.Errorf("%d events, want 5", n)
	}
}

// The event carries what only the client can know.
func TestEventIsComplete(t *testing.T) {
	p := newPlace(t)
	hub := p.hub(t, nothing)
	repo := filepath.Join(string(p.dir), "repo")
	if err := os.MkdirAll(filepath.Join(repo, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	repo, err := filepath.EvalSymlinks(repo)
	if err != nil {
		t.Fatal(err)
	}
	in, err := json.Marshal(map[string]string{"hook_event_name": "SessionStart", "session_id": "s1", "source": "resume", "cwd": repo})
	if err != nil {
		t.Fatal(err)
	}
	p.env = append(p.env, "TURNPOST_AGENT=@api")
	out := p.call(t, strings.NewReader(string(in)))
	e := hub.events(t)[0]
	want := turnpost.Event{
		Kind: turnpost.SessionStart, Harness: "claude-code", Version: "2.1.332", Native: "s1", Name: "SessionStart",
		Digest: e.Digest, Cwd: repo, Place: turnpost.Place{Root: repo, Main: repo},
		Process:  turnpost.Process{Pid: os.Getpid(), Start: process.Start(os.Getpid())},
		Attended: true, Agent: "@api", Source: "resume",
		Registry: filepath.Join(string(p.dir), ".claude", "sessions", filepath.Base(e.Registry)),
		Wake:     turnpost.Wake{Method: "bell", Key: e.Wake.Key, Armed: true},
		Accepts:  turnpost.Accepts{Context: true, Watch: true},
	}
	if diff := cmp.Diff(want, e); diff != "" || e.Digest == "" || e.Wake.Key == "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !strings.Contains(out.stdout, p.dir.Bell(e.Wake.Key)) {
		t.Errorf("the bell of the event is not the one that is watched: %s", out.stdout)
	}
}

// The directory of the bells is there when the harness starts to watch, hub or
// no hub; where it cannot be made nothing is announced.
func TestBellsDirectory(t *testing.T) {
	p := newPlace(t)
	if err := os.Remove(string(p.dir)); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"SessionStart", "CwdChanged"} {
		got := p.call(t, strings.NewReader(input(kind)))
		if got.status != 0 || !strings.Contains(got.stdout, p.dir.Bells()) {
			t.Errorf("%s: %+v", kind, got)
		}
		info, err := os.Stat(p.dir.Bells())
		if err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", kind, info, err)
		}
		if err := os.RemoveAll(string(p.dir)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(string(p.dir), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := p.call(t, strings.NewReader(input("SessionStart"))); !got.silent() {
		t.Errorf("no directory: %+v", got)
	}
	if err := os.Remove(string(p.dir)); err != nil {
		t.Fatal(err)
	}

	if err := os.Mkdir(string(p.dir), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.dir.Bells(), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	hub := p.hub(t, nothing)
	if got := p.call(t, strings.NewReader(input("SessionStart"))); !got.silent() {
		t.Errorf("no bells: %+v", got)
	}
	if e := hub.events(t)[0]; e.Wake.Armed || e.Accepts.Watch {
		t.Errorf("a bell that nobody watches is announced to the hub: %+v", e.Wake)
	}
}

// Whatever the hub says, the harness gets only what it understands.
func TestHubAnswers(t *testing.T) {
	for name, answer := range map[string]any{
		"400": http.StatusBadRequest, "401": http.StatusUnauthorized, "404": http.StatusNotFound, "500": http.StatusInternalServerError,
		"502": http.StatusBadGateway, "204": http.StatusNoContent, "302": http.StatusFound,
		"null": nil, "list": []int{1}, "text": "hello", "wrong types": map[string]any{"decision": 7, "offer": []int{}},
	} {
		p := newPlace(t)
		p.hub(t, func(turnpost.Event) any { return answer })
		for _, kind := range []string{"Stop", "UserPromptSubmit"} {
			if got := p.call(t, strings.NewReader(input(kind))); !got.silent() {
				t.Errorf("%s, %s: %+v", name, kind, got)
			}
		}
	}
}

// Steps are asked after the hub, with the handle, and merged into one answer.
func TestSteps(t *testing.T) {
	p := newPlace(t)
	hub := p.hub(t, func(turnpost.Event) any {
		return turnpost.HookAnswer{Handle: "@r", Offer: "of-3", Decision: turnpost.Decision{Continue: "from the hub"}}
	})
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p.env = append(p.env, "TURNPOST_TEST_FAULT=speak")
	cmd := p.command(self, "claude-code")
	cmd.Stdin = strings.NewReader(input("Stop"))
	got := finish(t, cmd)
	if !strings.Contains(got.stdout, `from the hub\nfrom a step`) {
		t.Errorf("%+v", got)
	}
	<-hub.shown
}

// Arguments that name no harness, or no arguments, are silence too: a line in
// somebody's settings may be older or newer than the program.
func TestUnknownHarness(t *testing.T) {
	p := newPlace(t)
	hub := p.hub(t, nothing)
	for _, args := range [][]string{{}, {""}, {"no-such"}, {"--help"}, {"-x"}, {"CLAUDE-CODE"}} {
		cmd := p.command(slices.Concat([]string{program}, args)...)
		cmd.Stdin = strings.NewReader(input("Stop"))
		if got := finish(t, cmd); !got.silent() || got.took > 5*time.Second {
			t.Errorf("%q: %+v", args, got)
		}
	}
	if n := len(hub.requests()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

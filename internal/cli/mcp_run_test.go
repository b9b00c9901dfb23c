package cli

import (
	"os"
	"regexp"
	"testing"

	"turnpost"
	"turnpost/internal/api/client"
	"turnpost/internal/process"
)

// TestToolsKeepAnAgentAtItsRun: an agent that has nothing but its tools writes
// its notes, starts a run and completes it. This test is its process.
func TestToolsKeepAnAgentAtItsRun(t *testing.T) {
	p := newPlace(t)
	p.run("", "up", "-d")
	running, err := p.state().ReadHub()
	if err != nil {
		t.Fatal(err)
	}
	hub := client.New(client.Address{Socket: running.Socket})
	defer hub.Close()
	event := func(kind turnpost.Kind) turnpost.HookAnswer {
		t.Helper()
		answer, err := hub.Handle(t.Context(), turnpost.Event{
			Kind: kind, Harness: "standin", Native: "n-1", Attended: true, Cwd: "/src/api",
			Place: turnpost.Place{Root: "/src/api", Main: "/src/api"}, Process: turnpost.Process{Pid: os.Getpid(), Start: process.Start(os.Getpid())},
			Accepts: turnpost.Accepts{Context: kind == turnpost.SessionStart, Continue: kind == turnpost.TurnEnd},
		})
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	if answer := event(turnpost.SessionStart); answer.Handle != "@api" {
		t.Fatalf("the session is %q", answer.Handle)
	}
	session := p.tools()
	say := func(tool, arguments, want string) {
		t.Helper()
		if answer, _ := session.call(tool, arguments); !regexp.MustCompile(want).MatchString(answer) {
			t.Errorf("%s %s:\n%s\nwant %s", tool, arguments, answer, want)
		}
	}
	for _, step := range []struct{ tool, arguments, want string }{
		{"context", `{"do":"read"}`, `^No notes, @api\.`},
		{"context", `{"do":"write","text":"half of the login"}`, `^Notes kept, `},
		{"context", `{"do":"log","text":"use RS256","why":"keys rotate"}`, `^Decision kept, 1 in all\.$`},
		{"context", `{"do":"read"}`, `(?s)^Your own notes, @api, just now, about api\..*\n  \| half of the login\n.* · decision · @api · use RS256 · why: keys rotate\n`},
		{"run", `{"do":"show"}`, `^error: @api is at no run`},
		{"run", `{"do":"start","goal":"ship the login","target":90,"max_iterations":5}`, `^r-1 · running · iteration 1 of 5\nmissing: there is no score yet, of 90\n`},
		{"run", `{"do":"plan","text":"build, then test"}`, `^r-1 · running`},
		{"run", `{"do":"task","text":"read the logs","key":"logs"}`, `^e-1 of r-1: do it, `},
		{"run", `{"do":"complete","proof":"guess"}`, `^error: r-1 is not complete: e-1 `},
		{"run", `{"do":"post","effect":"e-1","status":"ok","text":"two errors"}`, `^e-1 of r-1: ok\.$`},
		{"run", `{"do":"task","text":"read the logs","key":"logs"}`, `(?s)^e-1 of r-1, asked for before, is ok\. .*  \| two errors\n`},
		{"run", `{"do":"task","kind":"command","command":["make","test"]}`, "^e-2 of r-1: `turnpost run work r-1` runs it"},
		{"run", `{"do":"show"}`, `(?s)^r-1 · waiting · .*\nwaits for e-2: make test\n.*\n  \| ship the login\n.*\ne-2 · command · pending · make test\n`},
		{"run", `{"do":"post","effect":"e-2","status":"ok","text":"green"}`, `^e-2 of r-1: ok\.$`},
		{"run", `{"do":"iterate","text":"it is built"}`, `^r-1 · running · iteration 2 of 5\n`},
		{"run", `{"do":"dispatch"}`, `^error: r-1 follows no process\n`},
		{"run", `{"do":"score","score":95}`, `^r-1 · running · iteration 2 of 5 · score 95 of 90(\n|$)`},
	} {
		say(step.tool, step.arguments, step.want)
	}
	text := event(turnpost.TurnEnd).Decision.Continue
	proof := regexp.MustCompile(`proof ([0-9a-f]{32})`).FindStringSubmatch(text)
	if proof == nil {
		t.Fatalf("no proof in %q", text)
	}
	say("run", `{"do":"complete","proof":"`+proof[1]+`","text":"shipped"}`, `^r-1 · completed · iteration 2 of 5 · score 95 of 90\nreason: shipped$`)
	say("run", `{"do":"plan","text":"more"}`, `^error: r-1 is completed`)
}

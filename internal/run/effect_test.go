package run_test

import (
	"strings"
	"testing"

	"turnpost"
	"turnpost/internal/run"
)

func TestAskAgain(t *testing.T) {
	l := plain(t, turnpost.Limits{})
	drafts := []turnpost.EffectDraft{
		commandDraft("test"),
		{Kind: turnpost.EffectSleep, Seconds: 30, Key: "nap"},
		{Kind: turnpost.EffectBreakpoint, Question: "Ship?", Files: []turnpost.RunFile{{Path: "a.md", Format: "markdown"}}, Key: "ship"},
		{Kind: turnpost.EffectAgent, To: "@web", Text: "look", Key: "look"},
		{Kind: turnpost.EffectTask, Text: "tidy", Key: "tidy"},
	}
	for i, draft := range drafts {
		first := l.ask(draft)
		l.now = l.now.Add(1e9)
		draft.Label = "another label"
		id, events, err := l.state.Ask(draft, anna(), l.now)
		if err != nil || id != first || events != nil {
			t.Errorf("%s again: %s, %d entries, %v; want %s, none", draft.Key, id, len(events), err, first)
		}
		other := drafts[(i+1)%len(drafts)]
		other.Key = draft.Key
		_, _, err = l.state.Ask(other, api(), l.now)
		refused(t, err, turnpost.Conflict, "was used for another effect, "+first)
	}
	longer := drafts[1]
	longer.Seconds++
	_, _, err := l.state.Ask(longer, api(), l.now)
	refused(t, err, turnpost.Conflict, "was used for another effect")
}

func TestAskIsRefused(t *testing.T) {
	l := plain(t, turnpost.Limits{})
	command := func(c turnpost.Command) turnpost.EffectDraft {
		return turnpost.EffectDraft{Kind: turnpost.EffectCommand, Command: &c}
	}
	files := func(files ...turnpost.RunFile) turnpost.EffectDraft {
		return turnpost.EffectDraft{Kind: turnpost.EffectBreakpoint, Question: "?", Files: files}
	}
	long := strings.Repeat("x", turnpost.MaxRunText+1)
	for _, c := range []struct {
		name  string
		in    turnpost.EffectDraft
		code  turnpost.Code
		words string
	}{
		{"kind", turnpost.EffectDraft{Kind: "dance"}, turnpost.Invalid, `kind: "dance"`},
		{"no command", turnpost.EffectDraft{Kind: turnpost.EffectCommand}, turnpost.Invalid, "command: is missing"},
		{"no program", command(turnpost.Command{Dir: "/"}), turnpost.Invalid, "command.args: name no program"},
		{"no text", command(turnpost.Command{Args: []string{"a\x00"}, Dir: "/"}), turnpost.Invalid, "command.args: "},
		{"long args", command(turnpost.Command{Args: []string{long}, Dir: "/"}), turnpost.TooLarge, "command.args: "},
		{"many args", command(turnpost.Command{Args: make([]string, 1001), Dir: "/"}), turnpost.Invalid, "command.args: "},
		{"relative dir", command(turnpost.Command{Args: []string{"a"}, Dir: "src"}), turnpost.Invalid, "command.dir: "},
		{"command seconds", command(turnpost.Command{Args: []string{"a"}, Dir: "/", Seconds: 86401}), turnpost.Invalid, "command.seconds: "},
		{"no question", turnpost.EffectDraft{Kind: turnpost.EffectBreakpoint, Question: " "}, turnpost.Invalid, "question: is missing"},
		{"long question", turnpost.EffectDraft{Kind: turnpost.EffectBreakpoint, Question: long}, turnpost.TooLarge, "question: "},
		{"many files", files(make([]turnpost.RunFile, 21)...), turnpost.Invalid, "files: are 21"},
		{"no path", files(turnpost.RunFile{}), turnpost.Invalid, "files: "},
		{"format", files(turnpost.RunFile{Path: "a", Format: "pdf"}), turnpost.Invalid, `files: "pdf"`},
		{"no addressee", turnpost.EffectDraft{Kind: turnpost.EffectAgent, Text: "t"}, turnpost.Invalid, "to: is missing"},
		{"no handle", turnpost.EffectDraft{Kind: turnpost.EffectAgent, Text: "t", To: "web"}, turnpost.Invalid, `to: "web"`},
		{"itself", turnpost.EffectDraft{Kind: turnpost.EffectAgent, Text: "t", To: "@api"}, turnpost.Invalid, "own agent"},
		{"no task", turnpost.EffectDraft{Kind: turnpost.EffectTask}, turnpost.Invalid, "text: is missing"},
		{"long task", turnpost.EffectDraft{Kind: turnpost.EffectTask, Text: long}, turnpost.TooLarge, "text: "},
		{"out of place", turnpost.EffectDraft{Kind: turnpost.EffectTask, Text: "t", Question: "?"}, turnpost.Invalid, "question: does not go"},
		{"no time", turnpost.EffectDraft{Kind: turnpost.EffectSleep}, turnpost.Invalid, "seconds: is missing"},
		{"negative time", turnpost.EffectDraft{Kind: turnpost.EffectSleep, Seconds: -1}, turnpost.Invalid, "seconds: is -1"},
		{"long time", turnpost.EffectDraft{Kind: turnpost.EffectSleep, Seconds: 1 << 50}, turnpost.Invalid, "seconds: "},
		{"a step's key", turnpost.EffectDraft{Kind: turnpost.EffectTask, Text: "t", Key: "step:a:1"}, turnpost.Invalid, "key: "},
		{"long key", turnpost.EffectDraft{Kind: turnpost.EffectTask, Text: "t", Key: long}, turnpost.TooLarge, "key: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			id, events, err := l.state.Ask(c.in, api(), l.now)
			refused(t, err, c.code, c.words)
			if id != "" || events != nil {
				t.Errorf("%q, entries %s", id, kinds(events))
			}
		})
	}
	_, _, err := l.state.Ask(commandDraft(""), web(), l.now)
	refused(t, err, turnpost.Forbidden, "a run of @api")
}

func TestTrusted(t *testing.T) {
	l := plain(t, turnpost.Limits{})
	own := l.ask(commandDraft("own"))
	asked, events, err := l.state.Ask(commandDraft("asked"), anna(), l.now)
	l.take(events, err)
	for _, c := range []struct {
		name      string
		by        run.Who
		untrusted bool
		want      string
	}{
		{"a person", anna(), false, asked},
		{"a person with all", anna(), true, own + " " + asked},
		{"its agent", api(), false, own + " " + asked},
	} {
		events, err := l.state.Take("w", 9, c.untrusted, c.by, l.now)
		if err != nil {
			t.Fatal(err)
		}
		if got := tasks(events); got != c.want {
			t.Errorf("%s takes %q, want %q", c.name, got, c.want)
		}
	}
	_, err = l.state.Take("w", 9, true, web(), l.now)
	refused(t, err, turnpost.Forbidden, "a run of @api")
}

func tasks(events []turnpost.RunEvent) string {
	var out []string
	for _, e := range events {
		out = append(out, e.Task)
	}
	return strings.Join(out, " ")
}

func TestTake(t *testing.T) {
	l := plain(t, turnpost.Limits{})
	for range 5 {
		l.ask(commandDraft(""))
	}
	l.ask(breakpointDraft())
	take := func(worker string, limit int, want string) {
		t.Helper()
		if got := tasks(l.take(l.state.Take(worker, limit, true, anna(), l.now))); got != want {
			t.Fatalf("%s takes %q, want %q", worker, got, want)
		}
	}
	take("w1", 2, "e-1 e-2")
	take("w1", 2, "")
	take("w2", 1, "e-3")
	l.take(l.state.Post(turnpost.EffectPost{Effect: "e-1", Status: turnpost.EffectOK, Worker: "w1"}, anna(), l.now))
	take("w1", 2, "e-4")
	take("w1", 1, "")
	take("w2", 32, "e-5")
	for _, limit := range []int{0, 33, -1} {
		_, err := l.state.Take("w", limit, true, anna(), l.now)
		refused(t, err, turnpost.Invalid, "limit: ")
	}
	_, err := l.state.Take("", 1, true, anna(), l.now)
	refused(t, err, turnpost.Invalid, "worker: ")
}

// TestWhoPosts is every kind of effect with everybody who might post its result.
func TestWhoPosts(t *testing.T) {
	asks := map[turnpost.EffectKind]turnpost.EffectDraft{
		turnpost.EffectTask:       {Kind: turnpost.EffectTask, Text: "t"},
		turnpost.EffectAgent:      {Kind: turnpost.EffectAgent, To: "@web", Text: "t"},
		turnpost.EffectCommand:    commandDraft(""),
		turnpost.EffectBreakpoint: breakpointDraft(),
		turnpost.EffectSleep:      {Kind: turnpost.EffectSleep, Seconds: 5},
	}
	may := map[turnpost.EffectKind]map[string]bool{
		turnpost.EffectTask:       {"api": true, "anna": true, "hub": true, "hub error": true},
		turnpost.EffectAgent:      {"web": true, "anna": true, "hub": true, "hub error": true},
		turnpost.EffectCommand:    {"api": true, "anna": true, "hub": true, "hub error": true},
		turnpost.EffectBreakpoint: {"anna": true, "hub error": true},
		turnpost.EffectSleep:      {"anna": true, "hub": true, "hub error": true},
	}
	for _, kind := range turnpost.EffectKinds() {
		for name, by := range map[string]run.Who{"api": api(), "web": web(), "anna": anna(), "hub": hub(), "hub error": hub(), "other": {Handle: "@eve"}} {
			l := plain(t, turnpost.Limits{})
			id := l.ask(asks[kind])
			status := turnpost.EffectOK
			if name == "hub error" {
				status = turnpost.EffectError
			}
			events, err := l.state.Post(turnpost.EffectPost{Effect: id, Status: status}, by, l.now)
			if may[kind][name] {
				l.take(events, err)
				continue
			}
			if turnpost.CodeOf(err) != turnpost.Forbidden || events != nil {
				t.Errorf("%s posts a %s: %v, %d entries; want Forbidden", name, kind, err, len(events))
			}
		}
	}
}

func TestPostOfATakenCommand(t *testing.T) {
	l := plain(t, turnpost.Limits{})
	l.ask(commandDraft(""))
	l.ask(commandDraft(""))
	post := func(id, worker string, by run.Who) ([]turnpost.RunEvent, error) {
		return l.state.Post(turnpost.EffectPost{Effect: id, Status: turnpost.EffectOK, Value: "v", Worker: worker}, by, l.now)
	}
	_, err := post("e-1", "w1", anna())
	refused(t, err, turnpost.Conflict, "e-1 was not taken")
	l.take(l.state.Take("w1", 2, true, anna(), l.now))
	_, err = post("e-1", "w2", anna())
	refused(t, err, turnpost.Conflict, "worker w1 has taken e-1")
	_, err = post("e-1", "", api())
	refused(t, err, turnpost.Conflict, "worker w1 has taken e-1")
	l.take(post("e-1", "w1", api()))
	l.take(post("e-2", "", anna())) // a person may say so of their own
	l.want(turnpost.RunRunning, "")
}

func TestPostAgain(t *testing.T) {
	l := plain(t, turnpost.Limits{})
	id := l.ask(turnpost.EffectDraft{Kind: turnpost.EffectTask, Text: "t"})
	l.post(id, turnpost.EffectOK, "42")
	if events := l.post(id, turnpost.EffectOK, "42"); events != nil {
		t.Errorf("again adds %s", kinds(events))
	}
	for _, c := range []struct {
		in    turnpost.EffectPost
		code  turnpost.Code
		words string
	}{
		{turnpost.EffectPost{Effect: id, Status: turnpost.EffectOK, Value: "43"}, turnpost.Conflict, "e-1 has its result: ok"},
		{turnpost.EffectPost{Effect: id, Status: turnpost.EffectError, Value: "42"}, turnpost.Conflict, "e-1 has its result: ok"},
		{turnpost.EffectPost{Effect: "e-01", Status: turnpost.EffectOK}, turnpost.NotFound, `no effect "e-01"`},
		{turnpost.EffectPost{Effect: "e-2", Status: turnpost.EffectOK}, turnpost.NotFound, `no effect "e-2"`},
		{turnpost.EffectPost{Effect: id, Status: turnpost.EffectRunning}, turnpost.Invalid, "status: "},
		{turnpost.EffectPost{Effect: id, Status: turnpost.EffectOK, Value: strings.Repeat("v", turnpost.MaxRunText+1)}, turnpost.TooLarge, "value: "},
	} {
		_, err := l.state.Post(c.in, anna(), l.now)
		refused(t, err, c.code, c.words)
	}
}

func TestLinks(t *testing.T) {
	l := plain(t, turnpost.Limits{})
	l.ask(turnpost.EffectDraft{Kind: turnpost.EffectTask, Text: "t"})
	l.ask(breakpointDraft())
	l.ask(turnpost.EffectDraft{Kind: turnpost.EffectAgent, To: "@web", Text: "t"})
	l.ask(commandDraft(""))
	if got := ids(l.state.Unlinked()); got != "e-2 e-3" {
		t.Errorf("unlinked %q", got)
	}
	l.take(l.state.Link("e-2", "q-1", l.now), nil)
	l.take(l.state.Link("e-3", "t-2", l.now), nil)
	if events := l.state.Link("e-3", "t-2", l.now); events != nil {
		t.Errorf("linked again adds %s", kinds(events))
	}
	if unlinked, linked := ids(l.state.Unlinked()), ids(l.state.Linked()); unlinked != "" || linked != "e-2 e-3" {
		t.Errorf("unlinked %q, linked %q", unlinked, linked)
	}
	l.post("e-2", turnpost.EffectOK, "yes")
	if got := ids(l.state.Linked()); got != "e-3" {
		t.Errorf("linked %q", got)
	}
	l.ask(breakpointDraft())
	l.take(l.state.Change(turnpost.RunRequest{Do: turnpost.RunHalt}, anna(), l.now))
	if unlinked, linked := ids(l.state.Unlinked()), ids(l.state.Linked()); unlinked != "" || linked != "e-3" {
		t.Errorf("after the end: unlinked %q, linked %q", unlinked, linked)
	}
}

func ids(effects []turnpost.Effect) string {
	var out []string
	for _, e := range effects {
		out = append(out, e.ID)
	}
	return strings.Join(out, " ")
}

package run_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"turnpost"
	"turnpost/internal/run"
)

const proof = "5f0c9a7e5f0c9a7e5f0c9a7e5f0c9a7e"

// anna is the person, api the run's agent, web another one; the zero Who is the
// hub.
func anna() run.Who { return run.Who{Handle: "@anna", Human: true} }
func api() run.Who  { return run.Who{Handle: "@api", Session: "s-1"} }
func web() run.Who  { return run.Who{Handle: "@web", Session: "s-2"} }
func hub() run.Who  { return run.Who{} }

// live is a run as the hub keeps it: entries are numbered, stored as JSON and
// applied.
type live struct {
	t      testing.TB
	state  *run.State
	events []turnpost.RunEvent
	now    time.Time
}

func start(t testing.TB, in turnpost.RunStart, by run.Who) *live {
	t.Helper()
	l := &live{t: t, state: new(run.State), now: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)}
	l.take(run.Start("r-3", in, by, proof, l.now))
	return l
}

// plain is a run of the agent's own with limits.
func plain(t testing.TB, limits turnpost.Limits) *live {
	t.Helper()
	return start(t, turnpost.RunStart{Goal: "all tests pass", Handle: "@api", Limits: limits}, api())
}

// take stores and applies what a command returned.
func (l *live) take(events []turnpost.RunEvent, err error) []turnpost.RunEvent {
	l.t.Helper()
	if err != nil {
		l.t.Fatalf("refused: %v", err)
	}
	for _, e := range run.Number(events, l.state.Seq) {
		data, err := json.Marshal(e)
		if err != nil {
			l.t.Fatal(err)
		}
		var stored turnpost.RunEvent
		if err := json.Unmarshal(data, &stored); err != nil {
			l.t.Fatal(err)
		}
		if err := l.state.Apply(stored); err != nil {
			l.t.Fatalf("apply: %v", err)
		}
		l.events = append(l.events, stored)
	}
	return events
}

func (l *live) change(do turnpost.RunVerb, text string) []turnpost.RunEvent {
	l.t.Helper()
	return l.take(l.state.Change(turnpost.RunRequest{Do: do, Text: text}, api(), l.now))
}

func (l *live) score(value float64) []turnpost.RunEvent {
	l.t.Helper()
	return l.take(l.state.Change(turnpost.RunRequest{Do: turnpost.RunScore, Score: &value}, api(), l.now))
}

func (l *live) ask(in turnpost.EffectDraft) string {
	l.t.Helper()
	id, events, err := l.state.Ask(in, api(), l.now)
	l.take(events, err)
	return id
}

func (l *live) post(id string, status turnpost.EffectState, value string) []turnpost.RunEvent {
	l.t.Helper()
	return l.take(l.state.Post(turnpost.EffectPost{Effect: id, Status: status, Value: value}, anna(), l.now))
}

func (l *live) turnEnd() bool {
	l.t.Helper()
	events, goOn := l.state.TurnEnd(0, l.now)
	l.take(events, nil)
	return goOn
}

func (l *live) want(state turnpost.RunState, reason string) {
	l.t.Helper()
	view := l.state.View()
	if view.State != state || !strings.Contains(view.Reason, reason) {
		l.t.Fatalf("run is %s %q, want %s %q", view.State, view.Reason, state, reason)
	}
}

func (l *live) iteration(want int) {
	l.t.Helper()
	if got := l.state.View().Iteration; got != want {
		l.t.Fatalf("iteration %d, want %d", got, want)
	}
}

func refused(t testing.TB, err error, code turnpost.Code, words string) {
	t.Helper()
	if turnpost.CodeOf(err) != code || !strings.Contains(err.Error(), words) {
		t.Fatalf("error %q (%s), want %q (%s)", err, turnpost.CodeOf(err), words, code)
	}
}

// kinds is the entries' kinds on one line.
func kinds(events []turnpost.RunEvent) string {
	var out []string
	for _, e := range events {
		out = append(out, string(e.Kind))
	}
	return strings.Join(out, " ")
}

func commandDraft(key string) turnpost.EffectDraft {
	return turnpost.EffectDraft{Kind: turnpost.EffectCommand, Key: key, Command: &turnpost.Command{Args: []string{"make", "test"}, Dir: "/src"}}
}

func breakpointDraft() turnpost.EffectDraft {
	return turnpost.EffectDraft{Kind: turnpost.EffectBreakpoint, Question: "Ship it?"}
}

func TestStart(t *testing.T) {
	l := start(t, turnpost.RunStart{Goal: " all tests pass\n", Limits: turnpost.Limits{Seconds: 60}}, api())
	if got, want := kinds(l.events), "run.start run.bound iteration.start"; got != want {
		t.Errorf("entries %q, want %q", got, want)
	}
	want := turnpost.Run{
		ID: "r-3", Goal: "all tests pass", Handle: "@api", Session: "s-1", StartedBy: "@api", Limits: turnpost.Limits{Seconds: 60},
		State: turnpost.RunRunning, Iteration: 1, Seq: 3, StartedAt: l.now, UpdatedAt: l.now, Deadline: l.now.Add(time.Minute),
	}
	if diff := cmp.Diff(want, l.state.View()); diff != "" {
		t.Errorf("run (-want +got):\n%s", diff)
	}
}

func TestStartIsRefused(t *testing.T) {
	far := 1e300
	process := &turnpost.RunProcess{Name: "ship", Steps: []turnpost.StepDef{{ID: "a", Kind: turnpost.StepTask, Text: "a"}}}
	for _, c := range []struct {
		name  string
		in    turnpost.RunStart
		by    run.Who
		code  turnpost.Code
		words string
	}{
		{"no goal", turnpost.RunStart{Goal: " \n"}, api(), turnpost.Invalid, "goal: is missing"},
		{"long goal", turnpost.RunStart{Goal: strings.Repeat("g", turnpost.MaxGoal+1)}, api(), turnpost.TooLarge, "goal: is 4097 bytes long"},
		{"a person without an agent", turnpost.RunStart{Goal: "g"}, anna(), turnpost.Invalid, "handle: is missing"},
		{"no handle", turnpost.RunStart{Goal: "g", Handle: "api"}, anna(), turnpost.Invalid, "handle: "},
		{"for another agent", turnpost.RunStart{Goal: "g", Handle: "@web"}, api(), turnpost.Forbidden, "for itself only"},
		{"an agent's process", turnpost.RunStart{Goal: "g", Process: process}, api(), turnpost.Forbidden, "only people"},
		{"a wrong process", turnpost.RunStart{Goal: "g", Handle: "@api", Process: &turnpost.RunProcess{Name: "p"}}, anna(), turnpost.Invalid, "steps: "},
		{"iterations", turnpost.RunStart{Goal: "g", Limits: turnpost.Limits{Iterations: -1}}, api(), turnpost.Invalid, "limits.iterations: is negative"},
		{"turns", turnpost.RunStart{Goal: "g", Limits: turnpost.Limits{Turns: -1}}, api(), turnpost.Invalid, "limits.turns: "},
		{"tokens", turnpost.RunStart{Goal: "g", Limits: turnpost.Limits{Tokens: -1}}, api(), turnpost.Invalid, "limits.tokens: "},
		{"stall", turnpost.RunStart{Goal: "g", Limits: turnpost.Limits{Stall: -1}}, api(), turnpost.Invalid, "limits.stall: "},
		{"seconds", turnpost.RunStart{Goal: "g", Limits: turnpost.Limits{Seconds: 1 << 40}}, api(), turnpost.Invalid, "limits.seconds: "},
		{"target", turnpost.RunStart{Goal: "g", Limits: turnpost.Limits{Target: ptr(far * far)}}, api(), turnpost.Invalid, "limits.target: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			events, err := run.Start("r-3", c.in, c.by, proof, time.Unix(0, 0))
			refused(t, err, c.code, c.words)
			if events != nil {
				t.Errorf("entries %v", events)
			}
		})
	}
}

func ptr[T any](v T) *T { return &v }

// TestViewSharesNothing writes over everything that a view holds.
func TestViewSharesNothing(t *testing.T) {
	l := start(t, turnpost.RunStart{Goal: "g", Handle: "@api", Limits: turnpost.Limits{Target: ptr(9.0)}, Process: &turnpost.RunProcess{
		Name: "p", Steps: []turnpost.StepDef{
			{ID: "a", Kind: turnpost.StepCommand, Command: &turnpost.Command{Args: []string{"a"}, Dir: "/"}},
			{ID: "b", Kind: turnpost.StepBreakpoint, Text: "b?", Needs: []string{"a"}, Files: []turnpost.RunFile{{Path: "f"}}},
		},
	}}, anna())
	l.post("e-1", turnpost.EffectOK, "")
	l.score(3)
	before, view := l.state.View(), l.state.View()
	*view.Limits.Target = 0
	view.Scores[0].Value = 0
	view.Steps[1].Needs[0] = "x"
	view.Steps[0].Command.Args[0] = "x"
	view.Steps[1].Files[0].Path = "x"
	view.Effects[0].Command.Args[0] = "x"
	view.Effects[1].Files[0].Path = "x"
	view.Missing[0] = "x"
	if diff := cmp.Diff(before, l.state.View()); diff != "" {
		t.Errorf("the state changed (-before +after):\n%s", diff)
	}
}

// TestScoresAreKept holds how many are, and that a command which is not stored
// leaves them alone.
func TestScoresAreKept(t *testing.T) {
	l := plain(t, turnpost.Limits{})
	for n := range 60 {
		before := l.state.View()
		if _, err := l.state.Change(turnpost.RunRequest{Do: turnpost.RunScore, Score: ptr(-1.0)}, api(), l.now); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, l.state.View()); diff != "" {
			t.Fatalf("the state changed (-before +after):\n%s", diff)
		}
		l.score(float64(n))
	}
	scores := l.state.View().Scores
	if len(scores) != 50 || scores[0].Value != 10 || scores[49].Value != 59 {
		t.Errorf("%d scores, from %v to %v", len(scores), scores[0].Value, scores[len(scores)-1].Value)
	}
}

func TestJournalIsChecked(t *testing.T) {
	good := plain(t, turnpost.Limits{})
	good.ask(turnpost.EffectDraft{Kind: turnpost.EffectTask, Text: "t", Key: "k"})
	good.post("e-1", turnpost.EffectOK, "")
	for _, c := range []struct {
		name  string
		e     turnpost.RunEvent
		words string
	}{
		{"a gap", turnpost.RunEvent{Seq: 9, Kind: turnpost.RunPlanned}, "follows entry 5"},
		{"a second start", turnpost.RunEvent{Kind: turnpost.RunStarted}, "begins with run.start"},
		{"an unknown kind", turnpost.RunEvent{Kind: "run.fly"}, "not an entry"},
		{"a second result", turnpost.RunEvent{Kind: turnpost.EffectPosted, Task: "e-1", Result: turnpost.EffectOK}, "e-1 has its result"},
		{"a result of nothing", turnpost.RunEvent{Kind: turnpost.EffectPosted, Task: "e-2", Result: turnpost.EffectOK}, "no effect"},
		{"an id again", turnpost.RunEvent{Kind: turnpost.EffectAsked, Effect: &turnpost.Effect{ID: "e-1"}}, "in the place of e-2"},
		{"a key again", turnpost.RunEvent{Kind: turnpost.EffectAsked, Effect: &turnpost.Effect{ID: "e-2", Key: "k"}}, `key "k" is that of e-1`},
		{"a leap", turnpost.RunEvent{Kind: turnpost.IterationStart, Iteration: 3}, "iteration 3 follows 1"},
		{"a step that is not there", turnpost.RunEvent{Kind: turnpost.StepDispatched, Steps: []string{"x"}}, "no step x"},
		{"an end that is none", turnpost.RunEvent{Kind: turnpost.RunEnded, State: turnpost.RunWaiting}, "no end"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := run.Replay(good.events)
			if err != nil {
				t.Fatal(err)
			}
			before := s.View()
			if c.e.Seq == 0 {
				c.e.Seq = s.Seq + 1
			}
			if err := s.Apply(c.e); err == nil || !strings.Contains(err.Error(), c.words) {
				t.Errorf("error %v, want %q", err, c.words)
			}
			if diff := cmp.Diff(before, s.View()); diff != "" {
				t.Errorf("the state changed (-before +after):\n%s", diff)
			}
		})
	}
	if _, err := run.Replay(nil); err == nil {
		t.Error("an empty journal is a run")
	}
}

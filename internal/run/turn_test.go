package run_test

import (
	"testing"
	"time"

	"turnpost"
	"turnpost/internal/run"
)

func TestTurnEndsAreIterations(t *testing.T) {
	l := plain(t, turnpost.Limits{Iterations: 3})
	events, goOn := l.state.TurnEnd(10, l.now)
	l.take(events, nil)
	if got, want := kinds(events), "turn.end iteration.end iteration.start"; got != want || !goOn {
		t.Fatalf("entries %q, goes on %v; want %q, true", got, goOn, want)
	}
	l.take(l.state.Continue(l.now), nil)
	l.change(turnpost.RunIterate, "second piece")
	l.iteration(3)
	if !l.turnEnd() {
		t.Fatal("does not go on after the agent's own iteration")
	}
	l.iteration(3)
	l.take(l.state.Continue(l.now), nil)
	if l.turnEnd() {
		t.Fatal("goes on after the last iteration")
	}
	l.want(turnpost.RunHalted, "it used its 3 iterations")
	if v := l.state.View(); v.Turns != 3 || v.Continued != 2 || v.Tokens != 10 {
		t.Errorf("turns %d, continued %d, tokens %d; want 3, 2, 10", v.Turns, v.Continued, v.Tokens)
	}
}

// A person may start a run while its agent works at something else: that turn's
// end is the moment to tell the agent, and no turn of the run.
func TestTurnThatKnewNothingIsNotCounted(t *testing.T) {
	l := start(t, turnpost.RunStart{Goal: "all tests pass", Handle: "@api", Limits: turnpost.Limits{Iterations: 1, Turns: 1}}, anna())
	if events, goOn := l.state.TurnEnd(10, l.now); len(events) > 0 || !goOn {
		t.Fatalf("entries %q, goes on %v", kinds(events), goOn)
	}
	l.take(l.state.Continue(l.now), nil)
	if l.turnEnd() {
		t.Fatal("goes on after the one turn that it may have")
	}
	if v := l.state.View(); v.Turns != 1 || v.State != turnpost.RunHalted {
		t.Errorf("%d turns, %s", v.Turns, v.State)
	}
}

func TestLastIterationMayComplete(t *testing.T) {
	l := plain(t, turnpost.Limits{Iterations: 1})
	if got := kinds(l.change(turnpost.RunIterate, "")); got != "iteration.end" {
		t.Fatalf("entries %q", got)
	}
	l.iteration(1)
	_, err := l.state.Change(turnpost.RunRequest{Do: turnpost.RunIterate}, api(), l.now)
	refused(t, err, turnpost.Conflict, "iteration 1 was the last")
	l.want(turnpost.RunRunning, "")

	done := replay(t, l)
	done.take(done.state.Change(turnpost.RunRequest{Do: turnpost.RunComplete, Proof: proof, Text: "all green"}, api(), l.now))
	done.want(turnpost.RunCompleted, "all green")

	if l.turnEnd() {
		t.Fatal("goes on")
	}
	l.want(turnpost.RunHalted, "it used its 1 iteration")
}

// replay is another run with the same journal.
func replay(t *testing.T, l *live) *live {
	t.Helper()
	s, err := run.Replay(l.events)
	if err != nil {
		t.Fatal(err)
	}
	return &live{t: t, state: s, events: l.events[:len(l.events):len(l.events)], now: l.now}
}

func TestIterationsSpanWaits(t *testing.T) {
	l := plain(t, turnpost.Limits{Iterations: 2})
	id := l.ask(breakpointDraft())
	l.want(turnpost.RunWaiting, "e-1: Ship it?")
	l.take(l.state.Link(id, "q-12", l.now), nil)
	l.want(turnpost.RunWaiting, "q-12: Ship it?")
	if l.turnEnd() || l.state.Wants() {
		t.Fatal("goes on while it waits")
	}
	if events := l.state.Continue(l.now); events != nil {
		t.Fatalf("a waiting run starts a turn: %s", kinds(events))
	}
	l.iteration(1)
	l.post(id, turnpost.EffectOK, "yes")
	if !l.state.Wants() {
		t.Fatal("does not go on when the answer is there")
	}
	l.take(l.state.Continue(l.now), nil)
	l.iteration(1)
	if !l.turnEnd() {
		t.Fatal("does not go on")
	}
	l.iteration(2)
}

func TestLastIterationSpansAWait(t *testing.T) {
	l := plain(t, turnpost.Limits{Iterations: 1})
	l.change(turnpost.RunIterate, "")
	id := l.ask(breakpointDraft())
	if l.turnEnd() {
		t.Fatal("goes on while it waits")
	}
	l.post(id, turnpost.EffectOK, "yes")
	l.want(turnpost.RunRunning, "")
	l.turnEnd()
	l.want(turnpost.RunHalted, "it used its 1 iteration")
}

func TestBudgets(t *testing.T) {
	for _, c := range []struct {
		name   string
		limits turnpost.Limits
		turns  int
		reason string
	}{
		{"turns", turnpost.Limits{Turns: 2}, 2, "it used its 2 turns"},
		{"tokens", turnpost.Limits{Tokens: 250}, 3, "it used its 250 tokens"},
		{"stall", turnpost.Limits{Stall: 4}, 4, "4 turns in a row left nothing in its journal"},
		{"default stall", turnpost.Limits{}, 5, "5 turns in a row left nothing"},
		{"iterations", turnpost.Limits{Iterations: 3}, 3, "it used its 3 iterations"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := plain(t, c.limits)
			for n := 1; ; n++ {
				events, goOn := l.state.TurnEnd(100, l.now)
				l.take(events, nil)
				if goOn != (n < c.turns) {
					t.Fatalf("turn %d: goes on %v", n, goOn)
				}
				if !goOn {
					break
				}
			}
			l.want(turnpost.RunHalted, c.reason)
			if last := l.events[len(l.events)-1]; last.Kind != turnpost.RunEnded || last.By != "" {
				t.Errorf("last entry %+v, want the hub's run.end", last)
			}
		})
	}
}

// TestBudgetAfterAWait holds that a budget that was used up while the run waited
// starts no further turn.
func TestBudgetAfterAWait(t *testing.T) {
	l := plain(t, turnpost.Limits{Turns: 1})
	id := l.ask(breakpointDraft())
	l.turnEnd()
	l.want(turnpost.RunWaiting, "")
	if got, want := kinds(l.post(id, turnpost.EffectOK, "yes")), "task.complete run.end"; got != want {
		t.Errorf("entries %q, want %q", got, want)
	}
	l.want(turnpost.RunHalted, "it used its 1 turn")
}

func TestStallCountsProgress(t *testing.T) {
	progress := map[string]func(*live){
		"plan":    func(l *live) { l.change(turnpost.RunPlan, "first this") },
		"iterate": func(l *live) { l.change(turnpost.RunIterate, "") },
		"score":   func(l *live) { l.score(1) },
		"task":    func(l *live) { l.ask(turnpost.EffectDraft{Kind: turnpost.EffectTask, Text: "t"}) },
	}
	for name, step := range progress {
		t.Run(name, func(t *testing.T) {
			l := plain(t, turnpost.Limits{Stall: 2})
			l.turnEnd()
			step(l)
			if !l.turnEnd() || l.state.Stalled != 0 {
				t.Fatalf("stalled %d after a turn with progress", l.state.Stalled)
			}
			if !l.turnEnd() || l.turnEnd() {
				t.Fatal("does not stall after two turns without")
			}
			l.want(turnpost.RunHalted, "2 turns in a row")
		})
	}
	l := plain(t, turnpost.Limits{Stall: 2})
	l.change(turnpost.RunPlan, "same")
	l.turnEnd()
	if events := l.change(turnpost.RunPlan, "same"); events != nil {
		t.Errorf("the same plan again adds %s", kinds(events))
	}
	l.turnEnd()
	l.turnEnd()
	l.want(turnpost.RunHalted, "2 turns in a row")
}

func TestPause(t *testing.T) {
	l := plain(t, turnpost.Limits{})
	l.take(l.state.Pause(l.now), nil)
	if l.state.Wants() || l.turnEnd() {
		t.Fatal("goes on while a person has the word")
	}
	l.want(turnpost.RunRunning, "your user has the word")
	l.iteration(1)
	if events := l.state.Pause(l.now); events != nil {
		t.Errorf("a second pause adds %s", kinds(events))
	}
	_, err := l.state.Change(turnpost.RunRequest{Do: turnpost.RunResume}, api(), l.now)
	refused(t, err, turnpost.Forbidden, "only a person")
	l.take(l.state.Resume(l.now), nil)
	if !l.state.Wants() {
		t.Fatal("does not go on after the person's prompt")
	}
	if events := l.state.Resume(l.now); events != nil {
		t.Errorf("a second resume adds %s", kinds(events))
	}
}

func TestResumeVerb(t *testing.T) {
	resume := func(l *live, by run.Who, limits turnpost.Limits) ([]turnpost.RunEvent, error) {
		return l.state.Change(turnpost.RunRequest{Do: turnpost.RunResume, Limits: limits}, by, l.now)
	}
	t.Run("an agent takes it over in its session", func(t *testing.T) {
		l := plain(t, turnpost.Limits{})
		l.take(l.state.Bind("s-0", l.now), nil)
		l.take(resume(l, api(), turnpost.Limits{}))
		if l.state.Session != "s-1" {
			t.Errorf("session %s, want s-1", l.state.Session)
		}
		if events := l.take(resume(l, api(), turnpost.Limits{})); events != nil {
			t.Errorf("again adds %s", kinds(events))
		}
		_, err := resume(l, api(), turnpost.Limits{Turns: 9})
		refused(t, err, turnpost.Forbidden, "limit")
	})
	t.Run("a person revives it with more iterations", func(t *testing.T) {
		l := plain(t, turnpost.Limits{Iterations: 1})
		l.turnEnd()
		_, err := resume(l, api(), turnpost.Limits{})
		refused(t, err, turnpost.Conflict, "r-3 is halted")
		_, err = resume(l, anna(), turnpost.Limits{})
		refused(t, err, turnpost.Conflict, "it used its 1 iteration")
		l.take(resume(l, anna(), turnpost.Limits{Iterations: 2}))
		l.want(turnpost.RunRunning, "")
		l.iteration(2)
		if v := l.state.View(); !v.EndedAt.IsZero() {
			t.Errorf("ended at %v", v.EndedAt)
		}
		l.turnEnd()
		l.want(turnpost.RunHalted, "it used its 2 iterations")
	})
	t.Run("and a stalled one as it is", func(t *testing.T) {
		l := plain(t, turnpost.Limits{Stall: 1})
		l.turnEnd()
		l.take(resume(l, anna(), turnpost.Limits{}))
		if !l.state.Wants() || l.state.Stalled != 0 {
			t.Errorf("wants %v, stalled %d", l.state.Wants(), l.state.Stalled)
		}
	})
	t.Run("its deadline counts from now", func(t *testing.T) {
		l := plain(t, turnpost.Limits{Seconds: 60})
		l.now = l.now.Add(time.Minute)
		l.take(l.state.Due(l.now), nil)
		l.want(turnpost.RunHalted, "its deadline passed")
		_, err := resume(l, anna(), turnpost.Limits{})
		refused(t, err, turnpost.Conflict, "deadline")
		l.take(resume(l, anna(), turnpost.Limits{Seconds: 30}))
		if got, want := l.state.NextDue(), l.now.Add(30*time.Second); !got.Equal(want) {
			t.Errorf("next due %v, want %v", got, want)
		}
	})
	t.Run("a completed one stays", func(t *testing.T) {
		l := plain(t, turnpost.Limits{})
		l.take(l.state.Change(turnpost.RunRequest{Do: turnpost.RunComplete, Proof: proof}, api(), l.now))
		_, err := resume(l, anna(), turnpost.Limits{Turns: 100})
		refused(t, err, turnpost.Conflict, "r-3 is completed")
	})
}

func TestDue(t *testing.T) {
	l := plain(t, turnpost.Limits{Seconds: 100})
	begin := l.now
	for _, seconds := range []int64{30, 10} {
		l.ask(turnpost.EffectDraft{Kind: turnpost.EffectSleep, Seconds: seconds})
	}
	if got := l.state.NextDue(); !got.Equal(begin.Add(10 * time.Second)) {
		t.Fatalf("next due %v", got)
	}
	if events := l.state.Due(begin.Add(9 * time.Second)); events != nil {
		t.Fatalf("due too early: %s", kinds(events))
	}
	l.now = begin.Add(10 * time.Second)
	l.take(l.state.Due(l.now), nil)
	if v := l.state.View(); v.Effects[0].State != turnpost.EffectPending || v.Effects[1].State != turnpost.EffectOK {
		t.Fatalf("sleeps are %s and %s", v.Effects[0].State, v.Effects[1].State)
	}
	l.want(turnpost.RunWaiting, "e-1: sleep until")
	l.now = begin.Add(30 * time.Second)
	l.take(l.state.Due(l.now), nil)
	l.want(turnpost.RunRunning, "")
	if got := l.state.NextDue(); !got.Equal(begin.Add(100 * time.Second)) {
		t.Fatalf("next due %v, want the deadline", got)
	}
	l.now = begin.Add(100 * time.Second)
	l.take(l.state.Due(l.now), nil)
	l.want(turnpost.RunHalted, "its deadline passed")
	if got := l.state.NextDue(); !got.IsZero() {
		t.Errorf("an ended run is due at %v", got)
	}
}

func TestAnEndedRunRefuses(t *testing.T) {
	l := plain(t, turnpost.Limits{})
	id := l.ask(commandDraft(""))
	l.take(l.state.Change(turnpost.RunRequest{Do: turnpost.RunHalt, Text: "lunch"}, anna(), l.now))
	l.want(turnpost.RunHalted, "halted by @anna: lunch")
	for _, do := range []turnpost.RunVerb{
		turnpost.RunPlan, turnpost.RunIterate, turnpost.RunDispatch, turnpost.RunScore, turnpost.RunComplete, turnpost.RunFail, turnpost.RunHalt,
	} {
		_, err := l.state.Change(turnpost.RunRequest{Do: do, Text: "x", Score: ptr(1.0), Proof: proof}, anna(), l.now)
		refused(t, err, turnpost.Conflict, "r-3 is halted")
	}
	_, _, err := l.state.Ask(breakpointDraft(), anna(), l.now)
	refused(t, err, turnpost.Conflict, "r-3 is halted")
	_, err = l.state.Post(turnpost.EffectPost{Effect: id, Status: turnpost.EffectOK}, anna(), l.now)
	refused(t, err, turnpost.Conflict, "r-3 is halted")
	_, err = l.state.Take("w", 1, true, anna(), l.now)
	refused(t, err, turnpost.Conflict, "r-3 is halted")
	turn, goOn := l.state.TurnEnd(5, l.now)
	for name, events := range map[string][]turnpost.RunEvent{
		"turn end": turn, "bind": l.state.Bind("s-9", l.now), "pause": l.state.Pause(l.now), "resume": l.state.Resume(l.now),
		"continue": l.state.Continue(l.now), "due": l.state.Due(l.now.Add(1e6 * time.Hour)), "link": l.state.Link(id, "q-1", l.now),
	} {
		if events != nil || goOn {
			t.Errorf("%s adds %s", name, kinds(events))
		}
	}
	if text := l.state.Text("n") + l.state.Reminder(); text != "" {
		t.Errorf("it still says %q", text)
	}
}

func TestComplete(t *testing.T) {
	complete := func(l *live, given string) ([]turnpost.RunEvent, error) {
		return l.state.Change(turnpost.RunRequest{Do: turnpost.RunComplete, Proof: given, Text: "done"}, api(), l.now)
	}
	l := plain(t, turnpost.Limits{Target: ptr(90.0)})
	_, err := complete(l, proof)
	refused(t, err, turnpost.Conflict, "there is no score yet, of 90")
	l.score(72)
	_, err = complete(l, proof)
	refused(t, err, turnpost.Conflict, "the last score is 72 of 90")
	l.score(90)
	id := l.ask(turnpost.EffectDraft{Kind: turnpost.EffectTask, Text: "tidy up"})
	_, err = complete(l, proof)
	refused(t, err, turnpost.Conflict, "e-1 (task) is open: tidy up")
	l.post(id, turnpost.EffectError, "no")
	_, err = complete(l, "")
	refused(t, err, turnpost.Invalid, "proof: is missing")
	_, err = complete(l, proof[1:]+"0")
	refused(t, err, turnpost.Conflict, "not the proof")
	l.take(complete(l, proof))
	l.want(turnpost.RunCompleted, "done")
}

func TestChangeIsRefused(t *testing.T) {
	l := plain(t, turnpost.Limits{})
	for _, c := range []struct {
		name  string
		in    turnpost.RunRequest
		by    run.Who
		code  turnpost.Code
		words string
	}{
		{"another agent", turnpost.RunRequest{Do: turnpost.RunHalt}, web(), turnpost.Forbidden, "a run of @api"},
		{"a verb", turnpost.RunRequest{Do: "fly"}, api(), turnpost.Invalid, `do: "fly" is not a verb`},
		{"no plan", turnpost.RunRequest{Do: turnpost.RunPlan, Text: " "}, api(), turnpost.Invalid, "text: is missing"},
		{"a long plan", turnpost.RunRequest{Do: turnpost.RunPlan, Text: string(make([]byte, turnpost.MaxPlan+1))}, api(), turnpost.TooLarge, "text: "},
		{"no score", turnpost.RunRequest{Do: turnpost.RunScore}, api(), turnpost.Invalid, "score: is missing"},
		{"no number", turnpost.RunRequest{Do: turnpost.RunScore, Score: ptr(nan())}, api(), turnpost.Invalid, "score: is not a number"},
		{"no reason", turnpost.RunRequest{Do: turnpost.RunFail}, api(), turnpost.Invalid, "text: is missing"},
		{"no process", turnpost.RunRequest{Do: turnpost.RunDispatch}, api(), turnpost.Conflict, "follows no process"},
		{"limits", turnpost.RunRequest{Do: turnpost.RunIterate, Limits: turnpost.Limits{Turns: 1}}, api(), turnpost.Invalid, "limits: "},
		{"wrong limits", turnpost.RunRequest{Do: turnpost.RunResume, Limits: turnpost.Limits{Turns: -1}}, anna(), turnpost.Invalid, "limits.turns: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			events, err := l.state.Change(c.in, c.by, l.now)
			refused(t, err, c.code, c.words)
			if events != nil {
				t.Errorf("entries %s", kinds(events))
			}
		})
	}
}

func nan() float64 { zero := 0.0; return zero / zero }

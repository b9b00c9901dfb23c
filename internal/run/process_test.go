package run_test

import (
	"fmt"
	"strings"
	"testing"

	"turnpost"
	"turnpost/internal/run"
)

func process(t testing.TB, steps ...turnpost.StepDef) *live {
	t.Helper()
	return start(t, turnpost.RunStart{
		Goal: "release", Handle: "@api", Process: &turnpost.RunProcess{Name: "release", Steps: steps},
	}, anna())
}

func task(id string, needs ...string) turnpost.StepDef {
	return turnpost.StepDef{ID: id, Kind: turnpost.StepTask, Text: "do " + id, Needs: needs}
}

func command(id string, needs ...string) turnpost.StepDef {
	return turnpost.StepDef{ID: id, Kind: turnpost.StepCommand, Needs: needs, Command: &turnpost.Command{Args: []string{"make", id}, Dir: "/src"}}
}

func gate(id string, target float64, again string, needs ...string) turnpost.StepDef {
	return turnpost.StepDef{ID: id, Kind: turnpost.StepGate, Target: target, Again: again, Needs: needs}
}

// steps is the state of each step, and the attempt after the first.
func steps(l *live) string {
	var out []string
	for _, s := range l.state.View().Steps {
		word := fmt.Sprintf("%s:%s", s.ID, s.State)
		if s.Attempt > 1 {
			word += fmt.Sprint(s.Attempt)
		}
		out = append(out, word)
	}
	return strings.Join(out, " ")
}

func wantSteps(t *testing.T, l *live, want string) {
	t.Helper()
	if got := steps(l); got != want {
		t.Fatalf("steps %s\nwant  %s", got, want)
	}
}

func TestStepsFollowEachOther(t *testing.T) {
	l := process(t, task("build"), command("lint"), command("test", "build"), turnpost.StepDef{
		ID: "ship", Kind: turnpost.StepBreakpoint, Text: "Ship?", Needs: []string{"test", "lint"},
	})
	if got, want := kinds(l.events), "run.start iteration.start step.dispatch task.start task.start"; got != want {
		t.Fatalf("entries %q, want %q", got, want)
	}
	wantSteps(t, l, "build:active lint:active test:blocked ship:blocked")
	l.want(turnpost.RunRunning, "")
	if got, want := kinds(l.post("e-1", turnpost.EffectOK, "")), "task.complete step.dispatch task.start"; got != want {
		t.Fatalf("entries %q, want %q", got, want)
	}
	l.want(turnpost.RunWaiting, "e-2: make lint (and 1 more)")
	e := l.state.View().Effects[2]
	if e.Key != "step:test:1" || e.Step != "test" || !e.Trusted || e.By != "@anna" || e.Attempt != 1 {
		t.Errorf("effect %+v", e)
	}
	l.post("e-3", turnpost.EffectOK, "")
	wantSteps(t, l, "build:done lint:active test:done ship:blocked")
	l.post("e-2", turnpost.EffectOK, "")
	l.want(turnpost.RunWaiting, "e-4: Ship?")
	l.post("e-4", turnpost.EffectOK, "yes")
	wantSteps(t, l, "build:done lint:done test:done ship:done")
	l.want(turnpost.RunRunning, "")
	if missing := l.state.View().Missing; missing != nil {
		t.Errorf("missing %q", missing)
	}
}

func TestGroups(t *testing.T) {
	unit, e2e := command("unit"), command("e2e")
	unit.Group, e2e.Group = "tests", "tests"
	l := process(t, unit, e2e, task("report", "tests"))
	l.post("e-1", turnpost.EffectOK, "")
	wantSteps(t, l, "unit:done e2e:active report:blocked")
	l.post("e-2", turnpost.EffectOK, "")
	wantSteps(t, l, "unit:done e2e:done report:active")
}

func TestRetries(t *testing.T) {
	test := command("test")
	test.Retries = 1
	l := process(t, test, task("report", "test"))
	l.post("e-1", turnpost.EffectError, "red")
	wantSteps(t, l, "test:active2 report:blocked")
	if key := l.state.View().Effects[1].Key; key != "step:test:2" {
		t.Errorf("key %q", key)
	}
	if got, want := kinds(l.post("e-2", turnpost.EffectError, "\n red again\nline 2")), "task.complete run.end"; got != want {
		t.Errorf("entries %q, want %q", got, want)
	}
	l.want(turnpost.RunFailed, "step test failed: red again")

	l.take(l.state.Change(turnpost.RunRequest{Do: turnpost.RunResume}, anna(), l.now))
	wantSteps(t, l, "test:active3 report:blocked")
	l.post("e-3", turnpost.EffectError, "")
	wantSteps(t, l, "test:active4 report:blocked")
	l.post("e-4", turnpost.EffectOK, "")
	wantSteps(t, l, "test:done4 report:active")
}

func TestOptional(t *testing.T) {
	lint := command("lint")
	lint.Optional = true
	l := process(t, lint, task("report", "lint"))
	l.post("e-1", turnpost.EffectError, "ugly")
	wantSteps(t, l, "lint:failed report:active")
	l.post("e-2", turnpost.EffectOK, "")
	if missing := l.state.View().Missing; missing != nil {
		t.Errorf("missing %q", missing)
	}
}

func TestGate(t *testing.T) {
	l := process(t, task("plan"), task("build", "plan"), command("test", "build"), task("docs", "plan"), gate("good", 80, "build", "test"), task("ship", "good"))
	l.post("e-1", turnpost.EffectOK, "")
	l.score(99) // too early: the gate is not there yet
	l.post("e-2", turnpost.EffectOK, "")
	wantSteps(t, l, "plan:done build:done test:active docs:active good:blocked ship:blocked")
	l.post("e-3", turnpost.EffectOK, "")
	l.post("e-4", turnpost.EffectOK, "")
	wantSteps(t, l, "plan:done build:done test:done docs:done good:active ship:blocked")
	l.want(turnpost.RunRunning, "")
	if got, want := kinds(l.score(79)), "score step.dispatch task.start"; got != want {
		t.Fatalf("entries %q, want %q", got, want)
	}
	wantSteps(t, l, "plan:done build:active2 test:blocked docs:done good:blocked ship:blocked")
}

// TestGateGoesRound holds that exactly what lies between again and the gate
// starts over.
func TestGateGoesRound(t *testing.T) {
	l := process(t, task("plan"), task("build", "plan"), command("test", "build"), task("docs", "build"), gate("good", 80, "build", "test"), task("ship", "good"))
	l.post("e-1", turnpost.EffectOK, "")
	l.post("e-2", turnpost.EffectOK, "")
	l.post("e-3", turnpost.EffectOK, "")
	l.score(79)
	wantSteps(t, l, "plan:done build:active2 test:blocked docs:active good:blocked ship:blocked")
	l.post("e-5", turnpost.EffectOK, "")
	wantSteps(t, l, "plan:done build:done2 test:active2 docs:active good:blocked ship:blocked")
	l.post("e-6", turnpost.EffectOK, "")
	l.score(80)
	wantSteps(t, l, "plan:done build:done2 test:done2 docs:active good:done2 ship:active")
}

func TestGateWithoutAgainStays(t *testing.T) {
	l := process(t, gate("good", 80, ""))
	for range 3 {
		if got := kinds(l.score(10)); got != "score" {
			t.Fatalf("entries %q", got)
		}
		wantSteps(t, l, "good:active")
	}
	if missing := l.state.View().Missing; len(missing) != 1 || missing[0] != "step good is not passed: it takes a score of 80" {
		t.Errorf("missing %q", missing)
	}
	l.score(81)
	wantSteps(t, l, "good:done")
}

func TestRetriesCountFromTheLastRound(t *testing.T) {
	build := command("build")
	build.Retries = 1
	l := process(t, build, gate("good", 5, "build", "build"))
	l.post("e-1", turnpost.EffectError, "")
	l.post("e-2", turnpost.EffectOK, "")
	l.score(1)
	l.post("e-3", turnpost.EffectError, "")
	wantSteps(t, l, "build:active4 good:blocked")
	l.post("e-4", turnpost.EffectError, "")
	l.want(turnpost.RunFailed, "step build failed")
}

func TestSleepStep(t *testing.T) {
	l := process(t, turnpost.StepDef{ID: "nap", Kind: turnpost.StepSleep, Seconds: 60}, task("go", "nap"))
	l.want(turnpost.RunWaiting, "e-1: sleep until 2026-03-04 05:07:07 UTC")
	l.now = l.state.NextDue()
	l.take(l.state.Due(l.now), nil)
	wantSteps(t, l, "nap:done go:active")
}

func TestDispatchFindsNothingMore(t *testing.T) {
	l := process(t, task("a"))
	if events := l.change(turnpost.RunDispatch, ""); events != nil {
		t.Errorf("entries %s", kinds(events))
	}
}

func TestTooManyEffects(t *testing.T) {
	l := process(t, task("a"), gate("good", 5, "a", "a"))
	for n := 1; n < turnpost.MaxRunEffects; n++ {
		events, err := l.state.Post(turnpost.EffectPost{Effect: fmt.Sprintf("e-%d", n), Status: turnpost.EffectOK}, api(), l.now)
		if err != nil {
			t.Fatal(err)
		}
		apply(t, l, events)
		if events, err = l.state.Change(turnpost.RunRequest{Do: turnpost.RunScore, Score: ptr(1.0)}, api(), l.now); err != nil {
			t.Fatal(err)
		}
		apply(t, l, events)
	}
	_, _, err := l.state.Ask(breakpointDraft(), api(), l.now)
	refused(t, err, turnpost.Conflict, "used its 10000 effects")
	l.post("e-10000", turnpost.EffectOK, "")
	l.score(1)
	l.want(turnpost.RunHalted, "it used its 10000 effects")
}

// apply is take without the way over JSON.
func apply(t testing.TB, l *live, events []turnpost.RunEvent) {
	t.Helper()
	for _, e := range run.Number(events, l.state.Seq) {
		if err := l.state.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
}

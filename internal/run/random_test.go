package run_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"turnpost"
	"turnpost/internal/run"
)

// dice is chance that comes back with its seed.
type dice struct{ *rand.Rand }

func newDice(seed uint64) dice { return dice{rand.New(rand.NewPCG(seed, 7))} }

func (d dice) in(percent int) bool { return d.IntN(100) < percent }

func pick[T any](d dice, from ...T) T { return from[d.IntN(len(from))] }

func (d dice) limits() turnpost.Limits {
	var l turnpost.Limits
	for _, n := range []*int{&l.Iterations, &l.Turns, &l.Stall} {
		if d.in(40) {
			*n = 1 + d.IntN(12)
		}
	}
	if d.in(30) {
		l.Tokens = int64(100 + d.IntN(3000))
	}
	if d.in(30) {
		l.Seconds = int64(60 + d.IntN(3000))
	}
	if d.in(40) {
		l.Target = ptr(float64(d.IntN(100)))
	}
	return l
}

// process is a graph without circles: needs and again lead to earlier steps.
func (d dice) process() *turnpost.RunProcess {
	p := &turnpost.RunProcess{Name: "random"}
	before := map[string][]string{} // of each step: those that lead to it, and itself
	groups := map[string][]string{}
	for i := range 1 + d.IntN(10) {
		def := turnpost.StepDef{ID: fmt.Sprintf("s%d", i), Kind: pick(d, turnpost.StepTask, turnpost.StepTask, turnpost.StepAgent,
			turnpost.StepCommand, turnpost.StepCommand, turnpost.StepBreakpoint, turnpost.StepSleep, turnpost.StepGate, turnpost.StepGate)}
		leads := map[string]bool{def.ID: true}
		for j := range i {
			other := p.Steps[j]
			if !d.in(30) {
				continue
			}
			name := other.ID
			if other.Group != "" && d.in(30) {
				name = other.Group
			}
			if strings.Contains(" "+strings.Join(def.Needs, " ")+" ", " "+name+" ") {
				continue
			}
			def.Needs = append(def.Needs, name)
			for _, id := range append(groups[name], other.ID) {
				for _, b := range before[id] {
					leads[b] = true
				}
			}
		}
		for j := range i + 1 {
			if id := fmt.Sprintf("s%d", j); leads[id] {
				before[def.ID] = append(before[def.ID], id)
			}
		}
		switch def.Kind {
		case turnpost.StepTask:
			def.Text = "do it"
		case turnpost.StepAgent:
			def.Text, def.To = "look at it", "@web"
		case turnpost.StepCommand:
			def.Command = &turnpost.Command{Args: []string{"make", def.ID}, Dir: "/src"}
		case turnpost.StepBreakpoint:
			def.Text = "Well?"
		case turnpost.StepSleep:
			def.Seconds = int64(1 + d.IntN(100))
		case turnpost.StepGate:
			def.Target = float64(d.IntN(90))
			if d.in(60) {
				def.Again = pick(d, before[def.ID]...)
			}
		}
		if def.Kind != turnpost.StepGate {
			def.Retries, def.Optional = d.IntN(3), d.in(15)
		}
		if len(def.Needs) == 0 && d.in(30) { // a group whose steps need nothing makes no circle
			def.Group = pick(d, "g1", "g2")
			groups[def.Group] = append(groups[def.Group], def.ID)
		}
		p.Steps = append(p.Steps, def)
	}
	return p
}

func (d dice) who() run.Who { return pick(d, api(), api(), api(), anna(), anna(), hub(), web()) }

func (d dice) ask() turnpost.EffectDraft {
	draft := pick(d,
		turnpost.EffectDraft{Kind: turnpost.EffectTask, Text: "a task"},
		turnpost.EffectDraft{Kind: turnpost.EffectAgent, To: "@web", Text: "look"},
		commandDraft(""), breakpointDraft(),
		turnpost.EffectDraft{Kind: turnpost.EffectSleep, Seconds: int64(1 + d.IntN(60))},
		turnpost.EffectDraft{Kind: turnpost.EffectSleep}, // wrong
	)
	if d.in(50) {
		draft.Key = fmt.Sprintf("k%d", d.IntN(8))
	}
	return draft
}

// command is one random command: what it does is decided before it is given, so
// that it can be given to two states.
func (d dice) command(v turnpost.Run, now time.Time) func(*run.State) ([]turnpost.RunEvent, error) {
	type events = []turnpost.RunEvent
	quiet := func(do func(*run.State) events) func(*run.State) (events, error) {
		return func(s *run.State) (events, error) { return do(s), nil }
	}
	by := d.who()
	effect := fmt.Sprintf("e-%d", 1+d.IntN(len(v.Effects)+1))
	switch d.IntN(13) {
	case 0, 1:
		tokens := int64(d.IntN(200))
		return quiet(func(s *run.State) events { e, _ := s.TurnEnd(tokens, now); return e })
	case 2:
		return quiet(func(s *run.State) events { return s.Continue(now) })
	case 3, 4:
		draft := d.ask()
		return func(s *run.State) (events, error) { _, e, err := s.Ask(draft, by, now); return e, err }
	case 5, 6, 7:
		post := turnpost.EffectPost{
			Effect: effect, Status: pick(d, turnpost.EffectOK, turnpost.EffectOK, turnpost.EffectError, turnpost.EffectPending),
			Value: pick(d, "", "yes", "no"), Worker: pick(d, "", "w1", "w2"),
		}
		return func(s *run.State) (events, error) { return s.Post(post, by, now) }
	case 8:
		worker, limit, all := pick(d, "w1", "w2"), 1+d.IntN(3), d.in(50)
		return func(s *run.State) (events, error) { return s.Take(worker, limit, all, by, now) }
	case 9:
		return quiet(func(s *run.State) events { return s.Due(now) })
	case 10:
		switch item := fmt.Sprintf("q-%d", d.IntN(50)); d.IntN(4) {
		case 0:
			return quiet(func(s *run.State) events { return s.Pause(now) })
		case 1:
			return quiet(func(s *run.State) events { return s.Resume(now) })
		case 2:
			return quiet(func(s *run.State) events { return s.Bind(item, now) })
		default:
			return quiet(func(s *run.State) events { return s.Link(effect, item, now) })
		}
	}
	in := turnpost.RunRequest{
		Do: pick(d, turnpost.RunPlan, turnpost.RunIterate, turnpost.RunIterate, turnpost.RunDispatch, turnpost.RunScore, turnpost.RunScore,
			turnpost.RunResume),
		Text: pick(d, "", "one", "two"), Score: ptr(float64(d.IntN(110))),
	}
	if d.in(5) {
		in.Do, in.Proof = pick(d, turnpost.RunComplete, turnpost.RunComplete, turnpost.RunFail, turnpost.RunHalt), pick(d, proof, "", "guess")
	}
	if in.Do == turnpost.RunResume && d.in(60) {
		in.Limits = d.limits()
	}
	return func(s *run.State) ([]turnpost.RunEvent, error) { return s.Change(in, by, now) }
}

// TestRandomRuns holds, over random commands, what is true of every run.
func TestRandomRuns(t *testing.T) {
	for seed := range uint64(150) {
		randomRun(t, seed)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func randomRun(t *testing.T, seed uint64) {
	d := newDice(seed)
	in := turnpost.RunStart{Goal: "the goal", Handle: "@api", Limits: d.limits()}
	by := pick(d, api(), anna())
	if d.in(50) {
		in.Process, by = d.process(), anna()
	}
	l := start(t, in, by)
	other := replay(t, l) // gives the same answers, however old it is
	results := map[string]turnpost.Effect{}
	asked, turns, continued := 0, 0, 0
	for range 120 {
		l.now = l.now.Add(time.Duration(d.IntN(20)) * time.Second)
		before := l.state.View()
		command := d.command(before, l.now)
		events, err := command(l.state)
		if d.in(20) {
			if again := l.state.View(); !reflect.DeepEqual(before, again) {
				t.Fatalf("a command changed the state (-before +after):\n%s", cmp.Diff(before, again))
			}
		}
		othersEvents, othersErr := command(other.state)
		if !reflect.DeepEqual(events, othersEvents) || fmt.Sprint(err) != fmt.Sprint(othersErr) {
			t.Fatalf("a replayed run answers otherwise:\n%v %v\n%s", err, othersErr, cmp.Diff(events, othersEvents))
		}
		if err != nil && (events != nil || turnpost.CodeOf(err) == turnpost.Internal) {
			t.Fatalf("refused with %d entries: %v", len(events), err)
		}
		if before.State.Ended() && len(events) > 0 && events[0].Kind != turnpost.RunResumed {
			t.Fatalf("an ended run gets %s", kinds(events))
		}
		for i, e := range events {
			switch {
			case e.Seq != 0:
				t.Fatalf("entry %s has number %d", e.Kind, e.Seq)
			case e.Kind == turnpost.RunEnded && i != len(events)-1:
				t.Fatalf("behind run.end: %s", kinds(events))
			case e.Kind == turnpost.TurnEnded:
				turns++
			case e.Kind == turnpost.TurnContinued:
				continued++
			}
		}
		l.take(events, nil)
		other.take(events, nil)
		if d.in(5) {
			other = replay(t, l)
		}

		v := l.state.View()
		if w := other.state.View(); !reflect.DeepEqual(v, w) {
			t.Fatalf("a replayed run differs (-live +replayed):\n%s", cmp.Diff(v, w))
		}
		if v.Turns != turns || v.Continued != continued {
			t.Fatalf("%d turns, %d continued; want %d, %d", v.Turns, v.Continued, turns, continued)
		}
		if most := v.Limits.Iterations; most > 0 && v.Iteration > most {
			t.Fatalf("iteration %d of %d", v.Iteration, most)
		}
		if len(v.Effects) < asked {
			t.Fatalf("%d effects, there were %d", len(v.Effects), asked)
		}
		asked = len(v.Effects)
		for i, e := range v.Effects {
			if e.ID != fmt.Sprintf("e-%d", i+1) {
				t.Fatalf("effect %d is %s", i+1, e.ID)
			}
			if old, ok := results[e.ID]; ok && !reflect.DeepEqual(old, e) {
				t.Fatalf("a result changed (-was +is):\n%s", cmp.Diff(old, e))
			}
			if e.State.Settled() {
				results[e.ID] = e
			}
		}
		stands(t, l.state, v)
	}
}

// stands holds the state of a run against the rules, read off its view.
func stands(t *testing.T, s *run.State, v turnpost.Run) {
	t.Helper()
	text := s.Text("nonce")
	if v.State.Ended() {
		if text+s.Told(api()).Proof != "" || s.Wants() || !s.NextDue().IsZero() || v.EndedAt.IsZero() {
			t.Fatalf("a run that ended: text %q, wants %v, due %v, ended %v", text, s.Wants(), s.NextDue(), v.EndedAt)
		}
		return
	}
	tasks, others, beside, gates := 0, 0, 0, 0
	for _, e := range v.Effects {
		switch {
		case e.State.Settled():
		case e.Kind == turnpost.EffectTask:
			tasks++
		case e.Step == "":
			beside++
		default:
			others++
		}
	}
	for _, step := range v.Steps {
		switch {
		case step.State == turnpost.StepReady:
			t.Fatalf("step %s is ready and was not asked for", step.ID)
		case step.State == turnpost.StepFailed && !step.Optional:
			t.Fatalf("step %s failed and the run goes on", step.ID)
		case step.State == turnpost.StepActive && step.Kind == turnpost.StepGate:
			gates++
		}
	}
	want := turnpost.RunRunning
	if beside > 0 || others > 0 && tasks == 0 && gates == 0 {
		want = turnpost.RunWaiting
	}
	if v.State != want {
		t.Fatalf("the run is %s with %d tasks, %d gates, %d other effects", v.State, tasks, gates, others+beside)
	}
	if s.Wants() && v.State != turnpost.RunRunning || (v.Reason == "") != s.Wants() {
		t.Fatalf("wants %v, is %s because of %q", s.Wants(), v.State, v.Reason)
	}
	if told := strings.Contains(text, proof); told != (len(v.Missing) == 0) || told != (s.Told(api()).Proof == proof) {
		t.Fatalf("proof told %v, missing %q", told, v.Missing)
	}
	for _, by := range []run.Who{anna(), web(), hub()} {
		if s.Told(by).Proof != "" || v.Proof != "" {
			t.Fatalf("%q is told the proof", by.Handle)
		}
	}
}

// TestRandomProcessesEnd answers whatever a process asks for until nothing is
// left.
func TestRandomProcessesEnd(t *testing.T) {
	completed := 0
	for seed := range uint64(250) {
		d := newDice(seed)
		l := start(t, turnpost.RunStart{Goal: "the goal", Handle: "@api", Process: d.process()}, anna())
		for step := 0; !l.state.Run.State.Ended(); step++ {
			v := l.state.View()
			var open []turnpost.Effect
			for _, e := range v.Effects {
				if !e.State.Settled() {
					open = append(open, e)
				}
			}
			switch {
			case len(v.Missing) == 0:
				l.take(l.state.Change(turnpost.RunRequest{Do: turnpost.RunComplete, Proof: proof}, api(), l.now))
			case len(open) > 0 && (v.State == turnpost.RunWaiting || d.in(70)):
				status := turnpost.EffectOK
				if d.in(15) {
					status = turnpost.EffectError
				}
				l.post(pick(d, open...).ID, status, "")
			case v.State == turnpost.RunRunning:
				l.score(float64(d.IntN(100) + step/5))
			}
			if step > 3000 {
				t.Fatalf("seed %d: no end: %s; missing %q", seed, steps(l), v.Missing)
			}
		}
		switch v := l.state.View(); v.State {
		case turnpost.RunCompleted:
			completed++
		case turnpost.RunFailed:
		default:
			t.Fatalf("seed %d: %s: %s", seed, v.State, v.Reason)
		}
	}
	if completed < 50 {
		t.Errorf("%d of 250 completed: the answers are not what this test is for", completed)
	}
}

package hubtest

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"turnpost"
)

// job is a run of an agent in a story.
type job struct {
	r  *Rig
	a  *Agent
	id string
}

// Run lets the person start a run of the agent.
func (r *Rig) Run(a *Agent, in turnpost.RunStart) job {
	r.t.Helper()
	in.Handle = a.Handle
	if in.Goal == "" {
		in.Goal = "build it"
	}
	started, err := r.Human().StartRun(context.Background(), in)
	if err != nil {
		r.t.Fatalf("start a run: %v", err)
	}
	return job{r, a, started.ID}
}

// show is the run as the person sees it.
func (j job) show() turnpost.Run {
	j.r.t.Helper()
	run, err := j.r.Human().Run(context.Background(), turnpost.RunQuery{ID: j.id})
	if err != nil {
		j.r.t.Fatal(err)
	}
	return run
}

// is fails the story unless the run stands so.
func (j job) is(state turnpost.RunState, reason string) turnpost.Run {
	j.r.t.Helper()
	run := j.show()
	if run.State != state || !strings.Contains(run.Reason, reason) {
		j.r.t.Errorf("%s is %s (%s), want %s (%s)", j.id, run.State, run.Reason, state, reason)
	}
	return run
}

// do is a word of the run's agent; an error fails the story.
func (j job) do(in turnpost.RunRequest) turnpost.Run {
	j.r.t.Helper()
	return j.by(j.a.Hub(), in)
}

func (j job) by(hub turnpost.Hub, in turnpost.RunRequest) turnpost.Run {
	j.r.t.Helper()
	in.ID = j.id
	run, err := hub.ChangeRun(context.Background(), in)
	if err != nil {
		j.r.t.Fatalf("%s: %v", in.Do, err)
	}
	return run
}

func (j job) score(value float64) {
	j.r.t.Helper()
	j.do(turnpost.RunRequest{Do: turnpost.RunScore, Score: &value})
}

// ask lets the run's agent ask for an effect.
func (j job) ask(in turnpost.EffectDraft) turnpost.Effect {
	j.r.t.Helper()
	in.Run = j.id
	done, err := j.a.Hub().AskEffect(context.Background(), in)
	if err != nil {
		j.r.t.Fatalf("ask for a %s: %v", in.Kind, err)
	}
	return done.Effect
}

// post lets somebody post a result.
func (j job) post(hub turnpost.Hub, effect, value string) {
	j.r.t.Helper()
	_, err := hub.PostEffect(context.Background(), turnpost.EffectPost{Run: j.id, Effect: effect, Status: turnpost.EffectOK, Value: value})
	if err != nil {
		j.r.t.Fatalf("post %s: %v", effect, err)
	}
}

// work lets a worker of the person execute what there is.
func (j job) work(all bool) (executed []string) {
	j.r.t.Helper()
	taken, err := j.r.Human().TakeEffects(context.Background(), turnpost.EffectTake{Run: j.id, Worker: "w", Limit: 9, All: all})
	if err != nil {
		j.r.t.Fatal(err)
	}
	for _, e := range taken.Effects {
		post := turnpost.EffectPost{Run: j.id, Effect: e.ID, Status: turnpost.EffectOK, Value: "did " + e.Command.Args[0], Worker: "w"}
		if _, err := j.r.Human().PostEffect(context.Background(), post); err != nil {
			j.r.t.Fatal(err)
		}
		executed = append(executed, e.Command.Args[0])
	}
	return executed
}

// effect is one effect of the run.
func (j job) effect(id string) turnpost.Effect {
	j.r.t.Helper()
	for _, e := range j.show().Effects {
		if e.ID == id {
			return e
		}
	}
	j.r.t.Fatalf("%s has no effect %s", j.id, id)
	return turnpost.Effect{}
}

func command(name string) *turnpost.Command {
	return &turnpost.Command{Args: []string{name}, Dir: "/src"}
}

// wants fails the story unless a text lets the run go on, in that iteration.
func (j job) wants(text string, iteration string) {
	j.r.t.Helper()
	if !strings.Contains(text, "run "+j.id+", iteration "+iteration) {
		j.r.t.Errorf("want iteration %s of %s, got %q", iteration, j.id, text)
	}
}

var proofIn = regexp.MustCompile(`proof ([0-9a-f]{32})`)

// runStories are of what a run is told and what it answers.
func runStories() []story {
	ctx := context.Background()
	return []story{
		{name: "a run of five iterations with a breakpoint, a gate and two commands completes by itself", tell: func(t *testing.T, r *Rig) {
			a := r.Agent("api").Idle()
			j := r.Run(a, turnpost.RunStart{
				Goal: "ship it", Limits: turnpost.Limits{Iterations: 5},
				Process: &turnpost.RunProcess{Name: "ship", Steps: []turnpost.StepDef{
					{ID: "plan", Kind: turnpost.StepTask, Text: "plan it"},
					{ID: "build", Kind: turnpost.StepCommand, Command: command("make"), Needs: []string{"plan"}},
					{ID: "look", Kind: turnpost.StepBreakpoint, Text: "Good so far?", Needs: []string{"build"}},
					{ID: "good", Kind: turnpost.StepGate, Target: 90, Needs: []string{"look"}},
					{ID: "pack", Kind: turnpost.StepCommand, Command: command("tar"), Needs: []string{"good"}},
				}},
			})
			if n := r.Bells.Count(a.Bell()); n != 1 {
				t.Errorf("rang %d times for its start", n)
			}
			text := a.Hear()
			j.wants(text, "1 of 5")
			if !strings.Contains(text, "plan it") || proofIn.MatchString(text) {
				t.Errorf("the ring said %q", text)
			}
			if s := r.Session(a); s.Woken != text || s.Run != j.id {
				t.Errorf("the board shows run %q, woken by %q", s.Run, s.Woken)
			}
			j.do(turnpost.RunRequest{Do: turnpost.RunPlan, Text: "first this, then that"})
			j.post(a.Hub(), "e-1", "planned")
			if text := a.TurnEnd(); text != "" {
				t.Errorf("it waits for make, but was told %q", text)
			}
			j.is(turnpost.RunWaiting, "make")
			if got := j.work(false); len(got) != 1 || got[0] != "make" {
				t.Errorf("executed %v", got)
			}
			j.is(turnpost.RunWaiting, "Good so far?")
			q := j.effect("e-3").Item
			r.Post(r.Human(), turnpost.Draft{Kind: turnpost.Answer, ReplyTo: q, Summary: "yes, go on"})
			text = a.Hear()
			j.wants(text, "1 of 5")
			if !strings.Contains(text, "yes, go on") || !strings.Contains(text, "gate good") {
				t.Errorf("after the breakpoint said %q", text)
			}
			for i, score := range []float64{50, 60, 70, 95} {
				j.score(score)
				j.do(turnpost.RunRequest{Do: turnpost.RunIterate, Text: "better"})
				if text := a.TurnEnd(); i < 3 {
					j.wants(text, []string{"2", "3", "4"}[i]+" of 5")
				} else if text != "" {
					t.Errorf("it waits for tar, but was told %q", text)
				}
			}
			if got := j.work(false); len(got) != 1 || got[0] != "tar" {
				t.Errorf("executed %v", got)
			}
			text = a.Hear()
			j.wants(text, "5 of 5")
			proof := proofIn.FindStringSubmatch(text)
			if proof == nil {
				t.Fatalf("nothing is missing, but the proof is not told: %q", text)
			}
			wrong := turnpost.RunRequest{ID: j.id, Do: turnpost.RunComplete, Proof: strings.Repeat("0", 32)}
			if _, err := a.Hub().ChangeRun(ctx, wrong); turnpost.CodeOf(err) != turnpost.Conflict {
				t.Errorf("a wrong proof: %v", err)
			}
			j.do(turnpost.RunRequest{Do: turnpost.RunComplete, Proof: proof[1], Text: "shipped"})
			if text := a.TurnEnd() + a.Hear(); text != "" {
				t.Errorf("completed, it was told %q", text)
			}
			run := j.is(turnpost.RunCompleted, "shipped")
			if run.Iteration != 5 || run.Plan == "" || len(run.Effects) != 4 || len(run.Scores) != 4 || run.EndedAt.IsZero() {
				t.Errorf("in the end: %+v", run)
			}
			if n := r.Notices("run"); len(n) != 1 || n[0].Loud != turnpost.LoudNotice || !strings.Contains(n[0].Text, "shipped") {
				t.Errorf("the person was told %+v", n)
			}
			if n := r.Unread("@api"); n != 0 {
				t.Errorf("%d items are left in its inbox", n)
			}
			journal, err := a.Hub().Journal(ctx, turnpost.JournalQuery{ID: j.id})
			if err != nil || !journal.Ended || int64(len(journal.Events)) != run.Seq {
				t.Errorf("the journal: %d entries of %d, ended %v, %v", len(journal.Events), run.Seq, journal.Ended, err)
			}
			for _, e := range journal.Events {
				if e.Proof != "" || strings.Contains(e.Text, proof[1]) {
					t.Errorf("the journal tells the proof: %+v", e)
				}
			}
		}},
		{name: "what an agent started itself is worked at in that session, and its proof is told when the score is right", tell: func(t *testing.T, r *Rig) {
			a := r.Agent("api").Idle()
			a.Prompt()
			target := 80.0
			started, err := a.Hub().StartRun(ctx, turnpost.RunStart{Goal: "be good", Limits: turnpost.Limits{Target: &target}})
			if err != nil || started.Handle != "@api" || started.Session != r.Session(a).ID || started.Human {
				t.Fatalf("started %+v, %v", started, err)
			}
			j := job{r, a, started.ID}
			early := turnpost.RunRequest{Do: turnpost.RunComplete}
			if _, err := a.Hub().ChangeRun(ctx, early); turnpost.CodeOf(err) != turnpost.Conflict || !strings.Contains(err.Error(), "score") {
				t.Errorf("too early: %v", err)
			}
			text := a.TurnEnd()
			if j.wants(text, "2"); proofIn.MatchString(text) {
				t.Errorf("the proof is told without a score: %q", text)
			}
			j.score(79)
			if text := a.TurnEnd(); proofIn.MatchString(text) {
				t.Errorf("the proof is told below the target: %q", text)
			}
			j.score(80)
			proof := proofIn.FindStringSubmatch(a.TurnEnd())
			if proof == nil {
				t.Fatal("the proof is not told")
			}
			if run, err := a.Hub().ChangeRun(ctx, turnpost.RunRequest{Do: turnpost.RunComplete, Proof: proof[1]}); err != nil || run.State != turnpost.RunCompleted {
				t.Errorf("completed: %+v, %v", run, err)
			}
		}},
		{name: "limits end a run, and the person is told", tell: func(t *testing.T, r *Rig) {
			for _, c := range []struct {
				limits turnpost.Limits
				turns  int
				reason string
			}{
				{turnpost.Limits{Iterations: 3}, 3, "it used its 3 iterations"},
				{turnpost.Limits{Turns: 2}, 2, "it used its 2 turns"},
				{turnpost.Limits{Tokens: 250}, 3, "it used its 250 tokens"},
				{turnpost.Limits{Stall: 2}, 2, "2 turns in a row left nothing"},
			} {
				a := r.Agent(strings.ReplaceAll(c.reason, " ", "-")).Idle()
				j := r.Run(a, turnpost.RunStart{Limits: c.limits})
				text := a.Hear()
				for n := 1; text != "" && n < 10; n++ {
					if n > c.turns {
						t.Errorf("%s: it was told to go on a turn too often: %q", c.reason, text)
					}
					ev := a.Event(turnpost.TurnEnd)
					ev.Tokens = 100
					text = a.Send(ev)
				}
				if run := j.is(turnpost.RunHalted, c.reason); run.Turns != c.turns {
					t.Errorf("%s: after %d turns", c.reason, run.Turns)
				}
				if n := r.Desktop.Count("run"); n == 0 {
					t.Errorf("%s: nobody was told", c.reason)
				}
				a.Send(a.Event(turnpost.SessionEnd))
			}
			if n := len(r.Notices("run")); n != 4 {
				t.Errorf("%d notices, want 4", n)
			}
		}},
		{name: "a deadline ends a run, also one that waits; more time revives it", timed: true, tell: func(t *testing.T, r *Rig) {
			a := r.Agent("api").Idle()
			j := r.Run(a, turnpost.RunStart{Limits: turnpost.Limits{Seconds: 60}})
			a.Hear()
			j.ask(turnpost.EffectDraft{Kind: turnpost.EffectCommand, Command: command("make")})
			a.TurnEnd()
			pass(59 * time.Second)
			j.is(turnpost.RunWaiting, "make")
			pass(2 * time.Second)
			j.is(turnpost.RunHalted, "deadline")
			if n := r.Desktop.Count("run"); n != 1 {
				t.Errorf("%d on the desktop", n)
			}
			j.by(r.Human(), turnpost.RunRequest{Do: turnpost.RunResume, Limits: turnpost.Limits{Seconds: 600}})
			j.is(turnpost.RunWaiting, "make")
			if n := len(r.Notices("run")); n != 0 {
				t.Errorf("%d notices of its end are left", n)
			}
			j.work(true)
			j.wants(a.Hear(), "1")
		}},
		{name: "a handle is at one run at a time, and a start with a key is one start", tell: func(t *testing.T, r *Rig) {
			a := r.Agent("api").Idle()
			in := turnpost.RunStart{Goal: " once ", Handle: "@api", Key: "k", Limits: turnpost.Limits{Iterations: 2}}
			first, err := r.Human().StartRun(ctx, in)
			if err != nil {
				t.Fatal(err)
			}
			again, err := r.Human().StartRun(ctx, in)
			if err != nil || again.ID != first.ID {
				t.Errorf("again: %s, %v", again.ID, err)
			}
			other := in
			other.Goal = "twice"
			if _, err := r.Human().StartRun(ctx, other); turnpost.CodeOf(err) != turnpost.Conflict {
				t.Errorf("another run under the key: %v", err)
			}
			other.Key = ""
			if _, err := r.Human().StartRun(ctx, other); turnpost.CodeOf(err) != turnpost.Conflict || !strings.Contains(err.Error(), first.ID) {
				t.Errorf("a second run: %v", err)
			}
			j := job{r, a, first.ID}
			j.by(r.Human(), turnpost.RunRequest{Do: turnpost.RunHalt})
			if again, err = r.Human().StartRun(ctx, in); err != nil || again.ID != first.ID || again.State != turnpost.RunHalted {
				t.Errorf("after its end: %+v, %v", again, err)
			}
			r.Run(a, turnpost.RunStart{Goal: "another"})
			resume := turnpost.RunRequest{ID: first.ID, Do: turnpost.RunResume}
			if _, err := r.Human().ChangeRun(ctx, resume); turnpost.CodeOf(err) != turnpost.Conflict {
				t.Errorf("the first was resumed beside the second: %v", err)
			}
			j.is(turnpost.RunHalted, "")
			for what, in := range map[string]turnpost.RunStart{
				"nobody": {Goal: "x", Handle: "@nobody"}, "a person": {Goal: "x", Handle: "@anna"}, "no handle": {Goal: "x"},
				"no goal": {Handle: "@api"},
			} {
				if _, err := r.Human().StartRun(ctx, in); err == nil {
					t.Errorf("%s: was started", what)
				}
			}
			runs, err := r.Human().Runs(ctx, turnpost.RunsQuery{All: true})
			if err != nil || len(runs.Runs) != 2 || runs.Runs[1].ID != first.ID || runs.Runs[1].Effects != nil {
				t.Errorf("the runs: %+v, %v", runs.Runs, err)
			}
			if runs, err = r.Human().Runs(ctx, turnpost.RunsQuery{}); err != nil || len(runs.Runs) != 1 {
				t.Errorf("those that go on: %+v, %v", runs.Runs, err)
			}
			board, err := r.Human().Board(ctx, turnpost.BoardQuery{})
			if err != nil || len(board.Runs) != 2 {
				t.Errorf("on the board: %+v, %v", board.Runs, err)
			}
		}},
		{name: "a journal is waited for", tell: func(t *testing.T, r *Rig) {
			a := r.Agent("api").Idle()
			j := r.Run(a, turnpost.RunStart{})
			seq := j.show().Seq
			got := make(chan turnpost.Journal, 1)
			go func() {
				journal, err := r.Human().Journal(ctx, turnpost.JournalQuery{ID: j.id, After: seq, Seconds: 50})
				if err != nil {
					t.Error(err)
				}
				got <- journal
			}()
			j.do(turnpost.RunRequest{Do: turnpost.RunPlan, Text: "with password=hunter2hunter2"})
			journal := <-got
			if len(journal.Events) != 1 || journal.Events[0].Kind != turnpost.RunPlanned || journal.Ended {
				t.Fatalf("heard %+v", journal)
			}
			if text := journal.Events[0].Text; strings.Contains(text, "hunter2") {
				t.Errorf("a secret is in it: %q", text)
			}
			if _, err := r.Human().Journal(ctx, turnpost.JournalQuery{ID: j.id, Seconds: 51}); turnpost.CodeOf(err) != turnpost.Invalid {
				t.Errorf("for too long: %v", err)
			}
			if _, err := r.Human().Journal(ctx, turnpost.JournalQuery{ID: "r-99"}); turnpost.CodeOf(err) != turnpost.NotFound {
				t.Errorf("of no run: %v", err)
			}
		}},
	}
}

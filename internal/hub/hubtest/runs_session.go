package hubtest

import (
	"context"
	"strings"
	"testing"
	"time"

	"turnpost"
)

// again starts the agent's session once more, in another process.
func (a *Agent) again(source string) string {
	a.r.t.Helper()
	a.Pid += 500
	ev := a.Event(turnpost.SessionStart)
	ev.Source = source
	return a.Send(ev)
}

// runSessionStories are of which session works at a run.
func runSessionStories() []story {
	ctx := context.Background()
	return []story{
		{name: "a run goes on in the session that is resumed after a crash, and only reminds a fresh one", timed: true, tell: func(t *testing.T, r *Rig) {
			a := r.Agent("api").Idle()
			j := r.Run(a, turnpost.RunStart{})
			a.Hear()
			j.wants(a.TurnEnd(), "2")
			r.Machine.Kill(a.Pid)
			pass(10 * time.Second)
			fresh := r.Agent("api")
			if text := fresh.Start(); fresh.Handle != "@api" || !strings.Contains(text, "turnpost run resume "+j.id) {
				t.Errorf("as %s it was told %q", fresh.Handle, text)
			}
			pass(time.Minute)
			fresh.Prompt()
			if text := fresh.TurnEnd(); text != "" || r.Bells.Count(fresh.Bell()) != 0 {
				t.Errorf("the fresh session took over: %q", text)
			}
			if run := j.show(); run.Turns != 1 || run.Iteration != 2 {
				t.Errorf("its turn counted: %d turns, iteration %d", run.Turns, run.Iteration)
			}
			fresh.Send(fresh.Event(turnpost.SessionEnd))

			if text := a.again(turnpost.SourceResume); !strings.Contains(text, j.id) {
				t.Errorf("resumed, it was told %q", text)
			}
			if n := r.Bells.Count(a.Bell()); n != 0 {
				t.Errorf("rang %d times before it watches its bell", n)
			}
			pass(2 * time.Second)
			if n := r.Bells.Count(a.Bell()); n != 1 {
				t.Errorf("rang %d times", n)
			}
			j.wants(a.Hear(), "2")
			j.wants(a.TurnEnd(), "3")
		}},
		{name: "a fresh session takes a run over by resuming it", tell: func(t *testing.T, r *Rig) {
			a := r.Agent("api").Idle()
			j := r.Run(a, turnpost.RunStart{})
			a.Hear()
			a.Send(a.Event(turnpost.SessionEnd))
			fresh := r.Agent("api").Idle()
			if _, err := fresh.Hub().ChangeRun(ctx, turnpost.RunRequest{ID: j.id, Do: turnpost.RunResume}); err != nil {
				t.Fatal(err)
			}
			j.wants(fresh.Hear(), "1")
			j.wants(fresh.TurnEnd(), "2")
			fresh.Send(fresh.Event(turnpost.SessionEnd))
			third := r.Agent("api").Idle()
			j.by(r.Human(), turnpost.RunRequest{Do: turnpost.RunResume})
			j.wants(third.Hear(), "2")
			third.Send(third.Event(turnpost.SessionEnd))
			j.by(r.Human(), turnpost.RunRequest{Do: turnpost.RunResume}) // nobody is there
			next := r.Agent("api")
			next.Start()
			next.Prompt()
			j.wants(next.TurnEnd(), "3")
		}},
		{name: "a run stays with a session that is cleared or compacted", timed: true, tell: func(t *testing.T, r *Rig) {
			for _, kind := range []turnpost.Kind{turnpost.SessionStart, turnpost.Prompt} {
				a := r.Agent("api-" + strings.ReplaceAll(string(kind), ".", "")).Idle()
				j := r.Run(a, turnpost.RunStart{})
				a.Hear()
				if kind == turnpost.SessionStart {
					a.Send(a.Event(turnpost.SessionEnd))
				}
				a.Native += "-cleared"
				ev := a.Event(kind)
				if kind == turnpost.SessionStart {
					ev.Source = turnpost.SourceClear
				}
				if text := a.Send(ev); !strings.Contains(text, j.id) {
					t.Errorf("%s: cleared, it was told %q", kind, text)
				}
				if s := r.Session(a); s.Run != j.id {
					t.Errorf("%s: the session works at %q", kind, s.Run)
				}
				if kind == turnpost.SessionStart {
					pass(2 * time.Second)
					j.wants(a.Hear(), "1")
				}
				a.Send(a.Event(turnpost.CompactBefore))
				compacted := a.Event(turnpost.SessionStart)
				compacted.Source = turnpost.SourceCompact
				if text := a.Send(compacted); !strings.Contains(text, j.id) {
					t.Errorf("%s: compacted, it was told %q", kind, text)
				}
				j.wants(a.TurnEnd(), "2")
			}
		}},
		{name: "of two sessions of one handle only the one at work is kept going", timed: true, tell: func(t *testing.T, r *Rig) {
			a, b := r.Agent("api"), r.Agent("api")
			a.Name, b.Name = "@both", "@both"
			a.Idle()
			b.Idle()
			j := r.Run(a, turnpost.RunStart{})
			b.Prompt() // of a run that nobody works at yet, it is the first to end a turn
			j.wants(b.TurnEnd(), "1")
			a.Prompt()
			if text := a.TurnEnd(); text != "" {
				t.Errorf("the other was told %q", text)
			}
			rings := r.Bells.Count(a.Bell())
			j.ask(turnpost.EffectDraft{Kind: turnpost.EffectCommand, Command: command("make")})
			b.TurnEnd()
			j.work(true)
			if n, m := r.Bells.Count(a.Bell()), r.Bells.Count(b.Bell()); n != rings || m != 1 {
				t.Errorf("rang the other %d times, the one at work %d times", n-rings, m)
			}
			if text := a.Hear(); text != "" {
				t.Errorf("the other's bell brought %q", text)
			}
			if s := r.Session(b); s.Run != j.id || r.Session(a).Run != "" {
				t.Errorf("the board shows %q and %q", s.Run, r.Session(a).Run)
			}
			j.wants(b.Hear(), "1")
		}},
		{name: "a run follows its agent to another name", tell: func(t *testing.T, r *Rig) {
			a := r.Agent("api").Idle()
			j := r.Run(a, turnpost.RunStart{})
			if _, err := a.Hub().Name(ctx, turnpost.NameRequest{Name: "gateway"}); err != nil {
				t.Fatal(err)
			}
			j.wants(a.Hear(), "1")
			j.do(turnpost.RunRequest{Do: turnpost.RunIterate})
			j.wants(a.TurnEnd(), "2")
			if run := j.show(); run.Handle != "@gateway" {
				t.Errorf("it is a run of %s", run.Handle)
			}
			if runs, err := r.Human().Runs(ctx, turnpost.RunsQuery{Handle: "@gateway"}); err != nil || len(runs.Runs) != 1 {
				t.Errorf("listed %+v, %v", runs.Runs, err)
			}
		}},
		{name: "a session without a run hears of none", tell: func(t *testing.T, r *Rig) {
			a, b := r.Agent("api").Idle(), r.Agent("web").Idle()
			r.Run(a, turnpost.RunStart{})
			if text := b.Prompt() + b.TurnEnd() + b.Hear() + r.Agent("ops").Start(); strings.Contains(text, "run") {
				t.Errorf("told %q", text)
			}
		}},
	}
}

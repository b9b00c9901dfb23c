package hubtest

import (
	"context"
	"strings"
	"testing"
	"time"

	"turnpost"
)

// runTurnStories are of the turns that a run starts, and does not start.
func runTurnStories() []story {
	ctx := context.Background()
	return []story{
		{name: "mail and the run's text come in one answer, the mail first", tell: func(t *testing.T, r *Rig) {
			a, b := r.Agent("api").Idle(), r.Agent("web").Idle()
			j := r.Run(a, turnpost.RunStart{})
			j.wants(a.Hear(), "1")
			r.Ask(b.Hub(), "@api", "which port?")
			r.Post(b.Hub(), turnpost.Draft{To: []string{"@api"}, Summary: "we moved"})
			text := a.TurnEnd()
			j.wants(text, "2")
			mail, run := strings.Index(text, "which port?"), strings.Index(text, "run "+j.id)
			if mail < 0 || run < mail || !strings.Contains(text, "\n\nTurnpost: run") || !strings.Contains(text, "we moved") {
				t.Errorf("said %q", text)
			}
			if a.Offer == "" || strings.Count(text, a.Offer) < 4 {
				t.Errorf("the offer %s frames not both: %q", a.Offer, text)
			}
			if text = a.TurnEnd(); strings.Contains(text, "which port?") {
				t.Errorf("the mail was told again: %q", text)
			}
			j.wants(text, "3")
			j.ask(turnpost.EffectDraft{Kind: turnpost.EffectCommand, Command: command("make")})
			a.TurnEnd()
			r.Ask(b.Hub(), "@api", "and which host?")
			j.work(true)
			if text = a.Hear(); !strings.Contains(text, "and which host?") || !strings.Contains(text, "did make") ||
				strings.Contains(text, turnpost.ProtocolStop) {
				t.Errorf("the ring said %q", text)
			}
		}},
		{name: "notes alone do not continue a turn, but go along with a run", tell: func(t *testing.T, r *Rig) {
			a, b := r.Agent("api").Idle(), r.Agent("web").Idle()
			a.Prompt()
			r.Post(b.Hub(), turnpost.Draft{To: []string{"@api"}, Summary: "just so you know"})
			if text := a.TurnEnd(); text != "" {
				t.Errorf("said %q", text)
			}
			r.Run(a, turnpost.RunStart{})
			if text := a.Hear(); !strings.Contains(text, "just so you know") {
				t.Errorf("the run went on without it: %q", text)
			}
		}},
		{name: "our own text that comes back as a prompt is nobody's prompt", tell: func(t *testing.T, r *Rig) {
			a := r.Agent("api").Idle()
			j := r.Run(a, turnpost.RunStart{})
			a.Hear() // with its echo
			a.Send(a.Event(turnpost.Interrupt))
			j.is(turnpost.RunRunning, "your user has the word")
			machine := a.Event(turnpost.Prompt)
			machine.Machine = true
			a.Send(machine)
			if text := a.TurnEnd(); text != "" {
				t.Errorf("a machine's prompt gave the word back: %q", text)
			}
			a.Prompt()
			j.is(turnpost.RunRunning, "")
			j.wants(a.TurnEnd(), "2")
		}},
		{name: "an interrupt pauses a run until a prompt or a word", timed: true, tell: func(t *testing.T, r *Rig) {
			a := r.Agent("api").Idle()
			j := r.Run(a, turnpost.RunStart{})
			a.Hear()
			a.Send(a.Event(turnpost.Interrupt))
			rings := r.Bells.Count(a.Bell())
			pass(5 * time.Minute)
			if n := r.Bells.Count(a.Bell()); n != rings {
				t.Errorf("rang %d times at an interrupted run", n-rings)
			}
			if _, err := a.Hub().ChangeRun(ctx, turnpost.RunRequest{Do: turnpost.RunResume}); turnpost.CodeOf(err) != turnpost.Forbidden {
				t.Errorf("the agent took the word back: %v", err)
			}
			j.by(r.Human(), turnpost.RunRequest{Do: turnpost.RunResume})
			if n := r.Bells.Count(a.Bell()); n != rings+1 {
				t.Errorf("rang %d times when it was resumed", n-rings)
			}
			j.wants(a.Hear(), "1")
			a.Send(a.Event(turnpost.Interrupt))
			a.Prompt()
			j.wants(a.TurnEnd(), "2")
		}},
		{name: "Esc of which only the registry tells pauses a run", timed: true, tell: func(t *testing.T, r *Rig) {
			a := r.Agent("api").Idle()
			j := r.Run(a, turnpost.RunStart{})
			a.Hear()
			r.Machine.Registry(a.Event(turnpost.Prompt).Registry, turnpost.Live{Native: a.Native, State: turnpost.StateIdle})
			rings := r.Bells.Count(a.Bell())
			pass(5 * time.Minute)
			j.is(turnpost.RunRunning, "your user has the word")
			if n := r.Bells.Count(a.Bell()); n != rings {
				t.Errorf("rang %d times", n-rings)
			}
		}},
		{name: "a continuation that nobody printed pauses a run, unless the client was killed", timed: true, tell: func(t *testing.T, r *Rig) {
			a, b := r.Agent("api").Idle(), r.Agent("web").Idle()
			for _, agent := range []*Agent{a, b} {
				j := r.Run(agent, turnpost.RunStart{})
				agent.Hear()
				agent.silent = true
				j.wants(agent.TurnEnd(), "2")
				if agent == b {
					r.Machine.Kill(b.Pid)
				}
				r.Release(agent.Offer)
				pass(2 * time.Second)
				if agent == a {
					j.is(turnpost.RunRunning, "your user has the word")
					agent.silent = false
					a.Prompt()
					j.wants(a.TurnEnd(), "3")
					continue
				}
				if run := j.is(turnpost.RunRunning, ""); run.Reason != "" {
					t.Errorf("killed, it is paused: %q", run.Reason)
				}
			}
		}},
		{name: "a row is never longer than the harness takes: a ring begins the next", tell: func(t *testing.T, r *Rig) {
			a := r.Agent("api").Idle()
			j := r.Run(a, turnpost.RunStart{Limits: turnpost.Limits{Stall: 99}})
			a.Hear()
			for row := range 3 {
				for n := range 4 {
					ev := a.Event(turnpost.TurnEnd)
					ev.Accepts.Row = 5
					if text := a.Send(ev); text == "" {
						t.Fatalf("row %d broke off after %d", row, n)
					}
				}
				rings := r.Bells.Count(a.Bell())
				ev := a.Event(turnpost.TurnEnd)
				ev.Accepts.Row = 5
				if text := a.Send(ev); text != "" {
					t.Fatalf("row %d goes on at its end: %q", row, text)
				}
				if n := r.Bells.Count(a.Bell()); n != rings+1 {
					t.Errorf("row %d: rang %d times at its end", row, n-rings)
				}
				if text := a.Hear(); text == "" {
					t.Fatalf("row %d: the ring brought nothing", row)
				}
			}
			if run := j.show(); run.Turns != 15 || run.Continued != 16 || run.Iteration != 16 {
				t.Errorf("after three rows: %d turns, %d of the run's, iteration %d", run.Turns, run.Continued, run.Iteration)
			}
		}},
		{name: "where no ring reaches, a run rests at the end of a row and the person is told once", timed: true, tell: func(t *testing.T, r *Rig) {
			a := r.Agent("api")
			a.deaf = true
			a.Idle()
			j := r.Run(a, turnpost.RunStart{Limits: turnpost.Limits{Stall: 99}})
			pass(time.Minute)
			if n := r.Desktop.Count("run"); n != 1 {
				t.Errorf("%d on the desktop about a run that nothing can start", n)
			}
			a.Prompt()
			ev := a.Event(turnpost.TurnEnd)
			for ev.Accepts.Row = 2; a.Send(ev) != ""; ev.Digest += "'" {
				pass(time.Second)
			}
			pass(time.Minute)
			if n := r.Desktop.Count("run"); n != 2 {
				t.Errorf("%d on the desktop", n)
			}
			if run := j.is(turnpost.RunRunning, ""); run.Turns != 1 {
				t.Errorf("after %d turns", run.Turns)
			}
			a.Prompt()
			if text := a.TurnEnd(); text == "" || len(r.Notices("run")) != 0 {
				t.Errorf("behind a prompt it was told %q; %d notices are left", text, len(r.Notices("run")))
			}
		}},
		{name: "turns that follow each other too fast are slowed down, and a tool makes them quick again", timed: true, tell: func(t *testing.T, r *Rig) {
			a := r.Agent("api").Idle()
			r.Run(a, turnpost.RunStart{Limits: turnpost.Limits{Stall: 99}})
			a.Hear()
			turn := func() int {
				t.Helper()
				pass(time.Second)
				if a.TurnEnd() == "" {
					t.Fatal("it does not go on")
				}
				pass(time.Duration(a.Delay) * time.Millisecond)
				return a.Delay
			}
			for _, want := range []int{500, 1000, 2000, 4000, 5000, 5000} {
				if got := turn(); got != want {
					t.Errorf("held back by %d ms, want %d", got, want)
				}
			}
			a.soon = true
			if got := turn(); got != 500 {
				t.Errorf("an answer that has to come soon is held back by %d ms", got)
			}
			a.soon = false
			a.Tool()
			if got := turn(); got != 0 {
				t.Errorf("after a tool held back by %d ms", got)
			}
			if got := turn(); got != 500 {
				t.Errorf("without one by %d ms", got)
			}
			pass(3 * time.Second)
			if got := turn(); got != 0 {
				t.Errorf("after a slow turn by %d ms", got)
			}
		}},
		{name: "a turn end that nobody can answer is counted, and the run goes on by a ring", tell: func(t *testing.T, r *Rig) {
			a := r.Agent("api").Idle()
			j := r.Run(a, turnpost.RunStart{})
			a.Hear()
			rings := r.Bells.Count(a.Bell())
			ev := a.Event(turnpost.TurnEnd)
			ev.Accepts = turnpost.Accepts{}
			if text := a.Send(ev); text != "" {
				t.Errorf("said %q", text)
			}
			if n := r.Bells.Count(a.Bell()); n != rings+1 {
				t.Errorf("rang %d times", n-rings)
			}
			if run := j.show(); run.Turns != 1 || run.Iteration != 2 {
				t.Errorf("after %d turns in iteration %d", run.Turns, run.Iteration)
			}
			j.wants(a.Hear(), "2")
			sub := a.Event(turnpost.TurnEnd)
			sub.Subagent = "sub-1"
			if text := a.Send(sub); text != "" || j.show().Turns != 1 {
				t.Errorf("a sub-agent's turn counts: %q", text)
			}
		}},
		{name: "a turn that failed is not started anew, but a prompt or a word goes on", timed: true, tell: func(t *testing.T, r *Rig) {
			a := r.Agent("api").Idle()
			j := r.Run(a, turnpost.RunStart{})
			a.Hear()
			rings := r.Bells.Count(a.Bell())
			fail := func() {
				ev := a.Event(turnpost.TurnFailed)
				ev.Failure = turnpost.Failure{Class: turnpost.FailureMaxOutput, Native: "max"}
				a.Send(ev)
				pass(time.Minute)
			}
			fail()
			if n := r.Bells.Count(a.Bell()); n != rings {
				t.Errorf("rang %d times at a failed turn", n-rings)
			}
			a.Prompt()
			j.wants(a.TurnEnd(), "2")
			fail()
			j.by(r.Human(), turnpost.RunRequest{Do: turnpost.RunResume})
			j.wants(a.Hear(), "2")
		}},
		{name: "a ring that is a prompt is kept for a run, and a listener is given its text", tell: func(t *testing.T, r *Rig) {
			a := r.Agent("api")
			a.Queued = true
			a.Idle()
			j := r.Run(a, turnpost.RunStart{})
			if text := a.Hear(); a.Dropped != "" || text == "" {
				t.Errorf("dropped with %q, said %q", a.Dropped, text)
			}
			j.ask(turnpost.EffectDraft{Kind: turnpost.EffectCommand, Command: command("make")})
			a.TurnEnd()
			if text := a.Hear(); text != "" || a.Dropped == "" {
				t.Errorf("it waits: dropped with %q, said %q", a.Dropped, text)
			}
			listening := a.Listen(0)
			j.work(true)
			text := a.take(<-listening)
			j.wants(text, "1")
			if s := r.Session(a); !s.TurnOpen || s.Woken != text {
				t.Errorf("after the push: %+v", s)
			}
			if text := a.Hear(); text != "" {
				t.Errorf("in its turn it was told again: %q", text)
			}
		}},
	}
}

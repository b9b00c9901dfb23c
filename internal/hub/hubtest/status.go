package hubtest

import (
	"context"
	"strings"
	"testing"
	"time"

	"turnpost"
	"turnpost/internal/hub"
)

func statusStories() []story {
	return []story{
		{name: "states follow events", tell: func(t *testing.T, r *Rig) {
			a := r.Agent("api")
			at := func(ev turnpost.Event, want turnpost.State, open bool) {
				t.Helper()
				a.Send(ev)
				s := r.Session(a)
				if s.Status.State != want || s.TurnOpen != open || s.Status.Evidence == "" || s.Status.Since.IsZero() {
					t.Errorf("after %s: %+v, open %v; want %s, %v", ev.Kind, s.Status, s.TurnOpen, want, open)
				}
			}
			at(a.Event(turnpost.SessionStart), turnpost.StateIdle, false)
			at(a.Event(turnpost.Prompt), turnpost.StateWorking, true)
			tool := a.Event(turnpost.ToolBefore)
			tool.Tool = "Bash"
			at(tool, turnpost.StateWorking, true)
			if s := r.Session(a); s.Status.Tool != "Bash" {
				t.Errorf("tool is %q", s.Status.Tool)
			}
			ask := a.Event(turnpost.PermissionAsk)
			ask.Wants, ask.Tool = turnpost.WantPlan, "ExitPlan"
			at(ask, turnpost.StateWaiting, true)
			reminder := a.Event(turnpost.Notification)
			reminder.Wants = turnpost.WantPermission
			at(reminder, turnpost.StateWaiting, true)
			if s := r.Session(a); s.Status.Wants != turnpost.WantPlan {
				t.Errorf("waits for %q", s.Status.Wants)
			}
			at(a.Event(turnpost.ToolAfter), turnpost.StateWorking, true)
			compact := a.Event(turnpost.SessionStart)
			compact.Source = turnpost.SourceCompact
			at(compact, turnpost.StateWorking, true)
			sub := a.Event(turnpost.TurnEnd)
			sub.Subagent = "a1"
			at(sub, turnpost.StateWorking, true)
			at(a.Event(turnpost.TurnEnd), turnpost.StateIdle, false)
			at(a.Event(turnpost.ToolBefore), turnpost.StateIdle, false) // it was reported late
			note := a.Event(turnpost.Notification)
			note.Wants = turnpost.WantPermission
			at(note, turnpost.StateIdle, false)
			at(a.Event(turnpost.SessionEnd), turnpost.StateEnded, false)
			at(a.Event(turnpost.Notification), turnpost.StateEnded, false)
			at(a.Event(turnpost.Prompt), turnpost.StateWorking, true) // ended can revive
		}},
		{name: "an end that comes again or late changes nothing, and an ended session can come back", tell: func(t *testing.T, r *Rig) {
			a := r.Agent("api").Idle()
			end := func(reason string) turnpost.Event {
				ev := a.Event(turnpost.SessionEnd)
				ev.Reason = reason
				return ev
			}
			a.Send(end("exit"))
			first := r.Session(a)
			a.Send(end("exit"))
			a.Send(end("other"))
			if s := r.Session(a); s.Status != first.Status || !s.EndedAt.Equal(first.EndedAt) {
				t.Errorf("after the first end %+v, after the third %+v", first, s)
			}
			late := end("exit")
			a.Pid += 500 // resumed in a terminal of its own, after it was heard of without a start
			a.Prompt()
			if s := r.Session(a); a.Handle != "@api" || !s.Live() || s.Status.State != turnpost.StateWorking || s.ID != first.ID {
				t.Errorf("it came back as %s, %+v", a.Handle, s)
			}
			a.Send(late)
			if s := r.Session(a); !s.Live() || !s.TurnOpen {
				t.Errorf("the end of its old process ended it: %+v", s.Status)
			}
			a.Send(end("exit"))
			if s := r.Session(a); s.Live() {
				t.Errorf("its own end did not: %+v", s.Status)
			}
		}},
		{name: "events that no client of ours sends are refused with the field", tell: func(t *testing.T, r *Rig) {
			a := r.Agent("api").Idle()
			for field, change := range map[string]func(*turnpost.Event){
				"kind":     func(ev *turnpost.Event) { ev.Kind = "shout" },
				"harness":  func(ev *turnpost.Event) { ev.Harness = "" },
				"native":   func(ev *turnpost.Event) { ev.Native = strings.Repeat("x", 201) },
				"subagent": func(ev *turnpost.Event) { ev.Subagent = strings.Repeat("x", 201) },
				"wake.at":  func(ev *turnpost.Event) { ev.Wake.At = "../home" },
				"offers":   func(ev *turnpost.Event) { ev.Offers = make([]string, 21) },
			} {
				ev := a.Event(turnpost.Prompt)
				change(&ev)
				_, err := r.Hook.Handle(context.Background(), ev)
				wantField(t, err, field)
			}
		}},
		{name: "background tasks keep a turn's end from being done", tell: func(t *testing.T, r *Rig) {
			a := r.Agent("api")
			a.Start()
			a.Prompt()
			ev := a.Event(turnpost.TurnEnd)
			ev.Background = 1
			a.Send(ev)
			if s := r.Session(a); s.Status.State != turnpost.StateIdle || s.Status.Background != 1 {
				t.Errorf("status is %+v", s.Status)
			}
			a.TurnEnd()
			if s := r.Session(a); s.Status.Background != 0 {
				t.Errorf("status is %+v", s.Status)
			}
		}},
		{name: "turn ends, continued or not, tell nobody", timed: true, tell: func(t *testing.T, r *Rig) {
			a, b := r.Agent("api").Idle(), r.Agent("web").Idle()
			for range 5 { // pairs of a continued and a final end, within 20 s
				a.Prompt()
				r.Ask(b.Hub(), "@api", "again?")
				if a.TurnEnd() == "" {
					t.Error("not continued")
				}
				if s := r.Session(a); s.Status.State != turnpost.StateWorking {
					t.Errorf("after a continued end: %+v", s.Status)
				}
				pass(1200 * time.Millisecond)
				a.TurnEnd()
				if s := r.Session(a); s.Status.State != turnpost.StateIdle {
					t.Errorf("after the end: %+v", s.Status)
				}
				pass(2800 * time.Millisecond)
			}
			if n := r.Desktop.Count(""); n != 0 {
				t.Errorf("%d notifications", n)
			}
		}},
		{name: "the failure table", tell: func(t *testing.T, r *Rig) {
			for class, want := range map[turnpost.FailureClass]struct {
				state    turnpost.State
				presence turnpost.Presence
				notices  int
				desktop  int
			}{
				turnpost.FailureRateLimit:       {turnpost.StateWedged, turnpost.Away, 0, 0},
				turnpost.FailureServer:          {turnpost.StateWedged, turnpost.Away, 1, 0},
				turnpost.FailureOverloaded:      {turnpost.StateWedged, turnpost.Away, 1, 0},
				turnpost.FailureAuth:            {turnpost.StateWedged, turnpost.Offline, 1, 1},
				turnpost.FailureOrgNotAllowed:   {turnpost.StateWedged, turnpost.Offline, 1, 1},
				turnpost.FailureAccountHold:     {turnpost.StateWedged, turnpost.Offline, 1, 1},
				turnpost.FailureVerification:    {turnpost.StateWedged, turnpost.Offline, 1, 1},
				turnpost.FailureBilling:         {turnpost.StateWedged, turnpost.Offline, 1, 1},
				turnpost.FailureCloudCredential: {turnpost.StateWedged, turnpost.Offline, 1, 1},
				turnpost.FailureMaxOutput:       {turnpost.StateIdle, turnpost.Available, 0, 0},
				turnpost.FailureInvalidRequest:  {turnpost.StateIdle, turnpost.Available, 0, 0},
				turnpost.FailureModelNotFound:   {turnpost.StateIdle, turnpost.Available, 0, 0},
				turnpost.FailureOther:           {turnpost.StateWedged, turnpost.Away, 1, 0},
				"never seen before":             {turnpost.StateWedged, turnpost.Away, 1, 0},
			} {
				a := r.Agent("api-" + string(class)).Idle()
				desktop := r.Desktop.Count("wedge")
				a.Prompt()
				fail := a.Event(turnpost.TurnFailed)
				fail.Failure = turnpost.Failure{Class: class, Native: "native " + string(class)}
				a.Send(fail)
				a.Send(func() turnpost.Event { again := fail; again.Digest += "'"; return again }()) // one notice a wedge
				s := r.Session(a)
				if s.Status.State != want.state || s.TurnOpen || r.presence(a.Handle) != want.presence {
					t.Errorf("%s: %+v, presence %s, want %+v", class, s.Status, r.presence(a.Handle), want)
				}
				mine := 0
				for _, n := range r.Notices("wedge") {
					if n.Session == s.ID {
						mine++
						if n.Text != a.Handle+" is wedged: native "+string(class) {
							t.Errorf("%s: the notice says %q", class, n.Text)
						}
					}
				}
				if mine != want.notices || r.Desktop.Count("wedge")-desktop != want.desktop {
					t.Errorf("%s: %d notices, %d on the desktop, want %+v", class, mine, r.Desktop.Count("wedge")-desktop, want)
				}
				if want.state == turnpost.StateWedged {
					b := r.Agent("web").Idle()
					wantClass(t, r.Ask(b.Hub(), a.Handle, "x"), turnpost.ClassWedged)
					if n := r.Bells.Count(a.Bell()); n != 0 {
						t.Errorf("%s: rang a wedged session", class)
					}
					b.Send(b.Event(turnpost.SessionEnd))
				}
				a.Prompt() // the next activity clears it
				for _, n := range r.Notices("wedge") {
					if n.Session == s.ID {
						t.Errorf("%s: the notice is still there", class)
					}
				}
			}
		}},
		{name: "the policy table can be overridden", cfg: hub.Config{Failures: map[turnpost.FailureClass]hub.FailurePolicy{
			turnpost.FailureRateLimit: {Presence: turnpost.Offline, Loud: turnpost.LoudUrgent},
		}}, tell: func(t *testing.T, r *Rig) {
			a := r.Agent("api").Idle()
			fail := a.Event(turnpost.TurnFailed)
			fail.Failure = turnpost.Failure{Class: turnpost.FailureRateLimit, Native: "rate_limit"}
			a.Send(fail)
			if r.Desktop.Count("wedge") != 1 || r.presence("@api") != turnpost.Offline {
				t.Errorf("%d on the desktop, presence %s", r.Desktop.Count("wedge"), r.presence("@api"))
			}
		}},
		{name: "a killed process ends its session, whatever its state", timed: true, tell: func(t *testing.T, r *Rig) {
			for i, prepare := range []func(*Agent){
				func(a *Agent) {}, func(a *Agent) { a.Prompt() },
				func(a *Agent) { a.Prompt(); a.Send(a.Event(turnpost.ToolBefore)) },
				func(a *Agent) {
					a.Prompt()
					ev := a.Event(turnpost.PermissionAsk)
					ev.Wants = turnpost.WantPermission
					a.Send(ev)
				},
				func(a *Agent) { ev := a.Event(turnpost.TurnFailed); ev.Failure.Class = "x"; a.Send(ev) },
			} {
				a := r.Agent("api").Idle()
				bystander := r.Agent("web").Idle()
				prepare(a)
				r.Machine.Kill(a.Pid)
				pass(29 * time.Second)
				if s := r.Session(a); s.Status.State != turnpost.StateEnded || s.Status.Evidence != "ended: process gone" {
					t.Errorf("case %d: %+v", i, s.Status)
				}
				if s := r.Session(bystander); !s.Live() {
					t.Errorf("case %d: the bystander ended: %+v", i, s.Status)
				}
				bystander.Send(bystander.Event(turnpost.SessionEnd))
			}
		}},
		{name: "Esc is seen by the registry within ten seconds and not disturbed for thirty", timed: true, tell: func(t *testing.T, r *Rig) {
			a, b := r.Agent("api").Idle(), r.Agent("web").Idle()
			a.Prompt()
			file := a.Event(turnpost.Prompt).Registry
			r.Machine.Registry(file, turnpost.Live{Native: a.Native, State: turnpost.StateIdle})
			pass(10 * time.Second)
			if s := r.Session(a); s.Status.State != turnpost.StateIdle || s.TurnOpen {
				t.Errorf("after Esc: %+v", s.Status)
			}
			r.Ask(b.Hub(), "@api", "are you there?")
			pass(15 * time.Second)
			if n := r.Bells.Count(a.Bell()); n != 0 {
				t.Error("rang right after Esc")
			}
			pass(20 * time.Second)
			if n := r.Bells.Count(a.Bell()); n == 0 {
				t.Error("never rang after Esc")
			}
		}},
		{name: "quiet after three minutes, idle for ever", timed: true, tell: func(t *testing.T, r *Rig) {
			a, b, c := r.Agent("api").Idle(), r.Agent("web").Idle(), r.Agent("ops").Idle()
			a.Prompt()
			c.Prompt()
			c.Send(c.Event(turnpost.ToolBefore))
			tool := c.Event(turnpost.ToolBefore)
			tool.Tool = "Bash"
			c.Send(tool)
			pass(2 * time.Minute)
			if s := r.Session(a); s.Status.State != turnpost.StateWorking {
				t.Errorf("too early: %+v", s.Status)
			}
			pass(70 * time.Second)
			if s := r.Session(a); s.Status.State != turnpost.StateQuiet {
				t.Errorf("not quiet: %+v", s.Status)
			}
			if s := r.Session(c); s.Status.State != turnpost.StateWorking {
				t.Errorf("quiet although a tool runs: %+v", s.Status)
			}
			pass(8 * time.Hour)
			if s := r.Session(b); s.Status.State != turnpost.StateIdle {
				t.Errorf("idle decayed: %+v", s.Status)
			}
		}},
		{name: "busy by its registry and silent by its hooks is unheard", timed: true, tell: func(t *testing.T, r *Rig) {
			a := r.Agent("api").Idle()
			r.Machine.Registry(a.Event(turnpost.Prompt).Registry, turnpost.Live{Native: a.Native, State: turnpost.StateWorking})
			pass(time.Minute)
			if s := r.Session(a); s.Status.State != turnpost.StateUnheard {
				t.Errorf("status is %+v", s.Status)
			}
			a.Prompt()
			if s := r.Session(a); s.Status.State != turnpost.StateWorking {
				t.Errorf("heard again: %+v", s.Status)
			}
		}},
		{name: "what setup wrote went missing: unheard until heard, told once, taken back when mended", timed: true, tell: func(t *testing.T, r *Rig) {
			idle, busy, other := r.Agent("api").Idle(), r.Agent("web").Idle(), r.Agent("ops").Idle()
			busy.Prompt()
			ev := other.Event(turnpost.Prompt)
			ev.Harness = "another"
			other.Send(ev)
			ev = other.Event(turnpost.TurnEnd)
			ev.Harness = "another"
			other.Send(ev)
			hooks := turnpost.Missing{Harness: "standin", File: "/home/anna/settings.json", What: "every hook"}
			heard := r.Session(idle).ActivityAt.Local().Format("15:04")
			pass(time.Minute)
			r.Installs.Lose(hooks)
			pass(16 * time.Second)
			unheard := func(a *Agent, want bool) {
				t.Helper()
				s := r.Session(a)
				told := s.Status.Evidence == "alive, unheard since "+heard+": every hook is missing from /home/anna/settings.json"
				if (s.Status.State == turnpost.StateUnheard) != want || told != want {
					t.Errorf("%s: %+v, want unheard %v", a.Handle, s.Status, want)
				}
			}
			unheard(idle, true)
			unheard(busy, false) // its turn is open
			pass(3 * time.Minute)
			unheard(busy, true) // and has been quiet for long
			if n := len(r.Notices("drift")); n != 1 {
				t.Errorf("%d notices, want 1", n)
			}
			idle.Prompt() // it had read its settings before
			idle.TurnEnd()
			unheard(idle, false)
			unheard(busy, true)
			r.Installs.Lose(hooks, turnpost.Missing{Harness: "another", File: "/home/anna/plugin.js", What: "the plugin"})
			pass(16 * time.Second)
			unheard(idle, false)
			if n := len(r.Notices("drift")); n != 2 {
				t.Errorf("%d notices, want 2", n)
			}
			r.Installs.Lose()
			pass(16 * time.Second)
			unheard(busy, false)
			if n := len(r.Notices("drift")); n != 0 {
				t.Errorf("%d notices are left", n)
			}
			r.Installs.Lose(hooks) // anew
			pass(16 * time.Second)
			if s := r.Session(idle); s.Status.State != turnpost.StateUnheard {
				t.Errorf("noticed anew: %+v", s.Status)
			}
		}},
	}
}

// presence is what others see of a handle.
func (r *Rig) presence(handle string) turnpost.Presence {
	r.t.Helper()
	agents, err := r.Human().Agents(r.t.Context(), turnpost.AgentQuery{All: true})
	if err != nil {
		r.t.Fatal(err)
	}
	for _, a := range agents.Agents {
		if a.Handle == handle {
			return a.Presence
		}
	}
	r.t.Fatalf("there is no %s", handle)
	return ""
}

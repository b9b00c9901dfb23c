package hubtest

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"turnpost"
	"turnpost/internal/hub"
)

// shared makes the agent one of the sessions of a daemon.
func (a *Agent) shared(daemon int) *Agent {
	a.Pid, a.Shared = daemon, true
	return a
}

// sharedStories are of processes that host several sessions.
func sharedStories() []story {
	return []story{
		{name: "sessions of one daemon stand side by side", cfg: hub.Config{Handles: map[string]string{"/src/ops": "@ops-bot"}}, tell: func(t *testing.T, r *Rig) {
			a, twin := r.Agent("api").shared(500).Idle(), r.Agent("api").shared(500).Idle()
			b, c := r.Agent("web").shared(500).Idle(), r.Agent("ops").shared(500).Idle()
			for agent, want := range map[*Agent]string{a: "@api", twin: "@api-2", b: "@web", c: "@ops-bot"} {
				if s := r.Session(agent); !s.Live() || agent.Handle != want {
					t.Errorf("%s is %+v, want %s", agent.Handle, s.Status, want)
				}
			}
			// A new session beside an ended one takes the place's handle, not the one
			// of whoever ended in the process.
			b.Send(b.Event(turnpost.SessionEnd))
			if next := r.Agent("api").shared(500).Idle(); next.Handle != "@api-3" {
				t.Errorf("the next one is %s", next.Handle)
			}
			if resumed := b.Idle(); resumed.Handle != "@web" {
				t.Errorf("resumed as %s", resumed.Handle)
			}
		}},
		{name: "each session of a daemon gets its own mail, at its own bell and boundary", tell: func(t *testing.T, r *Rig) {
			a, b := r.Agent("api").shared(500).Idle(), r.Agent("web").shared(500).Idle()
			wantClass(t, r.Ask(b.Hub(), "@api", "only for api"), turnpost.ClassRung)
			if r.Bells.Count(a.Bell()) != 1 || r.Bells.Count(b.Bell()) != 0 {
				t.Errorf("rang api %d, web %d", r.Bells.Count(a.Bell()), r.Bells.Count(b.Bell()))
			}
			if text := b.Prompt() + b.Tool() + b.TurnEnd(); text != "" {
				t.Errorf("the neighbour was told %q", text)
			}
			if text := a.Hear(); !strings.Contains(text, "only for api") {
				t.Errorf("the ring brought %q", text)
			}
		}},
		{name: "what is on its way to one session of a daemon does not arrive in another", tell: func(t *testing.T, r *Rig) {
			a, b := r.Agent("api").shared(500), r.Agent("web").Idle()
			a.Name = "@both"
			a.Idle()
			twin := r.Agent("api").shared(500)
			twin.Name = "@both"
			twin.Idle()
			a.Prompt()
			r.Post(b.Hub(), turnpost.Draft{To: []string{"@both"}, Summary: "careful", Urgent: true})
			if text := a.Tool(); !strings.Contains(text, "careful") {
				t.Fatalf("mid-turn said %q", text)
			}
			twin.Prompt() // no receipt for what the other was shown
			if n := r.Unread("@both"); n != 1 {
				t.Errorf("%d unread, want the note that only the twin's prompt followed", n)
			}
			a.Tool()
			if n := r.Unread("@both"); n != 0 {
				t.Errorf("%d unread after the receipt", n)
			}
		}},
		{name: "a daemon that is gone ends its sessions", timed: true, tell: func(t *testing.T, r *Rig) {
			a, b, own := r.Agent("api").shared(500).Idle(), r.Agent("web").shared(500).Idle(), r.Agent("ops").Idle()
			b.Prompt()
			r.Machine.Kill(500)
			pass(7 * time.Second)
			for _, agent := range []*Agent{a, b} {
				if s := r.Session(agent); s.Live() || s.Status.Evidence != "ended: process gone" {
					t.Errorf("%s: %+v", agent.Handle, s.Status)
				}
			}
			if s := r.Session(own); !s.Live() {
				t.Errorf("the bystander ended: %+v", s.Status)
			}
		}},
		{name: "in a shared process the harness says who speaks, or the secret does", tell: func(t *testing.T, r *Rig) {
			daemon := os.Getpid() // over a wire it is the peer
			speaks := func(caller turnpost.Caller, want string) {
				t.Helper()
				caller.Pid = daemon
				me, err := r.As(caller).Whoami(context.Background(), turnpost.Nothing{})
				switch {
				case want == "" && turnpost.CodeOf(err) != turnpost.Unauthorized:
					t.Errorf("%+v: is %q, %v, want unauthorized", caller, me.Handle, err)
				case want != "" && (err != nil || me.Handle != want || me.Human):
					t.Errorf("%+v: is %q, %v, want %s", caller, me.Handle, err, want)
				}
			}
			stranger := r.Agent("ops").Idle()
			speaks(turnpost.Caller{Native: stranger.Native}, "") // of another process
			a := r.Agent("api").shared(daemon).Idle()
			speaks(turnpost.Caller{}, "@api") // the only one
			speaks(turnpost.Caller{Native: a.Native}, "@api")
			speaks(turnpost.Caller{Native: "never-heard-of"}, "")
			b := r.Agent("web").shared(daemon).Idle()
			speaks(turnpost.Caller{}, "")
			speaks(turnpost.Caller{Native: a.Native}, "@api")
			speaks(turnpost.Caller{Native: b.Native}, "@web")
			speaks(turnpost.Caller{Native: stranger.Native}, "")
			speaks(turnpost.Caller{HookSession: a.Secret}, "@api")
			speaks(turnpost.Caller{HookSession: a.Secret, Native: b.Native}, "@api") // a secret proves more
			helper := b.Event(turnpost.SubagentStart)
			helper.Subagent = "helper-1"
			b.Send(helper)
			speaks(turnpost.Caller{Native: "helper-1"}, "@web") // its word is the session's
			helper = b.Event(turnpost.SubagentEnd)
			helper.Subagent = "helper-1"
			b.Send(helper)
			speaks(turnpost.Caller{Native: "helper-1"}, "")
			b.Send(b.Event(turnpost.SessionEnd))
			speaks(turnpost.Caller{}, "@api")
			speaks(turnpost.Caller{Native: b.Native}, "")
		}},
		{name: "a process of its own is not asked which session it is", tell: func(t *testing.T, r *Rig) {
			a, b := r.Agent("api"), r.Agent("web").Idle()
			a.Pid = os.Getpid()
			a.Idle()
			for _, native := range []string{"", a.Native, b.Native, "never-heard-of"} {
				me, err := r.As(turnpost.Caller{Pid: a.Pid, Native: native}).Whoami(context.Background(), turnpost.Nothing{})
				if err != nil || me.Handle != "@api" {
					t.Errorf("with %q: is %q, %v", native, me.Handle, err)
				}
			}
		}},
	}
}

package hubtest

import (
	"context"
	"strings"
	"testing"
	"time"

	"turnpost"
)

// heard is what a Listen brought.
type heard struct {
	turnpost.HookAnswer
	err error
}

// Listen lets the agent listen until something comes, and returns once it does.
func (a *Agent) Listen(seconds int) <-chan heard {
	a.r.t.Helper()
	out := make(chan heard, 1)
	hub := a.Hub()
	go func() {
		answer, err := hub.Listen(context.Background(), turnpost.ListenQuery{Seconds: seconds})
		out <- heard{answer, err}
	}()
	a.r.until("it listens", func() bool { return a.r.Session(a).Can == "turn end and channel" || len(out) > 0 })
	return out
}

// until waits for changes of the board until something is so.
func (r *Rig) until(what string, so func() bool) {
	r.t.Helper()
	rev := int64(-1)
	for range 50 {
		now, err := r.Human().Changes(context.Background(), turnpost.ChangesQuery{After: rev, Seconds: 5})
		if err != nil {
			r.t.Fatal(err)
		}
		if so() {
			return
		}
		rev = now.Rev
	}
	r.t.Fatalf("never: %s", what)
}

// take confirms what a Listen brought, as who pushed it into the session does.
func (a *Agent) take(h heard) string {
	a.r.t.Helper()
	if h.err != nil || h.Offer == "" {
		a.r.t.Fatalf("heard %+v, %v", h.HookAnswer, h.err)
	}
	if _, err := a.r.Hook.Shown(context.Background(), turnpost.Receipt{Offer: h.Offer}); err != nil {
		a.r.t.Fatal(err)
	}
	return h.Decision.Continue
}

// listenStories are of sessions that somebody can push a text into.
func listenStories() []story {
	return []story{
		{name: "who listens is rung by the answer, framed, and not told again at the turn end", tell: func(t *testing.T, r *Rig) {
			a, b := r.Agent("api").Idle(), r.Agent("web").Idle()
			listening := a.Listen(0)
			q := r.Ask(b.Hub(), "@api", "pushed?")
			wantClass(t, q, turnpost.ClassRung)
			h := <-listening
			text := a.take(h)
			for _, part := range []string{"<turnpost " + h.Offer + ">", q.Item.ID, "pushed?", turnpost.ProtocolTrust, turnpost.ProtocolStop} {
				if !strings.Contains(text, part) {
					t.Errorf("the push lacks %q:\n%s", part, text)
				}
			}
			if n := r.Bells.Count(a.Bell()); n != 0 {
				t.Errorf("its bell was rung too, %d times", n)
			}
			if s := r.Session(a); !s.TurnOpen || s.Woken != text {
				t.Errorf("after the push: %+v", s)
			}
			if text := a.Tool() + a.TurnEnd() + a.Hear(); text != "" {
				t.Errorf("told again: %s", text)
			}
		}},
		{name: "what waits already is pushed at once; what interrupts nobody rides along", tell: func(t *testing.T, r *Rig) {
			a, b := r.Agent("api"), r.Agent("web").Idle()
			a.deaf = true
			a.Idle()
			r.Post(b.Hub(), turnpost.Draft{To: []string{"@api"}, Summary: "fyi"})
			listening := a.Listen(0)
			r.Ask(b.Hub(), "@api", "now")
			if text := a.take(<-listening); !strings.Contains(text, "fyi") || !strings.Contains(text, "now") {
				t.Errorf("pushed %q", text)
			}
			a.TurnEnd()
			r.Ask(b.Hub(), "@api", "waits")
			if text := a.take(<-a.Listen(0)); !strings.Contains(text, "waits") {
				t.Errorf("pushed %q", text)
			}
		}},
		{name: "an open turn is not pushed into: its own end brings what waits", tell: func(t *testing.T, r *Rig) {
			a, b := r.Agent("api").Idle(), r.Agent("web").Idle()
			listening := a.Listen(0)
			a.Prompt()
			wantClass(t, r.Ask(b.Hub(), "@api", "at the end"), turnpost.ClassTurnEnd)
			if text := a.TurnEnd(); !strings.Contains(text, "at the end") {
				t.Errorf("the turn end said %q", text)
			}
			a.TurnEnd()
			r.Ask(b.Hub(), "@api", "when idle")
			if text := a.take(<-listening); strings.Contains(text, "at the end") || !strings.Contains(text, "when idle") {
				t.Errorf("pushed %q", text)
			}
		}},
		{name: "what a listener holds is in no other answer", tell: func(t *testing.T, r *Rig) {
			a, b := r.Agent("api"), r.Agent("web").Idle()
			a.deaf = true
			a.Idle()
			listening := a.Listen(0)
			r.Ask(b.Hub(), "@api", "lost?")
			h := <-listening
			if h.Offer == "" || h.err != nil {
				t.Fatalf("heard %+v", h)
			}
			if s := r.Session(a); !s.TurnOpen {
				t.Errorf("after the push: %+v", s.Status)
			}
			if text := a.TurnEnd(); text != "" {
				t.Errorf("it is held, but the turn end said %q", text)
			}
		}},
		{name: "only sessions listen, and they say for how long", tell: func(t *testing.T, r *Rig) {
			a := r.Agent("api").Idle()
			if _, err := a.Hub().Listen(context.Background(), turnpost.ListenQuery{Seconds: 51}); turnpost.CodeOf(err) != turnpost.Invalid {
				t.Errorf("for too long: %v", err)
			}
			if _, err := r.As(turnpost.Caller{HookSession: "0123abcd"}).Listen(context.Background(), turnpost.ListenQuery{Seconds: 1}); turnpost.CodeOf(err) != turnpost.Unauthorized {
				t.Errorf("a stranger: %v", err)
			}
			listening := a.Listen(0)
			a.Send(a.Event(turnpost.SessionEnd))
			if h := <-listening; h.err != nil || h.Offer != "" {
				t.Errorf("at the end of the session: %+v, %v", h.HookAnswer, h.err)
			}
		}},
		{name: "the person does not listen, and nothing comes of silence", timed: true, peers: true, tell: func(t *testing.T, r *Rig) {
			a := r.Agent("api").Idle()
			if _, err := r.Human().Listen(context.Background(), turnpost.ListenQuery{Seconds: 1}); turnpost.CodeOf(err) != turnpost.Unauthorized {
				t.Errorf("the person: %v", err)
			}
			start := time.Now()
			h := <-a.Listen(0)
			if h.err != nil || h.Offer != "" || time.Since(start) < 49*time.Second {
				t.Errorf("after %s: %+v, %v", time.Since(start), h.HookAnswer, h.err)
			}
			if s := r.Session(a); s.Can != "turn end and bell" {
				t.Errorf("listening is over, but it can %q", s.Can)
			}
		}},
		{name: "what a harness does not show when it is pushed is taken back and brought by the bell", timed: true, tell: func(t *testing.T, r *Rig) {
			a, b := r.Agent("api").Idle(), r.Agent("web").Idle()
			r.Machine.Registry(a.Event(turnpost.Prompt).Registry, turnpost.Live{Native: a.Native, State: turnpost.StateIdle})
			listening := a.Listen(0)
			r.Ask(b.Hub(), "@api", "seen?")
			a.take(<-listening)
			again := a.Listen(0)
			pass(10 * time.Second)
			if h := <-again; turnpost.CodeOf(h.err) != turnpost.Conflict {
				t.Errorf("listening on: %+v, %v", h.HookAnswer, h.err)
			}
			if n := r.Bells.Count(a.Bell()); n == 0 {
				t.Error("the bell was never rung")
			}
			if text := a.Hear(); !strings.Contains(text, "seen?") || !strings.Contains(text, "shown before") {
				t.Errorf("the bell brought %q", text)
			}
			if _, err := a.Hub().Listen(context.Background(), turnpost.ListenQuery{Seconds: 50}); turnpost.CodeOf(err) != turnpost.Conflict {
				t.Errorf("and once more: %v", err)
			}
		}},
		{name: "a push that is at work is left alone", timed: true, tell: func(t *testing.T, r *Rig) {
			a, b := r.Agent("api").Idle(), r.Agent("web").Idle()
			listening := a.Listen(0)
			r.Ask(b.Hub(), "@api", "seen?")
			a.take(<-listening)
			r.Machine.Registry(a.Event(turnpost.Prompt).Registry, turnpost.Live{Native: a.Native, State: turnpost.StateWorking})
			pass(2 * time.Minute)
			a.Tool() // the receipt
			r.Machine.Registry(a.Event(turnpost.Prompt).Registry, turnpost.Live{Native: a.Native, State: turnpost.StateIdle})
			pass(10 * time.Second) // Esc
			if n := r.Bells.Count(a.Bell()); n != 0 {
				t.Errorf("rang %d times", n)
			}
			if text := a.Hear(); text != "" {
				t.Errorf("told again: %q", text)
			}
		}},
	}
}

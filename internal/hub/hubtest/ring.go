package hubtest

import (
	"strings"
	"testing"
	"time"

	"turnpost"
)

func ringStories() []story {
	return []story{
		{name: "only the addressee is rung", tell: func(t *testing.T, r *Rig) {
			a, b, c := r.Agent("api").Idle(), r.Agent("web").Idle(), r.Agent("ops").Idle()
			wantClass(t, r.Ask(b.Hub(), "@api", "hey"), turnpost.ClassRung)
			if r.Bells.Count(a.Bell()) != 1 || r.Bells.Count(b.Bell())+r.Bells.Count(c.Bell()) != 0 {
				t.Errorf("rang a %d, b %d, c %d", r.Bells.Count(a.Bell()), r.Bells.Count(b.Bell()), r.Bells.Count(c.Bell()))
			}
		}},
		{name: "an unheard ring is repeated, then the human is told", timed: true, tell: func(t *testing.T, r *Rig) {
			a, b := r.Agent("api").Idle(), r.Agent("web").Idle()
			r.Ask(b.Hub(), "@api", "hey")
			pass(1900 * time.Millisecond)
			if n := r.Bells.Count(a.Bell()); n != 1 {
				t.Errorf("rang %d times within 2 s", n)
			}
			pass(time.Minute)
			if n := r.Bells.Count(a.Bell()); n != 3 {
				t.Errorf("rang %d times, want 3", n)
			}
			if n := len(r.Notices("deaf")); n != 1 {
				t.Errorf("%d notices, want 1", n)
			}
			a.Send(a.Event(turnpost.CwdChanged)) // it watches its bell anew
			r.Ask(b.Hub(), "@api", "hey again")
			if n := r.Bells.Count(a.Bell()); n != 4 {
				t.Errorf("rang %d times, want a fourth", n)
			}
			a.Prompt() // heard of again
			if text := a.TurnEnd(); !strings.Contains(text, "hey") {
				t.Errorf("the turn end said %q", text)
			}
			if n := len(r.Notices("deaf")); n != 0 {
				t.Errorf("%d notices are left", n)
			}
		}},
		{name: "an interrupted turn is rung only after a time of grace, an idle session that says so again at once", timed: true, tell: func(t *testing.T, r *Rig) {
			a, b, c := r.Agent("api").Idle(), r.Agent("web").Idle(), r.Agent("ops").Idle()
			a.Prompt()
			a.Send(a.Event(turnpost.Interrupt))
			c.Send(c.Event(turnpost.Interrupt))
			r.Ask(b.Hub(), "@api", "hey")
			r.Ask(b.Hub(), "@ops", "hey")
			pass(29 * time.Second)
			if n, m := r.Bells.Count(a.Bell()), r.Bells.Count(c.Bell()); n != 0 || m == 0 {
				t.Errorf("within 29 s rang the interrupted %d times, the idle %d times", n, m)
			}
			pass(2 * time.Second)
			if n := r.Bells.Count(a.Bell()); n != 1 {
				t.Errorf("after 31 s rang %d times, want 1", n)
			}
		}},
		{name: "a storm rings seldom and loses nothing", timed: true, tell: func(t *testing.T, r *Rig) {
			a, b := r.Agent("api").Idle(), r.Agent("web").Idle()
			for i := range 20 { // every 200 ms for 4 s
				r.Ask(b.Hub(), "@api", "n"+string(rune('a'+i)))
				pass(200 * time.Millisecond)
			}
			if n := r.Bells.Count(a.Bell()); n > 3 {
				t.Errorf("rang %d times in 4 s", n)
			}
			seen := ""
			for text := a.Hear(); text != ""; text = a.TurnEnd() {
				seen += text
			}
			for i := range 20 {
				if n := strings.Count(seen, "n"+string(rune('a'+i))+"\n"); n != 1 {
					t.Errorf("n%c was shown %d times", 'a'+i, n)
				}
			}
		}},
		{name: "a session that watches no bell is not rung and the human is told in time", timed: true, tell: func(t *testing.T, r *Rig) {
			deaf := r.Agent("api")
			deaf.deaf = true
			deaf.Idle()
			b := r.Agent("web").Idle()
			posted := r.Ask(b.Hub(), "@api", "hello?")
			wantClass(t, posted, turnpost.ClassNobody)
			if got := posted.Expect[0].Until.Sub(posted.Item.At); got != 5*time.Minute {
				t.Errorf("the sender was told in %s", got)
			}
			pass(4 * time.Minute)
			if n := len(r.Notices("undelivered")); n != 0 {
				t.Errorf("%d notices too early", n)
			}
			pass(2 * time.Minute)
			if n, d := len(r.Notices("undelivered")), r.Desktop.Count("undelivered"); n != 1 || d != 1 {
				t.Errorf("%d notices, %d on the desktop, want 1 and 1", n, d)
			}
			if s := r.Session(deaf); !strings.Contains(s.Can, "bell after") {
				t.Errorf("it can %q", s.Can)
			}
			deaf.Prompt()
			deaf.TurnEnd()
			if n := len(r.Notices("undelivered")); n != 0 {
				t.Errorf("%d notices are left although it arrived", n)
			}
			deaf.TurnEnd()
			deaf.deaf = false
			deaf.Send(deaf.Event(turnpost.CwdChanged))
			if s := r.Session(deaf); s.Can != "turn end and bell" {
				t.Errorf("after a cd it can %q", s.Can)
			}
		}},
		{name: "a session that started while no hub was up hears its bell all the same", tell: func(t *testing.T, r *Rig) {
			a, b := r.Agent("api"), r.Agent("web").Idle()
			r.Bells.Announce(a.Bell())
			a.Prompt() // the first that the hub hears of it
			a.TurnEnd()
			q := r.Ask(r.Human(), a.Handle, "hey")
			wantClass(t, q, turnpost.ClassRung)
			if r.Bells.Count(a.Bell()) != 1 || r.Session(b).Can != "turn end and bell" {
				t.Errorf("rang %d times", r.Bells.Count(a.Bell()))
			}
		}},
		{name: "the bell of a process that is gone is taken away in the end", timed: true, tell: func(t *testing.T, r *Rig) {
			gone, cleared := r.Agent("api").Idle(), r.Agent("web").Idle()
			r.Machine.Kill(gone.Pid)
			cleared.Send(cleared.Event(turnpost.SessionEnd)) // its process lives on and watches
			pass(26 * time.Hour)
			if got := r.Bells.Forgotten(); len(got) != 1 || got[0] != gone.Bell() {
				t.Errorf("forgot %v, want %s alone", got, gone.Bell())
			}
		}},
		{name: "a ring that is a prompt is dropped when there is nothing to say any more", tell: func(t *testing.T, r *Rig) {
			a, b := r.Agent("api"), r.Agent("web").Idle()
			a.Queued = true
			a.Idle()
			if s := r.Session(a); s.Can != "turn end and queue" {
				t.Errorf("it can %q", s.Can)
			}
			wantClass(t, r.Ask(b.Hub(), "@api", "hey"), turnpost.ClassRung)
			a.Prompt() // a person was faster than the queue
			if text := a.TurnEnd(); !strings.Contains(text, "hey") {
				t.Errorf("the turn end said %q", text)
			}
			a.TurnEnd()
			if text := a.Hear(); text != "" || a.Dropped == "" || strings.Contains(a.Dropped, "\n") {
				t.Errorf("the late ring said %q and was dropped with %q", text, a.Dropped)
			}
			if s := r.Session(a); s.TurnOpen || s.Status.State != turnpost.StateIdle {
				t.Errorf("a dropped prompt opened a turn: %+v", s.Status)
			}
			r.Ask(b.Hub(), "@api", "and now?")
			if text := a.Hear(); !strings.Contains(text, "and now?") || a.Dropped != "" {
				t.Errorf("the ring said %q, dropped %q", text, a.Dropped)
			}
			if s := r.Session(a); !s.TurnOpen {
				t.Errorf("the turn that it started is closed: %+v", s.Status)
			}
			if text := a.Tool() + a.TurnEnd(); text != "" {
				t.Errorf("then said %q", text)
			}
			stranger := r.Agent("ops") // of which nobody ever heard
			stranger.Queued = true
			if text := stranger.Hear(); text != "" || stranger.Dropped == "" {
				t.Errorf("a stranger's ring said %q, dropped %q", text, stranger.Dropped)
			}
			plain := r.Agent("db").Idle() // its ring is no prompt
			if text := plain.Hear(); text != "" || plain.Dropped != "" {
				t.Errorf("a bell said %q, dropped %q", text, plain.Dropped)
			}
		}},
		{name: "a queued ring is not repeated while it may be waiting in the queue", timed: true, tell: func(t *testing.T, r *Rig) {
			a, b := r.Agent("api"), r.Agent("web").Idle()
			a.Queued = true
			a.Idle()
			r.Ask(b.Hub(), "@api", "one")
			pass(5 * time.Second)
			r.Ask(b.Hub(), "@api", "two")
			a.Prompt() // a turn of somebody else's goes first
			pass(5 * time.Second)
			a.Send(func() turnpost.Event { ev := a.Event(turnpost.TurnEnd); ev.Accepts = turnpost.Accepts{}; return ev }())
			pass(4 * time.Second)
			if n := r.Bells.Count(a.Bell()); n != 1 {
				t.Errorf("queued %d times within 14 s", n)
			}
			pass(2 * time.Second)
			if n := r.Bells.Count(a.Bell()); n != 2 {
				t.Errorf("queued %d times after 16 s, want 2", n)
			}
			pass(time.Hour)
			if n := r.Bells.Count(a.Bell()); n != 3 || len(r.Notices("deaf")) != 1 {
				t.Errorf("queued %d times, %d notices", n, len(r.Notices("deaf")))
			}
			if text := a.Hear(); !strings.Contains(text, "one") || len(r.Notices("deaf")) != 0 {
				t.Errorf("heard late, it said %q; %d notices are left", text, len(r.Notices("deaf")))
			}
		}},
		{name: "a session whose queue is held after an interrupt is not rung before its next turn", timed: true, tell: func(t *testing.T, r *Rig) {
			a, b := r.Agent("api"), r.Agent("web").Idle()
			a.Queued = true
			a.Idle()
			a.Prompt()
			held := a.Event(turnpost.Interrupt)
			held.Wake = turnpost.Wake{}
			a.Send(held)
			wantClass(t, r.Ask(b.Hub(), "@api", "hey"), turnpost.ClassNobody)
			pass(2 * time.Minute)
			if n := r.Bells.Count(a.Bell()); n != 0 || len(r.Notices("deaf")) != 0 {
				t.Errorf("rang %d times, %d notices", n, len(r.Notices("deaf")))
			}
			a.Prompt()
			if text := a.TurnEnd(); !strings.Contains(text, "hey") {
				t.Errorf("the turn end said %q", text)
			}
		}},
		{name: "an open turn is never rung by a prompt", timed: true, tell: func(t *testing.T, r *Rig) {
			a, b := r.Agent("api"), r.Agent("web").Idle()
			a.Queued = true
			a.Idle()
			a.Prompt()
			wantClass(t, r.Ask(b.Hub(), "@api", "hey"), turnpost.ClassTurnEnd)
			pass(2 * time.Minute)
			if n := r.Bells.Count(a.Bell()); n != 0 {
				t.Errorf("rang %d times", n)
			}
		}},
		{name: "a way to ring that is not allowed is said", tell: func(t *testing.T, r *Rig) {
			a := r.Agent("api").Idle()
			ev := a.Event(turnpost.Prompt)
			ev.Wake = turnpost.Wake{Method: "keys", Key: "%3", Armed: true}
			a.Send(ev)
			if s := r.Session(a); s.Can != "turn end only; keys would wake it, if you allowed that" {
				t.Errorf("it can %q", s.Can)
			}
		}},
		{name: "urgent to nobody is told at once", tell: func(t *testing.T, r *Rig) {
			a, b := r.Agent("api").Idle(), r.Agent("web").Idle()
			a.Send(a.Event(turnpost.SessionEnd))
			wantClass(t, r.Post(b.Hub(), turnpost.Draft{Kind: turnpost.Task, To: []string{"@api"}, Summary: "fire", Urgent: true}), turnpost.ClassNobody)
			if n := r.Desktop.Count("undelivered"); n != 1 {
				t.Errorf("%d on the desktop, want 1", n)
			}
			wantClass(t, r.Post(b.Hub(), turnpost.Draft{To: []string{"@api"}, Summary: "fyi"}), turnpost.ClassStart)
		}},
	}
}

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

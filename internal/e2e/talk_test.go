//go:build unix

package e2e

import (
	"testing"

	"turnpost"
	"turnpost/internal/realtest"
)

// TestTwoSessionsTalk is what it is all for: one agent asks, the other one, who
// is idle, is woken and answers, and the answer wakes the first. Neither may do
// anything but use our tools.
func TestTwoSessionsTalk(t *testing.T) {
	w := readyWorld(t, 2)
	w.registerTools()
	webDir, backDir := w.home.Project("web"), w.home.Project("back")
	var webIsIdle realtest.Gate
	backAPI := realtest.NewAPI(t, realtest.Say("ready"), reply("302, as before").Behind(&webIsIdle), realtest.Say("answered"))
	webAPI := realtest.NewAPI(t,
		realtest.Call("mcp__turnpost__post", object{"kind": "question", "to": []string{"@back"}, "summary": "Does /login still return 302?"}),
		realtest.Say("asked"),
		realtest.Say("so it is 302"),
	)
	back, web := w.tuiIn(backDir, backAPI), w.tuiIn(webDir, webAPI)

	turn(back, "wait for questions", "ready")
	turn(web, "ask the back end", "asked")
	w.is(web, turnpost.StateIdle)
	webIsIdle.Open()
	settle(back, "answered")
	settle(web, "so it is 302")

	wantRequests(t, backAPI.Requests(), "", "q-1", "")
	wantRequests(t, webAPI.Requests(), "", "", "a-2")
	q, a := w.item("q-1"), w.item("a-2")
	if q.Author != "@web" || q.Human || q.State != turnpost.ItemAnswered || q.ClosedBy != "@back" {
		t.Errorf("the question: %+v", q)
	}
	if a.Author != "@back" || a.Human || a.ReplyTo != q.ID || a.Summary != "302, as before" {
		t.Errorf("the answer: %+v", a)
	}
	w.awaitDelivery(a.ID, turnpost.Acked)
	for _, s := range w.now().Sessions {
		if s.Unread != 0 {
			t.Errorf("%s has %d unread", s.Handle, s.Unread)
		}
	}
	wantQuiet(t, back, "turnpost: new mail", "Called turnpost")
	wantQuiet(t, web, "turnpost: new mail", "Called turnpost")
}

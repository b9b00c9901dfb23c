//go:build unix

package e2e

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"turnpost"
	"turnpost/internal/realtest"
)

// TestFailedTurns lets the model service refuse: first for a while, which is
// nothing to be told, then for good, which is.
func TestFailedTurns(t *testing.T) {
	w := readyWorld(t, 1)
	api := realtest.NewAPI(t,
		realtest.Fail(429, "rate_limit_error", "slow down"), realtest.Say("two done"), realtest.Say("I am"),
		realtest.Fail(401, "authentication_error", "who are you"), realtest.Say("four done"),
	)
	client := w.client(api)
	client.Env = []string{"CLAUDE_CODE_MAX_RETRIES=0"}
	tui := client.TUI(t)
	wedge := func(n turnpost.Notice) bool { return n.Class == "wedge" }

	tui.Type("do one")
	limited := w.is(tui, turnpost.StateWedged)
	q := w.ask("@repo", "Still there?", turnpost.ClassWedged)
	tui.WaitStatus("idle")
	if f := limited.Status.Failure; f.Class != turnpost.FailureRateLimit || f.Native != "rate_limit" {
		t.Errorf("the failure is %+v", f)
	}
	turn(tui, "do two", "I am") // the question waited for this
	if board := w.now(); slices.ContainsFunc(board.Notices, wedge) {
		t.Errorf("a rate limit was told: %+v", board.Notices)
	}
	w.resolve(q.ID)

	tui.Type("do three")
	refused := w.is(tui, turnpost.StateWedged)
	if f := refused.Status.Failure; f.Class != turnpost.FailureAuth {
		t.Errorf("the failure is %+v", f)
	}
	w.board("the person is told of the wedge, urgently", func(b turnpost.Board) bool {
		i := slices.IndexFunc(b.Notices, wedge)
		return i >= 0 && b.Notices[i].Loud == turnpost.LoudUrgent && b.Notices[i].Handle == "@repo"
	})
	tui.WaitStatus("idle")
	turn(tui, "do four", "four done")
	w.board("the notice is cleared", func(b turnpost.Board) bool { return !slices.ContainsFunc(b.Notices, wedge) })

	wantRequests(t, api.Requests(), "", "", q.ID, "", "")
}

// TestHubKilled kills the hub in the middle of a turn and between turns. It
// comes back by itself.
func TestHubKilled(t *testing.T) {
	w := readyWorld(t, 1)
	var two realtest.Gate
	api := realtest.NewAPI(t, realtest.Say("one done"), realtest.Say("two done").Behind(&two), realtest.Say("three done"))
	tui := w.tui(api)
	turn(tui, "do one", "one done")

	tui.Type("do two")
	api.Wait(2)
	w.killHub()
	two.Open()
	settle(tui, "two done") // its turn end finds the hub dead, and starts another
	w.awaitHub()
	w.is(tui, turnpost.StateIdle)
	wantQuiet(t, tui)
	first := w.warn("@repo", "warning one", turnpost.ClassRung)
	settle(tui, "three done")

	api.Script(realtest.Say("four done"))
	w.killHub()
	out := w.turnpost("ask", "@repo", "Posted to a dead hub")
	settle(tui, "four done")

	if !strings.Contains(out, "the hub was gone and is up again") {
		t.Errorf("turnpost ask does not say so: %s", out)
	}
	wantRequests(t, api.Requests(), "", "", first.ID, "q-2")
	wantQuiet(t, tui, "turnpost: new mail")
}

// TestHubStopped stops the hub: nothing starts it again, and nobody notices.
func TestHubStopped(t *testing.T) {
	w := readyWorld(t, 1)
	api := realtest.NewAPI(t, realtest.Say("one done"), bash("echo working"), realtest.Say("two done"), realtest.Say("woken"))
	tui := w.tui(api)
	turn(tui, "do one", "one done")

	w.turnpost("down")
	turn(tui, "do two", "two done")
	if hub, err := w.dir.ReadHub(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a hub should be up: %+v, %v", hub, err)
	}
	wantQuiet(t, tui)
	w.up()
	item := w.warn("@repo", "warning", turnpost.ClassRung)
	settle(tui, "woken")

	wantRequests(t, api.Requests(), "", "", "", item.ID)
}

// TestSessionStartedWithoutHub hears its bell although no hub was up when it
// was told of it.
func TestSessionStartedWithoutHub(t *testing.T) {
	w := readyWorld(t, 1)
	w.turnpost("down")
	api := realtest.NewAPI(t, realtest.Say("one done"), realtest.Say("woken"))
	tui := w.tui(api)
	w.up()
	turn(tui, "do one", "one done")
	w.can(tui, "turn end and bell")
	item := w.warn("@repo", "warning", turnpost.ClassRung)
	settle(tui, "woken")

	wantRequests(t, api.Requests(), "", item.ID)
	wantQuiet(t, tui, "turnpost: new mail")
}

// TestUnreportedEnds presses Esc and kills the client, of which no hook tells.
func TestUnreportedEnds(t *testing.T) {
	const escWithin, killWithin = 10 * time.Second, 30 * time.Second
	w := readyWorld(t, 1)
	var never realtest.Gate
	api := realtest.NewAPI(t, realtest.Say("too late").Behind(&never))
	tui := w.tui(api)
	tui.Type("think long")
	api.Wait(1)
	w.is(tui, turnpost.StateWorking)

	tui.Esc()
	start := time.Now()
	s := w.is(tui, turnpost.StateIdle)
	esc := time.Since(start)
	if !strings.Contains(s.Status.Evidence, "registry") || esc > escWithin {
		t.Errorf("idle %s after Esc, known from: %s", esc, s.Status.Evidence)
	}

	native := tui.Session()
	tui.Kill()
	start = time.Now()
	w.board("the session has ended", func(b turnpost.Board) bool {
		return !slices.ContainsFunc(b.Sessions, func(s turnpost.Session) bool { return s.Native == native })
	})
	killed := time.Since(start)
	if killed > killWithin {
		t.Errorf("the end was noticed after %s", killed)
	}
	t.Logf("Esc noticed after %s, kill -9 after %s", esc.Round(time.Millisecond), killed.Round(time.Millisecond))
}

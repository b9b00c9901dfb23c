//go:build unix

package e2e

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"turnpost"
	"turnpost/internal/realtest"
)

// TestTenItemsWakeOnce posts ten items at once to an idle agent.
func TestTenItemsWakeOnce(t *testing.T) {
	w := readyWorld(t, 1)
	api := realtest.NewAPI(t, realtest.Say("one done"), realtest.Say("seen all"), realtest.Say("two done"))
	tui := w.tui(api)
	turn(tui, "do one", "one done")
	tui.Draft("half a th")

	var posts sync.WaitGroup
	for i := range 10 {
		posts.Go(func() { w.warn("@repo", fmt.Sprintf("warning %d", i), turnpost.ClassRung) })
	}
	posts.Wait()
	settle(tui, "seen all")

	if n := len(itemsIn(api.Wait(2))); n != 10 {
		t.Errorf("the wake brings %d items, want 10", n)
	}
	woken := w.is(tui, turnpost.StateIdle)
	if woken.Unread != 0 || strings.Count(woken.Woken, " · urgent · warning ") != 10 {
		t.Errorf("%d unread; the page shows as woken text: %s", woken.Unread, woken.Woken)
	}
	tui.Draft("ought")
	tui.Press("\r")
	settle(tui, "two done")
	if n := api.Count(realtest.Fresh("half a thought")); n != 1 || api.Count() != 3 {
		t.Errorf("%d of %d requests bring the prompt that was half typed at the wake, want 1 of 3", n, api.Count())
	}
}

// TestIdleSessionIsWoken rings one conversation after the other of one person,
// who clears it, changes the directory and resumes it in another process.
func TestIdleSessionIsWoken(t *testing.T) {
	w := readyWorld(t, 1)
	w.home.Project("repo/sub")
	var want []string
	var took []time.Duration
	api := realtest.NewAPI(t)
	wake := func(tui *realtest.TUI, when string) {
		t.Helper()
		w.can(tui, "turn end and bell")
		api.Script(realtest.Say("woken " + when))
		took = append(took, postToRequest(api, "idle "+when, func() {
			want = append(want, w.warn("@repo", "idle "+when, turnpost.ClassRung).ID)
		}))
		settle(tui, "woken "+when)
	}
	work := func(tui *realtest.TUI, prompt string, steps ...realtest.Step) {
		t.Helper()
		api.Script(append(steps, realtest.Say("done "+prompt))...)
		turn(tui, prompt, "done "+prompt)
		want = append(want, make([]string, len(steps)+1)...)
	}
	tui := w.tui(api)

	work(tui, "first")
	wake(tui, "after a turn")
	tui.Clear()
	wake(tui, "after /clear")
	work(tui, "go below", bash("cd sub"))
	wake(tui, "after cd")
	tui.Clear()
	wake(tui, "after cd and /clear")
	id := tui.Session()
	tui.Exit()
	tui = w.tui(api, "--resume", id)
	if tui.Session() != id {
		t.Errorf("resumed as %s, was %s", tui.Session(), id)
	}
	wake(tui, "after resume")

	wantRequests(t, api.Requests(), want...)
	wantQuiet(t, tui, "turnpost: new mail")
	t.Logf("post to request: %v, median %s", took, quantile(t, took, 0.5))
}

// TestMailWaitsForResume asks an agent that has gone; it does not sit silent
// when it comes back.
func TestMailWaitsForResume(t *testing.T) {
	w := readyWorld(t, 1)
	api := realtest.NewAPI(t, realtest.Say("one done"), realtest.Say("woken"))
	tui := w.tui(api)
	turn(tui, "do one", "one done")
	id := tui.Session()
	tui.Exit()

	item := w.ask("@repo", "Are you there?", turnpost.ClassNobody)
	w.board("the mail is unclaimed", func(b turnpost.Board) bool {
		return len(b.Unclaimed) == 1 && b.Unclaimed[0].Handle == "@repo" && b.Unclaimed[0].Unread == 1
	})
	tui = w.tui(api, "--resume", id)
	settle(tui, "woken")

	wantRequests(t, api.Requests(), "", item.ID)
	if text := api.Wait(2).Fresh(); !strings.Contains(text, "1 item waits for you and arrives by itself in a moment.") {
		t.Errorf("the start line says nothing of the mail: %s", text)
	}
}

// TestOnlyTheRungSessionWakes has two idle agents.
func TestOnlyTheRungSessionWakes(t *testing.T) {
	w := readyWorld(t, 2)
	webDir, backDir := w.home.Project("web"), w.home.Project("back")
	webAPI := realtest.NewAPI(t, realtest.Say("ready"), realtest.Say("no more"))
	backAPI := realtest.NewAPI(t, realtest.Say("ready"), realtest.Say("woken"))
	web, back := w.tuiIn(webDir, webAPI), w.tuiIn(backDir, backAPI)
	turn(web, "start", "ready")
	turn(back, "start", "ready")

	item := w.ask("@back", "Are you there?", turnpost.ClassRung)
	settle(back, "woken")
	turn(web, "what else?", "no more") // a turn of the bell would have come before

	wantRequests(t, backAPI.Requests(), "", item.ID)
	wantRequests(t, webAPI.Requests(), "", "")
	wantQuiet(t, web)
}

// TestBellsDirectoryIsMade starts a session where nothing has ever been rung.
// It is rung before its first prompt.
func TestBellsDirectoryIsMade(t *testing.T) {
	w := readyWorld(t, 1)
	if _, err := os.Stat(w.dir.Bells()); !os.IsNotExist(err) {
		t.Fatalf("the bells are there before any session: %v", err)
	}
	api := realtest.NewAPI(t, realtest.Say("woken"))
	tui := w.tui(api)
	w.can(tui, "turn end and bell")
	if info, err := os.Stat(w.dir.Bells()); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the bells: %v, %v, want a directory of mode 0700", info, err)
	}

	item := w.ask("@repo", "Are you there?", turnpost.ClassRung)
	settle(tui, "woken")

	wantRequests(t, api.Requests(), item.ID)
	if n := startLines(api.Requests()); n != 1 {
		t.Errorf("%d start lines, want 1", n)
	}
}

// TestStormReachesIdleSession posts five times a second, which restarts the
// time that the client lets a file settle: it must be woken all the same, and
// see every item once.
func TestStormReachesIdleSession(t *testing.T) {
	const every, during, heardWithin = 200 * time.Millisecond, 4 * time.Second, 3 * time.Second
	w := readyWorld(t, 1)
	api := realtest.NewAPI(t, realtest.Say("one done"))
	for i := range during / every {
		// Not the same reply twice: equal turn ends within 250 ms, which only this
		// model is quick enough for, count as one hook that is registered twice.
		api.Script(realtest.Say(fmt.Sprint("seen ", i)))
	}
	tui := w.tui(api)
	turn(tui, "do one", "one done")

	start := time.Now()
	var want []string
	tick := time.NewTicker(every)
	defer tick.Stop()
	for len(want) < int(during/every) {
		want = append(want, w.post(turnpost.Draft{
			Kind: turnpost.Note, Urgent: true, To: []string{"@repo"}, Summary: fmt.Sprintf("warning %d", len(want)+1),
		}).Item.ID)
		<-tick.C
	}
	for _, id := range want {
		w.awaitDelivery(id, turnpost.Acked)
	}
	tui.WaitStatus("idle")

	first := api.Wait(2).At.Sub(start)
	var got []string
	for _, r := range api.Requests() {
		got = append(got, itemsIn(r)...)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the model was told of %v, want each of %v once", got, want)
	}
	t.Logf("woken %s after the first of %d posts, %d requests", first, len(want), api.Count())
	if first > heardWithin {
		t.Errorf("woken after %s, want %s", first, heardWithin)
	}
}

//go:build unix

package e2e

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"turnpost"
	"turnpost/internal/realtest"
)

// TestQuestionContinuesOneShot is an agent without a person that was given a
// handle: it may use our tools by our permission rule alone.
func TestQuestionContinuesOneShot(t *testing.T) {
	w := readyWorld(t, 1)
	w.registerTools()
	var q turnpost.Item
	api := realtest.NewAPI(t,
		meanwhile(func() { q = w.ask("@api", "Does /login still return 302?", turnpost.ClassTurnEnd) }, realtest.Say("renamed")),
		reply("Yes, it does"),
		realtest.Say("all done"),
	)
	agent := w.client(api)
	agent.Env = []string{"TURNPOST_AGENT=@api"}

	result := agent.Print(t.Context(), t, "rename the flag")

	wantRequests(t, api.Requests(), "", q.ID, "")
	if result.Code != 0 || result.Stdout != "all done\n" || result.Stderr != "" {
		t.Errorf("exit %d, stdout %q, stderr %q", result.Code, result.Stdout, result.Stderr)
	}
	if item := w.item(q.ID); item.State != turnpost.ItemAnswered || item.ClosedBy != "@api" {
		t.Errorf("the question is %s by %q", item.State, item.ClosedBy)
	}
	inbox, err := w.hub.Inbox(t.Context(), turnpost.InboxQuery{})
	if err != nil || len(inbox.Entries) != 1 || inbox.Entries[0].Item.ReplyTo != q.ID || inbox.Entries[0].Item.Summary != "Yes, it does" {
		t.Errorf("the person's inbox: %+v, %v", inbox, err)
	}
}

// TestAnswerArrivesMidTurn asks the person and works on; the answer comes in
// between two tools.
func TestAnswerArrivesMidTurn(t *testing.T) {
	w := readyWorld(t, 1)
	w.registerTools()
	person := w.now().Human
	var answer turnpost.Item
	api := realtest.NewAPI(t,
		realtest.Call("mcp__turnpost__post", object{"kind": "question", "to": []string{person}, "summary": "Which port?"}),
		meanwhile(func() {
			open, err := w.hub.Open(t.Context(), turnpost.OpenQuery{Kind: turnpost.Question})
			if err != nil || len(open.Items) != 1 {
				t.Errorf("open questions: %+v, %v", open, err)
				return
			}
			answer = w.expect(turnpost.ClassRunning, turnpost.Draft{Kind: turnpost.Answer, ReplyTo: open.Items[0].ID, Summary: "8080"})
		}, bash("echo working")),
		realtest.Say("used 8080"),
	)
	tui := w.tui(api)

	turn(tui, "serve it", "used 8080")

	wantRequests(t, api.Requests(), "", "", answer.ID)
	w.awaitDelivery(answer.ID, turnpost.Acked)
	wantQuiet(t, tui, "Called turnpost")
}

// TestForYourInformationCostsNothing posts what needs no action to an idle
// agent, and to one that works: it rides with the next prompt.
func TestForYourInformationCostsNothing(t *testing.T) {
	w := readyWorld(t, 1)
	inform := func(kinds ...turnpost.ItemKind) (ids string) {
		for _, kind := range kinds {
			item := w.expect(turnpost.ClassPrompt, turnpost.Draft{Kind: kind, To: []string{"@repo"}, Summary: "fyi " + string(kind)})
			if ids != "" {
				ids += ", "
			}
			ids += item.ID
		}
		return ids
	}
	var idle, working string
	api := realtest.NewAPI(t,
		realtest.Say("one done"),
		meanwhile(func() { working = inform(turnpost.Note) }, bash("echo working")),
		realtest.Say("two done"),
		realtest.Say("three done"),
		realtest.Say("four done"),
	)
	tui := w.tui(api)

	turn(tui, "do one", "one done")
	idle = inform(turnpost.Note, turnpost.Report, turnpost.Choice)
	turn(tui, "do two", "two done")
	turn(tui, "do three", "three done")
	turn(tui, "do four", "four done")

	wantRequests(t, api.Requests(), "", idle, "", working, "")
	if unread := w.is(tui, turnpost.StateIdle).Unread; unread != 0 {
		t.Errorf("%d unread", unread)
	}
	wantQuiet(t, tui)
}

// TestLostConfirmationAtTurnEnd loses the line in which the hook client says
// that it has printed. The text has arrived, which nobody can know: it comes
// once more, labelled, and never again.
func TestLostConfirmationAtTurnEnd(t *testing.T) {
	w := readyWorld(t, 1)
	between := w.interpose()
	var q turnpost.Item
	api := realtest.NewAPI(t,
		meanwhile(func() { q = w.ask("@repo", "Still there?", turnpost.ClassTurnEnd) }, realtest.Say("one done")),
		realtest.Say("I am"),
		realtest.Say("two done"),
		realtest.Say("as I said"),
		realtest.Say("three done"),
	)
	tui := w.tui(api)

	between.loseNext()
	turn(tui, "do one", "I am")
	w.awaitDelivery(q.ID, turnpost.Stored)
	turn(tui, "do two", "as I said")
	w.awaitDelivery(q.ID, turnpost.Shown)
	turn(tui, "do three", "three done")

	wantRequests(t, api.Requests(), "", q.ID, "", q.ID+again, "")
	if between.lost() != 1 {
		t.Errorf("%d confirmations were lost, want 1", between.lost())
	}
}

// TestLostConfirmationOfAWake loses the same line at a bell. There the next
// event carries the text itself: nothing is shown twice.
func TestLostConfirmationOfAWake(t *testing.T) {
	w := readyWorld(t, 1)
	between := w.interpose()
	api := realtest.NewAPI(t, realtest.Say("one done"), realtest.Say("I am"), realtest.Say("two done"))
	tui := w.tui(api)
	turn(tui, "do one", "one done")

	between.loseNext()
	q := w.ask("@repo", "Still there?", turnpost.ClassRung)
	settle(tui, "I am")
	w.awaitDelivery(q.ID, turnpost.Shown)
	turn(tui, "do two", "two done")

	wantRequests(t, api.Requests(), "", q.ID, "")
	if between.lost() != 1 {
		t.Errorf("%d confirmations were lost, want 1", between.lost())
	}
}

// TestSlowHubDelaysNothing leaves a turn end without an answer: the turn ends
// all the same, unseen, and what the answer held comes at the next one.
func TestSlowHubDelaysNothing(t *testing.T) {
	w := readyWorld(t, 1)
	between := w.interpose()
	var q turnpost.Item
	var replied time.Time
	api := realtest.NewAPI(t,
		meanwhile(func() {
			q = w.ask("@repo", "Still there?", turnpost.ClassTurnEnd)
			replied = time.Now()
		}, realtest.Say("one done")),
		realtest.Say("two done"),
		realtest.Say("I am"),
	)
	tui := w.tui(api)

	between.stallNext()
	turn(tui, "do one", "one done")
	took := time.Since(replied)
	wantQuiet(t, tui)
	w.awaitDelivery(q.ID, turnpost.Stored)
	turn(tui, "do two", "I am")

	wantRequests(t, api.Requests(), "", "", q.ID+again)
	if between.stalled() != 1 || took > 5*time.Second {
		t.Errorf("%d turn ends were stalled, the turn ended %s after the reply", between.stalled(), took)
	}
}

// TestEndlessMailEnds posts a new question before every turn end of an agent
// that acks with a tool, which resets the client's own guard.
func TestEndlessMailEnds(t *testing.T) {
	const continuations = 5 // in a row, by the hub's rule
	w := readyWorld(t, 1)
	w.registerTools()
	var posted []string
	more := func(say string) realtest.Step {
		return meanwhile(func() {
			posted = append(posted, w.ask("@api", fmt.Sprint("question ", len(posted)+1), turnpost.ClassTurnEnd).ID)
		}, realtest.Say(say))
	}
	steps := []realtest.Step{more("renamed")}
	for i := range continuations + 3 {
		steps = append(steps, ack(), more(fmt.Sprint("acked ", i+1)))
	}
	api := realtest.NewAPI(t, steps...)
	agent := w.client(api)
	agent.Env = []string{"TURNPOST_AGENT=@api"}

	result := agent.Print(t.Context(), t, "rename the flag")

	want := []string{""}
	for _, id := range posted[:len(posted)-1] {
		want = append(want, id, "")
	}
	wantRequests(t, api.Requests(), want...)
	if len(posted) != continuations+1 || result.Code != 0 || result.Stdout != fmt.Sprintf("acked %d\n", continuations) {
		t.Errorf("%d questions, exit %d, stdout %q", len(posted), result.Code, result.Stdout)
	}
	w.board("the last question waits for its handle", func(b turnpost.Board) bool {
		return slices.ContainsFunc(b.Unclaimed, func(a turnpost.Agent) bool { return a.Handle == "@api" && a.Unread == 1 })
	})
}

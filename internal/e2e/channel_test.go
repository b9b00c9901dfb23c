//go:build unix

package e2e

import (
	"strings"
	"testing"

	"turnpost"
	"turnpost/internal/realtest"
)

// TestChannelThatIsNotShown runs the tools with --channel in a client that does
// not show what is pushed to it, as any whose maker's switch is off: its tools
// work, and what was pushed comes by the bell.
func TestChannelThatIsNotShown(t *testing.T) {
	w := readyWorld(t, 1)
	register := printed(t, w.turnpost("setup"), "claude mcp add-json ")
	pushing := strings.Replace(register, `"args":["mcp"]`, `"args":["mcp","--channel"]`, 1)
	if pushing == register {
		t.Fatalf("not the arguments that this test changes: %s", register)
	}
	w.sh(pushing)
	api := realtest.NewAPI(t, realtest.Say("ready"), reply("seen"), realtest.Say("answered"))
	tui := w.tui(api)
	turn(tui, "wait for questions", "ready")
	w.can(tui, "turn end and channel")
	q := w.ask("@repo", "Is it pushed?", turnpost.ClassRung)
	settle(tui, "answered")

	wantRequests(t, api.Requests(), "", q.ID+again, "")
	if got := w.item(q.ID); got.State != turnpost.ItemAnswered || got.ClosedBy != "@repo" {
		t.Errorf("the question: %+v", got)
	}
	w.can(tui, "turn end and bell")
}

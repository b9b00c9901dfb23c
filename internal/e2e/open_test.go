//go:build unix

package e2e

import (
	"strings"
	"testing"

	"turnpost"
	"turnpost/internal/harness"
	"turnpost/internal/realtest"
)

// TestSessionsOpenBeforeSetup holds what setup says of sessions that were open
// when it wrote: each program hears of it when its profile says, and not before.
func TestSessionsOpenBeforeSetup(t *testing.T) {
	for _, r := range rows() {
		h, ok := harness.Find(r.harness)
		if !ok {
			t.Fatalf("no harness %s", r.harness)
		}
		reload := h.Profile().Reload
		if reload == "at its next turn end" {
			continue // TestSessionOpenBeforeSetup
		}
		t.Run(r.title(), func(t *testing.T) {
			w := newWorldOf(t, 1, r.program)
			if r.settings != nil {
				r.settings(w.home)
			}
			api := realtest.NewAPI(t)
			tui := r.client(w, api).TUI(t)
			heard := func(when string) bool {
				t.Helper()
				api.Script(realtest.Say("done " + when))
				turn(tui, "work "+when, "done "+when)
				board, err := w.hub.Board(t.Context(), turnpost.BoardQuery{})
				if err != nil {
					t.Fatalf("the board: %v", err)
				}
				return len(board.Sessions) == 1
			}

			// Copilot CLI reads its hooks some time after its prompt is there.
			if heard("before") {
				t.Error("it is heard before setup")
			}
			w.setupAs("--harness", r.harness, "--trust")
			if heard("at once") {
				t.Errorf("it is heard at once, not %s", h.Profile().Open())
			}
			if command, ok := strings.CutPrefix(reload, "after "); ok {
				tui.Type(command)
				tui.WaitIdle()
			} else {
				tui.Exit()
				tui = r.client(w, api).TUI(t)
			}
			if !heard("then") {
				t.Errorf("it is not heard %s", h.Profile().Open())
			}
			tui.Exit()
		})
	}
}

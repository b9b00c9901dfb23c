//go:build unix

package e2e

import (
	"testing"

	"turnpost"
	"turnpost/internal/realtest"
)

// TestTokensOfATurn holds that the programs which say what a turn took say so to
// a run: two requests of 1,000 tokens, each answered with twelve. The turn in which
// the run is started is none of its own.
func TestTokensOfATurn(t *testing.T) {
	t.Parallel()
	for _, r := range []row{opencodeRow(), piRow(), piOldRow()} {
		t.Run(r.title(), func(t *testing.T) {
			t.Parallel()
			w := newWorldOf(t, 1, r.program)
			w.setupAs("--harness", r.harness)
			var run turnpost.Run
			start := func() {
				var err error
				run, err = w.hub.StartRun(t.Context(), turnpost.RunStart{Goal: "count", Handle: handleOfRepo, Limits: turnpost.Limits{Turns: 1}})
				if err != nil {
					t.Error(err)
				}
			}
			api := realtest.NewAPI(t,
				meanwhile(start, realtest.Say("begun")),
				realtest.Call("bash", object{"command": "true", "description": "work"}).Tokens(1000),
				realtest.Say("counted").Tokens(1000),
			)
			tui := r.client(w, api).TUI(t)
			turn(tui, "count", "counted")
			realtest.Until(t, "the run has counted the turn", func() bool {
				var err error
				run, err = w.hub.Run(t.Context(), turnpost.RunQuery{ID: run.ID})
				return err == nil && run.State.Ended()
			})
			if run.Tokens != 2024 || run.Turns != 1 {
				t.Errorf("%d turns took %d tokens, want 1 and 2024", run.Turns, run.Tokens)
			}
			tui.Exit()
		})
	}
}

//go:build unix

package e2e

import (
	"fmt"
	"testing"
	"time"

	"turnpost"
	"turnpost/internal/realtest"
)

// BenchmarkPostToRequest measures from the call that posts an item to the
// arrival of the agent's request that brings it, with the real client. Run it
// with -benchtime 20x; the median and the highest are in ms.
func BenchmarkPostToRequest(b *testing.B) {
	b.Run("idle", func(b *testing.B) {
		w := readyWorld(b, 1)
		api := realtest.NewAPI(b, realtest.Say("ready"))
		tui := w.tui(api)
		turn(tui, "start", "ready")
		var took []time.Duration
		for b.Loop() {
			text, seen := fmt.Sprintf("warning %d.", len(took)), fmt.Sprintf("seen %d.", len(took))
			api.Script(realtest.Say(seen))
			took = append(took, postToRequest(api, text, func() { w.warn("@repo", text, turnpost.ClassRung) }))
			settle(tui, seen)
		}
		report(b, took)
	})
	b.Run("turn-end", func(b *testing.B) {
		w := readyWorld(b, 1)
		api := realtest.NewAPI(b)
		tui := w.tui(api)
		var took []time.Duration
		for b.Loop() {
			text, seen := fmt.Sprintf("question %d.", len(took)), fmt.Sprintf("seen %d.", len(took))
			var end realtest.Gate
			api.Script(realtest.Say("worked").Behind(&end), realtest.Say(seen))
			working := api.Count() + 1
			tui.Type("work")
			api.Wait(working)
			var q turnpost.Item
			took = append(took, postToRequest(api, text, func() {
				q = w.ask("@repo", text, turnpost.ClassTurnEnd)
				end.Open() // the turn ends as soon as the client has read this
			}))
			settle(tui, seen)
			w.resolve(q.ID)
		}
		report(b, took)
	})
}

func report(b *testing.B, took []time.Duration) {
	b.Helper()
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	b.ReportMetric(ms(quantile(b, took, 0.5)), "median-ms")
	b.ReportMetric(ms(quantile(b, took, 1)), "max-ms")
	b.ReportMetric(0, "ns/op") // the whole round says nothing
}

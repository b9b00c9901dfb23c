package run_test

import (
	"fmt"
	"testing"

	"turnpost"
	"turnpost/internal/run"
)

// large is a run with so many commands, taken and posted.
func large(t testing.TB, effects int) *live {
	l := plain(t, turnpost.Limits{})
	for n := range effects {
		id := l.ask(commandDraft(fmt.Sprintf("k%d", n)))
		l.take(l.state.Take("w", 1, true, anna(), l.now))
		l.take(l.state.Post(turnpost.EffectPost{Effect: id, Status: turnpost.EffectOK, Value: "fine", Worker: "w"}, anna(), l.now))
	}
	return l
}

// BenchmarkReplay1000 is what it costs to read back a run with 1,000 effects.
func BenchmarkReplay1000(b *testing.B) {
	events := large(b, 1000).events
	for b.Loop() {
		s, err := run.Replay(events)
		if err != nil {
			b.Fatal(err)
		}
		if v := s.View(); len(v.Effects) != 1000 {
			b.Fatal(len(v.Effects))
		}
	}
}

// BenchmarkTurn1000 is what a turn end and its text cost in such a run.
func BenchmarkTurn1000(b *testing.B) {
	s := large(b, 1000).state
	for b.Loop() {
		if events, goOn := s.TurnEnd(1, s.UpdatedAt); len(events) != 3 || !goOn {
			b.Fatal(kinds(events))
		}
		if s.Text("n") == "" {
			b.Fatal("no text")
		}
	}
}

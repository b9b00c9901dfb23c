package store

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"turnpost"
	"turnpost/internal/hub"
)

// fill saves two agents for each of the numbers.
func fillAgents(b testing.TB, s *SQLite, handles ...string) {
	b.Helper()
	err := s.Update(context.Background(), func(tx hub.Tx) error {
		for _, handle := range handles {
			a := turnpost.Agent{Handle: handle, Presence: turnpost.Available, Interrupt: turnpost.InterruptNeedsAction, CreatedAt: time.Now()}
			if err := tx.SaveAgent(a); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

// post adds one question with a delivery to each addressee.
func post(tx hub.Tx, author string, to ...string) (turnpost.Item, error) {
	now := time.Now()
	item, err := tx.AddItem(turnpost.Item{
		Kind: turnpost.Question, Author: author, To: to, At: now, State: turnpost.ItemOpen,
		Summary: "Does /login still return 302?",
		Body:    "The proxy changed last week, and the mobile client follows only one redirect. Please look at the route.",
	})
	if err != nil {
		return item, err
	}
	for _, handle := range to {
		_, err := tx.AddDelivery(turnpost.Delivery{
			Handle: handle, Item: item.ID, Kind: item.Kind, Addressed: true, State: turnpost.Stored, At: now,
		})
		if err != nil {
			return item, err
		}
	}
	return item, nil
}

func handles(n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprintf("@agent-%d", i))
	}
	return out
}

// BenchmarkPost is acknowledged posts, one item and two deliveries each, of 16
// writers that wait for each answer.
func BenchmarkPost(b *testing.B) {
	s := open(b)
	const writers = 16
	to := handles(2 * writers)
	fillAgents(b, s, to...)
	var next atomic.Int64
	var all sync.WaitGroup
	latencies := make([][]time.Duration, writers)
	b.ResetTimer()
	before := cpuTime(b)
	for w := range writers {
		all.Go(func() {
			for next.Add(1) <= int64(b.N) {
				start := time.Now()
				err := s.Update(context.Background(), func(tx hub.Tx) error {
					_, err := post(tx, to[w], to[(w+1)%len(to)], to[(w+7)%len(to)])
					return err
				})
				if err != nil {
					b.Error(err)
					return
				}
				latencies[w] = append(latencies[w], time.Since(start))
			}
		})
	}
	all.Wait()
	b.StopTimer()
	b.ReportMetric(float64((cpuTime(b)-before).Microseconds())/float64(b.N), "cpu-µs/op")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "posts/s")
	reportLatency(b, latencies)
}

// fillForeign adds n open questions between others, in big transactions.
func fillForeign(b testing.TB, s *SQLite, n int) {
	b.Helper()
	to := handles(64)
	fillAgents(b, s, to...)
	for done := 0; done < n; {
		err := s.Update(context.Background(), func(tx hub.Tx) error {
			for range min(20_000, n-done) {
				if _, err := post(tx, to[done%len(to)], to[(done+1)%len(to)]); err != nil {
					return err
				}
				done++
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkBoundary is what a hook call asks at a turn boundary with nothing
// unread, beside items addressed to others that nobody has read.
func BenchmarkBoundary(b *testing.B) {
	for _, foreign := range []int{0, 10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint("foreign=", foreign), func(b *testing.B) {
			path := filled(b, foreign)
			s := reopen(b, path)
			fillAgents(b, s, "@me")
			b.ResetTimer()
			for b.Loop() {
				err := s.View(context.Background(), func(tx hub.Tx) error {
					entries, err := tx.Offerable("@me", time.Now(), 2, 50)
					if err != nil {
						return err
					}
					unread, err := tx.UnreadOf("@me")
					if err == nil && len(entries)+unread != 0 {
						err = fmt.Errorf("%d entries, %d unread", len(entries), unread)
					}
					return err
				})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkOpen is a start with items in the store.
func BenchmarkOpen(b *testing.B) {
	for _, items := range []int{0, 1_000_000} {
		b.Run(fmt.Sprint("items=", items), func(b *testing.B) {
			path := filled(b, items)
			for b.Loop() {
				s, err := Open(b.Context(), path)
				if err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				if err := s.Close(); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
		})
	}
}

// filled returns the path of a closed store with n foreign items. Each size is
// made once a run.
func filled(b *testing.B, n int) string {
	b.Helper()
	path := filepath.Join(privateDir(b), "turnpost.db")
	s, err := Open(b.Context(), path)
	if err != nil {
		b.Fatal(err)
	}
	fillForeign(b, s, n)
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	return path
}

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

// fillAgents saves an agent of each handle.
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

// fillForeign adds n open questions of 64 agents to each other, in the database
// itself: a million through the front door takes minutes.
func fillForeign(b testing.TB, s *SQLite, n int) {
	b.Helper()
	fillAgents(b, s, handles(64)...)
	const numbers = `WITH RECURSIVE k (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM k WHERE n < ?)`
	err := s.Update(context.Background(), func(h hub.Tx) error {
		if n == 0 {
			return nil
		}
		for _, query := range []string{
			`INSERT INTO items ` + numbers + `
				SELECT n, 'q-' || n, 'question', '', 0, '@agent-' || (n % 64), FALSE, '["@agent-' || ((n + 1) % 64) || '"]',
					'', '', FALSE, 1790000000000000 + n, 'open', '', '', '', 0,
					'Does /login still return 302?', '', 'The proxy changed last week. Please look at the route.' FROM k`,
			`INSERT INTO deliveries ` + numbers + `
				SELECT '@agent-' || ((n + 1) % 64), n / 64 + 1, n, 'q-' || n, 'question', TRUE, FALSE, 2, 'stored',
					'', '', 0, 0, 0, 1790000000000000 + n, 0, FALSE FROM k`,
			`UPDATE counters SET value = ? WHERE name = 'item'`,
			`UPDATE agents SET last_seq = ? / 64 + 1`,
		} {
			if _, err := h.(*tx).exec("fill", query, n); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkForeign is what items addressed to others, which nobody has read,
// cost everybody else: what a hook call asks at a turn boundary with nothing
// unread, and the start of a hub.
func BenchmarkForeign(b *testing.B) {
	for _, foreign := range []int{0, 10_000, 100_000, 1_000_000} {
		path := filled(b, foreign)
		b.Run(fmt.Sprintf("boundary/%d", foreign), func(b *testing.B) { boundary(b, path) })
		b.Run(fmt.Sprintf("open/%d", foreign), func(b *testing.B) { openClosed(b, path) })
	}
}

// filled makes a store with n foreign items and one agent without any.
func filled(b *testing.B, n int) (path string) {
	b.Helper()
	path = filepath.Join(privateDir(b), "turnpost.db")
	s, err := Open(b.Context(), path)
	if err != nil {
		b.Fatal(err)
	}
	fillForeign(b, s, n)
	fillAgents(b, s, "@me")
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	return path
}

func boundary(b *testing.B, path string) {
	s := reopen(b, path)
	before := cpuTime(b)
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
	b.ReportMetric(float64((cpuTime(b)-before).Microseconds())/float64(b.N), "cpu-µs/op")
}

func openClosed(b *testing.B, path string) {
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
}

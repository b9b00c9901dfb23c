package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"turnpost"
	"turnpost/internal/harness"
	rules "turnpost/internal/hub"
	"turnpost/internal/store"
)

//go:embed mcp.py
var byHand []byte

// others share the items that are not for the measured agent.
const others = 50

// fill adds items addressed to others until there are n.
func (b *bench) fill(n int) error {
	if n == b.filled {
		return nil
	}
	db, err := store.Open(b.ctx, b.state().Database())
	if err != nil {
		return err
	}
	now := time.Now().UTC()
	const batch = 500
	for b.filled < n {
		from := b.filled
		err := db.Update(b.ctx, func(tx rules.Tx) error {
			for i := from; i < min(from+batch, n); i++ {
				to := fmt.Sprintf("@other-%d", i%others)
				if i < others {
					if err := tx.SaveAgent(turnpost.Agent{Handle: to, Presence: turnpost.Available, Interrupt: turnpost.InterruptNeedsAction, CreatedAt: now}); err != nil {
						return err
					}
				}
				item, err := tx.AddItem(turnpost.Item{
					Kind: turnpost.Question, Author: "@filler", To: []string{to},
					Summary: "Does /login still return 302, or did the last deploy change that?", At: now, State: turnpost.ItemOpen,
				})
				if err != nil {
					return err
				}
				_, err = tx.AddDelivery(turnpost.Delivery{
					Handle: to, Item: item.ID, Kind: item.Kind, Addressed: true,
					State: turnpost.Stored, Told: true, At: now,
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		b.filled = min(from+batch, n)
	}
	return db.Close()
}

// hookCalls interleaves the programs, so that a machine that slows down slows
// all of them, and returns the hook client's median.
func (b *bench) hookCalls(n int) (float64, error) {
	h, err := b.start()
	if err != nil {
		return 0, err
	}
	defer h.stop()
	token, err := os.ReadFile(b.state().Token())
	if err != nil {
		return 0, err
	}
	script := b.path("mcp.py")
	if err := os.WriteFile(script, byHand, 0o600); err != nil {
		return 0, err
	}
	var hook, bare, python series
	for i := range b.runs + 10 {
		stdin, err := b.stdin(i)
		if err != nil {
			return 0, err
		}
		hookTook, err := b.call(stdin, nil, b.path("turnpost-hook"), harness.All()[0].Name())
		if err != nil {
			return 0, err
		}
		bareTook, err := b.call([]byte(`{"kind":"retry","harness":"bare","native":"bare"}`), nil, b.path("bare"), h.file.Socket)
		if err != nil {
			return 0, err
		}
		if i < 10 { // warm-up
			continue
		}
		hook, bare = append(hook, hookTook), append(bare, bareTook)
		if n == 0 && i%5 == 0 {
			took, err := b.call(stdin, nil, "python3", "-I", script, "http://"+h.file.TCP+"/mcp", strings.TrimSpace(string(token)))
			if err != nil {
				return 0, err
			}
			python = append(python, took)
		}
	}
	median := hook.row(fmt.Sprintf("hook, %d items for others", n))
	floor := bare.row("bare program, one POST")
	fmt.Printf("%-34s %.2f\n", "hook / bare", median/floor)
	if len(python) > 0 {
		by := python.row("python3, three MCP requests")
		fmt.Printf("%-34s 1/%.0f\n", "hook / python3", by/median)
	}
	return median, nil
}

// startUp starts the hub on the full store.
func (b *bench) startUp() error {
	var took series
	for i := range 5 {
		h, err := b.start()
		if err != nil {
			return err
		}
		took = append(took, h.took)
		if i == 0 {
			time.Sleep(2 * time.Second) // idle
			mb, err := h.rss()
			if err != nil {
				return err
			}
			fmt.Printf("%-34s %.1f MB\n", "memory, idle", mb)
		}
		if err := h.stop(); err != nil {
			return err
		}
	}
	took.row("start until it answers, ms")
	return nil
}

// sync measures what the disk takes to sync a few bytes: each commit waits for
// that.
func (b *bench) sync() error {
	file, err := os.Create(filepath.Join(string(b.state()), "sync"))
	if err != nil {
		return err
	}
	defer file.Close()
	var took series
	for range 200 {
		if _, err := file.Write(make([]byte, 4096)); err != nil {
			return err
		}
		start := time.Now()
		if err := file.Sync(); err != nil {
			return err
		}
		took = append(took, time.Since(start))
	}
	took.row("one sync of this disk, ms")
	return nil
}

// posts lets 16 writers post for five seconds.
func (b *bench) posts() error {
	if err := b.sync(); err != nil {
		return err
	}
	h, err := b.start()
	if err != nil {
		return err
	}
	defer h.stop()
	ctx, cancel := context.WithTimeout(b.ctx, 5*time.Second)
	defer cancel()
	var done atomic.Int64
	var mu sync.Mutex
	var all series
	var failed error
	var writers sync.WaitGroup
	start := time.Now()
	for w := range 16 {
		writers.Go(func() {
			var mine series
			var err error
			for i := 0; ctx.Err() == nil && err == nil; i++ {
				began := time.Now()
				_, err = h.client.Post(b.ctx, turnpost.Draft{To: []string{fmt.Sprintf("@other-%d", w)}, Summary: fmt.Sprint("post ", w, " ", i)})
				mine = append(mine, time.Since(began))
				done.Add(1)
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, mine...)
			if err != nil {
				failed = err
			}
		})
	}
	writers.Wait()
	if failed != nil {
		return failed
	}
	fmt.Printf("%-34s %.0f\n", "posts/s", float64(done.Load())/time.Since(start).Seconds())
	all.row("one post, ms")
	mb, err := h.rss()
	if err != nil {
		return err
	}
	fmt.Printf("%-34s %.1f MB\n", "memory, after that", mb)
	return nil
}

// waits measures from the start of a post to the return of the wait it ends.
func (b *bench) waits() error {
	h, err := b.start()
	if err != nil {
		return err
	}
	defer h.stop()
	me, err := h.client.Whoami(b.ctx, turnpost.Nothing{})
	if err != nil {
		return err
	}
	var took series
	for i := range b.runs {
		box := make(chan error, 1)
		var back time.Time
		go func() {
			_, err := h.client.Wait(b.ctx, turnpost.WaitQuery{Seconds: 20})
			back = time.Now()
			box <- err
		}()
		time.Sleep(5 * time.Millisecond) // let it wait
		start := time.Now()
		posted, err := h.client.Post(b.ctx, turnpost.Draft{To: []string{me.Handle}, Summary: fmt.Sprint("wake ", i)})
		if err != nil {
			return err
		}
		if err := <-box; err != nil {
			return err
		}
		took = append(took, back.Sub(start))
		if _, err := h.client.Ack(b.ctx, turnpost.AckRequest{IDs: []string{posted.Item.ID}}); err != nil {
			return err
		}
	}
	took.row("post → wait returns")
	return nil
}

// realClient runs the benchmark of the end-to-end tests, which print what they
// measured.
func (b *bench) realClient() error {
	cmd := exec.CommandContext(b.ctx, "go", "test", "-run=^$", "-bench=PostToRequest", "-benchtime=20x", "-count=1", "-v", "./internal/e2e")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}

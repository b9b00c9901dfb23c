// Command bench measures what Turnpost promises to be quick at, on this
// machine, in one run: a hook call with nothing unread against a bare program
// and against a hook written by hand, with a growing store, and with the events
// of each harness; posts, waits, start-up, memory; and with the real client, how
// long a post takes to reach an agent's model. The aim is 1.2 of the bare
// program, for every harness.
//
// Compare the ratios; the absolute times are this machine's of this minute. It
// uses a temporary home and loopback only, and ends what it started.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
)

func main() {
	runs := flag.Int("runs", 200, "hook calls a store size")
	most := flag.Int("items", 1_000_000, "items addressed to others in the largest store")
	real := flag.Bool("real", true, "measure with the real client too")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *runs, *most, *real); err != nil {
		fmt.Fprintln(os.Stderr, "bench: error:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, runs, most int, real bool) error {
	dir, err := os.MkdirTemp("", "tpb")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{ctx: ctx, dir: dir, runs: runs}
	if err := b.build(); err != nil {
		return fmt.Errorf("build programs: %w", err)
	}

	heading("Hook call with nothing unread: wall time of the whole process, ms")
	sizes := []int{0}
	for n := 10_000; n <= most; n *= 10 {
		sizes = append(sizes, n)
	}
	var flat []float64
	for _, n := range sizes {
		if err := b.fill(n); err != nil {
			return fmt.Errorf("fill the store with %d items: %w", n, err)
		}
		median, err := b.hookCalls(n)
		if err != nil {
			return fmt.Errorf("measure hook calls: %w", err)
		}
		flat = append(flat, median)
	}
	fmt.Printf("%d items / 0 items: %.2f\n", sizes[len(sizes)-1], flat[len(flat)-1]/flat[0])

	heading("Hook call of each harness at a turn's end with nothing unread, ms")
	if err := b.harnessCalls(); err != nil {
		return fmt.Errorf("measure the harnesses' hook calls: %w", err)
	}

	heading(fmt.Sprintf("Start-up and memory with %d items", sizes[len(sizes)-1]))
	if err := b.startUp(); err != nil {
		return fmt.Errorf("measure start-up: %w", err)
	}
	heading("Acknowledged posts, on disk when acknowledged, 16 writers")
	if err := b.posts(); err != nil {
		return fmt.Errorf("measure posts: %w", err)
	}
	heading("From a post to the end of somebody's wait, ms")
	if err := b.waits(); err != nil {
		return fmt.Errorf("measure waits: %w", err)
	}
	if !real {
		return nil
	}
	heading("From a post to the agent's next model request, real client")
	return b.realClient()
}

func heading(text string) { fmt.Printf("\n%s\n%s\n", text, strings.Repeat("-", len(text))) }

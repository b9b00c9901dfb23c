package store

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"turnpost/internal/hub"
)

func nothing(hub.Tx) error { return nil }

func TestQueueOrder(t *testing.T) {
	q := newQueue()
	var want []*job
	for n := range maxBatch + 10 {
		j := &job{fn: nothing}
		if n%3 == 0 {
			j.done = make(chan error, 1)
		}
		want = append(want, j)
		q.put(j)
	}
	first, _ := q.take()
	second, _ := q.take()
	if len(first) != maxBatch || len(second) != 10 {
		t.Fatalf("batches of %d and %d", len(first), len(second))
	}
	for n, j := range append(first, second...) {
		if j != want[n] {
			t.Fatalf("job %d is out of order", n)
		}
	}
}

// TestQueueLinger: an Update is taken at once with all that came before it,
// Laters alone a moment later.
func TestQueueLinger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		start := time.Now()
		q.put(&job{fn: nothing})
		q.put(&job{fn: nothing, done: make(chan error, 1)})
		if batch, _ := q.take(); len(batch) != 2 || time.Since(start) != 0 {
			t.Errorf("%d jobs after %v, want both at once", len(batch), time.Since(start))
		}

		start = time.Now()
		q.put(&job{fn: nothing})
		go func() {
			time.Sleep(linger / 2)
			q.put(&job{fn: nothing})
		}()
		if batch, _ := q.take(); len(batch) != 2 || time.Since(start) != linger {
			t.Errorf("%d jobs after %v, want both after %v", len(batch), time.Since(start), linger)
		}

		start = time.Now()
		q.put(&job{fn: nothing})
		go func() {
			time.Sleep(linger / 2)
			q.put(&job{fn: nothing, done: make(chan error, 1)})
		}()
		if batch, _ := q.take(); len(batch) != 2 || time.Since(start) != linger/2 {
			t.Errorf("%d jobs after %v, want both as soon as an Update came", len(batch), time.Since(start))
		}

		q.put(&job{fn: nothing})
		q.close()
		if batch, _ := q.take(); len(batch) != 1 {
			t.Errorf("%d jobs after close, want what was left", len(batch))
		}
		if batch, _ := q.take(); len(batch) != 0 || q.put(&job{fn: nothing}) {
			t.Error("a closed queue takes jobs")
		}
	})
}

// TestLaterNeverBlocks stops the writer and queues more than there is room for.
func TestLaterNeverBlocks(t *testing.T) {
	var heard errorLog
	s := open(t, OnError(heard.add))
	release := hold(t, s)
	ran := 0
	for range maxLater + 100 {
		s.Later(func(hub.Tx) error { ran++; return nil })
	}
	release(1 << 30)
	if err := s.Update(t.Context(), nothing); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	errs := heard.take()
	if ran != maxLater || len(errs) != 1 || !strings.Contains(errs[0].Error(), "100 changes") {
		t.Errorf("%d ran, heard %v", ran, errs)
	}
}

package store

import (
	"sync"
	"sync/atomic"
	"time"

	"turnpost/internal/hub"
)

const (
	maxBatch = 256                   // functions in one transaction
	maxLater = 8192                  // Laters that wait
	linger   = 20 * time.Millisecond // Laters wait for company this long
)

// job is one function that waits for its transaction.
type job struct {
	fn    func(hub.Tx) error
	done  chan error // capacity 1; nil: nobody waits
	state atomic.Int32
}

const (
	waiting int32 = iota
	taken
	abandoned
)

// claim moves a waiting job to a state; false: somebody else was first.
func (j *job) claim(state int32) bool { return j.state.CompareAndSwap(waiting, state) }

// queue holds jobs in the order in which they came.
type queue struct {
	mu      sync.Mutex
	jobs    []*job
	waited  int // jobs that somebody waits for
	dropped int // Laters that found no room since the last take
	closed  bool
	wake    chan struct{} // capacity 1
}

func newQueue() *queue { return &queue{wake: make(chan struct{}, 1)} }

// put adds a job and never blocks; false: the queue is closed.
func (q *queue) put(j *job) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.closed:
		return false
	case j.done != nil:
		q.waited++
	case len(q.jobs)-q.waited >= maxLater:
		q.dropped++
		return true
	}
	q.jobs = append(q.jobs, j)
	q.signal()
	return true
}

// close lets take return what is left, then nothing.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.signal()
}

func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default: // it will look anyway
	}
}

// take waits for jobs and returns the first ones, and how many Laters were
// dropped meanwhile; no jobs: the queue is closed and empty.
func (q *queue) take() (batch []*job, dropped int) {
	var company <-chan time.Time
	due := false
	for {
		q.mu.Lock()
		n := len(q.jobs)
		if n > 0 && (due || q.waited > 0 || n >= maxBatch) || q.closed {
			batch = q.cut(min(n, maxBatch))
			dropped, q.dropped = q.dropped, 0
			q.mu.Unlock()
			return batch, dropped
		}
		q.mu.Unlock()
		if n > 0 && company == nil {
			company = time.After(linger)
		}
		select {
		case <-q.wake:
		case <-company:
			due = true
		}
	}
}

// cut takes the first n jobs out. Callers hold mu.
func (q *queue) cut(n int) []*job {
	batch := append([]*job(nil), q.jobs[:n]...)
	rest := copy(q.jobs, q.jobs[n:])
	clear(q.jobs[rest:])
	q.jobs = q.jobs[:rest]
	for _, j := range batch {
		if j.done != nil {
			q.waited--
		}
	}
	return batch
}

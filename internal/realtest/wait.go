package realtest

import (
	"context"
	"sync"
	"testing"
	"time"
)

// Patience is how long every wait of this package goes on before it fails the
// test. A wait returns the moment its event happens; this is for busy machines.
const Patience = 60 * time.Second

// pulse lets goroutines wait for the next change of something.
type pulse struct {
	mu sync.Mutex
	ch chan struct{}
}

// next returns a channel that closes at the next beat. Take it before looking
// at the thing that changes, else a change may slip through.
func (p *pulse) next() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ch == nil {
		p.ch = make(chan struct{})
	}
	return p.ch
}

func (p *pulse) beat() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ch != nil {
		close(p.ch)
		p.ch = nil
	}
}

// await looks at done now and after every beat. It fails the test when done
// returns an error or nothing helps within Patience.
func await(t testing.TB, what string, p *pulse, done func() (bool, error)) {
	t.Helper()
	timeout := time.NewTimer(Patience)
	defer timeout.Stop()
	for {
		changed := p.next()
		ok, err := done()
		if err != nil {
			t.Fatalf("waiting for %s: %v", what, err)
		}
		if ok {
			return
		}
		select {
		case <-changed:
		case <-timeout.C:
			t.Fatalf("waited %s for %s", Patience, what)
		}
	}
}

// Until waits for something that gives no sign of its own, such as a file or
// the answer of a hub: it asks every 10 ms. For requests and the screen use
// their own waits, which miss nothing in between.
func Until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	until(t.Context(), t, what, ok)
}

// until is Until for cleanups, in which the context of the test is over.
func until(ctx context.Context, t testing.TB, what string, ok func() bool) {
	t.Helper()
	const pause = 10 * time.Millisecond
	for start := time.Now(); !ok(); {
		if time.Since(start) > Patience {
			t.Fatalf("waited %s until %s", Patience, what)
		}
		select {
		case <-ctx.Done():
			t.Fatalf("until %s: %v", what, ctx.Err())
		case <-time.After(pause):
		}
	}
}

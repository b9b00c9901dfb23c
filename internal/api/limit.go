package api

import (
	"sync"
	"time"
)

// The rate over TCP for one credential: far above what people and agents do,
// far below what slows the others down.
const (
	ratePerSecond = 200
	rateBurst     = 400
	maxBuckets    = 1024
)

// limiter is a token bucket for each credential.
type limiter struct {
	rate, burst float64

	mu      sync.Mutex
	buckets map[string]bucket
}

type bucket struct {
	tokens float64
	at     time.Time
}

func newLimiter(rate, burst float64) *limiter {
	return &limiter{rate: rate, burst: burst, buckets: map[string]bucket{}}
}

// take takes a token for the key and returns 0, or how long to wait for one.
func (l *limiter) take(key string, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	b, ok := l.buckets[key]
	if !ok {
		if len(l.buckets) >= maxBuckets {
			l.drop(now)
		}
		b = bucket{tokens: l.burst, at: now}
	}
	l.fill(&b, now)
	wait := time.Duration(0)
	if b.tokens >= 1 {
		b.tokens--
	} else {
		wait = time.Duration((1 - b.tokens) / l.rate * float64(time.Second))
	}
	l.buckets[key] = b
	return wait
}

func (l *limiter) fill(b *bucket, now time.Time) {
	if d := now.Sub(b.at); d > 0 {
		b.tokens = min(l.burst, b.tokens+d.Seconds()*l.rate)
	}
	b.at = now
}

// drop forgets the buckets that are full again, and, under somebody who
// changes keys with each request, all of them.
func (l *limiter) drop(now time.Time) {
	for key, b := range l.buckets {
		if l.fill(&b, now); b.tokens >= l.burst {
			delete(l.buckets, key)
		}
	}
	if len(l.buckets) >= maxBuckets {
		clear(l.buckets)
	}
}

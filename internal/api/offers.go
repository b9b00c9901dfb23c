package api

import "sync"

// offers remembers which socket connection was given which held offer. Each
// offer leaves it exactly once: when it is shown, or when its connection ends.
type offers struct {
	mu   sync.Mutex
	held map[string]*conn
}

func newOffers() *offers { return &offers{held: map[string]*conn{}} }

func (o *offers) bind(offer string, c *conn) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.held[offer] = c
}

// take removes an offer, whatever connection confirms it; false when it was
// not there.
func (o *offers) take(offer string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, ok := o.held[offer]
	delete(o.held, offer)
	return ok
}

// ended removes and returns the offers that a connection was given and that
// nobody confirmed. Few are held at a time: each for as long as a hook prints.
func (o *offers) ended(c *conn) []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var lost []string
	for offer, holder := range o.held {
		if holder == c {
			delete(o.held, offer)
			lost = append(lost, offer)
		}
	}
	return lost
}

package api

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"turnpost"
)

// Two hundred hooks at once. Some confirm and exit without waiting for the
// reply, some die before they do, some before they read their answer. Each
// offer is shown or released: never both, never neither.
func TestOffersAreShownOrReleased(t *testing.T) {
	const hooks = 200
	f := newFake()
	f.settled = make(chan struct{}, 2*hooks)
	var offers atomic.Int64
	f.handle = func(turnpost.Event) (turnpost.HookAnswer, error) {
		return turnpost.HookAnswer{Offer: fmt.Sprint("o-", offers.Add(1))}, nil
	}
	s := listen(t, f)
	serve(t, s)

	confirmed := make([]string, hooks) // offers whose receipt was written whole
	var wg sync.WaitGroup
	for i := range hooks {
		wg.Go(func() {
			how := rand.New(rand.NewPCG(uint64(i), 0)).IntN(4)
			c, err := net.Dial("unix", s.socket.Addr().String())
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			if err := write(c, "/v1/event", `{"kind":"turn.end"}`); err != nil || how == 0 {
				if err != nil {
					t.Error(err)
				}
				return // dies before its answer
			}
			answer, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				t.Error(err)
				return
			}
			got, err := decoder[turnpost.HookAnswer]()(answer.Body)
			if err != nil {
				t.Error(err)
				return
			}
			switch how {
			case 1: // dies before it confirms
			case 2: // dies while it confirms
				if _, err := io.WriteString(c, "POST /v1/shown HTTP/1.1\r\nHost: turn"); err != nil {
					t.Error(err)
				}
			case 3:
				if err := write(c, "/v1/shown", `{"offer":"`+got.Offer+`"}`); err != nil {
					t.Error(err)
				}
				confirmed[i] = got.Offer
			}
		})
	}
	wg.Wait()
	for range hooks { // an offer that is neither hangs here
		<-f.settled
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	shown := map[string]bool{}
	for _, offer := range confirmed {
		if offer != "" {
			shown[offer] = true
		}
	}
	for n := range hooks {
		offer := fmt.Sprint("o-", n+1)
		want := [2]int{0, 1}
		if shown[offer] {
			want = [2]int{1, 0}
		}
		if got := [2]int{f.shown[offer], f.released[offer]}; got != want {
			t.Errorf("%s: shown and released %v times, want %v", offer, got, want)
		}
	}
	if len(s.offers.held) != 0 {
		t.Errorf("%d offers are still remembered", len(s.offers.held))
	}
	t.Logf("%d shown, %d released", len(f.shown), len(f.released))
}

func write(w io.Writer, path, body string) error {
	_, err := fmt.Fprintf(w, "POST %s HTTP/1.1\r\nHost: turnpost\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body)
	return err
}

// Over the port a connection says nothing about the hook: the offer stays.
func TestOfferOverThePortOutlivesItsConnection(t *testing.T) {
	f := newFake()
	s := listen(t, f)
	serve(t, s)
	c := clients(s)["port"]
	answer, err := c.Handle(t.Context(), turnpost.Event{})
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	if _, err := c.Shown(t.Context(), turnpost.Receipt{Offer: answer.Offer}); err != nil {
		t.Fatal(err)
	}
	c.Close()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.shown[answer.Offer] != 1 || f.released[answer.Offer] != 0 {
		t.Errorf("shown %v, released %v", f.shown, f.released)
	}
}

// An offer may be confirmed on another connection than the one it came on.
func TestOfferConfirmedElsewhereIsNotReleased(t *testing.T) {
	f := newFake()
	f.settled = make(chan struct{}, 2)
	s := listen(t, f)
	serve(t, s)
	one, other := clients(s)["socket"], clients(s)["socket"]
	defer other.Close()
	answer, err := one.Handle(t.Context(), turnpost.Event{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Shown(t.Context(), turnpost.Receipt{Offer: answer.Offer}); err != nil {
		t.Fatal(err)
	}
	<-f.settled
	one.Close()
	if err := other.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.conns.Wait() // every connection has ended, and freed what was its own
	if f.released[answer.Offer] != 0 {
		t.Error("a shown offer was released")
	}
}

// An offer that somebody listened for lives as long as its connection, and no
// port gives one.
func TestOfferListenedForEndsWithItsConnection(t *testing.T) {
	f := newFake()
	f.settled = make(chan struct{}, 1)
	s := listen(t, f)
	serve(t, s)
	cs := clients(s)
	answer, err := cs["socket"].Listen(t.Context(), turnpost.ListenQuery{Seconds: 1})
	if err != nil || answer.Offer == "" {
		t.Fatalf("got %+v, %v", answer, err)
	}
	cs["socket"].Close()
	<-f.settled
	f.mu.Lock()
	if f.released[answer.Offer] != 1 {
		t.Errorf("released %v", f.released)
	}
	f.mu.Unlock()
	defer cs["port"].Close()
	if _, err := cs["port"].WithSession("secret").Listen(t.Context(), turnpost.ListenQuery{}); turnpost.CodeOf(err) != turnpost.Forbidden {
		t.Errorf("over the port: %v", err)
	}
}

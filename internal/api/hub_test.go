package api_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"turnpost"
	"turnpost/internal/api"
	"turnpost/internal/api/client"
	"turnpost/internal/hub"
	"turnpost/internal/hub/hubtest"
	"turnpost/internal/store"
)

// TestHubOverTheWire tells the stories of the hub to one at the other end of a
// socket and a port: what the client says is what the hub does.
func TestHubOverTheWire(t *testing.T) {
	hubtest.Run(t, false, func(t *testing.T, cfg hub.Config, r *hubtest.Rig) (turnpost.HookHub, func(turnpost.Caller) turnpost.Hub, func(string)) {
		ctx, cancel := context.WithCancel(context.Background())
		dir, err := os.MkdirTemp("", "tp")
		if err != nil {
			t.Fatal(err)
		}
		db, err := store.Open(ctx, filepath.Join(dir, "turnpost.db"))
		if err != nil {
			t.Fatal(err)
		}
		cfg.OnError = func(err error) { t.Error(err) }
		h, err := hub.New(ctx, cfg, db, r.Bells, r.Machine, r.Desktop, r.Installs, r.Keeper)
		if err != nil {
			t.Fatal(err)
		}
		wire := &wire{
			Hub: h, released: map[string]chan struct{}{}, clients: map[string]*client.Client{},
			socket: filepath.Join(dir, "hub.sock"),
		}
		token := strings.Repeat("t0ken", 13)
		server, err := api.Listen(api.Config{
			Backend: wire, Socket: wire.socket, TCP: "127.0.0.1:0", Token: token,
			Version: "test", Protocol: 1, Logger: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatal(err)
		}
		var running sync.WaitGroup
		running.Go(func() { h.Run(ctx) })
		running.Go(func() {
			if err := server.Serve(ctx); err != nil {
				t.Error(err)
			}
		})
		human := client.New(client.Address{URL: "http://" + server.TCP(), Token: token})
		agents := client.New(client.Address{Socket: wire.socket})
		t.Cleanup(func() {
			human.Close()
			agents.Close()
			for _, c := range wire.clients {
				c.Close()
			}
			cancel()
			running.Wait()
			if err := db.Close(); err != nil {
				t.Error(err)
			}
			if err := os.RemoveAll(dir); err != nil {
				t.Error(err)
			}
		})
		as := func(caller turnpost.Caller) turnpost.Hub {
			if caller.Human {
				return human
			}
			return agents.WithSession(caller.HookSession).WithNative(caller.Native)
		}
		return hooks{wire}, as, wire.drop
	})
}

// wire is the hub at the server's end and, as a HookHub, a hook client at the
// other: each call has a connection of its own, as the processes have.
type wire struct {
	*hub.Hub
	socket string

	mu       sync.Mutex
	released map[string]chan struct{}
	clients  map[string]*client.Client
}

// Release notes that the server gave an offer back.
func (w *wire) Release(offer string) {
	w.Hub.Release(offer)
	close(w.gone(offer))
}

func (w *wire) gone(offer string) chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.released[offer] == nil {
		w.released[offer] = make(chan struct{})
	}
	return w.released[offer]
}

// drop ends the process that got the offer before it could confirm.
func (w *wire) drop(offer string) {
	w.mu.Lock()
	c := w.clients[offer]
	w.mu.Unlock()
	c.Close()
	<-w.gone(offer)
}

// hooks is the client's end.
type hooks struct{ *wire }

func (w hooks) Handle(ctx context.Context, ev turnpost.Event) (turnpost.HookAnswer, error) {
	c := client.New(client.Address{Socket: w.socket})
	answer, err := c.Handle(ctx, ev)
	if answer.Offer == "" {
		c.Close()
		return answer, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clients[answer.Offer] = c
	return answer, err
}

func (w hooks) Shown(ctx context.Context, r turnpost.Receipt) (turnpost.Nothing, error) {
	w.mu.Lock()
	c := w.clients[r.Offer]
	w.mu.Unlock()
	if c == nil { // it was listened for
		c = client.New(client.Address{Socket: w.socket})
		defer c.Close()
	}
	return c.Shown(ctx, r)
}

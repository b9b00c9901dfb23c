package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"turnpost"
)

// fakeListener brings what the test sends.
type fakeListener struct {
	brings chan turnpost.HookAnswer
	fails  chan error

	mu    sync.Mutex
	shown []string
}

func newListener() *fakeListener {
	return &fakeListener{brings: make(chan turnpost.HookAnswer), fails: make(chan error)}
}

func (l *fakeListener) Listen(ctx context.Context, _ turnpost.ListenQuery) (turnpost.HookAnswer, error) {
	select {
	case answer := <-l.brings:
		return answer, nil
	case err := <-l.fails:
		return turnpost.HookAnswer{}, err
	case <-ctx.Done():
		return turnpost.HookAnswer{}, ctx.Err()
	}
}

func (l *fakeListener) Shown(_ context.Context, r turnpost.Receipt) (turnpost.Nothing, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shown = append(l.shown, r.Offer)
	return turnpost.Nothing{}, nil
}

func (l *fakeListener) confirmed() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.shown, " ")
}

// pushing is a server that pushes to clients of one name.
func pushing(l *fakeListener, log *slog.Logger) *Server {
	return New(fixed(&fakeHub{}), Options{
		Logger:   log,
		Channels: []Channel{{Host: "takes-it", Capability: "it/channel", Method: "notifications/it/channel"}},
		Listener: func(context.Context) (Listener, error) { return l, nil },
	})
}

func (c *stdioClient) shakeHands(t *testing.T, name string) answer {
	t.Helper()
	got := c.ask(t, "initialize", map[string]any{
		"protocolVersion": "2025-11-25", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": name, "version": "0"},
	})
	c.send(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return got
}

func TestChannelPushes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newListener()
		c := dialStdio(t, t.Context(), pushing(l, nil))
		if got := c.ask(t, "server/discover", map[string]any{"_meta": newMeta()}); got.Error == nil || got.Error.Code != -32601 {
			t.Errorf("found by the newest revision, which cannot be pushed to: %s", describeAnswer(got))
		}
		var hello struct {
			ProtocolVersion string
			Capabilities    struct {
				Tools        map[string]any
				Experimental map[string]map[string]any
			}
		}
		if err := json.Unmarshal(c.shakeHands(t, "takes-it").Result, &hello); err != nil {
			t.Fatal(err)
		}
		if _, ok := hello.Capabilities.Experimental["it/channel"]; !ok || hello.Capabilities.Tools == nil || hello.ProtocolVersion != "2025-11-25" {
			t.Errorf("the handshake said %+v", hello)
		}
		text := "Turnpost: 1 item for you.\n<turnpost of-1>\nq-1 · \"x\" & é\n</turnpost of-1>"
		for i, failure := range []error{
			nil,
			turnpost.Errorf(turnpost.Unauthorized, "nothing was heard of this session yet"),
			turnpost.Errorf(turnpost.Unavailable, "the hub cannot be reached"),
		} {
			if failure != nil {
				l.fails <- failure
			}
			l.brings <- turnpost.HookAnswer{} // the time ran out
			offer := fmt.Sprint("of-", i)
			l.brings <- turnpost.HookAnswer{Offer: offer, Decision: turnpost.Decision{Continue: text}}
			line, err := c.out.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			var pushed struct {
				JSONRPC, Method string
				ID              *int
				Params          map[string]string
			}
			if err := json.Unmarshal([]byte(line), &pushed); err != nil {
				t.Fatal(err)
			}
			if pushed.JSONRPC != "2.0" || pushed.ID != nil || pushed.Method != "notifications/it/channel" || len(pushed.Params) != 1 || pushed.Params["content"] != text {
				t.Errorf("pushed %s", line)
			}
			synctest.Wait()
			if got := l.confirmed(); !strings.HasSuffix(got, offer) {
				t.Errorf("confirmed %q", got)
			}
		}
		if text, isError := call(t, c, "ack", `{"through":1}`); isError {
			t.Errorf("a tool beside it: %q", text)
		}
		c.in.Close()
		if err := <-c.done; err != nil {
			t.Error(err)
		}
	})
}

// TestChannelOnlyWhereItIsTaken: other clients, and this one without the
// option, hear of no channel and are pushed nothing.
func TestChannelOnlyWhereItIsTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newListener()
		other := dialStdio(t, t.Context(), pushing(l, nil))
		other.shakeHands(t, "somebody-else")
		plain := dialStdio(t, t.Context(), New(fixed(&fakeHub{}), Options{}))
		if got := plain.shakeHands(t, "takes-it"); strings.Contains(string(got.Result), "experimental") {
			t.Errorf("without the option the handshake said %s", got.Result)
		}
		early := dialStdio(t, t.Context(), pushing(l, nil)) // has not shaken hands
		synctest.Wait()
		select {
		case l.brings <- turnpost.HookAnswer{Offer: "of-1"}:
			t.Error("somebody listens")
		default:
		}
		for _, c := range []*stdioClient{other, plain, early} {
			c.in.Close()
			<-c.done
		}
	})
}

// TestChannelThatDoesNotArrive: the hub says so, once, and nothing is pushed
// after it.
func TestChannelThatDoesNotArrive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newListener()
		var log strings.Builder
		c := dialStdio(t, t.Context(), pushing(l, slog.New(slog.NewTextHandler(&log, nil))))
		c.shakeHands(t, "takes-it")
		l.fails <- turnpost.Errorf(turnpost.Conflict, "what was pushed did not arrive")
		time.Sleep(time.Minute)
		select {
		case l.brings <- turnpost.HookAnswer{Offer: "of-1"}:
			t.Error("somebody listens on")
		default:
		}
		c.in.Close()
		<-c.done
		if n := strings.Count(log.String(), "did not arrive"); n != 1 {
			t.Errorf("logged %d times: %s", n, log.String())
		}
	})
}

// TestChannelTextThatWasNotWritten is not confirmed: it comes again.
func TestChannelTextThatWasNotWritten(t *testing.T) {
	l := newListener()
	s := pushing(l, nil)
	conn := newLineConn(strings.NewReader(""), brokenWriter{})
	brought := make(chan struct{})
	go func() {
		l.brings <- turnpost.HookAnswer{Offer: "of-1", Decision: turnpost.Decision{Continue: "x"}}
		close(brought)
	}()
	err := s.pushNext(t.Context(), &peer{conn: conn, ctx: t.Context()}, s.channels[0])
	<-brought
	if err == nil || l.confirmed() != "" {
		t.Errorf("got %v, confirmed %q", err, l.confirmed())
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

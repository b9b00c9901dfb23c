package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"turnpost"
)

// newMeta is what a client of protocol 2026-07-28 sends with every request.
func newMeta() map[string]any {
	return map[string]any{
		"io.modelcontextprotocol/protocolVersion":    "2026-07-28",
		"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "test", "version": "0"},
		"io.modelcontextprotocol/clientCapabilities": map[string]any{},
	}
}

func TestHTTPDiscover(t *testing.T) {
	tests := []struct {
		name, version string
		params        any
		status        int
		want          string
	}{
		{"the new protocol", "2026-07-28", map[string]any{"_meta": newMeta()}, 200, `"supportedVersions":["2026-07-28","2025-11-25"`},
		{"without _meta", "2026-07-28", nil, 400, `"error"`},
		{"with an old header", "2025-11-25", nil, 200, `"code":-32601`},
		{"without a header", "", nil, 200, `"code":-32601`},
	}
	c := serveHTTP(t, New(fixed(&fakeHub{}), Options{}))
	for _, test := range tests {
		c.version = test.version
		c.method = "server/discover"
		status, contentType, data := c.post(t, requestJSON(t, 1, c.method, test.params))
		if status != test.status || contentType != "application/json" || !json.Valid(data) || !strings.Contains(string(data), test.want) {
			t.Errorf("%s: got %d %s %s", test.name, status, contentType, data)
		}
	}
}

// TestHTTPNewProtocol: no handshake at all, and the list still fits.
func TestHTTPNewProtocol(t *testing.T) {
	hub := &fakeHub{acked: turnpost.AckDone{Closed: 1}}
	c := serveHTTP(t, New(fixed(hub), Options{}))
	c.version = "2026-07-28"
	ask := func(method, name string, params map[string]any) string {
		params["_meta"] = newMeta()
		c.method, c.name = method, name
		status, _, data := c.post(t, requestJSON(t, 1, method, params))
		if status != 200 {
			t.Fatalf("%s: %d %s", method, status, data)
		}
		return string(data)
	}
	if list := ask("tools/list", "", map[string]any{}); len(list) > 10<<10 {
		t.Errorf("tools/list is %d bytes", len(list))
	}
	if got := ask("tools/call", "ack", map[string]any{"name": "ack", "arguments": map[string]any{"through": 1}}); !strings.Contains(got, "1 closed") {
		t.Errorf("got %s", got)
	}
}

// TestHTTPAfterRestart: the client keeps the session id that an earlier hub, or
// another server, gave it, and nothing is to be done about it (BR-18).
func TestHTTPAfterRestart(t *testing.T) {
	hub := &fakeHub{acked: turnpost.AckDone{Closed: 1}}
	for i := range 50 {
		c := serveHTTP(t, New(fixed(hub), Options{}))
		if i == 0 {
			if got := c.ask(t, "initialize", initializeParams("2025-11-25")); got.Error != nil {
				t.Fatal(describeAnswer(got))
			}
		}
		c.session = "01J0STALE"
		if text, isError := call(t, c, "ack", `{"through":1}`); isError || text != "1 closed, 0 still open." {
			t.Fatalf("restart %d: got %v %q", i, isError, text)
		}
		status, _, _ := c.post(t, []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
		if status != http.StatusAccepted {
			t.Fatalf("restart %d: a notification got %d", i, status)
		}
	}
}

// TestHTTPWaitEndsWithTheClient: 20 clients out of 20, in every protocol
// version, and nothing stays behind.
func TestHTTPWaitEndsWithTheClient(t *testing.T) {
	for _, version := range []string{"", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run("version "+version, func(t *testing.T) {
			defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
			const clients = 20
			hub := waitingHub()
			t.Run("clients", func(t *testing.T) {
				c := serveHTTP(t, New(fixed(hub), Options{}))
				c.version = version
				params := map[string]any{"name": "wait", "arguments": map[string]any{}}
				if version == "2026-07-28" {
					params["_meta"] = newMeta()
					c.method, c.name = "tools/call", "wait"
				}
				body := requestJSON(t, 1, "tools/call", params)
				ctx, hangUp := context.WithCancel(t.Context())
				failed := make(chan error, clients)
				transport := &http.Transport{}
				for range clients {
					r := c.request(ctx, t, body)
					go func() {
						response, err := transport.RoundTrip(r)
						if err == nil {
							response.Body.Close()
							err = fmt.Errorf("answered with %s", response.Status)
						}
						failed <- err
					}()
				}
				for range clients {
					select {
					case <-hub.waiting:
					case err := <-failed:
						t.Fatal(err)
					}
				}
				hangUp()
				for range clients {
					<-hub.ended
				}
				for range clients {
					<-failed
				}
			})
		})
	}
}

func TestHTTPRefusals(t *testing.T) {
	c := serveHTTP(t, New(fixed(&fakeHub{}), Options{}))
	ping := requestJSON(t, 1, "ping", nil)
	tests := []struct {
		name   string
		change func(*http.Request)
		body   []byte
		status int
	}{
		{"fine", func(*http.Request) {}, ping, 200},
		{"GET", func(r *http.Request) { r.Method = http.MethodGet }, nil, 405},
		{"DELETE", func(r *http.Request) { r.Method = http.MethodDelete }, nil, 405},
		{"PUT", func(r *http.Request) { r.Method = http.MethodPut }, ping, 405},
		{"too large", func(*http.Request) {}, append(ping, make([]byte, MaxMessage)...), 413},
		{"too large, in chunks", func(r *http.Request) { r.ContentLength = -1 }, append(ping, make([]byte, MaxMessage)...), 413},
		{"no JSON", func(*http.Request) {}, []byte(`{"jsonrpc":`), 400},
		{"empty", func(*http.Request) {}, nil, 400},
		{"form", func(r *http.Request) { r.Header.Set("Content-Type", "application/x-www-form-urlencoded") }, ping, 415},
		{"text", func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, ping, 415},
		{"another host", func(r *http.Request) { r.Host = "evil.com" }, ping, 403},
		{"unknown version", func(r *http.Request) { r.Header.Set("MCP-Protocol-Version", "2001-01-01") }, ping, 400},
		{"last event id", func(r *http.Request) { r.Header.Set("Last-Event-ID", "1_1") }, ping, 400},
		{"unknown method", func(*http.Request) {}, requestJSON(t, 1, "rm", nil), 400},
	}
	for _, test := range tests {
		r := c.request(t.Context(), t, test.body)
		test.change(r)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		data, _ := io.ReadAll(response.Body)
		response.Body.Close()
		if response.StatusCode != test.status {
			t.Errorf("%s: got %d %s, want %d", test.name, response.StatusCode, data, test.status)
		}
		for name := range response.Header {
			if strings.HasPrefix(name, "Access-Control-") || name == "Mcp-Session-Id" {
				t.Errorf("%s: answer has %s", test.name, name)
			}
		}
	}
}

// TestHTTPLeavesNothingBehind: sessions live as long as their request.
func TestHTTPLeavesNothingBehind(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	s := New(fixed(&fakeHub{}), Options{})
	t.Run("calls", func(t *testing.T) {
		c := serveHTTP(t, s)
		for range 100 {
			call(t, c, "inbox", `{}`)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	for range s.server.Sessions() {
		t.Error("a session is left")
	}
}

// TestHTTPContext: what the guard in front learned reaches hubFor.
func TestHTTPContext(t *testing.T) {
	type key struct{}
	var got any
	s := New(func(ctx context.Context, _ Claim) turnpost.Hub {
		got = ctx.Value(key{})
		return &fakeHub{}
	}, Options{})
	c := serveHTTPHandler(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.Handler().ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), key{}, "caller")))
	}))
	call(t, c, "inbox", `{}`)
	if got != "caller" {
		t.Errorf("hubFor saw %v", got)
	}
}

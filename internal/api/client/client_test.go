package client

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"turnpost"
	"turnpost/internal/statedir"
)

func TestNoHub(t *testing.T) {
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone.Close()
	for name, at := range map[string]Address{
		"no socket": {Socket: filepath.Join(t.TempDir(), "none")},
		"no port":   {URL: "http://" + gone.Addr().String(), Token: "t"},
	} {
		_, err := New(at).Post(t.Context(), turnpost.Draft{})
		var coded *turnpost.Error
		if !errors.As(err, &coded) || coded.Code != turnpost.Unavailable || !strings.Contains(coded.Hint, "turnpost up") {
			t.Errorf("%s: %#v", name, err)
		}
	}
}

func hub(t *testing.T, h http.HandlerFunc) *Client {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	c := New(Address{URL: s.URL, Token: "secret"})
	t.Cleanup(c.Close)
	return c
}

func TestStrangeAnswers(t *testing.T) {
	for name, h := range map[string]http.HandlerFunc{
		"a proxy's 502":  func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "<html>", 502) },
		"an empty error": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500); _, _ = w.Write([]byte(`{}`)) },
		"a redirect":     func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "http://evil.example/", 307) },
		"a broken answer": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "9")
			_, _ = w.Write([]byte(`{}`))
		},
	} {
		if _, err := hub(t, h).Whoami(t.Context(), turnpost.Nothing{}); turnpost.CodeOf(err) != turnpost.Unavailable {
			t.Errorf("%s: %v", name, err)
		}
	}
	c := hub(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"handle":`)) })
	if _, err := c.Whoami(t.Context(), turnpost.Nothing{}); err == nil || turnpost.CodeOf(err) != turnpost.Internal {
		t.Errorf("half an answer: %v", err)
	}
	// A newer hub may say more than we know.
	c = hub(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"handle":"@a","new":{"x":1}}`)) })
	if who, err := c.Whoami(t.Context(), turnpost.Nothing{}); err != nil || who.Handle != "@a" {
		t.Errorf("a newer answer: %+v, %v", who, err)
	}
}

func TestSilentHub(t *testing.T) {
	stop := make(chan struct{})
	c := hub(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-stop:
		}
	})
	defer close(stop)
	_, err := call[turnpost.Nothing](t.Context(), c, "whoami", turnpost.Nothing{}, 20*time.Millisecond)
	if turnpost.CodeOf(err) != turnpost.Unavailable || !strings.Contains(err.Error(), "20ms") {
		t.Errorf("our own limit: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := c.Whoami(ctx, turnpost.Nothing{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the caller's limit: %v", err)
	}
}

func TestWaitingTimes(t *testing.T) {
	for _, test := range []struct {
		seconds, byDefault int
		want               time.Duration
	}{{0, 50, 55 * time.Second}, {0, 25, 30 * time.Second}, {7, 50, 12 * time.Second}, {0, 0, 5 * time.Second}, {50, 0, 55 * time.Second}} {
		if got := waiting(test.seconds, test.byDefault); got != test.want {
			t.Errorf("waiting(%d, %d) = %s", test.seconds, test.byDefault, got)
		}
	}
}

func TestProofsAreSent(t *testing.T) {
	var got http.Header
	c := hub(t, func(w http.ResponseWriter, r *http.Request) { got = r.Header; _, _ = w.Write([]byte(`{}`)) })
	if _, err := c.WithSession("s-1").Whoami(t.Context(), turnpost.Nothing{}); err != nil {
		t.Fatal(err)
	}
	if got.Get("Authorization") != "Bearer secret" || got.Get(sessionHeader) != "s-1" || got.Get("Content-Type") != "application/json" {
		t.Errorf("%v", got)
	}
	if _, err := c.Whoami(t.Context(), turnpost.Nothing{}); err != nil {
		t.Fatal(err)
	}
	if got.Get(sessionHeader) != "" {
		t.Error("WithSession changed the client it was asked of")
	}
}

func TestFind(t *testing.T) {
	home := t.TempDir()
	env := map[string]string{"TURNPOST_HOME": home}
	find := func() (*Client, error) { return Find(func(name string) string { return env[name] }) }
	if _, err := find(); turnpost.CodeOf(err) != turnpost.Unavailable {
		t.Errorf("without a hub file: %v", err)
	}
	put := func(hub statedir.Hub) {
		data, err := json.Marshal(hub)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(statedir.Dir(home).HubFile(), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(statedir.Hub{Protocol: statedir.Protocol + 1, Socket: "/x"})
	if _, err := find(); turnpost.CodeOf(err) != turnpost.Unavailable || !strings.Contains(err.Error(), "protocol") {
		t.Errorf("another protocol: %v", err)
	}
	put(statedir.Hub{Protocol: statedir.Protocol, Socket: "/x", TCP: "127.0.0.1:1"})
	if c, err := find(); err != nil || c.base != "http://turnpost" || c.token != "" {
		t.Errorf("the hub file: %+v, %v", c, err)
	}
	if err := os.WriteFile(statedir.Dir(home).HubFile(), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := find(); turnpost.CodeOf(err) != turnpost.Unavailable {
		t.Errorf("half a hub file: %v", err)
	}
	env["TURNPOST_TOKEN"] = "secret"
	for address, ok := range map[string]bool{
		"http://127.0.0.1:21584": true, "http://localhost:21584/": true, "http://[::1]:1": true, "https://hub.example": true,
		"http://hub.example": false, "http://127.0.0.1.evil.example": false, "http://10.0.0.1": false, "127.0.0.1:21584": false, "file:///x": false,
	} {
		env["TURNPOST_URL"] = address
		c, err := find()
		if (err == nil) != ok {
			t.Errorf("TURNPOST_URL %s: %v", address, err)
		}
		if err == nil && (c.token != "secret" || strings.HasSuffix(c.base, "/")) {
			t.Errorf("TURNPOST_URL %s: %+v", address, c)
		}
	}
	if _, err := Find(func(string) string { return "" }); turnpost.CodeOf(err) != turnpost.Invalid {
		t.Errorf("without a home: %v", err)
	}
}

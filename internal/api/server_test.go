package api

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"turnpost"
	"turnpost/internal/api/client"
)

func TestSocketIsPrivate(t *testing.T) {
	s := listen(t, newFake())
	path := s.socket.Addr().String()
	for file, want := range map[string]os.FileMode{path: os.ModeSocket | 0o600, filepath.Dir(path): os.ModeDir | 0o700} {
		if info, err := os.Lstat(file); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v; want %v", file, info.Mode(), err, want)
		}
	}
	if err := os.Chmod(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	_, err := Listen(Config{Backend: newFake(), Socket: filepath.Join(filepath.Dir(path), "other.sock"), Logger: discard()})
	var coded *turnpost.Error
	if !errors.As(err, &coded) || coded.Code != turnpost.Forbidden || !strings.HasPrefix(coded.Hint, "chmod 700") {
		t.Errorf("in a directory open to others: %v", err)
	}
}

func TestStaleSocketIsReplacedAndALiveOneIsNot(t *testing.T) {
	path := socketPath(t)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	// As kill -9 leaves it.
	dead, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	dead.(*net.UnixListener).SetUnlinkOnClose(false)
	dead.Close()
	at := func(cfg *Config) { cfg.Socket = path }
	s := listen(t, newFake(), at)
	if _, err := Listen(Config{Backend: newFake(), Socket: path, Logger: discard()}); turnpost.CodeOf(err) != turnpost.Conflict {
		t.Errorf("beside a living hub: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket stays behind: %v", err)
	}
	if err := os.WriteFile(path, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(Config{Backend: newFake(), Socket: path, Logger: discard()}); turnpost.CodeOf(err) != turnpost.Conflict {
		t.Errorf("where a file is: %v", err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "precious" {
		t.Errorf("the file was touched: %q, %v", data, err)
	}
}

func TestListenRefuses(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, test := range []struct {
		name, tcp, token, socket string
		want                     turnpost.Code
	}{
		{"all addresses", "0.0.0.0:0", testToken, "", turnpost.Invalid},
		{"all IPv6 addresses", "[::]:0", testToken, "", turnpost.Invalid},
		{"no host", ":0", testToken, "", turnpost.Invalid},
		{"another machine's", "192.0.2.1:80", testToken, "", turnpost.Invalid},
		{"a name", "hub.example:80", testToken, "", turnpost.Invalid},
		{"no port", "127.0.0.1", testToken, "", turnpost.Invalid},
		{"a taken port", taken.Addr().String(), testToken, "", turnpost.Conflict},
		{"no token", "127.0.0.1:0", "", "", turnpost.Forbidden},
		{"a short token", "127.0.0.1:0", "secret", "", turnpost.Forbidden},
		{"a relative socket", "", "", "hub.sock", turnpost.Invalid},
		{"a long socket", "", "", "/" + strings.Repeat("x", 103), turnpost.Invalid},
	} {
		cfg := Config{Backend: newFake(), Socket: test.socket, TCP: test.tcp, Token: test.token, Logger: discard()}
		if cfg.Socket == "" {
			cfg.Socket = socketPath(t)
		}
		if _, err := Listen(cfg); turnpost.CodeOf(err) != test.want {
			t.Errorf("%s: %v", test.name, err)
		}
		if _, err := os.Lstat(cfg.Socket); err == nil {
			t.Errorf("%s: the socket stays behind", test.name)
		}
	}
	if s := listen(t, newFake(), func(cfg *Config) { cfg.TCP = "localhost:0" }); !strings.HasPrefix(s.TCP(), "127.0.0.1:") && !strings.HasPrefix(s.TCP(), "[::1]:") {
		t.Errorf("localhost is %s", s.TCP())
	}
}

// A stop answers what waits, lets a stream end, and takes two seconds at most.
func TestStopEndsWaitsWithAnswers(t *testing.T) {
	for _, how := range []string{"context", "client"} {
		t.Run(how, func(t *testing.T) {
			f := newFake()
			f.waits = make(chan string, 4)
			streaming := make(chan struct{})
			s := listen(t, f, func(cfg *Config) {
				cfg.Mounts = map[string]Mount{"/stream": {Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					_, _ = io.WriteString(w, "begin ")
					_ = http.NewResponseController(w).Flush()
					close(streaming)
					<-r.Context().Done()
					_, _ = io.WriteString(w, "end")
				})}}
			})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			served := make(chan error, 1)
			go func() { served <- s.Serve(ctx) }()

			c := clients(s)["socket"]
			inbox := make(chan error, 1)
			go func() {
				got, err := c.Wait(t.Context(), turnpost.WaitQuery{Seconds: 50})
				if diff := cmp.Diff(filled[turnpost.Inbox](), got); err == nil && diff != "" {
					err = errors.New(diff)
				}
				inbox <- err
			}()
			changes := make(chan error, 1)
			go func() {
				_, err := clients(s)["port"].Changes(t.Context(), turnpost.ChangesQuery{Seconds: 50})
				changes <- err
			}()
			journal := make(chan error, 1)
			go func() {
				_, err := clients(s)["port"].Journal(t.Context(), turnpost.JournalQuery{Seconds: 50})
				journal <- err
			}()
			stream := make(chan string, 1)
			go func() {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.TCP()+"/stream", nil)
				if err != nil {
					stream <- err.Error()
					return
				}
				r.Header.Set("Authorization", "Bearer "+testToken)
				answer, err := http.DefaultTransport.RoundTrip(r)
				if err != nil {
					stream <- err.Error()
					return
				}
				defer answer.Body.Close()
				text, err := io.ReadAll(answer.Body)
				if err != nil {
					stream <- err.Error()
				}
				stream <- string(text)
			}()
			for range 3 {
				<-f.waits
			}
			<-streaming

			start := time.Now()
			if how == "context" {
				cancel()
			} else if err := clients(s)["socket"].Stop(t.Context()); err != nil {
				t.Errorf("stop: %v", err)
			}
			if err := <-inbox; err != nil {
				t.Errorf("wait: %v", err)
			}
			if err := <-changes; err != nil {
				t.Errorf("changes: %v", err)
			}
			if err := <-journal; err != nil {
				t.Errorf("journal: %v", err)
			}
			if took := time.Since(start); took >= stopGrace {
				t.Errorf("the waits went on for %s, with the requests that may finish", took)
			}
			if text := <-stream; text != "begin end" {
				t.Errorf("stream: %q", text)
			}
			if err := <-served; err != nil {
				t.Errorf("serve: %v", err)
			}
			if took := time.Since(start); took > 2*time.Second {
				t.Errorf("the stop took %s", took)
			}
			if _, err := c.Whoami(t.Context(), turnpost.Nothing{}); turnpost.CodeOf(err) != turnpost.Unavailable {
				t.Errorf("after the stop: %v", err)
			}
			if _, err := os.Lstat(s.socket.Addr().String()); !errors.Is(err, os.ErrNotExist) {
				t.Error("the socket stays behind")
			}
		})
	}
}

// A handler that does not end, and a client that says nothing, do not keep
// the hub from ending; what they held is free.
func TestStopIsBounded(t *testing.T) {
	f := newFake()
	entered, release := make(chan struct{}), make(chan struct{})
	f.handle = func(turnpost.Event) (turnpost.HookAnswer, error) {
		close(entered)
		<-release
		return turnpost.HookAnswer{}, nil
	}
	s := listen(t, f)
	served := make(chan error, 1)
	go func() { served <- s.Serve(t.Context()) }()
	silent, err := net.Dial("tcp", s.TCP())
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	c := clients(s)["socket"]
	answered := make(chan error, 1)
	go func() { _, err := c.Handle(t.Context(), turnpost.Event{}); answered <- err }()
	<-entered
	start := time.Now()
	if err := clients(s)["socket"].Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
	if took := time.Since(start); took > 3*time.Second {
		t.Errorf("the stop took %s", took)
	}
	close(release)
	if err := <-answered; turnpost.CodeOf(err) != turnpost.Unavailable {
		t.Errorf("the cut-off call: %v", err)
	}
}

func TestConnectionsAboveTheCapAreClosed(t *testing.T) {
	s := listen(t, newFake())
	serve(t, s)
	l := s.socket.(*listener)
	l.open.Store(maxConns) // as many as there may be
	over, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer over.Close()
	if n, err := over.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Error("a connection above the cap stays open")
	}
	l.open.Store(maxConns - 1)
	c := clients(s)["socket"]
	if _, err := c.Whoami(t.Context(), turnpost.Nothing{}); err != nil {
		t.Errorf("below the cap: %v", err)
	}
	c.Close()
	if _, err := clients(s)["port"].Whoami(t.Context(), turnpost.Nothing{}); err != nil {
		t.Errorf("the other listener: %v", err)
	}
}

func TestTimeouts(t *testing.T) {
	s := listen(t, newFake())
	h := s.http
	if h.ReadHeaderTimeout != 5*time.Second || h.ReadTimeout != 10*time.Second || h.IdleTimeout != time.Minute ||
		h.MaxHeaderBytes != 16<<10 || h.WriteTimeout != 0 {
		t.Errorf("%+v", h)
	}
	// The read timeout ends with the body: a wait goes on.
	f := newFake()
	f.waits = make(chan string, 1)
	s = listen(t, f)
	s.http.ReadTimeout = 100 * time.Millisecond
	serve(t, s)
	c, err := net.Dial("unix", s.socket.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := write(c, "/v1/wait", "{}"); err != nil {
		t.Fatal(err)
	}
	<-f.waits
	if err := c.SetReadDeadline(time.Now().Add(300 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the wait ended with the read timeout: %v", err)
	}
	// A slow body ends with it.
	slow, err := net.Dial("unix", s.socket.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	if _, err := io.WriteString(slow, "POST /v1/post HTTP/1.1\r\nHost: turnpost\r\nContent-Length: 100\r\n\r\n{"); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(slow), nil)
	if err != nil || answer.StatusCode != 400 || !answer.Close {
		t.Errorf("a slow body: %+v, %v", answer, err)
	}
}

// A client that went away frees its wait.
func TestGoneClientEndsItsWait(t *testing.T) {
	for name, wait := range map[string]func(context.Context, *client.Client) error{
		"Wait": func(ctx context.Context, c *client.Client) error {
			_, err := c.Wait(ctx, turnpost.WaitQuery{})
			return err
		},
		"Journal": func(ctx context.Context, c *client.Client) error {
			_, err := c.Journal(ctx, turnpost.JournalQuery{Seconds: 50})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake()
			f.waits, f.ended = make(chan string, 1), make(chan string, 1)
			s := listen(t, f)
			serve(t, s)
			ctx, cancel := context.WithCancel(t.Context())
			c := clients(s)["port"]
			done := make(chan error, 1)
			go func() { done <- wait(ctx, c) }()
			<-f.waits
			cancel()
			if err := <-done; !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
			if ended := <-f.ended; ended != name { // a wait that goes on hangs here
				t.Errorf("%s ended", ended)
			}
		})
	}
}

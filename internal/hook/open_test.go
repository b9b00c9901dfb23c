package hook_test

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"turnpost/internal/statedir"
)

// Bounds are for an idle machine times four: these tests run beside others.
const busy = 4

// BR-01: a hub that is down never blocks an agent, however often it fails.
func TestHubDownFiftyTimes(t *testing.T) {
	p := newPlace(t)
	p.hubFile(t, statedir.Hub{Protocol: statedir.Protocol, Pid: 1, Socket: p.dir.Socket()})
	for i := range 50 {
		if got := p.call(t, strings.NewReader(input("Stop"))); !got.silent() {
			t.Fatalf("call %d: %+v", i, got)
		}
	}
}

// R4: no event of any recorded kind makes a sound without a hub, but for the
// bell that the client announces by itself.
func TestEveryEventWithoutHub(t *testing.T) {
	p := newPlace(t)
	fixtures, err := filepath.Glob("../harness/testdata/claude-code/*/stdin.json")
	if err != nil || len(fixtures) < 50 {
		t.Fatalf("%d fixtures, %v", len(fixtures), err)
	}
	for _, path := range fixtures {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got := p.call(t, strings.NewReader(string(data)))
		name := filepath.Base(filepath.Dir(path))
		if strings.HasPrefix(name, "session-start") || strings.HasPrefix(name, "cwd-changed") {
			if got.status != 0 || !strings.Contains(got.stdout, "watchPaths") || strings.Contains(got.stdout, "additionalContext") || got.stderr != "" {
				t.Errorf("%s: %+v", name, got)
			}
			continue
		}
		if !got.silent() {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if entries, _ := os.ReadDir(string(p.dir)); len(entries) != 1 {
		t.Errorf("without a hub file there is more than the bells: %v", entries)
	}
}

// BR-05: the call ends although nobody closes its input.
func TestOpenInput(t *testing.T) {
	p := newPlace(t)
	hub := p.hub(t, nothing)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close() // after the call
	if _, err := io.WriteString(w, input("Stop")); err != nil {
		t.Fatal(err)
	}
	got := p.call(t, r)
	if !got.silent() || got.took > 100*time.Millisecond*busy {
		t.Errorf("%+v", got)
	}
	if n := len(hub.events(t)); n != 1 {
		t.Errorf("%d events", n)
	}
}

// BR-06: a hub that is gone costs nothing, one that hangs no more than the
// budget; what needs no hub is answered all the same.
func TestHubGoneOrHung(t *testing.T) {
	for name, listen := range map[string]func(t *testing.T, path string){
		"no socket": func(*testing.T, string) {},
		"refused": func(t *testing.T, path string) {
			l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
			if err != nil {
				t.Fatal(err)
			}
			l.SetUnlinkOnClose(false)
			l.Close()
		},
		"not a socket": func(t *testing.T, path string) {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"accepts and hangs": func(t *testing.T, path string) { accept(t, path, func(c net.Conn) {}) },
		"closes":            func(t *testing.T, path string) { accept(t, path, func(c net.Conn) { c.Close() }) },
		"half an answer": func(t *testing.T, path string) {
			accept(t, path, func(c net.Conn) { io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{") })
		},
		"drips": func(t *testing.T, path string) {
			accept(t, path, func(c net.Conn) {
				tick := time.NewTicker(20 * time.Millisecond)
				defer tick.Stop()
				for range tick.C {
					if _, err := io.WriteString(c, "X"); err != nil {
						return
					}
				}
			})
		},
		"never accepts": func(t *testing.T, path string) { fullBacklog(t, path) },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.hubFile(t, statedir.Hub{Protocol: statedir.Protocol, Pid: 1, Socket: p.dir.Socket()})
			listen(t, p.dir.Socket())
			limit := 350 * time.Millisecond
			switch name {
			case "no socket", "refused", "not a socket", "closes":
				limit = 60 * time.Millisecond
			}
			for _, kind := range []string{"Stop", "PreToolUse", "SessionEnd"} {
				if got := p.call(t, strings.NewReader(input(kind))); !got.silent() || got.took > limit*busy {
					t.Errorf("%s: %+v", kind, got)
				}
			}
			got := p.call(t, strings.NewReader(input("SessionStart")))
			if got.status != 0 || !strings.Contains(got.stdout, p.dir.Bells()) || got.took > limit*busy {
				t.Errorf("the bell is not announced: %+v", got)
			}
		})
	}
}

func accept(t *testing.T, path string, serve func(net.Conn)) {
	t.Helper()
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { c.Close() })
			go serve(c)
		}
	}()
}

// fullBacklog is a hub that is too busy to accept anything. It returns the
// listening socket.
func fullBacklog(t *testing.T, path string) int {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Close(fd) })
	if err := syscall.Bind(fd, &syscall.SockaddrUnix{Name: path}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	for range 2 { // what the kernel takes before it says EAGAIN
		c, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { syscall.Close(c) })
		if err := syscall.SetNonblock(c, true); err != nil {
			t.Fatal(err)
		}
		if syscall.Connect(c, &syscall.SockaddrUnix{Name: path}) != nil {
			return fd
		}
	}
	t.Fatal("the backlog does not fill")
	return fd
}

// A hub that was too busy for a moment is tried again: package net would have
// dropped the event at once.
func TestBusyHubIsTriedAgain(t *testing.T) {
	p := newPlace(t)
	p.hubFile(t, statedir.Hub{Protocol: statedir.Protocol, Pid: 1, Socket: p.dir.Socket()})
	fd := fullBacklog(t, p.dir.Socket())
	answered := make(chan string, 1)
	go func() {
		time.Sleep(100 * time.Millisecond) // the hub is busy: this is the input, not a wait
		for {
			c, _, err := syscall.Accept(fd)
			if err != nil {
				return
			}
			conn := os.NewFile(uintptr(c), "conn")
			go func() { // those that filled the backlog say nothing
				buf := make([]byte, 4096)
				n, _ := conn.Read(buf)
				if n > 0 {
					answer := `{"decision":{"continue":"late mail"}}`
					fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(answer), answer)
					answered <- string(buf[:n])
				}
			}()
		}
	}()
	got := p.call(t, strings.NewReader(input("Stop")))
	if got.took > time.Second*busy {
		t.Errorf("%+v", got)
	}
	select {
	case request := <-answered:
		if !strings.Contains(request, `"kind":"turn.end"`) || !strings.Contains(got.stdout, "late mail") {
			t.Errorf("request %q, %+v", request, got)
		}
	default:
		t.Errorf("the hub was not asked again: %+v", got)
	}
}

// R5: whatever stands at the input, the call ends soon and with 0.
func TestInputs(t *testing.T) {
	p := newPlace(t)
	hub := p.hub(t, nothing)
	pipe := func(write func(w *os.File)) func(t *testing.T) io.Reader {
		return func(t *testing.T) io.Reader {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { r.Close(); w.Close() })
			go write(w)
			return r
		}
	}
	for name, c := range map[string]struct {
		in     func(t *testing.T) io.Reader
		events int
	}{
		"open, no bytes": {pipe(func(*os.File) {}), 0},
		"open, half":     {pipe(func(w *os.File) { io.WriteString(w, `{"hook_event_name":"Stop","session_`) }), 0},
		"half":           {func(*testing.T) io.Reader { return strings.NewReader(`{"hook_event_name":"Stop"`) }, 0},
		"empty":          {func(*testing.T) io.Reader { return strings.NewReader("") }, 0},
		"two documents":  {func(*testing.T) io.Reader { return strings.NewReader(input("Stop") + input("SessionEnd")) }, 1},
		"3 MB": {func(*testing.T) io.Reader {
			return strings.NewReader(strings.Replace(input("Stop"), "{", `{"x":"`+strings.Repeat("x", 3<<20)+`",`, 1))
		}, 1},
		"slow 3 MB": {pipe(func(w *os.File) {
			io.WriteString(w, `{"hook_event_name":"Stop","session_id":"s1","x":"`)
			for range 300 {
				time.Sleep(10 * time.Millisecond) // slow is the input, not a wait
				if _, err := io.WriteString(w, strings.Repeat("x", 10<<10)); err != nil {
					return
				}
			}
		}), 0},
		"20 MB": {func(*testing.T) io.Reader {
			return io.MultiReader(strings.NewReader(`{"x":"`), io.LimitReader(endless{}, 20<<20))
		}, 0},
		"/dev/null": {func(t *testing.T) io.Reader {
			f, err := os.Open(os.DevNull)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { f.Close() })
			return f
		}, 0},
		"a directory": {func(t *testing.T) io.Reader {
			f, err := os.Open(".")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { f.Close() })
			return f
		}, 0},
		"terminal": {func(t *testing.T) io.Reader {
			master, slave, err := pty.Open()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { master.Close(); slave.Close() })
			return slave
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			before := len(hub.events(t))
			got := p.call(t, c.in(t))
			if !got.silent() || got.took > time.Second*busy {
				t.Errorf("%d %.200q %.200q in %s", got.status, got.stdout, got.stderr, got.took)
			}
			if n := len(hub.events(t)) - before; n != c.events {
				t.Errorf("%d events, want %d", n, c.events)
			}
		})
	}
	t.Run("closed", func(t *testing.T) {
		if got := finish(t, p.command("sh", "-c", "exec '"+program+"' claude-code <&-")); !got.silent() || got.took > time.Second*busy {
			t.Errorf("%+v", got)
		}
	})
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

package hook_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"turnpost"
	"turnpost/internal/harness"
	"turnpost/internal/hook"
	"turnpost/internal/statedir"
)

// program is the real hook client, built once.
var program string

// TestMain is two programs: the tests, and a hook client with a step that
// breaks in the way that the variable names.
func TestMain(m *testing.M) {
	if fault := os.Getenv("TURNPOST_TEST_FAULT"); fault != "" {
		os.Exit(hook.Main(os.Args[1:], faulty(fault)))
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "hook")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "turnpost-hook")
	build := exec.Command("go", "build", "-o", program, "turnpost/cmd/turnpost-hook")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the hook client: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// faulty is a step that breaks.
type faulty string

func (f faulty) Decide(turnpost.Event, string) turnpost.Decision {
	switch f {
	case "panic":
		panic("a panic")
	case "nil":
		var p *turnpost.Event
		p.Kind = turnpost.Bell
	case "goroutine":
		go panic("a panic elsewhere")
		select {}
	case "fatal":
		new(sync.Mutex).Unlock()
	case "stack":
		debug.SetMaxStack(1 << 20)
		f.Decide(turnpost.Event{}, "")
	case "memory":
		var all [][]byte
		for {
			all = append(all, make([]byte, 1<<28))
		}
	case "kill":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	case "status 2":
		os.Exit(2)
	case "speak":
		return turnpost.Decision{Continue: "from a step"}
	}
	return turnpost.Decision{}
}

// place is a state directory with what a hook call finds there.
type place struct {
	dir statedir.Dir
	env []string
}

func newPlace(t *testing.T) *place {
	t.Helper()
	// Not t.TempDir: the path of a socket has room for about a hundred bytes.
	dir, err := os.MkdirTemp("", "tp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return &place{
		dir: statedir.Dir(dir),
		env: []string{
			"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TURNPOST_HOME=" + dir,
			"CLAUDE_PID=" + fmt.Sprint(os.Getpid()), "CLAUDE_CODE_SESSION_ATTENDED=1", "AI_AGENT=claude-code_2-1-332_harness",
			"ANTHROPIC_API_KEY=sk-secret",
		},
	}
}

func (p *place) hubFile(t *testing.T, hub statedir.Hub) {
	t.Helper()
	data, err := json.Marshal(hub)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.dir.HubFile(), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// result is what one hook call left.
type result struct {
	status         int
	stdout, stderr string
	took           time.Duration
}

func (r result) silent() bool { return r.status == 0 && r.stdout == "" && r.stderr == "" }

func (p *place) command(args ...string) *exec.Cmd {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = p.env
	return cmd
}

// call runs the hook client once, to its end.
func (p *place) call(t *testing.T, stdin io.Reader) result {
	t.Helper()
	cmd := p.command(program, "claude-code")
	cmd.Stdin = stdin
	return finish(t, cmd)
}

func finish(t *testing.T, cmd *exec.Cmd) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	start := time.Now()
	err := cmd.Start()
	if err == nil {
		hung := time.AfterFunc(20*time.Second, func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
		defer hung.Stop()
		err = cmd.Wait()
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%q: %v", cmd.Args, err)
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String(), time.Since(start)}
}

func input(kind string) string {
	switch kind {
	case "SessionStart":
		return `{"hook_event_name":"SessionStart","session_id":"s1","cwd":"/r","source":"startup"}`
	case "PostToolBatch":
		return `{"hook_event_name":"PostToolBatch","session_id":"s1","cwd":"/r","tool_calls":[{"tool_name":"Bash"}]}`
	}
	return `{"hook_event_name":"` + kind + `","session_id":"s1","stop_hook_active":false,"cwd":"/r"}`
}

// asked is one request that the stand-in hub got.
type asked struct {
	conn string // which connection
	path string
	body string
}

// standIn is a hub that answers what it is told to.
type standIn struct {
	mu     sync.Mutex
	asked  []asked
	shown  chan string
	answer func(turnpost.Event) any // a HookAnswer, or a status
}

func (p *place) hub(t *testing.T, answer func(turnpost.Event) any) *standIn {
	t.Helper()
	listener, err := net.Listen("unix", p.dir.Socket())
	if err != nil {
		t.Fatal(err)
	}
	s := &standIn{shown: make(chan string, 100), answer: answer}
	server := &http.Server{Handler: s}
	ids := 0
	go server.Serve(numbered{listener, &ids})
	t.Cleanup(func() { server.Close() })
	p.hubFile(t, statedir.Hub{Protocol: statedir.Protocol, Pid: os.Getpid(), Socket: p.dir.Socket()})
	return s
}

// numbered gives every connection an address of its own.
type numbered struct {
	net.Listener
	ids *int
}

func (n numbered) Accept() (net.Conn, error) {
	c, err := n.Listener.Accept()
	*n.ids++
	return numberedConn{c, fmt.Sprint(*n.ids)}, err
}

type numberedConn struct {
	net.Conn
	id string
}

func (c numberedConn) RemoteAddr() net.Addr { return &net.UnixAddr{Name: c.id, Net: "unix"} }

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	s.mu.Lock()
	s.asked = append(s.asked, asked{r.RemoteAddr, r.URL.Path, string(body)})
	s.mu.Unlock()
	if r.URL.Path == "/v1/shown" {
		var receipt turnpost.Receipt
		_ = json.Unmarshal(body, &receipt)
		s.shown <- receipt.Offer
		return
	}
	var event turnpost.Event
	if err := json.Unmarshal(body, &event); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	switch answer := s.answer(event).(type) {
	case int:
		w.WriteHeader(answer)
	default:
		_ = json.NewEncoder(w).Encode(answer)
	}
}

// requests returns what was asked so far.
func (s *standIn) requests() []asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]asked(nil), s.asked...)
}

func (s *standIn) events(t *testing.T) []turnpost.Event {
	t.Helper()
	var events []turnpost.Event
	for _, a := range s.requests() {
		if a.path != "/v1/event" {
			continue
		}
		var e turnpost.Event
		if err := json.Unmarshal([]byte(a.body), &e); err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	return events
}

func nothing(turnpost.Event) any { return turnpost.HookAnswer{Handle: "@r"} }

// line returns what setup registers for an event, for a program.
func line(t *testing.T, event, program string) string {
	t.Helper()
	h, ok := harness.Find("claude-code")
	if !ok {
		t.Fatal("no claude-code")
	}
	for _, e := range h.Install(harness.Target{Home: "/h", Version: "2.1.332", Hook: program}) {
		if e.Pointer != "/hooks/"+event {
			continue
		}
		data, err := json.Marshal(e.Value)
		if err != nil {
			t.Fatal(err)
		}
		var group struct{ Hooks []struct{ Command string } }
		if err := json.Unmarshal(data, &group); err != nil || len(group.Hooks) != 1 {
			t.Fatalf("%s: %v", data, err)
		}
		return group.Hooks[0].Command
	}
	t.Fatalf("%s is not registered", event)
	return ""
}

// bell is the input of a ring for this test's own process.
func (p *place) bell(t *testing.T) string {
	t.Helper()
	out := p.call(t, strings.NewReader(input("SessionStart"))).stdout
	var answer struct {
		HookSpecificOutput struct{ WatchPaths []string }
	}
	if err := json.Unmarshal([]byte(out), &answer); err != nil || len(answer.HookSpecificOutput.WatchPaths) != 1 {
		t.Fatalf("session start answered %q", out)
	}
	data, err := json.Marshal(map[string]string{
		"hook_event_name": "FileChanged", "session_id": "s1", "event": "change",
		"file_path": answer.HookSpecificOutput.WatchPaths[0],
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

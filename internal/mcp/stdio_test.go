package mcp

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"turnpost"
)

func waitingHub() *fakeHub {
	return &fakeHub{waiting: make(chan struct{}), ended: make(chan error)}
}

// startWait sends a wait that is not answered.
func (c *stdioClient) startWait(t *testing.T, hub *fakeHub) {
	t.Helper()
	c.send(t, `{"jsonrpc":"2.0","id":99,"method":"tools/call","params":{"name":"wait","arguments":{}}}`)
	<-hub.waiting
}

func TestStdioWaitEndsWithTheClient(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	hub := waitingHub()
	c := dialStdio(t, t.Context(), New(fixed(hub), Options{}))
	c.initialize(t)
	c.startWait(t, hub)
	go io.Copy(io.Discard, c.out)
	c.in.Close()
	<-hub.ended
	if err := <-c.done; err != nil {
		t.Errorf("ServeStdio returned %v, want nil at the end of the input", err)
	}
}

func TestStdioWaitEndsWithTheContext(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	hub := waitingHub()
	ctx, cancel := context.WithCancelCause(t.Context())
	c := dialStdio(t, ctx, New(fixed(hub), Options{}))
	c.initialize(t)
	c.startWait(t, hub)
	go io.Copy(io.Discard, c.out)
	stopped := errors.New("stopped")
	cancel(stopped)
	if cause := <-hub.ended; !errors.Is(cause, stopped) {
		t.Errorf("the wait ended because of %v, want %v", cause, stopped)
	}
	if err := <-c.done; err != nil {
		t.Errorf("ServeStdio returned %v, want nil", err)
	}
}

func TestStdioWaitCanBeCancelled(t *testing.T) {
	hub := waitingHub()
	c := dialStdio(t, t.Context(), New(fixed(hub), Options{}))
	c.initialize(t)
	c.startWait(t, hub)
	c.send(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`)
	<-hub.ended
	c.receive(t) // the answer to the cancelled request
	if got := c.ask(t, "ping", nil); got.Error != nil {
		t.Errorf("after it: %s", describeAnswer(got))
	}
}

// TestStdioOtherCallsDuringAWait: a wait holds nobody up.
func TestStdioOtherCallsDuringAWait(t *testing.T) {
	hub := waitingHub()
	hub.acked = turnpost.AckDone{Closed: 1}
	c := dialStdio(t, t.Context(), New(fixed(hub), Options{}))
	c.initialize(t)
	c.startWait(t, hub)
	if text, isError := call(t, c, "ack", `{"through":1}`); isError {
		t.Errorf("got error %q", text)
	}
	go io.Copy(io.Discard, c.out)
	c.in.Close()
	<-hub.ended
}

// TestStdioBadLines: the client is told, and its session goes on.
func TestStdioBadLines(t *testing.T) {
	tests := []struct {
		name, line string
		code       int // 0: no answer
	}{
		{"no JSON", `{"jsonrpc":"2.0",`, -32700},
		{"plain text", `hello`, -32700},
		{"binary", "\x00\xff\xfe", -32700},
		{"not JSON-RPC", `{"id":7}`, -32600},
		{"a batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, -32600},
		{"too long", `{"jsonrpc":"2.0","id":1,"method":"ping","params":"` + strings.Repeat("x", MaxMessage) + `"}`, -32600},
		{"too deep", strings.Repeat("[", 20000), -32700},
		{"empty", ``, 0},
		{"spaces", "  \r", 0},
		{"unknown method", `{"jsonrpc":"2.0","id":7,"method":"rm"}`, -32601},
		{"answer to nothing", `{"jsonrpc":"2.0","id":7,"result":{}}`, 0},
	}
	c := dialStdio(t, t.Context(), New(fixed(&fakeHub{}), Options{}))
	c.initialize(t)
	for _, test := range tests {
		c.send(t, test.line)
		if test.code != 0 {
			if got := c.receive(t); got.Error == nil || got.Error.Code != test.code {
				t.Errorf("%s: got %s, want error %d", test.name, describeAnswer(got), test.code)
			}
		}
		if got := c.ask(t, "ping", nil); got.Error != nil {
			t.Fatalf("%s: the next request: %s", test.name, describeAnswer(got))
		}
	}
}

func TestReadLine(t *testing.T) {
	long := strings.Repeat("x", MaxMessage)
	reader := bufio.NewReader(strings.NewReader("a\n\n" + long + "x\n" + "b\r\n" + long[1:] + "\n" + "last"))
	want := []string{"a\n", "\n", "", "b\r\n", long[1:] + "\n", "last"}
	for i, line := range want {
		got, err := readLine(reader)
		if string(got) != line || errors.Is(err, errLineTooLong) != (line == "") {
			t.Errorf("line %d: got %.20q and %v, want %.20q", i, got, err, line)
		}
	}
	if _, err := readLine(reader); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: got %v", err)
	}
	if got, err := readLine(bufio.NewReader(strings.NewReader(long + "xx"))); !errors.Is(err, io.EOF) {
		t.Errorf("too long and never ended: got %d bytes and %v", len(got), err)
	}
}

// TestStdioBrokenOutput: a broken output ends the session with an
// error.
func TestStdioBrokenOutput(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	broken := errors.New("broken pipe")
	inReader, inWriter := io.Pipe()
	outReader, outWriter := io.Pipe()
	outReader.CloseWithError(broken)
	done := make(chan error, 1)
	go func() { done <- New(fixed(&fakeHub{}), Options{}).ServeStdio(t.Context(), inReader, outWriter) }()
	io.WriteString(inWriter, "nonsense\n")
	if err := <-done; !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
}

func TestStdioDiscover(t *testing.T) {
	c := dialStdio(t, t.Context(), New(fixed(&fakeHub{}), Options{}))
	got := c.ask(t, "server/discover", map[string]any{"_meta": newMeta()})
	if got.Error != nil || !strings.Contains(string(got.Result), `"2026-07-28"`) {
		t.Errorf("got %s", describeAnswer(got))
	}
	// From here on there is no handshake.
	got = c.ask(t, "tools/call", map[string]any{"name": "ack", "arguments": map[string]any{"through": 1}, "_meta": newMeta()})
	if got.Error != nil || !strings.Contains(string(got.Result), "closed") {
		t.Errorf("a call: got %s", describeAnswer(got))
	}
}

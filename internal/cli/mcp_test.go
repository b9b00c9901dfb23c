package cli

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"turnpost"
	"turnpost/internal/api/client"
	"turnpost/internal/process"
)

// toolClient speaks to turnpost mcp as a harness does, one message a line.
type toolClient struct {
	t   *testing.T
	in  io.WriteCloser
	out *bufio.Scanner
	id  int
}

func (p *place) tools(flags ...string) *toolClient {
	p.t.Helper()
	cmd := p.command(append([]string{"mcp"}, flags...)...)
	in, err := cmd.StdinPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	c := &toolClient{t: p.t, in: in, out: bufio.NewScanner(out)}
	p.t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	c.ask("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"claude-code","version":"1"}}`)
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

func (c *toolClient) send(message string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, message+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

// toolAnswer is what a call brings.
type toolAnswer struct {
	Content []struct{ Text string }
	IsError bool
}

func (c *toolClient) ask(method, params string) (answer toolAnswer) {
	c.t.Helper()
	c.id++
	c.send(`{"jsonrpc":"2.0","id":` + strconv.Itoa(c.id) + `,"method":"` + method + `","params":` + params + `}`)
	for c.out.Scan() {
		var message struct {
			ID     int
			Error  json.RawMessage
			Result toolAnswer
		}
		if err := json.Unmarshal(c.out.Bytes(), &message); err != nil {
			c.t.Fatalf("%s: %v", c.out.Text(), err)
		}
		if message.ID != c.id {
			continue
		}
		if message.Error != nil {
			c.t.Fatalf("%s: %s", method, message.Error)
		}
		return message.Result
	}
	c.t.Fatalf("%s: the server went away", method)
	return answer
}

func (c *toolClient) call(tool, args string) (text string, failed bool) {
	c.t.Helper()
	answer := c.ask("tools/call", `{"name":"`+tool+`","arguments":`+args+`}`)
	for _, content := range answer.Content {
		text += content.Text
	}
	return text, answer.IsError
}

// TestToolsOutliveTheHub: the tools say so while there is no hub, work when
// there is one, heal one that died, and say so again after down.
func TestToolsOutliveTheHub(t *testing.T) {
	p := newPlace(t)
	session := p.tools()

	text, failed := session.call("agents", `{}`)
	if !failed || !strings.Contains(text, "turnpost up") {
		t.Errorf("without a hub: %v, %q", failed, text)
	}
	p.run("", "up", "-d")
	if text, failed = session.call("agents", `{}`); failed {
		t.Errorf("with a hub: %q", text)
	}
	if text, failed = session.call("post", `{"channel":"#general","kind":"note","summary":"still here"}`); failed || !strings.Contains(text, "n-1") {
		t.Errorf("post: %q", text)
	}

	hub, err := p.state().ReadHub()
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(hub.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	waitFree(t, p.state())
	if text, failed = session.call("agents", `{}`); failed {
		t.Errorf("after a kill: %q", text)
	}
	after, err := p.state().ReadHub()
	if err != nil || after.Pid == hub.Pid {
		t.Errorf("not healed: %+v, %v", after, err)
	}

	p.run("", "down")
	if text, failed = session.call("agents", `{}`); !failed || !strings.Contains(text, "turnpost up") {
		t.Errorf("after down: %v, %q", failed, text)
	}
}

// TestChannelPushesIntoAnIdleSession: what a neighbour asks arrives by itself in
// the session whose process started the server, and is not told to it again. This
// test is that process.
func TestChannelPushesIntoAnIdleSession(t *testing.T) {
	p := newPlace(t)
	p.run("", "up", "-d")
	running, err := p.state().ReadHub()
	if err != nil {
		t.Fatal(err)
	}
	c := client.New(client.Address{Socket: running.Socket})
	defer c.Close()
	event := func(kind turnpost.Kind) turnpost.HookAnswer {
		t.Helper()
		answer, err := c.Handle(t.Context(), turnpost.Event{
			Kind: kind, Harness: "standin", Native: "n-1", Attended: true, Cwd: "/src/api",
			Place: turnpost.Place{Root: "/src/api", Main: "/src/api"}, Process: turnpost.Process{Pid: os.Getpid(), Start: process.Start(os.Getpid())},
			Accepts: turnpost.Accepts{Context: kind == turnpost.SessionStart, Continue: kind == turnpost.TurnEnd},
		})
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	if answer := event(turnpost.SessionStart); answer.Handle != "@api" {
		t.Fatalf("the session is %q", answer.Handle)
	}
	session := p.tools("--channel")

	token, err := os.ReadFile(p.state().Token())
	if err != nil {
		t.Fatal(err)
	}
	human := client.New(client.Address{URL: "http://" + running.TCP, Token: strings.TrimSpace(string(token))})
	defer human.Close()
	posted, err := human.Post(t.Context(), turnpost.Draft{Kind: turnpost.Question, To: []string{"@api"}, Summary: "Does it arrive?"})
	if err != nil {
		t.Fatal(err)
	}
	if !session.out.Scan() {
		t.Fatal("the server went away")
	}
	var pushed struct {
		Method string
		Params struct{ Content string }
	}
	if err := json.Unmarshal(session.out.Bytes(), &pushed); err != nil {
		t.Fatal(err)
	}
	if pushed.Method != "notifications/claude/channel" || !strings.Contains(pushed.Params.Content, posted.Item.ID) ||
		!strings.Contains(pushed.Params.Content, "Does it arrive?") || !strings.Contains(pushed.Params.Content, "<turnpost of-") {
		t.Errorf("pushed %s", session.out.Text())
	}
	if text, failed := session.call("inbox", `{}`); failed || !strings.Contains(text, "shown before") {
		t.Errorf("the inbox says %q", text)
	}
	if answer := event(turnpost.TurnEnd); answer.Offer != "" {
		t.Errorf("told again at the turn end: %q", answer.Decision.Continue)
	}
}

// TestToolsEndWithTheirClient: a wait does not keep the process.
func TestToolsEndWithTheirClient(t *testing.T) {
	p := newPlace(t)
	p.run("", "up", "-d")
	cmd := p.command("mcp")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wait","arguments":{"seconds":50}}}`,
	} {
		if _, err := in.Write([]byte(line + "\n")); err != nil {
			t.Fatal(err)
		}
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("ended with %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Error("a wait outlives its client")
	}
}

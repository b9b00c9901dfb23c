package cli

import (
	"context"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// connect starts turnpost mcp as a client does.
func (p *place) connect(ctx context.Context) *mcp.ClientSession {
	p.t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: p.command("mcp")}, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = session.Close() })
	return session
}

func call(t *testing.T, session *mcp.ClientSession, tool string, args map[string]any) (text string, failed bool) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	for _, content := range result.Content {
		if c, ok := content.(*mcp.TextContent); ok {
			text += c.Text
		}
	}
	return text, result.IsError
}

// TestToolsOutliveTheHub: the tools say so while there is no hub, work when
// there is one, heal one that died, and say so again after down.
func TestToolsOutliveTheHub(t *testing.T) {
	p := newPlace(t)
	session := p.connect(t.Context())

	text, failed := call(t, session, "agents", nil)
	if !failed || !strings.Contains(text, "turnpost up") {
		t.Errorf("without a hub: %v, %q", failed, text)
	}
	p.run("", "up", "-d")
	if text, failed = call(t, session, "agents", nil); failed {
		t.Errorf("with a hub: %q", text)
	}
	post := map[string]any{"channel": "#general", "kind": "note", "summary": "still here"}
	if text, failed = call(t, session, "post", post); failed || !strings.Contains(text, "n-1") {
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
	if text, failed = call(t, session, "agents", nil); failed {
		t.Errorf("after a kill: %q", text)
	}
	after, err := p.state().ReadHub()
	if err != nil || after.Pid == hub.Pid {
		t.Errorf("not healed: %+v, %v", after, err)
	}

	p.run("", "down")
	if text, failed = call(t, session, "agents", nil); !failed || !strings.Contains(text, "turnpost up") {
		t.Errorf("after down: %v, %q", failed, text)
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

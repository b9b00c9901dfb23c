package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"turnpost"
)

// client speaks raw JSON-RPC to a server, over either transport.
type client interface {
	// ask sends a request and returns the answer.
	ask(t *testing.T, method string, params any) answer
}

type answer struct {
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

type toolAnswer struct {
	IsError bool `json:"isError"`
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
}

// call calls a tool with arguments in JSON.
func call(t *testing.T, c client, tool, arguments string) (text string, isError bool) {
	t.Helper()
	got := c.ask(t, "tools/call", map[string]any{"name": tool, "arguments": json.RawMessage(arguments)})
	if got.Error != nil {
		t.Fatalf("%s %s: protocol error %d: %s", tool, arguments, got.Error.Code, got.Error.Message)
	}
	var result toolAnswer
	if err := json.Unmarshal(got.Result, &result); err != nil {
		t.Fatalf("%s: decode result: %v", tool, err)
	}
	if len(result.Content) != 1 || result.Content[0].Type != "text" {
		t.Fatalf("%s: got content %+v, want one text", tool, result.Content)
	}
	return result.Content[0].Text, result.IsError
}

func requestJSON(t *testing.T, id int, method string, params any) []byte {
	t.Helper()
	message := map[string]any{"jsonrpc": "2.0", "id": id, "method": method}
	if params != nil {
		message["params"] = params
	}
	data, err := json.Marshal(message)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func initializeParams(version string) any {
	return map[string]any{
		"protocolVersion": version,
		"capabilities":    map[string]any{},
		"clientInfo":      map[string]any{"name": "test", "version": "0"},
	}
}

func fixed(hub turnpost.Hub) HubFor {
	return func(context.Context, Claim) turnpost.Hub { return hub }
}

// stdioClient is the other end of ServeStdio.
type stdioClient struct {
	in   *io.PipeWriter
	out  *bufio.Reader
	next int
	done chan error // what ServeStdio returned
}

// dialStdio starts a server on pipes; it is not initialized yet.
func dialStdio(t *testing.T, ctx context.Context, s *Server) *stdioClient {
	t.Helper()
	inReader, inWriter := io.Pipe()
	outReader, outWriter := io.Pipe()
	c := &stdioClient{in: inWriter, out: bufio.NewReader(outReader), done: make(chan error, 1)}
	go func() {
		err := s.ServeStdio(ctx, inReader, outWriter)
		outWriter.Close()
		c.done <- err
	}()
	t.Cleanup(func() { inWriter.Close() })
	return c
}

func (c *stdioClient) initialize(t *testing.T) {
	t.Helper()
	if got := c.ask(t, "initialize", initializeParams("2025-11-25")); got.Error != nil {
		t.Fatalf("initialize: %+v", got.Error)
	}
	c.send(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

func (c *stdioClient) send(t *testing.T, line string) {
	t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		t.Fatalf("send: %v", err)
	}
}

func (c *stdioClient) receive(t *testing.T) answer {
	t.Helper()
	line, err := c.out.ReadBytes('\n')
	if err != nil {
		t.Fatalf("receive: %v", err)
	}
	var got answer
	if err := json.Unmarshal(line, &got); err != nil {
		t.Fatalf("receive %q: %v", line, err)
	}
	return got
}

func (c *stdioClient) ask(t *testing.T, method string, params any) answer {
	t.Helper()
	c.next++
	c.send(t, string(requestJSON(t, c.next, method, params)))
	return c.receive(t)
}

// httpClient posts to a server's Handler.
type httpClient struct {
	url     string
	version string // MCP-Protocol-Version
	session string // Mcp-Session-Id
	method  string // Mcp-Method, from protocol 2026-07-28 on
	name    string // Mcp-Name, likewise
}

func serveHTTP(t *testing.T, s *Server) *httpClient {
	t.Helper()
	return serveHTTPHandler(t, s.Handler())
}

func serveHTTPHandler(t *testing.T, handler http.Handler) *httpClient {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return &httpClient{url: server.URL, version: "2025-11-25"}
}

func (c *httpClient) request(ctx context.Context, t *testing.T, body []byte) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for name, value := range map[string]string{
		"MCP-Protocol-Version": c.version, "Mcp-Session-Id": c.session, "Mcp-Method": c.method, "Mcp-Name": c.name,
	} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	return r
}

func (c *httpClient) post(t *testing.T, body []byte) (status int, contentType string, data []byte) {
	t.Helper()
	response, err := http.DefaultClient.Do(c.request(t.Context(), t, body))
	if err != nil {
		t.Fatalf("post: %v", err)
	}
	defer response.Body.Close()
	data, err = io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("read answer: %v", err)
	}
	return response.StatusCode, response.Header.Get("Content-Type"), data
}

func (c *httpClient) ask(t *testing.T, method string, params any) answer {
	t.Helper()
	status, contentType, data := c.post(t, requestJSON(t, 1, method, params))
	if !strings.HasPrefix(contentType, "application/json") {
		t.Fatalf("%s: status %d, content type %q, body %q", method, status, contentType, data)
	}
	var got answer
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatalf("%s: decode %q: %v", method, data, err)
	}
	return got
}

// overBoth runs a test over stdio and over HTTP.
func overBoth(t *testing.T, s *Server, test func(*testing.T, client)) {
	t.Run("stdio", func(t *testing.T) {
		c := dialStdio(t, t.Context(), s)
		c.initialize(t)
		test(t, c)
	})
	t.Run("http", func(t *testing.T) { test(t, serveHTTP(t, s)) })
}

func describeAnswer(a answer) string {
	if a.Error != nil {
		return fmt.Sprintf("error %d: %s", a.Error.Code, a.Error.Message)
	}
	return string(a.Result)
}

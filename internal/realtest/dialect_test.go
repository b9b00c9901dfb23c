package realtest

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// dialectCases are one conversation in each dialect: a system prompt, a prompt,
// a call of an MCP tool with its result, and what has come since.
var dialectCases = []struct {
	name, path, body string
	want             Request
	text, call, fail string // in the answers of Say, Call and Fail
}{
	{
		name: "messages", path: "/v1/messages?beta=true",
		body: `{"model":"m","stream":true,"system":[{"type":"text","text":"be good"}],"tools":[{"name":"mcp__turnpost__reply"}],"messages":[
			{"role":"user","content":"hello"},
			{"role":"assistant","content":[{"type":"tool_use","name":"mcp__turnpost__reply","input":{"id":"q-1"}}]},
			{"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"sent"}]},{"type":"text","text":"news"}]}]}`,
		want: Request{Model: "m", System: "be good", Tools: []string{"mcp__turnpost__reply"}, Messages: []Message{
			{"user", "hello"}, {"assistant", `mcp__turnpost__reply{"id":"q-1"}`}, {"user", "sent\nnews"},
		}},
		text: `"delta":{"text":"hi","type":"text_delta"}`,
		call: `"name":"mcp__turnpost__reply"`,
		fail: `{"error":{"message":"slow down","type":"rate_limit"},"type":"error"}`,
	},
	{
		name: "responses", path: "/v1/responses",
		body: `{"model":"m","stream":true,"instructions":"be good","tools":[{"type":"namespace","name":"mcp__turnpost","tools":[{"type":"function","name":"reply"}]},{"type":"web_search"}],"input":[
			{"type":"message","role":"user","content":[{"type":"input_text","text":"hello"}]},
			{"type":"reasoning","summary":[]},
			{"type":"function_call","name":"reply","namespace":"mcp__turnpost","arguments":"{\"id\":\"q-1\"}"},
			{"type":"function_call_output","output":"sent"},
			{"type":"message","role":"developer","content":[{"type":"input_text","text":"news"}]}]}`,
		want: Request{Model: "m", System: "be good", Tools: []string{"mcp__turnpost__reply", "web_search"}, Messages: []Message{
			{"user", "hello"}, {"assistant", `mcp__turnpost__reply{"id":"q-1"}`}, {"tool", "sent"}, {"developer", "news"},
		}},
		text: `"content":[{"annotations":[],"text":"hi","type":"output_text"}]`,
		call: `"name":"reply","namespace":"mcp__turnpost"`,
		fail: `"message":"slow down"`,
	},
	{
		name: "completions", path: "/v1/chat/completions",
		body: `{"model":"m","stream":true,"tools":[{"type":"function","function":{"name":"turnpost_reply"}}],"messages":[
			{"role":"system","content":"be good"},
			{"role":"user","content":[{"type":"text","text":"hello"}]},
			{"role":"assistant","content":null,"tool_calls":[{"type":"function","function":{"name":"turnpost_reply","arguments":"{\"id\":\"q-1\"}"}}]},
			{"role":"tool","content":"sent"},
			{"role":"user","content":"news"}]}`,
		want: Request{Model: "m", System: "be good", Tools: []string{"turnpost_reply"}, Messages: []Message{
			{"user", "hello"}, {"assistant", `turnpost_reply{"id":"q-1"}`}, {"tool", "sent"}, {"user", "news"},
		}},
		text: `"delta":{"content":"hi","role":"assistant"}`,
		call: `"function":{"arguments":"{\"id\":\"q-1\"}","name":"mcp__turnpost__reply"}`,
		fail: `"message":"slow down"`,
	},
	{
		name: "gemini", path: "/v1beta/models/m:streamGenerateContent?alt=sse",
		body: `{"systemInstruction":{"parts":[{"text":"be good"}]},"tools":[{"functionDeclarations":[{"name":"mcp_turnpost_reply"}]}],"contents":[
			{"role":"user","parts":[{"text":"hello"}]},
			{"role":"model","parts":[{"functionCall":{"name":"mcp_turnpost_reply","args":{"id":"q-1"}}}]},
			{"role":"user","parts":[{"functionResponse":{"name":"mcp_turnpost_reply","response":{"output":"sent"}}},{"text":"news"}]}]}`,
		want: Request{Model: "m", System: "be good", Tools: []string{"mcp_turnpost_reply"}, Messages: []Message{
			{"user", "hello"}, {"assistant", `{"name":"mcp_turnpost_reply","args":{"id":"q-1"}}`}, {"user", "sent\nnews"},
		}},
		text: `"parts":[{"text":"hi"}]`,
		call: `"functionCall":{"args":{"id":"q-1"},"name":"mcp__turnpost__reply"}`,
		fail: `{"error":{"code":429,"message":"slow down","status":"rate_limit"}}`,
	},
}

func TestDialects(t *testing.T) {
	for _, c := range dialectCases {
		t.Run(c.name, func(t *testing.T) {
			api := NewAPI(t, Say("hi"), Call("mcp__turnpost__reply", object{"id": "q-1"}), Fail(429, "rate_limit", "slow down"))
			for i, want := range []string{c.text, c.call, c.fail} {
				status, got := call(t, http.MethodPost, api.URL()+c.path, c.body)
				if !strings.Contains(got, want) || (status == http.StatusOK) != (i < 2) {
					t.Errorf("answer %d is %d\n%s\nwant %s", i+1, status, got, want)
				}
			}
			if api.Count() != 3 {
				t.Fatalf("%d requests, want 3", api.Count())
			}
			got := api.Wait(1)
			ignored := cmpopts.IgnoreFields(Request{}, "At", "Body", "stream")
			if diff := cmp.Diff(c.want, got, ignored); diff != "" {
				t.Errorf("the request (-want +got):\n%s", diff)
			}
			if fresh := got.Fresh(); !strings.Contains(fresh, "sent") || !strings.Contains(fresh, "news") || strings.Contains(fresh, "hello") {
				t.Errorf("what is fresh: %s", fresh)
			}
		})
	}
}

func TestBackgroundTakesNoStep(t *testing.T) {
	api := NewAPI(t, Say("hi"))
	for _, c := range []struct{ path, body, want string }{
		{"/v1/messages", `{"messages":[{"role":"user","content":"a title"}]}`, `"text":"` + DefaultReply + `"`},
		{"/v1/chat/completions", `{"messages":[{"role":"user","content":"a title"}]}`, `"content":"` + DefaultReply + `"`},
		{"/v1beta/models/m:generateContent", `{"contents":[{"role":"user","parts":[{"text":"a title"}]}]}`, `"text":"` + DefaultReply + `"`},
		{"/v1beta/models/m:countTokens", `{"contents":[{"role":"user","parts":[{"text":"a title"}]}]}`, `"totalTokens":1`},
	} {
		if status, got := call(t, http.MethodPost, api.URL()+c.path, c.body); status != http.StatusOK || !strings.Contains(got, c.want) {
			t.Errorf("%s: %d\n%s", c.path, status, got)
		}
	}
	if status, got := call(t, http.MethodGet, api.URL()+"/v1/models", ""); status != http.StatusOK || !strings.Contains(got, `"id":"`+Model+`"`) {
		t.Errorf("models: %d %s", status, got)
	}
	if status, _ := call(t, http.MethodPost, api.URL()+"/v1/telemetry", "{}"); status != http.StatusNotFound {
		t.Errorf("what no dialect knows: %d", status)
	}
	if len(api.Others()) != 4 || api.Count() != 0 {
		t.Errorf("%d requests outside the main loop and %d in it, want 4 and 0", len(api.Others()), api.Count())
	}
}

func call(t *testing.T, method, url, body string) (status int, answer string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(raw)
}

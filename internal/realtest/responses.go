package realtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// responses is OpenAI's Responses API, streamed.
type responses struct{}

// item is one element of the input of a request. What a model did before is
// there too: its calls, and their outputs.
type responsesItem struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	Name      string          `json:"name"`
	Namespace string          `json:"namespace"`
	Arguments string          `json:"arguments"`
	Input     string          `json:"input"`
	Output    json.RawMessage `json:"output"`
}

func (responses) read(_ *http.Request, body []byte) (Request, error) {
	var raw struct {
		Model        string          `json:"model"`
		Instructions string          `json:"instructions"`
		Input        []responsesItem `json:"input"`
		Tools        []struct {
			Type  string `json:"type"`
			Name  string `json:"name"`
			Tools []struct {
				Name string `json:"name"`
			} `json:"tools"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &raw); err != nil {
		return Request{}, fmt.Errorf("read request: %w", err)
	}
	r := Request{Model: raw.Model, System: raw.Instructions, stream: true}
	for _, item := range raw.Input {
		if m, ok := item.message(); ok {
			r.Messages = append(r.Messages, m)
		}
	}
	for _, tool := range raw.Tools {
		switch {
		case tool.Type == "namespace":
			for _, inner := range tool.Tools {
				r.Tools = append(r.Tools, tool.Name+"__"+inner.Name)
			}
		case tool.Name != "":
			r.Tools = append(r.Tools, tool.Name)
		default:
			r.Tools = append(r.Tools, tool.Type) // one of the vendor's own
		}
	}
	return r, nil
}

func (i responsesItem) message() (Message, bool) {
	switch {
	case i.Role != "":
		return Message{Role: i.Role, Text: contentText(i.Content)}, true
	case strings.HasSuffix(i.Type, "_call_output"):
		text := contentText(i.Output)
		if text == "" {
			text = string(i.Output) // an object of its own
		}
		return Message{Role: "tool", Text: text}, true
	case strings.HasSuffix(i.Type, "_call"):
		name := i.Name
		if i.Namespace != "" {
			name = i.Namespace + "__" + name
		}
		return Message{Role: "assistant", Text: name + i.Arguments + i.Input}, true
	}
	return Message{}, false // such as its reasoning
}

func (responses) refuse(w http.ResponseWriter, status int, kind, text string) {
	writeOpenAIError(w, status, kind, text)
}

func (responses) answer(w http.ResponseWriter, r Request, id int, s Step) {
	item := object{
		"type": "message", "role": "assistant", "id": fmt.Sprintf("msg_%04d", id), "status": "completed",
		"content": []object{{"type": "output_text", "text": s.text, "annotations": []object{}}},
	}
	if s.tool != "" {
		item = object{
			"type": "function_call", "id": fmt.Sprintf("fc_%04d", id), "call_id": fmt.Sprintf("call_%04d", id),
			"status": "completed", "name": s.tool, "arguments": string(s.input),
		}
		if server, tool, ok := mcpTool(s.tool); ok {
			item["name"], item["namespace"] = tool, server
		}
	}
	response := object{"id": fmt.Sprintf("resp_%04d", id), "object": "response", "model": r.Model, "status": "in_progress", "output": []object{}}
	event := events(w)
	send := func(kind string, v object) {
		v["type"] = kind
		event(kind, v)
	}
	send("response.created", object{"response": response})
	send("response.output_item.done", object{"output_index": 0, "item": item})
	response["status"], response["output"] = "completed", []object{item}
	response["usage"] = object{
		"input_tokens": s.tokens, "input_tokens_details": object{"cached_tokens": 0},
		"output_tokens": 12, "output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": s.tokens + 12,
	}
	send("response.completed", object{"response": response})
}

// mcpTool takes mcp__SERVER__TOOL apart into its namespace and its name.
func mcpTool(name string) (namespace, tool string, ok bool) {
	const prefix = "mcp__"
	server, tool, ok := strings.Cut(strings.TrimPrefix(name, prefix), "__")
	return prefix + server, tool, ok && strings.HasPrefix(name, prefix)
}

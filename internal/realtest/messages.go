package realtest

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// messages is Anthropic's Messages API.
type messages struct{}

func (messages) read(req *http.Request, body []byte) (Request, error) {
	var raw struct {
		Model    string          `json:"model"`
		Stream   bool            `json:"stream"`
		System   json.RawMessage `json:"system"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &raw); err != nil {
		return Request{}, fmt.Errorf("read request: %w", err)
	}
	r := Request{
		Session: req.Header.Get("X-Claude-Code-Session-Id"),
		Model:   raw.Model,
		System:  contentText(raw.System),
		stream:  raw.Stream,
	}
	for _, m := range raw.Messages {
		r.Messages = append(r.Messages, Message{Role: m.Role, Text: contentText(m.Content)})
	}
	for _, tool := range raw.Tools {
		r.Tools = append(r.Tools, tool.Name)
	}
	return r, nil
}

func (messages) refuse(w http.ResponseWriter, status int, kind, text string) {
	writeJSON(w, status, object{"type": "error", "error": object{"type": kind, "message": text}})
}

func (m messages) answer(w http.ResponseWriter, r Request, id int, s Step) {
	if r.stream {
		m.send(w, r, id, s)
		return
	}
	message := m.head(r, id, s)
	message["content"], message["stop_reason"] = []object{m.block(id, s)}, m.stopReason(s)
	writeJSON(w, http.StatusOK, message)
}

func (messages) stopReason(s Step) string {
	if s.tool != "" {
		return "tool_use"
	}
	return "end_turn"
}

func (messages) block(id int, s Step) object {
	if s.tool != "" {
		return object{"type": "tool_use", "id": fmt.Sprintf("toolu_%04d", id), "name": s.tool, "input": s.input}
	}
	return object{"type": "text", "text": s.text}
}

func (messages) head(r Request, id int, s Step) object {
	return object{
		"id": fmt.Sprintf("msg_%04d", id), "type": "message", "role": "assistant", "model": r.Model,
		"content": []object{}, "stop_reason": nil, "stop_sequence": nil,
		"usage": object{
			"input_tokens": s.tokens, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
			"output_tokens": 1,
		},
	}
}

// send streams the one block of the step.
func (m messages) send(w http.ResponseWriter, r Request, id int, s Step) {
	event := events(w)
	send := func(kind string, v object) {
		v["type"] = kind
		event(kind, v)
	}
	start := object{"type": "text", "text": ""}
	delta := object{"type": "text_delta", "text": s.text}
	if s.tool != "" {
		start = m.block(id, s)
		start["input"] = object{}
		delta = object{"type": "input_json_delta", "partial_json": string(s.input)}
	}
	send("message_start", object{"message": m.head(r, id, s)})
	send("content_block_start", object{"index": 0, "content_block": start})
	send("content_block_delta", object{"index": 0, "delta": delta})
	send("content_block_stop", object{"index": 0})
	send("message_delta", object{
		"delta": object{"stop_reason": m.stopReason(s), "stop_sequence": nil},
		"usage": object{"output_tokens": 12},
	})
	send("message_stop", object{})
}

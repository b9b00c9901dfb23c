package realtest

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// completions is OpenAI's Chat Completions API, which others offer too.
type completions struct{}

func (completions) read(_ *http.Request, body []byte) (Request, error) {
	var raw struct {
		Model    string `json:"model"`
		Stream   bool   `json:"stream"`
		Messages []struct {
			Role      string          `json:"role"`
			Content   json.RawMessage `json:"content"`
			ToolCalls []struct {
				Function struct {
					Name      string `json:"name"`
					Arguments string `json:"arguments"`
				} `json:"function"`
			} `json:"tool_calls"`
		} `json:"messages"`
		Tools []struct {
			Type     string `json:"type"`
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &raw); err != nil {
		return Request{}, fmt.Errorf("read request: %w", err)
	}
	r := Request{Model: raw.Model, stream: raw.Stream}
	for i, m := range raw.Messages {
		text := contentText(m.Content)
		for _, call := range m.ToolCalls {
			if text != "" {
				text += "\n"
			}
			text += call.Function.Name + call.Function.Arguments
		}
		if i == 0 && (m.Role == "system" || m.Role == "developer") {
			r.System = text
			continue
		}
		r.Messages = append(r.Messages, Message{Role: m.Role, Text: text})
	}
	for _, tool := range raw.Tools {
		r.Tools = append(r.Tools, tool.Function.Name)
	}
	return r, nil
}

func (completions) refuse(w http.ResponseWriter, status int, kind, text string) {
	writeOpenAIError(w, status, kind, text)
}

func (c completions) answer(w http.ResponseWriter, r Request, id int, s Step) {
	message, finish := object{"role": "assistant", "content": s.text}, "stop"
	if s.tool != "" {
		message["content"], finish = nil, "tool_calls"
		message["tool_calls"] = []object{{
			"index": 0, "id": fmt.Sprintf("call_%04d", id), "type": "function",
			"function": object{"name": s.tool, "arguments": string(s.input)},
		}}
	}
	usage := object{"prompt_tokens": s.tokens, "completion_tokens": 12, "total_tokens": s.tokens + 12}
	head := func(kind string, choices ...object) object {
		if choices == nil {
			choices = []object{}
		}
		return object{"id": fmt.Sprintf("chatcmpl-%04d", id), "object": kind, "created": 0, "model": r.Model, "choices": choices}
	}
	if !r.stream {
		answer := head("chat.completion", object{"index": 0, "message": message, "finish_reason": finish})
		answer["usage"] = usage
		writeJSON(w, http.StatusOK, answer)
		return
	}
	send := events(w)
	chunk := func(choices ...object) object { return head("chat.completion.chunk", choices...) }
	send("", chunk(object{"index": 0, "delta": message, "finish_reason": nil}))
	send("", chunk(object{"index": 0, "delta": object{}, "finish_reason": finish}))
	last := chunk()
	last["usage"] = usage
	send("", last)
	fmt.Fprint(w, "data: [DONE]\n\n")
}

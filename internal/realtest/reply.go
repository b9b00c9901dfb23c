package realtest

import (
	"encoding/json"
	"fmt"
	"net/http"
)

type object = map[string]any

// reply writes the answer of a step in the form the request asked for.
func reply(w http.ResponseWriter, r Request, id int, s Step) {
	switch {
	case s.drop:
		panic(http.ErrAbortHandler) // closes the connection, logs nothing
	case s.status != 0:
		writeError(w, s.status, s.kind, s.text)
	case r.stream:
		streamMessage(w, r.Model, id, s)
	default:
		message := messageHead(r.Model, id, s)
		message["content"], message["stop_reason"] = []object{s.block(id)}, s.stopReason()
		writeJSON(w, http.StatusOK, message)
	}
}

func writeError(w http.ResponseWriter, status int, kind, text string) {
	writeJSON(w, status, object{"type": "error", "error": object{"type": kind, "message": text}})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a client that has gone needs no answer
}

func (s Step) stopReason() string {
	if s.tool != "" {
		return "tool_use"
	}
	return "end_turn"
}

func (s Step) block(id int) object {
	if s.tool != "" {
		return object{"type": "tool_use", "id": fmt.Sprintf("toolu_%04d", id), "name": s.tool, "input": s.input}
	}
	return object{"type": "text", "text": s.text}
}

func messageHead(model string, id int, s Step) object {
	return object{
		"id": fmt.Sprintf("msg_%04d", id), "type": "message", "role": "assistant", "model": model,
		"content": []object{}, "stop_reason": nil, "stop_sequence": nil,
		"usage": object{
			"input_tokens": s.tokens, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
			"output_tokens": 1,
		},
	}
}

// streamMessage sends the one block of the step as server-sent events.
func streamMessage(w http.ResponseWriter, model string, id int, s Step) {
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(event string, v object) {
		v["type"] = event
		data, _ := json.Marshal(v) // maps of strings, numbers and valid JSON
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event, data)
		_ = http.NewResponseController(w).Flush()
	}
	start := object{"type": "text", "text": ""}
	delta := object{"type": "text_delta", "text": s.text}
	if s.tool != "" {
		start = s.block(id)
		start["input"] = object{}
		delta = object{"type": "input_json_delta", "partial_json": string(s.input)}
	}
	send("message_start", object{"message": messageHead(model, id, s)})
	send("content_block_start", object{"index": 0, "content_block": start})
	send("content_block_delta", object{"index": 0, "delta": delta})
	send("content_block_stop", object{"index": 0})
	send("message_delta", object{
		"delta": object{"stop_reason": s.stopReason(), "stop_sequence": nil},
		"usage": object{"output_tokens": 12},
	})
	send("message_stop", object{})
}

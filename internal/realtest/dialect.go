package realtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// Model is the name of the one model that the API offers, for programs that
// take any name.
const Model = "fake-model"

// A dialect is the wire form of one vendor's model API.
type dialect interface {
	// read takes a request apart; its time and body are filled in by the caller.
	read(req *http.Request, body []byte) (Request, error)
	// answer sends the text or the tool call of a step.
	answer(w http.ResponseWriter, r Request, id int, s Step)
	// refuse sends an error.
	refuse(w http.ResponseWriter, status int, kind, text string)
}

// dialectOf tells the dialect of a call by its path; nil for no call of a model.
func dialectOf(req *http.Request) dialect {
	path := req.URL.Path
	if req.Method != http.MethodPost {
		return nil
	}
	switch {
	case path == "/v1/messages":
		return messages{}
	case strings.HasSuffix(path, "/responses"):
		return responses{}
	case strings.HasSuffix(path, "/chat/completions"):
		return completions{}
	case geminiVerb(path) != "":
		return gemini{}
	}
	return nil
}

type object = map[string]any

// listModels answers GET .../models in the form that OpenAI gave it.
func listModels(w http.ResponseWriter) {
	writeJSON(w, http.StatusOK, object{"object": "list", "data": []object{{"id": Model, "object": "model", "created": 0, "owned_by": "nobody"}}})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a client that has gone needs no answer
}

// writeOpenAIError is the error of both of OpenAI's dialects.
func writeOpenAIError(w http.ResponseWriter, status int, kind, text string) {
	writeJSON(w, status, object{"error": object{"message": text, "type": kind, "code": kind, "param": nil}})
}

// events starts a stream of server-sent events and returns what sends one; an
// event without a name is only data.
func events(w http.ResponseWriter) (send func(name string, v object)) {
	w.Header().Set("Content-Type", "text/event-stream")
	return func(name string, v object) {
		data, _ := json.Marshal(v) // maps of strings, numbers and valid JSON
		if name != "" {
			fmt.Fprintf(w, "event: %s\n", name)
		}
		fmt.Fprintf(w, "data: %s\n\n", data)
		_ = http.NewResponseController(w).Flush()
	}
}

// contentText returns the text of a content value: a string, or a list of
// blocks of which some hold content themselves.
func contentText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var blocks []struct {
		Text    string          `json:"text"`
		Name    string          `json:"name"`
		Input   json.RawMessage `json:"input"`
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(raw, &blocks) != nil {
		return ""
	}
	var parts []string
	for _, b := range blocks {
		switch {
		case b.Text != "":
			parts = append(parts, b.Text)
		case b.Name != "":
			parts = append(parts, b.Name+string(b.Input))
		default:
			parts = append(parts, contentText(b.Content))
		}
	}
	return strings.Join(parts, "\n")
}

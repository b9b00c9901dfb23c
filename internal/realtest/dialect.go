package realtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

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
	switch {
	case req.Method != http.MethodPost:
		return nil
	case path == "/v1/messages":
		return messages{}
	}
	return nil
}

type object = map[string]any

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a client that has gone needs no answer
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

// joinLines joins the parts that are not empty.
func joinLines(parts []string) string {
	var full []string
	for _, part := range parts {
		if part != "" {
			full = append(full, part)
		}
	}
	return strings.Join(full, "\n")
}

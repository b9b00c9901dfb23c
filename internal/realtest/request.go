package realtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// A Request is one call of the Messages API, as the client sent it.
type Request struct {
	At       time.Time // when its body had been read
	Session  string    // session id, from the header X-Claude-Code-Session-Id
	Model    string
	Tools    []string // names; empty for a request outside the main loop
	System   string   // the system prompt
	Messages []Message
	Body     []byte // verbatim JSON

	stream bool
}

// A Message is one message of a request. Text joins the text of all its parts:
// plain text, tool input as JSON, and tool results.
type Message struct {
	Role string // user, assistant, system
	Text string
}

// Text returns the text of all messages, oldest first.
func (r Request) Text() string { return joinMessages(r.Messages) }

// Fresh returns the text of the messages after the last one of the assistant:
// what this request tells the model that the one before did not.
func (r Request) Fresh() string { return joinMessages(r.fresh()) }

func (r Request) fresh() []Message {
	for i, m := range slices.Backward(r.Messages) {
		if m.Role == "assistant" {
			return r.Messages[i+1:]
		}
	}
	return r.Messages
}

func joinMessages(messages []Message) string {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "[%s] %s\n", m.Role, m.Text)
	}
	return b.String()
}

// readRequest takes a Messages API body apart.
func readRequest(header http.Header, body []byte) (Request, error) {
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
		At:      time.Now(),
		Session: header.Get("X-Claude-Code-Session-Id"),
		Model:   raw.Model,
		System:  contentText(raw.System),
		Body:    body,
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

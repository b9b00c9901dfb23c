package realtest

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Request is one call of the model API, as the client sent it.
type Request struct {
	At       time.Time // when its body had been read
	Session  string    // id of the conversation, where a header says it (Claude Code)
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
	Role string // user, assistant, system, developer, tool
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

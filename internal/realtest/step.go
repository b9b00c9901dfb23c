package realtest

import (
	"encoding/json"
	"strings"
	"sync"
	"time"
)

// A Step is one answer of the scripted model. Make it with Say, Call, Fail,
// Drop or Think, then narrow it: Say("done").When("q-17").Behind(gate).
type Step struct {
	text   string
	tool   string
	input  json.RawMessage
	status int
	kind   string
	drop   bool
	think  func(Request) Step

	when   Match
	gate   *Gate
	delay  time.Duration
	tokens int
}

// Say answers with text and ends the turn.
func Say(text string) Step { return Step{text: text} }

// Call answers with one tool call. input is what the tool takes; it marshals to
// a JSON object.
func Call(tool string, input any) Step {
	raw, err := json.Marshal(input)
	if err != nil {
		panic("realtest: tool input: " + err.Error())
	}
	return Step{tool: tool, input: raw}
}

// Fail answers with an HTTP status and an API error of that kind:
// Fail(429, "rate_limit_error", "slow down"). The client tries again unless
// CLAUDE_CODE_MAX_RETRIES=0 is in its environment.
func Fail(status int, kind, message string) Step {
	return Step{status: status, kind: kind, text: message}
}

// Drop closes the connection without an answer.
func Drop() Step { return Step{drop: true} }

// Think makes up the step when the request is there, for a model that has to
// read something first, such as the id of a question. The gate, delay and
// tokens are those of the step that holds it.
func Think(answer func(Request) Step) Step { return Step{think: answer} }

// When lets only a request take the step whose text contains s. Steps before it
// keep their turn: a request takes the first step that fits.
func (s Step) When(text string) Step {
	s.when = Has(text)
	return s
}

// Behind holds the answer until the gate opens or the client gives up.
func (s Step) Behind(g *Gate) Step {
	s.gate = g
	return s
}

// After delays the answer. A Gate is better: it needs no guess.
func (s Step) After(d time.Duration) Step {
	s.delay = d
	return s
}

// Tokens reports n input tokens with the answer; 990000 makes the client
// compact at the next prompt.
func (s Step) Tokens(n int) Step {
	s.tokens = n
	return s
}

// A Gate holds answers until Open. The zero value is closed and ready.
type Gate struct {
	once sync.Once
	mu   sync.Mutex
	ch   chan struct{}
}

// Open lets all present and later answers through. Opening twice is fine.
func (g *Gate) Open() { g.once.Do(func() { close(g.opened()) }) }

func (g *Gate) opened() chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ch == nil {
		g.ch = make(chan struct{})
	}
	return g.ch
}

// A Match picks requests.
type Match func(Request) bool

// Has picks the requests whose messages contain s, the history included.
func Has(s string) Match {
	return func(r Request) bool { return strings.Contains(r.Text(), s) }
}

// Fresh picks the requests that bring s for the first time: it is in the
// messages after the last one of the assistant.
func Fresh(s string) Match {
	return func(r Request) bool { return strings.Contains(r.Fresh(), s) }
}

// Of picks the requests of one session.
func Of(session string) Match {
	return func(r Request) bool { return r.Session == session }
}

package harness

import (
	"io"
	"strings"

	"turnpost"
	"turnpost/internal/document"
)

// Decode knows a session by its id and directory on standard input alone: the
// environment of a hook is that of whoever started the daemon first.
func (h codex) Decode(in io.Reader, env Env) (turnpost.Event, error) {
	doc, err := document.Read(in)
	if err != nil {
		return turnpost.Event{}, documentError(err)
	}
	row, ok := codexRow(doc.Text("hook_event_name", maxWord))
	if !ok {
		return turnpost.Event{}, ErrIgnore
	}
	native := doc.Text("session_id", maxPath)
	if !validNative(native) {
		return turnpost.Event{}, turnpost.Invalidf("session_id", "not a session id")
	}
	if row.kind == turnpost.TurnFailed && !codexConcerns(doc) {
		return turnpost.Event{}, ErrIgnore
	}
	from := caller(env)
	shared, attended := codexRole(from)
	v := codexVersion(from.Program)
	e := turnpost.Event{
		Kind:     row.kind,
		Harness:  h.Name(),
		Version:  v.String(),
		Native:   native,
		Name:     row.name,
		Digest:   digest(doc.Raw),
		Cwd:      absolute(doc.Text("cwd", maxPath)),
		Process:  from.process(env, shared),
		Attended: attended,
		Subagent: doc.Text("agent_id", maxWord), // with the session id of the session itself
	}
	if !shared {
		e.Agent = clip(env.Getenv("TURNPOST_AGENT"), maxWord)
	}
	if row.fill != nil {
		row.fill(&e, doc)
	}
	e.Accepts = codexAccepts(e)
	// After an interrupt the queue is held until the next turn.
	if e.Attended && e.Kind != turnpost.Interrupt && (!v.known() || !v.before(codexQueue)) {
		e.Wake = turnpost.Wake{
			Method: "command", Key: native, At: h.Home(env.Getenv), Armed: true,
		}
	}
	return e, nil
}

// fillCodexPrompt tells a ring, and what we wrote ourselves, from what a person
// wants. A ring comes to sessions with a person only.
func fillCodexPrompt(e *turnpost.Event, doc document.Object) {
	prompt := doc.Text("prompt", maxPrompt)
	if prompt == Poke && e.Attended && e.Subagent == "" {
		e.Kind = turnpost.Bell
		return
	}
	e.Offers, e.Machine = ownText(prompt)
}

func fillCodexPermission(e *turnpost.Event, doc document.Object) {
	fillTool(e, doc)
	e.Wants = turnpost.WantPermission
}

func fillCodexStop(e *turnpost.Event, doc document.Object) {
	e.Last = doc.Text("last_assistant_message", maxLast)
	e.Continued = doc.Flag("stop_hook_active")
}

// codexAttempts is how often Codex asks in all when it may ask again
// (stream_max_retries is 5).
const codexAttempts = 6

// codexConcerns tells whether what became of a model request says something of
// the session: not when it went well or a person stopped it, and not when a
// compaction asks again, which need not be within a turn.
func codexConcerns(doc document.Object) bool {
	return doc.Text("status", maxWord) == "failed" && (!codexAsksAgain(doc) || doc.Text("kind", maxWord) == "sampling")
}

func codexAsksAgain(doc document.Object) bool {
	_, repeats := codexFailure(doc.Text("error", maxDetail))
	return repeats && doc.Number("attempt_number") < codexAttempts
}

// fillCodexRequest: there is no event for a turn that failed. A request that
// failed ends its turn unless Codex asks again, which nothing tells but the text
// and the number of the attempt.
func fillCodexRequest(e *turnpost.Event, doc document.Object) {
	text := doc.Text("error", maxDetail)
	class, _ := codexFailure(text)
	e.Failure = turnpost.Failure{Class: class, Native: clip(text, maxWord), Detail: text}
	if codexAsksAgain(doc) {
		e.Kind = turnpost.Retry
	}
}

// codexError is how a text begins that Codex shows for an error of the model
// service.
type codexError struct {
	begins  string
	class   turnpost.FailureClass // "": by the status that follows
	repeats bool                  // Codex asks again
}

// codexErrors holds the texts of 0.171.0, which uses two apostrophes. Others
// are those of the service itself, behind a request that it refused.
var codexErrors = [...]codexError{
	{"unexpected status ", "", true},
	{"exceeded retry limit, last status: ", "", false},
	{"rate limit exceeded", turnpost.FailureRateLimit, true},
	{"You’ve hit your usage limit", turnpost.FailureRateLimit, false},
	{"You've hit your usage limit", turnpost.FailureRateLimit, false},
	{"Quota exceeded", turnpost.FailureBilling, false},
	{"To use Codex with your ChatGPT plan", turnpost.FailureBilling, false},
	{"Selected model is at capacity", turnpost.FailureOverloaded, false},
	{"We’re currently experiencing high demand", turnpost.FailureServer, true},
	{"We're currently experiencing high demand", turnpost.FailureServer, true},
	{"stream disconnected before completion", turnpost.FailureServer, true},
	{"request timed out", turnpost.FailureServer, true},
	{"Connection failed", turnpost.FailureServer, true},
	{"Error while reading the server response", turnpost.FailureServer, true},
	{"Access blocked by Cloudflare", turnpost.FailureAuth, true},
	{"Your access token could not be refreshed", turnpost.FailureAuth, false},
	{"Codex ran out of room in the model's context window", turnpost.FailureInvalidRequest, false},
	{"{", turnpost.FailureInvalidRequest, false}, // the body of a status 400
}

func codexFailure(text string) (class turnpost.FailureClass, repeats bool) {
	for _, known := range codexErrors {
		rest, ok := strings.CutPrefix(text, known.begins)
		if !ok {
			continue
		}
		if known.class == "" {
			return statusFailure(rest), known.repeats
		}
		return known.class, known.repeats
	}
	return turnpost.FailureOther, false
}

// statusFailure reads the HTTP status that a text starts with.
func statusFailure(text string) turnpost.FailureClass {
	switch status := clip(text, 3); status {
	case "401", "403":
		return turnpost.FailureAuth
	case "402":
		return turnpost.FailureBilling
	case "404":
		return turnpost.FailureModelNotFound
	case "408":
		return turnpost.FailureServer
	case "429":
		return turnpost.FailureRateLimit
	case "503", "529":
		return turnpost.FailureOverloaded
	default:
		switch {
		case strings.HasPrefix(status, "4"):
			return turnpost.FailureInvalidRequest
		case strings.HasPrefix(status, "5"):
			return turnpost.FailureServer
		}
	}
	return turnpost.FailureOther
}

package harness

import (
	"io"
	"strings"

	"turnpost"
	"turnpost/internal/document"
)

// Decode takes over what the hub needs and drops the rest.
func (h gemini) Decode(in io.Reader, env Env) (turnpost.Event, error) {
	doc, err := document.Read(in)
	if err != nil {
		return turnpost.Event{}, documentError(err)
	}
	row, ok := geminiRow(doc.Text("hook_event_name", maxWord))
	if !ok {
		return turnpost.Event{}, ErrIgnore
	}
	native := doc.Text("session_id", maxPath)
	if !validNative(native) {
		return turnpost.Event{}, turnpost.Invalidf("session_id", "not a session id")
	}
	from := caller(env)
	shared, attended := geminiRole(from)
	e := turnpost.Event{
		Kind:     row.kind,
		Harness:  h.Name(),
		Native:   native,
		Name:     row.name,
		Digest:   digest(doc.Raw),
		Cwd:      absolute(doc.Text("cwd", maxPath)),
		Process:  from.process(env, shared),
		Attended: attended,
	}
	if !shared {
		e.Agent = clip(env.Getenv("TURNPOST_AGENT"), maxWord)
	}
	if row.fill != nil {
		row.fill(&e, doc)
	}
	e.Accepts = geminiAccepts(e)
	if _, _, ok := tmuxPane(env.Getenv); ok && e.Attended {
		e.Wake = turnpost.Wake{Method: "keys", Key: native, Armed: e.Kind == turnpost.SessionStart}
	}
	return e, nil
}

// Kept is where its terminal is.
func (gemini) Kept(_ turnpost.Event, env Env) string {
	socket, pane, ok := tmuxPane(env.Getenv)
	if !ok {
		return ""
	}
	return socket + "\n" + pane + "\n"
}

// fillGeminiPrompt tells a ring, and what we wrote ourselves, from what a person
// wants. Without a terminal the context of SessionStart stands in front of the
// prompt, and with it the ids that it brought.
func fillGeminiPrompt(e *turnpost.Event, doc document.Object) {
	prompt := doc.Text("prompt", maxPrompt)
	if e.Attended && strings.TrimSpace(prompt) == Poke {
		e.Kind = turnpost.Bell
		return
	}
	e.Offers, e.Machine = ownText(prompt)
}

// geminiNoResponse is what AfterAgent says of a turn in which the model said
// nothing: its first request failed, or the person cancelled it.
const geminiNoResponse = "[no response text]"

// fillGeminiEnd: a turn that ended without a word is over, and nothing tells a
// failure from a cancellation. As a turn that failed it would make somebody who
// pressed Esc look wedged, and a refusal to end it would ask a service that just
// failed again at once, for ever, or be swallowed after Esc. As an interruption
// it is closed, and rung only after the time of grace.
func fillGeminiEnd(e *turnpost.Event, doc document.Object) {
	last := doc.Text("prompt_response", maxLast)
	if last == geminiNoResponse {
		e.Kind = turnpost.Interrupt
		return
	}
	e.Last = last // of all the turn, continuations too
	e.Continued = doc.Flag("stop_hook_active")
}

// fillGeminiNotification: there is one type, a dialog that is open.
func fillGeminiNotification(e *turnpost.Event, doc document.Object) {
	if doc.Text("notification_type", maxWord) != "ToolPermission" {
		return
	}
	switch doc.Object("details").Text("type", maxWord) {
	case "ask_user":
		e.Wants = turnpost.WantAnswer
	case "exit_plan_mode":
		e.Wants = turnpost.WantPlan
	default:
		e.Wants = turnpost.WantPermission
	}
}

// Encode refuses with "deny". Nothing to say is not one byte: any text is shown.
func (gemini) Encode(e turnpost.Event, d turnpost.Decision) Output {
	return encodeRefusing("deny", e, d)
}

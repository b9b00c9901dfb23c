package harness

import (
	"bytes"
	"encoding/json"

	"turnpost"
)

// claudeAnswer is what Claude Code reads from a hook's standard output.
type claudeAnswer struct {
	Decision string          `json:"decision,omitempty"`
	Reason   string          `json:"reason,omitempty"`
	Message  string          `json:"systemMessage,omitempty"` // for the person
	Specific *claudeSpecific `json:"hookSpecificOutput,omitempty"`
}

// claudeSpecific without the event's name is refused, and all of the answer
// with it.
type claudeSpecific struct {
	Event   string   `json:"hookEventName"`
	Context string   `json:"additionalContext,omitempty"`
	Watch   []string `json:"watchPaths,omitempty"` // replaces the list that the last answer gave
}

// Encode carries what e.Accepts and drops the rest. Nothing to say is not one
// byte: some events show any output to the person.
func (claudeCode) Encode(e turnpost.Event, d turnpost.Decision) Output {
	if e.Kind == turnpost.Bell {
		return encodeBell(e, d)
	}
	var context, block string
	switch {
	case e.Accepts.Continue && d.Continue != "":
		// additionalContext costs a third of the tokens of a block and is not
		// shown as a problem.
		if v := parseVersion(e.Version, "."); v.known() && !v.before(claudeStopContext) {
			context = clipText(d.Continue)
		} else {
			block = clipText(d.Continue)
		}
	case e.Accepts.Context:
		context = clipText(d.Context)
	}
	var watch []string
	if e.Accepts.Watch {
		watch = d.Watch
	}

	var answer claudeAnswer
	if block != "" {
		answer.Decision, answer.Reason = "block", block
	}
	if context != "" || len(watch) > 0 {
		answer.Specific = &claudeSpecific{Event: e.Name, Context: context, Watch: watch}
	}
	if e.Accepts != (turnpost.Accepts{}) {
		answer.Message = clip(d.Notice, maxDetail)
	}
	if answer == (claudeAnswer{}) {
		return Output{}
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(answer); err != nil {
		return Output{} // strings only: cannot happen, and silence is always right
	}
	return Output{Stdout: out.Bytes()}
}

// encodeBell: the text that wakes is standard error; JSON is not read here, and
// without a text nothing happens.
func encodeBell(e turnpost.Event, d turnpost.Decision) Output {
	if !e.Accepts.Continue || d.Continue == "" {
		return Output{}
	}
	return Output{Stderr: []byte(clipText(d.Continue) + "\n"), Wake: true}
}

package harness

import (
	"turnpost"
	"turnpost/internal/document"
)

// encodeRefusing is the answer for a harness in which refusing the end of a turn
// starts the next one with the reason as its prompt, and refusing a prompt drops
// it: {"decision": word, "reason"}. A context goes in hookSpecificOutput. It
// carries what e.Accepts; nothing to say is no byte.
func encodeRefusing(word string, e turnpost.Event, d turnpost.Decision) Output {
	var context, reason, notice string
	switch {
	case e.Accepts.Continue && d.Continue != "":
		if e.Kind == turnpost.Bell {
			context = clipText(d.Continue) // beside the prompt that rang
		} else {
			reason = clipText(d.Continue) // the next prompt
		}
	case e.Accepts.Deny && d.Permission == turnpost.Deny:
		reason = clipText(d.Reason)
	case e.Accepts.Context:
		context = clipText(d.Context)
	}
	if e.Accepts != (turnpost.Accepts{}) {
		notice = clip(d.Notice, maxDetail)
	}
	if context == "" && reason == "" && notice == "" {
		return Output{}
	}
	var w document.Writer
	w.Open("")
	if reason != "" {
		w.Text("decision", word)
		w.Text("reason", reason)
	}
	w.Text("systemMessage", notice)
	if context != "" {
		w.Open("hookSpecificOutput")
		w.Text("hookEventName", e.Name)
		w.Text("additionalContext", context)
		w.Close()
	}
	w.Close()
	return Output{Stdout: append(w.Bytes(), '\n')}
}

package harness

import (
	"strings"

	"turnpost"
	"turnpost/internal/document"
)

// Encode carries what e.Accepts and drops the rest. One key that is not of this
// very event, or a block without a reason, makes Codex report the hook as broken
// and forget all of the answer.
func (codex) Encode(e turnpost.Event, d turnpost.Decision) Output {
	var context, block, notice string
	switch {
	case e.Accepts.Deny && d.Permission == turnpost.Deny:
		// Only the person sees it: the prompt that rang goes no further.
		if block = clip(strings.TrimSpace(d.Reason), maxDetail); block == "" {
			block = "Turnpost: the mail has been delivered already."
		}
	case e.Accepts.Continue && e.Kind == turnpost.Bell:
		context = clipText(d.Continue)
	case e.Accepts.Continue && strings.TrimSpace(d.Continue) != "":
		block = clipText(d.Continue)
	case e.Accepts.Context:
		context = clipText(d.Context)
	}
	if e.Accepts != (turnpost.Accepts{}) {
		notice = clip(d.Notice, maxDetail)
	}
	if block == "" && context == "" && notice == "" {
		return Output{}
	}

	var w document.Writer
	w.Open("")
	if block != "" {
		w.Text("decision", "block")
		w.Text("reason", block)
	}
	if context != "" {
		w.Open("hookSpecificOutput")
		w.Text("hookEventName", e.Name) // without it nothing of the answer counts
		w.Text("additionalContext", context)
		w.Close()
	}
	w.Text("systemMessage", notice) // for the person
	w.Close()
	return Output{Stdout: append(w.Bytes(), '\n')}
}

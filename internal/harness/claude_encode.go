package harness

import (
	"turnpost"
	"turnpost/internal/document"
)

// Encode carries what e.Accepts and drops the rest. Nothing to say is not one
// byte: some events show any output to the person.
func (claudeCode) Encode(e turnpost.Event, d turnpost.Decision) Output {
	if e.Kind == turnpost.Bell {
		return encodeBell(e, d)
	}
	var context, block, notice string
	switch {
	case e.Accepts.Continue && d.Continue != "":
		// additionalContext costs a third of the bytes of a block and is not shown
		// as a problem.
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
	if e.Accepts != (turnpost.Accepts{}) {
		notice = clip(d.Notice, maxDetail)
	}
	specific := context != "" || len(watch) > 0
	if block == "" && notice == "" && !specific {
		return Output{}
	}

	var w document.Writer
	w.Open("")
	if block != "" {
		w.Text("decision", "block")
		w.Text("reason", block)
	}
	w.Text("systemMessage", notice) // for the person
	if specific {
		w.Open("hookSpecificOutput")
		w.Text("hookEventName", e.Name) // without it all of the answer is refused
		w.Text("additionalContext", context)
		w.Texts("watchPaths", watch) // replaces the list that the last answer gave
		w.Close()
	}
	w.Close()
	return Output{Stdout: append(w.Bytes(), '\n')}
}

// encodeBell: the text that wakes is standard error; JSON is not read here, and
// without a text nothing happens.
func encodeBell(e turnpost.Event, d turnpost.Decision) Output {
	if !e.Accepts.Continue || d.Continue == "" {
		return Output{}
	}
	return Output{Stderr: []byte(clipText(d.Continue) + "\n"), Wake: true}
}

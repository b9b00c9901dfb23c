package harness

import (
	_ "embed"
	"strings"

	"turnpost"
	"turnpost/internal/document"
)

// pluginCore is what the plugins share: makeTurnpost.
//
//go:embed plugin_core.js
var pluginCore string

// pluginFile is a plugin as one file that needs no other: what all share, what
// setup knows, as the constant turnpostSetup {hook: the command line of the hook
// client, program: the path of turnpost, allow: whether its tools need no
// permission}, and the harness's own part.
func (t Target) pluginFile(name, own string) string {
	var w document.Writer
	w.Open("")
	w.Texts("hook", t.command(name))
	w.Text("program", t.Program)
	w.Flag("allow", t.Allow)
	w.Close()
	return pluginCore + "\nconst turnpostSetup = " + string(w.Bytes()) + "\n" + own
}

// encodePlugin is the answer for a harness in which a plugin of ours runs the
// hook client and does what the answer says. {"context", "continue", "notice",
// "deny": texts; "watch": the files that ring}; nothing to say is no byte.
func encodePlugin(e turnpost.Event, d turnpost.Decision) Output {
	var context, proceed, deny, notice string
	var watch []string
	switch {
	case e.Accepts.Continue && d.Continue != "":
		proceed = clipText(d.Continue)
	case e.Accepts.Context:
		context = clipText(d.Context)
	}
	if e.Accepts.Deny && d.Permission == turnpost.Deny {
		deny = clipText(d.Reason)
	}
	if e.Accepts.Watch {
		watch = d.Watch
	}
	if e.Accepts != (turnpost.Accepts{}) {
		notice = clip(d.Notice, maxDetail)
	}
	if context == "" && proceed == "" && deny == "" && notice == "" && len(watch) == 0 {
		return Output{}
	}
	var w document.Writer
	w.Open("")
	w.Text("context", context)
	w.Text("continue", proceed)
	w.Text("deny", deny)
	w.Text("notice", notice)
	w.Texts("watch", watch)
	w.Close()
	return Output{Stdout: append(w.Bytes(), '\n')}
}

// ownText tells whether a prompt is a text that we put there to keep an agent
// going or to wake it: harnesses report such a text like a person's. Its offer
// ids are the receipt; nobody who wrote an item can know one.
func ownText(prompt string) (offers []string, own bool) {
	offers = offerIDs(prompt)
	return offers, len(offers) > 0 && strings.HasPrefix(prompt, "Turnpost: ")
}

package harness

import (
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"turnpost"
	"turnpost/internal/document"
)

// hermes is Nous Research's Hermes Agent. What is said here follows its own page
// on shell hooks (website/docs/user-guide/features/hooks.md) as of 0.15; it was
// not run.
type hermes struct{}

var (
	_ Harness = hermes{}
	_ Program = hermes{}
	_ ByHand  = hermes{}
)

func (hermes) Name() string { return "hermes" }

// hermesEvents: on_session_end is the end of each turn, on_session_finalize that
// of a session. pre_verify stands before the end of a turn that edited code.
var hermesEvents = [...]documented{
	{name: "on_session_start", kind: turnpost.SessionStart, fill: fillHermesStart},
	{name: "on_session_reset", kind: turnpost.SessionStart, fill: fillHermesReset},
	{name: "pre_llm_call", kind: turnpost.Prompt, carries: turnpost.Accepts{Context: true}, fill: fillHermesPrompt},
	{name: "pre_tool_call", kind: turnpost.ToolBefore, fill: fillTool},
	{name: "post_tool_call", kind: turnpost.ToolAfter, fill: fillTool},
	{name: "pre_verify", kind: turnpost.TurnEnd, carries: turnpost.Accepts{Continue: true}, fill: fillHermesVerify},
	{
		name: "on_session_end", kind: turnpost.TurnEnd, fill: fillHermesEnd,
		others: []turnpost.Kind{turnpost.Interrupt, turnpost.TurnFailed},
	},
	{name: "on_session_finalize", kind: turnpost.SessionEnd},
}

// Decode: a gateway hosts the sessions of all its chats.
func (h hermes) Decode(in io.Reader, env Env) (turnpost.Event, error) {
	doc, err := document.Read(in)
	if err != nil {
		return turnpost.Event{}, documentError(err)
	}
	row, ok := documentedRow(hermesEvents[:], doc.Text("hook_event_name", maxWord))
	if !ok {
		return turnpost.Event{}, ErrIgnore
	}
	from := caller(env)
	return row.event(turnpost.Event{
		Harness:  h.Name(),
		Native:   doc.Text("session_id", maxPath),
		Cwd:      absolute(doc.Text("cwd", maxPath)),
		Process:  from.process(env, from.has("gateway")),
		Attended: from.Terminal && !from.has("gateway", "-q", "--query", "-z", "--oneshot"),
	}, doc, env)
}

func fillHermesStart(e *turnpost.Event, _ document.Object) { e.Source = turnpost.SourceStartup }

func fillHermesReset(e *turnpost.Event, _ document.Object) { e.Source = turnpost.SourceClear }

func fillHermesPrompt(e *turnpost.Event, doc document.Object) {
	e.Offers, e.Machine = ownText(doc.Object("extra").Text("user_message", maxPrompt))
}

func fillHermesVerify(e *turnpost.Event, doc document.Object) {
	extra := doc.Object("extra")
	e.Last = extra.Text("final_response", maxLast)
	e.Continued = extra.Number("attempt") > 0
}

func fillHermesEnd(e *turnpost.Event, doc document.Object) {
	switch extra := doc.Object("extra"); {
	case extra.Flag("completed"):
	case extra.Flag("interrupted"):
		e.Kind = turnpost.Interrupt
	default:
		fails(e, "", "")
	}
}

func (hermes) Encode(e turnpost.Event, d turnpost.Decision) Output {
	switch {
	case e.Accepts.Continue && d.Continue != "":
		var w document.Writer
		w.Open("")
		w.Text("action", "continue")
		w.Text("message", clipText(d.Continue))
		w.Close()
		return Output{Stdout: append(w.Bytes(), '\n')}
	case e.Accepts.Context && d.Context != "":
		return oneText("context", d.Context)
	}
	return Output{}
}

// Install: its settings are YAML, which setup has no editor for.
func (hermes) Install(Target) []Entry { return nil }

// ByHand: the program splits a line itself and runs it without a shell, so that
// the guard needs one. fail_closed is never set.
func (h hermes) ByHand(t Target) (file, text string) {
	line := "sh -c " + strconv.Quote(t.run(h.Name())+" || exit 0")
	var b strings.Builder
	b.WriteString("hooks:\n")
	for _, row := range hermesEvents {
		b.WriteString("  " + row.name + ":\n")
		b.WriteString("    - command: " + strconv.Quote(line) + "\n")
		b.WriteString("      timeout: 10\n")
	}
	b.WriteString("mcp_servers:\n")
	b.WriteString("  turnpost:\n")
	b.WriteString("    command: " + strconv.Quote(t.Program) + "\n")
	b.WriteString("    args: [\"mcp\"]\n")
	return filepath.Join(t.Home, "config.yaml"), b.String()
}

func (hermes) Binary() string { return "hermes" }

func (hermes) VersionArgs() []string { return []string{"--version"} }

func (hermes) Version(output string) string { return anyVersion(output) }

func (hermes) Home(getenv func(string) string) string {
	return homeDirectory(getenv, "HERMES_HOME", ".hermes")
}

func (hermes) Profile() Profile {
	return Profile{
		Title:      "Hermes",
		Proof:      Contract,
		Tested:     "its own page on shell hooks, 0.15",
		Events:     profileOf(hermesEvents[:]),
		Delivery:   "prompt; the end of a turn that edited code",
		Continue:   "pre_verify: action continue, three times in a turn at most",
		Context:    "pre_llm_call: context, with the first prompt",
		Compaction: "no shell hook tells of one",
		Notes:      "with the first prompt after start and reset; not after a compaction",
		Tools:      "a line for you to add; a call is known by its process",
		Limits: []string{
			"setup does not edit YAML: the lines are for you to add",
			"it asks once for each hook; without a terminal a hook that was not approved is left out silently (hermes hooks list)",
			"a turn that edited nothing cannot be kept going: its mail comes with the next prompt",
			"sessions of a gateway, which talk to people elsewhere, report status only",
		},
	}
}

package harness

import (
	_ "embed"
	"io"
	"path/filepath"
	"strings"

	"turnpost"
	"turnpost/internal/document"
)

// pi is the Pi coding agent, under its name of today and under the one before
// (@mariozechner/pi-coding-agent). Its extension is ours and sends what is read
// here. What is said of Pi was seen in 1.6.0 and 0.73.1, versions between them
// are by its change log.
type pi struct{}

var (
	_ Harness = pi{}
	_ Program = pi{}
	_ Resumer = pi{}
)

func (pi) Name() string { return "pi" }

//go:embed pi_extension.js
var piExtension string

var (
	piTested = version{1, 6, 0}
	piOld    = version{0, 73, 1}
	piMCP    = version{0, 99, 0}
)

// piEvent is one event of Pi that the extension tells.
type piEvent struct {
	name    string
	kind    turnpost.Kind
	carries turnpost.Accepts // what its answer can carry at best
	fill    func(*turnpost.Event, document.Object)
	others  []turnpost.Kind // what else fill makes of it: nothing is carried then
}

// piEvents leaves out tool_call, in which an error blocks the tool, and
// agent_start: a run may have several.
var piEvents = [...]piEvent{
	// Pi takes no context here: the extension keeps it for the first run.
	{name: "session_start", kind: turnpost.SessionStart, carries: turnpost.Accepts{Context: true, Watch: true}, fill: fillPiStart},
	{name: "before_agent_start", kind: turnpost.Prompt, carries: turnpost.Accepts{Context: true}, fill: fillPiPrompt},
	{name: "input", kind: turnpost.Prompt, fill: fillPiPrompt}, // into a running turn
	{name: "tool_execution_start", kind: turnpost.ToolBefore, fill: fillPiTool},
	{name: "tool_result", kind: turnpost.ToolAfter, carries: turnpost.Accepts{Context: true}, fill: fillPiTool, others: []turnpost.Kind{turnpost.ToolFailed}},
	{name: "turn_end", kind: turnpost.Retry}, // only with an error: each try of a request ends so
	{name: "agent_before_settle", kind: turnpost.TurnEnd, carries: turnpost.Accepts{Continue: true, Soon: true}, fill: fillPiEnd, others: []turnpost.Kind{turnpost.TurnFailed}},
	// Before 0.87.0.
	{name: "agent_end", kind: turnpost.TurnEnd, carries: turnpost.Accepts{Continue: true, Soon: true}, fill: fillPiEnd, others: []turnpost.Kind{turnpost.TurnFailed, turnpost.Interrupt}},
	// Only after an abort.
	{name: "agent_settled", kind: turnpost.Interrupt},
	{name: "session_before_compact", kind: turnpost.CompactBefore},
	{name: "session_compact", kind: turnpost.CompactAfter},
	{name: "ui_prompt_start", kind: turnpost.Notification, fill: fillPiQuestion},
	{name: "ui_prompt_end", kind: turnpost.ToolBefore, fill: fillPiTool}, // answered, so the tool that asked goes on
	{name: "bell", kind: turnpost.Bell, carries: turnpost.Accepts{Continue: true}},
	{name: "session_shutdown", kind: turnpost.SessionEnd, fill: fillEnd},
}

// Decode reads what the extension sends.
func (h pi) Decode(in io.Reader, env Env) (turnpost.Event, error) {
	doc, err := document.Read(in)
	if err != nil {
		return turnpost.Event{}, documentError(err)
	}
	row, ok := piRow(doc.Text("hook_event_name", maxWord))
	if !ok {
		return turnpost.Event{}, ErrIgnore
	}
	native := doc.Text("session_id", maxPath)
	if !validNative(native) {
		return turnpost.Event{}, turnpost.Invalidf("session_id", "not a session id")
	}
	e := turnpost.Event{
		Kind:    row.kind,
		Harness: h.Name(),
		Version: parseVersion(doc.Text("version", maxWord), ".").String(),
		Native:  native,
		Name:    row.name,
		Digest:  digest(doc.Raw),
		Cwd:     absolute(doc.Text("cwd", maxPath)),
		// A print run, or one that a program drives, has nobody in front of it.
		Attended: doc.Text("mode", maxWord) == "tui",
		Agent:    clip(env.Getenv("TURNPOST_AGENT"), maxWord),
		Accepts:  row.carries,
	}
	if pid := doc.Number("pid"); pid > 1 && pid <= 1<<31-1 {
		e.Process = turnpost.Process{Pid: int(pid), Start: env.ProcessStart(int(pid))}
	}
	if row.fill != nil {
		row.fill(&e, doc)
	}
	if doc.Flag("late") || !e.Attended && e.Agent == "" {
		e.Accepts = turnpost.Accepts{}
	}
	e.Accepts.Watch = e.Accepts.Watch && e.Attended
	if e.Attended {
		e.Wake = turnpost.Wake{Method: "bell", Key: bellKey(e), Armed: e.Accepts.Watch}
	}
	return e, nil
}

func piRow(name string) (piEvent, bool) {
	for _, row := range piEvents {
		if row.name == name {
			return row, true
		}
	}
	return piEvent{}, false
}

// fillPiStart: /new is another conversation of the same process. After /reload
// it is the same one, in a new extension that has to hear its bell.
func fillPiStart(e *turnpost.Event, doc document.Object) {
	switch reason := doc.Text("reason", maxWord); reason {
	case "new":
		e.Source = turnpost.SourceClear
	case "reload":
		e.Kind, e.Accepts = turnpost.CwdChanged, turnpost.Accepts{Watch: true}
	default: // startup, resume, fork
		e.Source = reason
	}
}

// fillPiPrompt: the extension sends only a text that may be ours.
func fillPiPrompt(e *turnpost.Event, doc document.Object) {
	e.Offers, e.Machine = ownText(doc.Text("prompt", maxPrompt))
	e.Machine = e.Machine || doc.Text("source", maxWord) == "extension"
}

func fillPiTool(e *turnpost.Event, doc document.Object) {
	e.Tool = doc.Text("tool", maxWord)
	if doc.Flag("failed") {
		e.Kind, e.Accepts = turnpost.ToolFailed, turnpost.Accepts{}
	}
}

// fillPiEnd: only a clean end is ours to continue.
func fillPiEnd(e *turnpost.Event, doc document.Object) {
	switch doc.Text("outcome", maxWord) {
	case "completed":
		e.Last = doc.Text("last", maxLast)
		e.Tokens = doc.Number("tokens")
		return
	case "aborted":
		e.Kind = turnpost.Interrupt
	case "error":
		e.Kind = turnpost.TurnFailed
		detail := doc.Text("error", maxDetail) // "401: {..}" or "401 .."
		e.Failure = turnpost.Failure{Class: statusFailure(detail), Native: "error", Detail: detail}
	}
	e.Accepts = turnpost.Accepts{}
}

func fillPiQuestion(e *turnpost.Event, _ document.Object) { e.Wants = turnpost.WantAnswer }

func (pi) Encode(e turnpost.Event, d turnpost.Decision) Output { return encodePlugin(e, d) }

// Install lays down the extension, which every session of the user loads, and
// which brings our tools: with a line in mcp.json instead, Pi would complain of
// it at each start where our programs are not there.
func (h pi) Install(t Target) []Entry {
	if t.Scope != "user" || t.Mode == "http" {
		return nil
	}
	return append([]Entry{{
		File:    filepath.Join(t.Home, "extensions", "turnpost.js"),
		Dialect: "file",
		Value:   t.pluginFile(h.Name(), piExtension),
		Why:     "an extension that tells what a session does, delivers to it, and brings Turnpost's tools",
	}}, piCommands().entries(filepath.Join(t.Home, "prompts"))...)
}

// piCommands: the name of a prompt template has one part.
func piCommands() commandForm {
	return commandForm{
		typed: "/turnpost-",
		file:  func(c command) string { return "turnpost-" + c.name + ".md" },
		text:  func(c command) string { return c.markdown("$ARGUMENTS", c.hinted()) },
	}
}

func (pi) Binary() string { return "pi" }

func (pi) VersionArgs() []string { return []string{"--version"} }

// Version reads "1.6.0", which 0.73.1 writes on standard error.
func (pi) Version(output string) string { return parseVersion(strings.TrimSpace(output), ".").String() }

func (pi) Home(getenv func(string) string) string {
	return homeDirectory(getenv, "PI_CODING_AGENT_DIR", ".pi", "agent")
}

func (pi) Resume(native string) string { return "pi --session " + shellQuote(native) }

func (pi) Profile() Profile {
	p := Profile{
		Title:      "Pi",
		Proof:      Real,
		Tested:     piTested.String() + " and " + piOld.String() + " (@mariozechner/pi-coding-agent)",
		Minimum:    piOld.String(),
		Delivery:   "turn end, between tools, prompt, start; the bell while idle",
		Continue:   "agent_before_settle: a message and one more request; before 0.87.0 a follow-up prompt after agent_end",
		Wake:       "the bell, a file that our extension watches; its text is sent as a prompt",
		Context:    "before_agent_start: a message, not shown",
		Compaction: "lost; given again with the next prompt",
		Notes:      "with the first prompt after start, resume and /new, and with the next one after a compaction",
		Tokens:     "all that its requests read and wrote, the cache's too, without sub-agents",
		Commands:   "/turnpost-watch, /turnpost-handoff: the name of a template has one part",
		Tools:      "our extension registers turnpost mcp, declared to the model; a call is known by its process",
		Reload:     "after /reload",
		Limits: []string{
			"before " + piMCP.String() + " it has no MCP: agents use the turnpost command line; where another extension does its MCP, register turnpost mcp there",
			"pi -p, --mode json and --mode rpc receive nothing unless TURNPOST_AGENT is set; before 0.87.0 pi -p does not go on at its end",
			"a result that a script gets (codemode) carries no mail",
		},
	}
	for _, row := range piEvents {
		p.Events = append(p.Events, EventProfile{row.name, row.kind, row.carries})
		for _, kind := range row.others {
			p.Events = append(p.Events, EventProfile{row.name, kind, turnpost.Accepts{}})
		}
	}
	return p
}

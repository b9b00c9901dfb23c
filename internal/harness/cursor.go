package harness

import (
	"io"
	"path/filepath"

	"turnpost"
	"turnpost/internal/document"
)

// cursor is the Cursor editor and its command line. What is said here follows
// the vendor's page on hooks (cursor.com/docs/agent/hooks) as of Cursor 2.0; it
// was not run.
type cursor struct{}

var (
	_ Harness   = cursor{}
	_ Program   = cursor{}
	_ MCPClient = cursor{}
)

func (cursor) Name() string { return "cursor" }

// cursorEvents leaves out the hooks that stand before a tool or a file: they
// wait for a permission that is not ours to give. sessionStart is documented,
// and one build refused a whole file that named it (mksglu/context-mode eae8dfc).
var cursorEvents = [...]documented{
	{name: "beforeSubmitPrompt", kind: turnpost.Prompt, fill: fillOwnPrompt},
	{name: "afterShellExecution", kind: turnpost.ToolAfter},
	{name: "afterMCPExecution", kind: turnpost.ToolAfter, fill: fillTool},
	{name: "afterFileEdit", kind: turnpost.ToolAfter},
	{
		name: "stop", kind: turnpost.TurnEnd, carries: turnpost.Accepts{Continue: true, Row: cursorRowOfStops}, fill: fillCursorStop,
		others: []turnpost.Kind{turnpost.Interrupt, turnpost.TurnFailed},
	},
}

// cursorRowOfStops is the page's loop_limit of a hook that names none.
const cursorRowOfStops = 5

// Decode: the editor hosts all its conversations in one process.
func (h cursor) Decode(in io.Reader, env Env) (turnpost.Event, error) {
	doc, err := document.Read(in)
	if err != nil {
		return turnpost.Event{}, documentError(err)
	}
	row, ok := documentedRow(cursorEvents[:], doc.Text("hook_event_name", maxWord))
	if !ok {
		return turnpost.Event{}, ErrIgnore
	}
	from := caller(env)
	e := turnpost.Event{
		Harness:  h.Name(),
		Version:  doc.Text("cursor_version", maxWord),
		Native:   doc.Text("conversation_id", maxPath),
		Process:  from.process(env, true),
		Attended: from.Pid != 0 && !from.has("-p", "--print"),
	}
	if roots := doc.Texts("workspace_roots"); len(roots) > 0 {
		e.Cwd = absolute(clip(roots[0], maxPath))
	}
	return row.event(e, doc, env)
}

// fillCursorStop: the hook runs after an abort and after an error too.
func fillCursorStop(e *turnpost.Event, doc document.Object) {
	e.Continued = doc.Number("loop_count") > 0
	switch status := doc.Text("status", maxWord); status {
	case "completed":
	case "aborted":
		e.Kind = turnpost.Interrupt
	default:
		fails(e, status, "")
	}
}

// Encode: the text of a follow-up is submitted as the next prompt, five times in
// a row at most.
func (cursor) Encode(e turnpost.Event, d turnpost.Decision) Output {
	if !e.Accepts.Continue || d.Continue == "" {
		return Output{}
	}
	return oneText("followup_message", d.Continue)
}

type cursorHook struct {
	Command string `json:"command"`
}

// Install: a version is what the file must say first. The unit of a timeout is
// contested, so that none is written.
func (h cursor) Install(t Target) []Entry {
	if t.Mode == "http" || t.Scope == "local" {
		return nil
	}
	dir := t.Home
	if t.Scope != "user" {
		dir = filepath.Join(t.Project, ".cursor")
	}
	file := filepath.Join(dir, "hooks.json")
	entries := []Entry{{File: file, Dialect: "json", Key: "version", Value: 1, Why: "the form of the file"}}
	for _, row := range cursorEvents {
		entries = append(entries, Entry{
			File:    file,
			Dialect: "json",
			Pointer: "/hooks/" + row.name,
			// In braces: some builds append standard input to the line as a
			// here-document, which belongs to the last command.
			Value: cursorHook{Command: "{ " + t.run(h.Name()) + " || exit 0; }"},
			Why:   "hear " + row.name,
		})
	}
	return append(entries, Entry{
		File:    filepath.Join(dir, "mcp.json"),
		Dialect: "json",
		Pointer: "/mcpServers",
		Key:     "turnpost",
		Value:   t.mcpServer(),
		Why:     "Turnpost's tools",
	})
}

func (cursor) Binary() string { return "cursor" }

func (cursor) VersionArgs() []string { return []string{"--version"} }

func (cursor) Version(output string) string { return anyVersion(output) }

func (cursor) Home(getenv func(string) string) string { return homeDirectory(getenv, "", ".cursor") }

func (cursor) MCPCommand(string) string { return "" }

func (cursor) MCPRemove() string { return "" }

func (h cursor) MCPEntry(getenv func(string) string) (file, dialect, pointer string) {
	return filepath.Join(h.Home(getenv), "mcp.json"), "json", "/mcpServers/turnpost"
}

func (cursor) Profile() Profile {
	return Profile{
		Title:    "Cursor",
		Proof:    Contract,
		Tested:   "the vendor's page on hooks, 2.0",
		Minimum:  "1.7.0",
		Events:   profileOf(cursorEvents[:]),
		Delivery: "turn end",
		Continue: "stop: followup_message, after status completed only",
		Notes:    "not given back by themselves: agents read them with their tool",
		Tools:    "setup registers turnpost mcp in mcp.json; a call is known by its process, where that has one conversation",
		Limits: []string{
			"an agent is told its address with its first mail, not before: no hook of Cursor's that is beyond doubt adds context",
			"the editor is one process for all its conversations: TURNPOST_AGENT names none of them",
			"Cursor submits five follow-ups in a row at most",
		},
	}
}

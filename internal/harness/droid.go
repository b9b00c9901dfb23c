package harness

import (
	"io"
	"path/filepath"
	"time"

	"turnpost"
	"turnpost/internal/document"
)

// droid is Factory's Droid, whose hooks follow Claude Code's. What is said here
// follows the vendor's reference (docs.factory.ai/reference/hooks-reference) as
// of 0.186; it was not run.
type droid struct{}

var (
	_ Harness   = droid{}
	_ Program   = droid{}
	_ MCPClient = droid{}
	_ Timed     = droid{}
)

func (droid) Name() string { return "droid" }

var droidEvents = [...]documented{
	{name: "SessionStart", kind: turnpost.SessionStart, carries: turnpost.Accepts{Context: true}, fill: fillStart},
	{name: "UserPromptSubmit", kind: turnpost.Prompt, carries: turnpost.Accepts{Context: true}, fill: fillOwnPrompt},
	{name: "PreToolUse", kind: turnpost.ToolBefore, fill: fillTool},
	{name: "PostToolUse", kind: turnpost.ToolAfter, carries: turnpost.Accepts{Context: true}, fill: fillTool},
	{name: "Notification", kind: turnpost.Notification, fill: fillNotification},
	{name: "Stop", kind: turnpost.TurnEnd, carries: turnpost.Accepts{Continue: true}, fill: fillStop},
	{name: "SubagentStop", kind: turnpost.SubagentEnd},
	{name: "PreCompact", kind: turnpost.CompactBefore},
	{name: "SessionEnd", kind: turnpost.SessionEnd, fill: fillEnd},
}

func (h droid) Decode(in io.Reader, env Env) (turnpost.Event, error) {
	doc, err := document.Read(in)
	if err != nil {
		return turnpost.Event{}, documentError(err)
	}
	row, ok := documentedRow(droidEvents[:], doc.Text("hook_event_name", maxWord))
	if !ok {
		return turnpost.Event{}, ErrIgnore
	}
	from := caller(env)
	return row.event(turnpost.Event{
		Harness:  h.Name(),
		Native:   doc.Text("session_id", maxPath),
		Cwd:      absolute(doc.Text("cwd", maxPath)),
		Process:  from.process(env, false),
		Attended: from.Terminal && !from.has("exec"), // droid exec: one shot
	}, doc, env)
}

// Encode: a turn's end is blocked, everything else takes additionalContext.
func (droid) Encode(e turnpost.Event, d turnpost.Decision) Output {
	var context, block, notice string
	switch {
	case e.Accepts.Continue && d.Continue != "":
		block = clipText(d.Continue)
	case e.Accepts.Context:
		context = clipText(d.Context)
	}
	if e.Accepts != (turnpost.Accepts{}) {
		notice = clip(d.Notice, maxDetail)
	}
	if context == "" && block == "" && notice == "" {
		return Output{}
	}
	var w document.Writer
	w.Open("")
	if block != "" {
		w.Text("decision", "block")
		w.Text("reason", block)
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

type droidGroup struct {
	Hooks []droidHook `json:"hooks"`
}

type droidHook struct {
	Type    string `json:"type"` // command: there is no other
	Command string `json:"command"`
	Timeout int    `json:"timeout"` // seconds
}

// Install writes settings.json: 0.186 did not read the hooks.json that its
// documentation names first (Factory-AI/factory#3).
func (h droid) Install(t Target) []Entry {
	if t.Mode == "http" {
		return nil
	}
	dir := t.Home
	if t.Scope != "user" {
		dir = filepath.Join(t.Project, ".factory")
	}
	file := filepath.Join(dir, "settings.json")
	if t.Scope == "local" {
		file = filepath.Join(dir, "settings.local.json")
	}
	var entries []Entry
	for _, row := range droidEvents {
		entries = append(entries, Entry{
			File:    file,
			Dialect: "jsonc",
			Pointer: "/hooks/" + row.name,
			Value: droidGroup{Hooks: []droidHook{{
				Type: "command", Command: t.run(h.Name()) + " || exit 0", Timeout: int(hookTimeout / h.TimeoutUnit()),
			}}},
			Why: "hear " + row.name,
		})
	}
	if t.Scope == "local" {
		return entries // there is no file for one's own servers in a repository
	}
	return append(entries, Entry{
		File:    filepath.Join(dir, "mcp.json"),
		Dialect: "json",
		Pointer: "/mcpServers",
		Key:     "turnpost",
		Value:   droidServer{Type: "stdio", mcpServer: t.mcpServer()},
		Why:     "Turnpost's tools",
	})
}

type droidServer struct {
	Type string `json:"type"`
	mcpServer
}

// TimeoutUnit is a second.
func (droid) TimeoutUnit() time.Duration { return time.Second }

func (droid) Binary() string { return "droid" }

func (droid) VersionArgs() []string { return []string{"--version"} }

func (droid) Version(output string) string { return anyVersion(output) }

func (droid) Home(getenv func(string) string) string { return homeDirectory(getenv, "", ".factory") }

func (droid) MCPCommand(string) string { return "" }

func (droid) MCPRemove() string { return "" }

func (h droid) MCPEntry(getenv func(string) string) (file, dialect, pointer string) {
	return filepath.Join(h.Home(getenv), "mcp.json"), "json", "/mcpServers/turnpost"
}

func (droid) Profile() Profile {
	return Profile{
		Title:      "Factory Droid",
		Proof:      Contract,
		Tested:     "the vendor's hooks reference, 0.186",
		Events:     profileOf(droidEvents[:]),
		Delivery:   "turn end, between tools, prompt, start",
		Continue:   "Stop: a block",
		Context:    "SessionStart: additionalContext",
		Compaction: "SessionStart comes again (source compact)",
		Notes:      "start, resume, /clear and after a compaction: SessionStart",
		Tools:      "setup registers turnpost mcp in mcp.json; a call is known by its process",
		Limits: []string{
			"setup writes settings.json: a release that reads hooks.json first ignores that where both are there",
			"droid exec receives nothing unless TURNPOST_AGENT is set",
		},
	}
}

package harness

import (
	_ "embed"
	"io"
	"path/filepath"
	"strings"

	"turnpost"
	"turnpost/internal/document"
)

// openclaw is OpenClaw, a daemon whose agent talks to people over their
// messengers; a plugin of ours runs in it. What is said here follows its own
// pages on plugins and their hooks (docs/plugins/hooks, docs/tools/plugin.md) as
// of 2026.5; it was not run.
type openclaw struct{}

var (
	_ Harness = openclaw{}
	_ Program = openclaw{}
	_ ByHand  = openclaw{}
)

func (openclaw) Name() string { return "openclaw" }

// openclawPlugin is the plugin's own part.
//
//go:embed openclaw_plugin.js
var openclawPlugin string

// openclawEvents leaves out before_tool_call, which blocks the tool when it
// fails, and session_start, which does not say where the agent works: its first
// prompt does.
var openclawEvents = [...]documented{
	{name: "before_prompt_build", kind: turnpost.Prompt, carries: turnpost.Accepts{Context: true}, fill: fillOpenclawPrompt},
	{name: "after_tool_call", kind: turnpost.ToolAfter, fill: fillTool},
	{name: "before_agent_finalize", kind: turnpost.TurnEnd, carries: turnpost.Accepts{Continue: true, Soon: true}, fill: fillStop},
	{
		name: "agent_end", kind: turnpost.TurnEnd, fill: fillOpenclawEnd,
		others: []turnpost.Kind{turnpost.Interrupt, turnpost.TurnFailed},
	},
	{name: "before_compaction", kind: turnpost.CompactBefore},
	{name: "after_compaction", kind: turnpost.CompactAfter},
	{name: "session_end", kind: turnpost.SessionEnd, fill: fillEnd},
}

// Decode reads what the plugin writes. Only the main session of an agent is its
// owner's own; the others are groups, channels and timers.
func (h openclaw) Decode(in io.Reader, env Env) (turnpost.Event, error) {
	doc, err := document.Read(in)
	if err != nil {
		return turnpost.Event{}, documentError(err)
	}
	row, ok := documentedRow(openclawEvents[:], doc.Text("hook_event_name", maxWord))
	if !ok {
		return turnpost.Event{}, ErrIgnore
	}
	key := strings.Split(doc.Text("session_key", maxPath), ":")
	e, err := row.event(turnpost.Event{
		Harness:  h.Name(),
		Native:   doc.Text("session_id", maxPath),
		Cwd:      absolute(doc.Text("cwd", maxPath)),
		Process:  caller(env).process(env, true),
		Attended: len(key) == 3 && key[0] == "agent" && key[2] == "main",
	}, doc, env)
	if doc.Flag("late") { // nobody waits for the answer any more
		e.Accepts = turnpost.Accepts{}
	}
	return e, err
}

// fillOpenclawPrompt: timers start turns too.
func fillOpenclawPrompt(e *turnpost.Event, doc document.Object) {
	trigger := doc.Text("trigger", maxWord)
	e.Machine = trigger != "" && trigger != "user"
}

func fillOpenclawEnd(e *turnpost.Event, doc document.Object) {
	switch detail := doc.Text("error", maxDetail); {
	case doc.Flag("success"):
	case detail == "":
		e.Kind = turnpost.Interrupt
	default:
		fails(e, "", detail)
	}
}

// Encode: the plugin does what it says.
func (openclaw) Encode(e turnpost.Event, d turnpost.Decision) Output { return encodePlugin(e, d) }

// Install lays down the plugin. Its settings are JSON5, which setup has no
// editor for: the plugin is switched on by hand.
func (h openclaw) Install(t Target) []Entry {
	if t.Mode == "http" || t.Scope != "user" {
		return nil
	}
	dir := filepath.Join(t.Home, "extensions", "turnpost")
	file := func(name, content, why string) Entry {
		return Entry{File: filepath.Join(dir, name), Dialect: "file", Value: content, Why: why}
	}
	return []Entry{
		file("index.js", t.pluginFile(h.Name(), openclawPlugin), "hear and answer from inside"),
		file("openclaw.plugin.json", `{
  "id": "turnpost",
  "name": "Turnpost",
  "description": "Messages between coding agents, and between you and them",
  "activation": { "onStartup": true, "onCapabilities": ["hook"] },
  "configSchema": { "type": "object", "additionalProperties": false, "properties": {} }
}
`, "what the plugin is"),
		file("package.json", `{
  "name": "turnpost",
  "version": "1.0.0",
  "private": true,
  "type": "module",
  "openclaw": { "extensions": ["./index.js"] }
}
`, "where the plugin starts"),
	}
}

// ByHand: the finalize hook needs access to the conversation.
func (h openclaw) ByHand(t Target) (file, text string) {
	if t.Scope != "user" {
		return "", ""
	}
	var server document.Writer
	server.Open("")
	server.Text("command", t.Program)
	server.Texts("args", []string{"mcp"})
	server.Close()
	return "", strings.Join([]string{
		"openclaw plugins enable turnpost",
		"openclaw config set plugins.entries.turnpost.hooks.allowConversationAccess true",
		"openclaw mcp set turnpost " + shellQuote(string(server.Bytes())),
		"openclaw gateway restart",
		"",
	}, "\n")
}

func (openclaw) Binary() string { return "openclaw" }

func (openclaw) VersionArgs() []string { return []string{"--version"} }

func (openclaw) Version(output string) string { return anyVersion(output) }

func (openclaw) Home(getenv func(string) string) string {
	return homeDirectory(getenv, "OPENCLAW_STATE_DIR", ".openclaw")
}

func (openclaw) Profile() Profile {
	return Profile{
		Title:      "OpenClaw",
		Proof:      Contract,
		Tested:     "its own pages on plugins and hooks, 2026.5",
		Events:     profileOf(openclawEvents[:]),
		Delivery:   "turn end, prompt",
		Continue:   "before_agent_finalize: action revise",
		Context:    "before_prompt_build: prependContext, with the first prompt",
		Compaction: "with the next prompt",
		Notes:      "with the first prompt of a session, and with the next one after a compaction",
		Tools:      "openclaw mcp set, by you; a call is known by its process, where that has one session",
		Limits: []string{
			"setup lays the plugin down; to switch it on is for you",
			"only the main session of an agent gets mail: groups, channels and timers report status only",
			"it is one process for all sessions: TURNPOST_AGENT names none of them",
			"its plugin interface is called experimental",
		},
	}
}

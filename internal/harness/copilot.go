package harness

import (
	_ "embed"
	"path/filepath"
	"strings"
	"time"

	"turnpost"
	"turnpost/internal/document"
)

// copilot is GitHub's Copilot CLI: command hooks, and an extension of ours where
// it loads extensions. What is said here of it was seen with 1.0.102.
type copilot struct{}

var (
	_ Harness   = copilot{}
	_ Program   = copilot{}
	_ MCPClient = copilot{}
	_ Resumer   = copilot{}
	_ Timed     = copilot{}
)

func (copilot) Name() string { return "copilot" }

const copilotTested = "1.0.102"

// copilotMinimum reads ~/.copilot/hooks and takes text at a session's start, by
// its change log, like the other versions here.
var copilotMinimum = version{1, 0, 11}

// copilotEvent is one event of Copilot that the hub hears.
type copilotEvent struct {
	name      string
	kind      turnpost.Kind
	carries   turnpost.Accepts // what its answer can carry at best
	since     version          // it carried nothing before
	fill      func(*turnpost.Event, document.Object)
	extension bool // our extension tells it, else a hook
}

// copilotEvents leaves out permissionRequest, which runs for what is allowed
// anyway: the notification says that a person is asked. The extension tells what
// no hook does: nothing runs after an abort, and errorOccurred runs for each
// attempt of a request and never says that it was the last.
//
// preToolUse denies the tool when its hook fails: its line may not.
var copilotEvents = [...]copilotEvent{
	{name: "sessionStart", kind: turnpost.SessionStart, carries: turnpost.Accepts{Context: true}, fill: fillCopilotStart},
	{name: "userPromptSubmitted", kind: turnpost.Prompt, carries: turnpost.Accepts{Context: true}, since: version{1, 0, 65}, fill: fillCopilotPrompt},
	{name: "preToolUse", kind: turnpost.ToolBefore, fill: fillCopilotTool},
	{name: "postToolUse", kind: turnpost.ToolAfter, carries: turnpost.Accepts{Context: true}, since: version{1, 0, 51}, fill: fillCopilotTool},
	{name: "postToolUseFailure", kind: turnpost.ToolFailed, fill: fillCopilotTool},
	{name: "notification", kind: turnpost.Notification, fill: fillNotification},
	{name: "errorOccurred", kind: turnpost.Retry},
	{name: "agentStop", kind: turnpost.TurnEnd, carries: turnpost.Accepts{Continue: true, Row: copilotRowOfStops}, fill: fillCopilotStop},
	{name: "subagentStart", kind: turnpost.SubagentStart},
	{name: "subagentStop", kind: turnpost.SubagentEnd},
	{name: "preCompact", kind: turnpost.CompactBefore},
	{name: "sessionEnd", kind: turnpost.SessionEnd, fill: fillEnd},

	{name: "extension.join", kind: turnpost.CwdChanged, carries: turnpost.Accepts{Watch: true}, extension: true},
	{name: "assistant.idle", kind: turnpost.Interrupt, extension: true}, // told only after an abort
	{name: "session.error", kind: turnpost.TurnFailed, fill: fillCopilotError, extension: true},
	{name: "bell", kind: turnpost.Bell, carries: turnpost.Accepts{Continue: true}, extension: true},
}

// copilotRowOfStops: after eight blocks in a row it ends the turn itself (1.0.102).
const copilotRowOfStops = 8

// copilotMark is the variable in which a registered line names its event: the
// input of most hooks does not.
const copilotMark = "TURNPOST_EVENT"

//go:embed copilot_extension.js
var copilotExtension string

// copilotServer is our MCP server in mcp-config.json, in the form that
// "copilot mcp add" writes.
type copilotServer struct {
	Type string `json:"type"` // local
	mcpServer
	Tools []string `json:"tools"`
}

// Install lays down a file of hooks and the extension. Copilot loads extensions
// only when it is started with --experimental, once.
func (h copilot) Install(t Target) []Entry {
	if t.Scope != "user" || t.Mode == "http" {
		return nil
	}
	return append([]Entry{
		{
			File:    filepath.Join(t.Home, "hooks", "turnpost.json"),
			Dialect: "file",
			Value:   h.hooks(t),
			Why:     "hooks that tell what a session does, and deliver to it",
		},
		{
			File:    filepath.Join(t.Home, "extensions", "turnpost", "extension.mjs"),
			Dialect: "file",
			Value:   t.pluginFile(h.Name(), copilotExtension),
			Why:     "an extension that wakes an idle session, loaded with --experimental",
		},
		{
			File:    filepath.Join(t.Home, "mcp-config.json"),
			Dialect: "json",
			Pointer: "/mcpServers",
			Key:     "turnpost",
			Value:   copilotServer{Type: "local", mcpServer: t.mcpServer(), Tools: []string{"*"}},
			Why:     "Turnpost's tools",
		},
	}, copilotCommands().entries(filepath.Join(t.Home, "skills"))...)
}

// copilotCommands: there are no commands of one's own but skills, whose names have
// one part (1.0.102).
func copilotCommands() commandForm {
	return commandForm{
		typed: "/turnpost-",
		file:  func(c command) string { return "turnpost-" + c.name + "/SKILL.md" },
		text:  func(c command) string { return c.markdown("$ARGUMENTS", "name: turnpost-"+c.name, byPeople) },
	}
}

// hooks is the file of hooks. The lines are for bash: a hook in exec form that
// is gone denies every tool, and so does any status but 0.
func (h copilot) hooks(t Target) string {
	var lines []string
	for _, row := range copilotEvents {
		if row.extension {
			continue
		}
		var hook document.Writer
		hook.Open("")
		hook.Text("type", "command")
		hook.Text("bash", copilotMark+"="+row.name+" "+t.run(h.Name())+" || exit 0")
		hook.Number("timeoutSec", int(hookTimeout/h.TimeoutUnit()))
		hook.Close()
		lines = append(lines, `    "`+row.name+`": [`+string(hook.Bytes())+"]")
	}
	return "{\n  \"version\": 1,\n  \"hooks\": {\n" + strings.Join(lines, ",\n") + "\n  }\n}\n"
}

// TimeoutUnit is a second. A hook that takes longer is ended, and Copilot goes on.
func (copilot) TimeoutUnit() time.Duration { return time.Second }

func (copilot) Binary() string { return "copilot" }

func (copilot) VersionArgs() []string { return []string{"--version"} }

// Version reads "GitHub Copilot CLI 1.0.102."
func (copilot) Version(output string) string {
	rest, ok := strings.CutPrefix(strings.TrimSpace(output), "GitHub Copilot CLI ")
	if !ok {
		return ""
	}
	return parseVersion(rest, ".").String()
}

func (copilot) Home(getenv func(string) string) string {
	return homeDirectory(getenv, "COPILOT_HOME", ".copilot")
}

func (copilot) MCPCommand(string) string { return "" }

func (copilot) MCPRemove() string { return "" }

func (h copilot) MCPEntry(getenv func(string) string) (file, dialect, pointer string) {
	return filepath.Join(h.Home(getenv), "mcp-config.json"), "json", "/mcpServers/turnpost"
}

func (copilot) Resume(native string) string { return "copilot --resume=" + shellQuote(native) }

const copilotExperimental = "it loads extensions once it was started with --experimental; until then nothing wakes an idle session, and a turn that was aborted or failed looks open"

func (copilot) Profile() Profile {
	p := Profile{
		Title:      "Copilot CLI",
		Proof:      Real,
		Tested:     copilotTested,
		Minimum:    copilotMinimum.String(),
		Delivery:   "turn end, between tools, prompt, start; the bell while idle",
		Continue:   "agentStop: a block; it ends the turn itself after eight in a row",
		Wake:       "the bell, a file that our extension watches; its text is sent as a prompt",
		Context:    "sessionStart: additionalContext, with the first prompt",
		Compaction: "lost; given again with the next prompt",
		Notes:      "with the first prompt after start and resume: sessionStart; with the next prompt after a compaction",
		Commands:   "/turnpost-watch, /turnpost-handoff: skills, whose names have one part",
		Tools:      "setup registers turnpost mcp in mcp-config.json; a call is known by its process",
		Limits: []string{
			copilotExperimental,
			"it asks before it uses Turnpost's tools, unless it is started with --allow-tool=turnpost",
			"copilot -p receives nothing unless TURNPOST_AGENT is set; --acp and --headless, which programs drive, never do",
			"where turnpost is not there, it says at each start that the server of its tools is missing",
		},
		Caution: copilotExperimental,
	}
	for _, row := range copilotEvents {
		p.Events = append(p.Events, EventProfile{row.name, row.kind, row.carries})
	}
	return p
}

package harness

import (
	"io"
	"path/filepath"
	"strings"
	"time"

	"turnpost"
	"turnpost/internal/document"
)

// antigravity is Google's Antigravity: a command line, an editor and a page that
// read the same hooks. What is said here follows public descriptions of agy 1.1
// (antigravity.google/docs/hooks, symposium-dev/symposium
// md/design/agent-details/antigravity-cli.md); it was not run.
type antigravity struct{}

var (
	_ Harness = antigravity{}
	_ Program = antigravity{}
	_ Timed   = antigravity{}
)

func (antigravity) Name() string { return "antigravity" }

// antigravityEvents are few on purpose. An empty answer of PreToolUse is said to
// deny the tool, and SessionStart is in no documentation. PreInvocation comes
// before each request to the model: the first of a turn is its prompt, the
// others stand between tools.
var antigravityEvents = [...]documented{
	{name: "PreInvocation", kind: turnpost.Prompt, carries: turnpost.Accepts{Context: true}},
	{name: "PreInvocation", kind: turnpost.ToolAfter, carries: turnpost.Accepts{Context: true}},
	{
		name: "Stop", kind: turnpost.TurnEnd, carries: turnpost.Accepts{Continue: true}, fill: fillAntigravityStop,
		others: []turnpost.Kind{turnpost.TurnFailed},
	},
}

// antigravityRow tells events by their fields: none says its name.
func antigravityRow(doc document.Object) (documented, bool) {
	switch {
	case doc.Value("invocationNum") != nil && doc.Number("invocationNum") == 0:
		return antigravityEvents[0], true
	case doc.Value("invocationNum") != nil:
		return antigravityEvents[1], true
	case doc.Value("terminationReason") != nil:
		return antigravityEvents[2], true
	}
	return documented{}, false
}

// Decode: the editor hosts all its conversations in one process.
func (h antigravity) Decode(in io.Reader, env Env) (turnpost.Event, error) {
	doc, err := document.Read(in)
	if err != nil {
		return turnpost.Event{}, documentError(err)
	}
	row, ok := antigravityRow(doc)
	if !ok {
		return turnpost.Event{}, ErrIgnore
	}
	from := caller(env)
	e := turnpost.Event{
		Harness:  h.Name(),
		Native:   doc.Text("conversationId", maxPath),
		Process:  from.process(env, true),
		Attended: from.Pid != 0 && !from.has("-p", "--print", "--prompt"),
	}
	if paths := doc.Texts("workspacePaths"); len(paths) > 0 {
		e.Cwd = absolute(clip(paths[0], maxPath))
	}
	return row.event(e, doc, env)
}

// fillAntigravityStop continues what ended by itself only: two words for that
// were seen in public, and a turn that a person stopped has another.
func fillAntigravityStop(e *turnpost.Event, doc document.Object) {
	reason := doc.Text("terminationReason", maxWord)
	if detail := doc.Text("error", maxDetail); detail != "" {
		fails(e, reason, detail)
		return
	}
	clean := strings.EqualFold(reason, "no_tool_call") || strings.EqualFold(reason, "model_stop")
	if !clean || !doc.Flag("fullyIdle") {
		e.Accepts = turnpost.Accepts{}
	}
}

// Encode: a user message stays in the conversation, an ephemeral one would be
// gone with the next request.
func (antigravity) Encode(e turnpost.Event, d turnpost.Decision) Output {
	var w document.Writer
	switch {
	case e.Accepts.Continue && d.Continue != "":
		w.Open("")
		w.Text("decision", "continue")
		w.Text("reason", clipText(d.Continue))
	case e.Accepts.Context && d.Context != "":
		var step document.Writer
		step.Open("")
		step.Text("userMessage", clipText(d.Context))
		step.Close()
		w.Open("")
		w.Raw("injectSteps", append(append([]byte{'['}, step.Bytes()...), ']'))
	default:
		return Output{}
	}
	w.Close()
	return Output{Stdout: append(w.Bytes(), '\n')}
}

type antigravityHook struct {
	Type    string `json:"type"`
	Command string `json:"command"`
	Timeout int    `json:"timeout"` // whole seconds: another number loses the whole file
}

// Install writes one named group of hooks: the members of the file are names.
func (h antigravity) Install(t Target) []Entry {
	if t.Mode == "http" || t.Scope == "local" {
		return nil
	}
	file := filepath.Join(t.Home, "hooks.json")
	if t.Scope != "user" {
		file = filepath.Join(t.Project, ".agents", "hooks.json")
	}
	group := make(map[string][]antigravityHook)
	for _, row := range antigravityEvents {
		group[row.name] = []antigravityHook{{
			Type: "command", Command: t.run(h.Name()) + " || exit 0", Timeout: int(hookTimeout / h.TimeoutUnit()),
		}}
	}
	return []Entry{{File: file, Dialect: "json", Key: "turnpost", Value: group, Why: "hear each request to the model and the end of a turn"}}
}

// TimeoutUnit is a second.
func (antigravity) TimeoutUnit() time.Duration { return time.Second }

func (antigravity) Binary() string { return "agy" }

func (antigravity) VersionArgs() []string { return []string{"--version"} }

func (antigravity) Version(output string) string { return anyVersion(output) }

func (antigravity) Home(getenv func(string) string) string {
	return homeDirectory(getenv, "", ".gemini", "config")
}

func (antigravity) Profile() Profile {
	return Profile{
		Title:    "Antigravity",
		Proof:    Contract,
		Tested:   "public descriptions of agy 1.1",
		Events:   profileOf(antigravityEvents[:]),
		Delivery: "turn end, between tools, prompt",
		Continue: "Stop: decision continue, after a clean end only",
		Context:  "PreInvocation: a user message, with the first prompt",
		Notes:    "with the first prompt of a session; nothing tells of a compaction",
		Tools:    "agy mcp add, by you: turnpost mcp; a call is known by its process, where that has one conversation",
		Limits: []string{
			"descriptions differ on whether it reads hooks.json in ~/.gemini/config or only those of installed plugins",
			"a turn that a person stops is not reported",
			"the process is one for all conversations: TURNPOST_AGENT names none of them",
		},
	}
}

package harness

import (
	"io"
	"path/filepath"
	"strings"

	"turnpost"
	"turnpost/internal/document"
)

// windsurf is the Windsurf editor's Cascade. What is said here follows the
// vendor's page (docs.windsurf.com/windsurf/cascade/hooks); it was not run. No
// answer of a hook reaches the model.
type windsurf struct{}

var (
	_ Harness = windsurf{}
	_ Program = windsurf{}
)

func (windsurf) Name() string { return "windsurf" }

// windsurfEvents leaves out the hooks that stand before a tool, where a failure
// can block, and those of every file that is read.
var windsurfEvents = [...]documented{
	{name: "pre_user_prompt", kind: turnpost.Prompt, fill: fillCascadePrompt},
	{name: "post_write_code", kind: turnpost.ToolAfter, fill: fillCascadeTool},
	{name: "post_run_command", kind: turnpost.ToolAfter, fill: fillCascadeTool},
	{name: "post_mcp_tool_use", kind: turnpost.ToolAfter, fill: fillCascadeTool},
	{name: "post_cascade_response", kind: turnpost.TurnEnd},
}

// Decode: no event says where it happens; the editor runs hooks in the root of
// the workspace.
func (h windsurf) Decode(in io.Reader, env Env) (turnpost.Event, error) {
	doc, err := document.Read(in)
	if err != nil {
		return turnpost.Event{}, documentError(err)
	}
	row, ok := documentedRow(windsurfEvents[:], doc.Text("agent_action_name", maxWord))
	if !ok {
		return turnpost.Event{}, ErrIgnore
	}
	from := caller(env)
	return row.event(turnpost.Event{
		Harness:  h.Name(),
		Reports:  true,
		Native:   doc.Text("trajectory_id", maxPath),
		Cwd:      absolute(env.Getenv("PWD")),
		Process:  from.process(env, true),
		Attended: from.Pid != 0,
	}, doc, env)
}

func fillCascadePrompt(e *turnpost.Event, doc document.Object) {
	e.Offers, e.Machine = ownText(doc.Object("tool_info").Text("user_prompt", maxPrompt))
}

func fillCascadeTool(e *turnpost.Event, doc document.Object) {
	e.Tool = doc.Object("tool_info").Text("mcp_tool_name", maxWord)
	if e.Tool == "" {
		e.Tool = strings.TrimPrefix(e.Name, "post_")
	}
}

func (windsurf) Encode(turnpost.Event, turnpost.Decision) Output { return Output{} }

type windsurfHook struct {
	Command    string `json:"command"`
	ShowOutput bool   `json:"show_output"`
}

func (h windsurf) Install(t Target) []Entry {
	if t.Mode == "http" || t.Scope == "local" {
		return nil
	}
	file := filepath.Join(t.Home, "hooks.json")
	if t.Scope != "user" {
		file = filepath.Join(t.Project, ".windsurf", "hooks.json")
	}
	var entries []Entry
	for _, row := range windsurfEvents {
		entries = append(entries, Entry{
			File:    file,
			Dialect: "json",
			Pointer: "/hooks/" + row.name,
			Value:   windsurfHook{Command: t.run(h.Name()) + " || exit 0"},
			Why:     "hear " + row.name,
		})
	}
	return entries
}

func (windsurf) Binary() string { return "windsurf" }

func (windsurf) VersionArgs() []string { return []string{"--version"} }

func (windsurf) Version(output string) string { return anyVersion(output) }

func (windsurf) Home(getenv func(string) string) string {
	return homeDirectory(getenv, "", ".codeium", "windsurf")
}

func (windsurf) Profile() Profile {
	return Profile{
		Title:  "Windsurf",
		Proof:  Status,
		Tested: "the vendor's page on Cascade's hooks",
		Events: profileOf(windsurfEvents[:]),
		Limits: []string{
			"nothing is delivered: no answer of a hook reaches the model",
			"a turn that is cancelled or fails is not reported: it shows as working, later as quiet",
			"newer builds are said to have replaced Cascade: their agent has other hooks, which Turnpost does not know",
		},
	}
}

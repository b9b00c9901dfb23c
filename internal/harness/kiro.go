package harness

import (
	"hash/fnv"
	"io"
	"path/filepath"
	"strconv"
	"time"

	"turnpost"
	"turnpost/internal/document"
)

// kiro is Amazon's Kiro. What is said here follows the vendor's pages on hooks
// of releases 2 and 3 (kiro.dev/docs/cli/hooks, kiro.dev/docs/cli/v3/hooks) and
// public reports of what its hooks are given; it was not run.
type kiro struct{}

var (
	_ Harness = kiro{}
	_ Program = kiro{}
	_ Timed   = kiro{}
)

func (kiro) Name() string { return "kiro" }

// kiroEvents are those of release 3, then those of release 2, whose hooks live
// in the file of one agent and are registered by hand.
var kiroEvents = [...]documented{
	{name: "SessionStart", kind: turnpost.SessionStart, fill: fillKiroStart},
	{name: "UserPromptSubmit", kind: turnpost.Prompt, fill: fillOwnPrompt},
	{name: "PreToolUse", kind: turnpost.ToolBefore, fill: fillTool},
	{name: "PostToolUse", kind: turnpost.ToolAfter, fill: fillTool},
	{name: "Stop", kind: turnpost.TurnEnd, fill: fillKiroStop},

	{name: "agentSpawn", kind: turnpost.SessionStart, fill: fillKiroStart},
	{name: "userPromptSubmit", kind: turnpost.Prompt, fill: fillOwnPrompt},
	{name: "preToolUse", kind: turnpost.ToolBefore, fill: fillTool},
	{name: "postToolUse", kind: turnpost.ToolAfter, fill: fillTool},
	{name: "stop", kind: turnpost.TurnEnd, fill: fillKiroStop},
}

const kiroRegistered = 5 // of them, the first

func (h kiro) Decode(in io.Reader, env Env) (turnpost.Event, error) {
	doc, err := document.Read(in)
	if err != nil {
		return turnpost.Event{}, documentError(err)
	}
	row, ok := documentedRow(kiroEvents[:], doc.Text("hook_event_name", maxWord))
	if !ok {
		return turnpost.Event{}, ErrIgnore
	}
	from := caller(env)
	e := turnpost.Event{
		Harness:  h.Name(),
		Reports:  true,
		Native:   doc.Text("session_id", maxPath),
		Cwd:      absolute(doc.Text("cwd", maxPath)),
		Process:  from.process(env, !from.Terminal), // the editor hosts several
		Attended: from.Terminal && !from.has("--no-interactive"),
	}
	if doc.Value("session_id") == nil {
		e.Native = kiroSession(e)
	}
	return row.event(e, doc, env)
}

// kiroSession names a session of release 2, which tells no id (kirodotdev/Kiro
// #8430): by its process, which has one, else by where it works.
func kiroSession(e turnpost.Event) string {
	switch {
	case e.Process.Pid != 0:
		return "p" + bellKey(e)
	case e.Cwd != "":
		h := fnv.New64a()
		h.Write([]byte(e.Cwd))
		return "d" + strconv.FormatUint(h.Sum64(), 36)
	}
	return ""
}

func fillKiroStart(e *turnpost.Event, _ document.Object) { e.Source = turnpost.SourceStartup }

func fillKiroStop(e *turnpost.Event, doc document.Object) {
	e.Last = doc.Text("assistant_response", maxLast)
}

func (kiro) Encode(turnpost.Event, turnpost.Decision) Output { return Output{} }

type kiroHook struct {
	Name    string     `json:"name"`
	Trigger string     `json:"trigger"`
	Action  kiroAction `json:"action"`
	Timeout int        `json:"timeout"` // seconds
}

type kiroAction struct {
	Type    string `json:"type"`
	Command string `json:"command"`
}

// Install writes a file of its own into a repository: no place for all of a
// user's repositories is documented.
func (h kiro) Install(t Target) []Entry {
	if t.Mode == "http" || t.Scope != "project" {
		return nil
	}
	file := filepath.Join(t.Project, ".kiro", "hooks", "turnpost.json")
	entries := []Entry{{File: file, Dialect: "json", Key: "version", Value: "v1", Why: "the form of the file"}}
	for _, row := range kiroEvents[:kiroRegistered] {
		entries = append(entries, Entry{
			File:    file,
			Dialect: "json",
			Pointer: "/hooks",
			Value: kiroHook{
				Name:    "turnpost " + row.name,
				Trigger: row.name,
				Action:  kiroAction{Type: "command", Command: t.run(h.Name()) + " || exit 0"},
				Timeout: int(hookTimeout / h.TimeoutUnit()),
			},
			Why: "hear " + row.name,
		})
	}
	return entries
}

// TimeoutUnit is a second.
func (kiro) TimeoutUnit() time.Duration { return time.Second }

func (kiro) Binary() string { return "kiro-cli" }

func (kiro) VersionArgs() []string { return []string{"--version"} }

func (kiro) Version(output string) string { return anyVersion(output) }

func (kiro) Home(getenv func(string) string) string { return homeDirectory(getenv, "", ".kiro") }

func (kiro) Profile() Profile {
	return Profile{
		Title:   "Kiro",
		Proof:   Status,
		Tested:  "the vendor's pages on hooks, 2.16 and 3.0",
		Minimum: "3.0.0",
		Events:  profileOf(kiroEvents[:]),
		Limits: []string{
			"nothing is delivered",
			"setup registers it in one repository: --scope project; no file for all of them is documented",
			"release 2 keeps hooks in the file of each agent: to be added there by hand, under hooks",
			"release 2 tells no session id: a session is its process, or its directory where that is not known",
			"a turn that is cancelled or fails is not reported",
		},
	}
}

package harness

import (
	_ "embed"
	"io"
	"path/filepath"

	"turnpost"
	"turnpost/internal/document"
)

// amp is Amp, in which a plugin of ours runs. What is said here follows the
// vendor's page on plugins (ampcode.com/manual/plugin-api) and published ones;
// it was not run, and the vendor calls the interface experimental.
type amp struct{}

var (
	_ Harness = amp{}
	_ Program = amp{}
)

func (amp) Name() string { return "amp" }

// ampPlugin is the plugin's own part.
//
//go:embed amp_plugin.js
var ampPlugin string

// ampEvents leaves out tool.call, which has to be answered.
var ampEvents = [...]documented{
	{name: "session.start", kind: turnpost.SessionStart, fill: fillAmpStart},
	{name: "agent.start", kind: turnpost.Prompt},
	{name: "tool.result", kind: turnpost.ToolAfter, fill: fillTool},
	{
		name: "agent.end", kind: turnpost.TurnEnd, fill: fillAmpEnd,
		others: []turnpost.Kind{turnpost.Interrupt, turnpost.TurnFailed},
	},
}

// Decode reads what the plugin writes. A plugin is one process for several
// threads.
func (h amp) Decode(in io.Reader, env Env) (turnpost.Event, error) {
	doc, err := document.Read(in)
	if err != nil {
		return turnpost.Event{}, documentError(err)
	}
	row, ok := documentedRow(ampEvents[:], doc.Text("hook_event_name", maxWord))
	if !ok {
		return turnpost.Event{}, ErrIgnore
	}
	from := caller(env)
	return row.event(turnpost.Event{
		Harness:  h.Name(),
		Reports:  true,
		Native:   doc.Text("session_id", maxPath),
		Cwd:      absolute(doc.Text("cwd", maxPath)),
		Process:  from.process(env, true),
		Attended: from.Terminal && !from.has("-x", "--execute"),
	}, doc, env)
}

func fillAmpStart(e *turnpost.Event, _ document.Object) { e.Source = turnpost.SourceStartup }

func fillAmpEnd(e *turnpost.Event, doc document.Object) {
	switch status := doc.Text("status", maxWord); status {
	case "done":
	case "error":
		fails(e, status, "")
	default:
		e.Kind = turnpost.Interrupt
	}
}

func (amp) Encode(turnpost.Event, turnpost.Decision) Output { return Output{} }

func (h amp) Install(t Target) []Entry {
	if t.Mode == "http" || t.Scope == "local" {
		return nil
	}
	dir := t.Home
	if t.Scope == "project" {
		dir = filepath.Join(t.Project, ".amp")
	}
	return []Entry{{
		File: filepath.Join(dir, "plugins", "turnpost.ts"), Dialect: "file",
		Value: t.pluginFile(h.Name(), ampPlugin), Why: "hear what threads do",
	}}
}

func (amp) Binary() string { return "amp" }

func (amp) VersionArgs() []string { return []string{"--version"} }

func (amp) Version(output string) string { return anyVersion(output) }

func (amp) Home(getenv func(string) string) string {
	return homeDirectory(getenv, "", ".config", "amp")
}

func (amp) Profile() Profile {
	return Profile{
		Title:  "Amp",
		Proof:  Status,
		Tested: "the vendor's page on plugins, 2026",
		Events: profileOf(ampEvents[:]),
		Limits: []string{
			"nothing is delivered: the vendor calls the plugin interface experimental",
			"older releases run plugins only with PLUGINS=all in the environment",
			"the end of a thread is not reported; its process is watched",
		},
	}
}

package harness

import (
	"path/filepath"

	"turnpost"
	"turnpost/internal/document"
)

// documented is one event of a harness that is known from its documentation
// only. The adapters of such harnesses are tables of these.
type documented struct {
	name    string // the harness's own
	kind    turnpost.Kind
	carries turnpost.Accepts // what the answer can carry at best
	fill    func(*turnpost.Event, document.Object)
	others  []turnpost.Kind // what else fill makes of it, by its outcome: nothing is carried then
}

func documentedRow(table []documented, name string) (documented, bool) {
	for _, row := range table {
		if row.name == name {
			return row, true
		}
	}
	return documented{}, false
}

// event completes what the adapter knows of an event: its harness, native id,
// place, process and whether it is attended.
func (row documented) event(e turnpost.Event, doc document.Object, env Env) (turnpost.Event, error) {
	if !validNative(e.Native) {
		return turnpost.Event{}, turnpost.Invalidf("session_id", "not a session id")
	}
	e.Kind = row.kind
	e.Name = row.name
	e.Digest = digest(doc.Raw)
	if !e.Process.Shared {
		e.Agent = clip(env.Getenv("TURNPOST_AGENT"), maxWord)
	}
	if e.Attended || e.Agent != "" { // else it is somebody's script
		e.Accepts = row.carries
	}
	if row.fill != nil {
		row.fill(&e, doc)
	}
	if e.Kind != row.kind { // a turn that failed or was interrupted is not ours to keep going
		e.Accepts = turnpost.Accepts{}
	}
	return e, nil
}

// profileOf lists a table for people.
func profileOf(table []documented) []EventProfile {
	var events []EventProfile
	for _, row := range table {
		events = append(events, EventProfile{row.name, row.kind, row.carries})
		for _, kind := range row.others {
			events = append(events, EventProfile{row.name, kind, turnpost.Accepts{}})
		}
	}
	return events
}

// fails makes a failed turn of an event. The documentation of these harnesses
// has no classes.
func fails(e *turnpost.Event, native, detail string) {
	e.Kind = turnpost.TurnFailed
	e.Failure = turnpost.Failure{Class: turnpost.FailureOther, Native: clip(native, maxWord), Detail: clip(detail, maxDetail)}
}

// fillOwnPrompt tells a text of ours that comes back as a prompt from one that a
// person typed.
func fillOwnPrompt(e *turnpost.Event, doc document.Object) {
	e.Offers, e.Machine = ownText(doc.Text("prompt", maxPrompt))
}

// oneText is an answer with one text.
func oneText(key, text string) Output {
	var w document.Writer
	w.Open("")
	w.Text(key, clipText(text))
	w.Close()
	return Output{Stdout: append(w.Bytes(), '\n')}
}

// homeDirectory is where a program keeps its files: where the variable points,
// if it has one, else below the user's own directory.
func homeDirectory(getenv func(string) string, variable string, below ...string) string {
	home := getenv("HOME")
	if variable != "" {
		if dir := getenv(variable); filepath.IsAbs(dir) {
			return filepath.Clean(dir)
		}
	}
	if !filepath.IsAbs(home) {
		return ""
	}
	return filepath.Join(append([]string{home}, below...)...)
}

// anyVersion finds the first number of three parts in what a program prints.
func anyVersion(output string) string {
	for i := range len(output) {
		if i > 0 && (output[i-1] == '.' || output[i-1] >= '0' && output[i-1] <= '9') {
			continue
		}
		if v := parseVersion(output[i:], "."); v.known() {
			return v.String()
		}
	}
	return ""
}

// mcpServer is our MCP server as most harnesses write one down.
type mcpServer struct {
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

func (t Target) mcpServer() mcpServer { return mcpServer{Command: t.Program, Args: []string{"mcp"}} }

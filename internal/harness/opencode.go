package harness

import (
	"io"
	"path/filepath"
	"strings"

	"turnpost"
	"turnpost/internal/document"
)

// opencode is anomalyco's opencode, in which a plugin of ours runs. What is said
// here of it was seen with 1.18.33 unless another source is named.
type opencode struct{}

var (
	_ Harness = opencode{}
	_ Program = opencode{}
	_ Resumer = opencode{}
)

func (opencode) Name() string { return "opencode" }

// Older ones have the same events, but for dispose, which came between 1.14.34
// and 1.17.0. The plugin was run in 1.1.11 and 1.14.34 too.
const (
	opencodeTested  = "1.18.33"
	opencodeMinimum = "1.1.11"
)

// opencodeEvents is every event that the plugin tells, in opencode's own words;
// "bell" is ours. The plugin leaves out sub-agents' sessions, but for what a
// person is asked on their behalf, and an idle that ends no turn: opencode says
// so twice after an abort or an error, and after a compaction.
//
// A bell is announced at every prompt: a session that was there before this
// process has no session.created.
var opencodeEvents = [...]documented{
	{name: "session.created", kind: turnpost.SessionStart, fill: fillStart, carries: turnpost.Accepts{Context: true, Watch: true}},
	{name: "chat.message", kind: turnpost.Prompt, fill: fillOpencodePrompt, carries: turnpost.Accepts{Context: true, Watch: true}},
	{name: "tool.execute.before", kind: turnpost.ToolBefore, fill: fillTool},
	{name: "tool.execute.after", kind: turnpost.ToolAfter, fill: fillTool, carries: turnpost.Accepts{Context: true}},
	{name: "message.part.updated", kind: turnpost.ToolFailed, fill: fillTool},
	{name: "permission.asked", kind: turnpost.PermissionAsk, fill: fillOpencodeAsk},
	{name: "permission.replied", kind: turnpost.ToolBefore, fill: fillOpencodeReply, others: []turnpost.Kind{turnpost.ToolFailed}},
	{name: "question.asked", kind: turnpost.PermissionAsk, fill: fillOpencodeAsk},
	{name: "question.replied", kind: turnpost.ToolBefore, fill: fillTool},
	{name: "question.rejected", kind: turnpost.ToolFailed, fill: fillTool},
	{name: "session.status", kind: turnpost.Retry, fill: fillOpencodeRetry, others: []turnpost.Kind{turnpost.TurnFailed}},
	{name: "session.idle", kind: turnpost.TurnEnd, fill: fillOpencodeIdle, carries: turnpost.Accepts{Continue: true, Soon: true}, others: []turnpost.Kind{turnpost.TurnFailed, turnpost.Interrupt}},
	{name: "experimental.session.compacting", kind: turnpost.CompactBefore},
	{name: "session.compacted", kind: turnpost.CompactAfter},
	{name: "bell", kind: turnpost.Bell, carries: turnpost.Accepts{Continue: true}},
	{name: "session.deleted", kind: turnpost.SessionEnd, fill: fillEnd},
	{name: "dispose", kind: turnpost.SessionEnd, fill: fillEnd},
}

// Decode reads what the plugin writes: hook_event_name, session_id, cwd, pid,
// version and mode (how opencode was started) with every event, seq, its number,
// and what the event's own fill below reads. late says that nobody waits for the
// answer any more.
func (h opencode) Decode(in io.Reader, env Env) (turnpost.Event, error) {
	doc, err := document.Read(in)
	if err != nil {
		return turnpost.Event{}, documentError(err)
	}
	row, ok := documentedRow(opencodeEvents[:], doc.Text("hook_event_name", maxWord))
	if !ok {
		return turnpost.Event{}, ErrIgnore
	}
	e := turnpost.Event{
		Harness: h.Name(),
		Version: parseVersion(doc.Text("version", maxWord), ".").String(),
		Native:  doc.Text("session_id", maxPath),
		Cwd:     absolute(doc.Text("cwd", maxPath)),
	}
	switch doc.Text("mode", maxWord) {
	case "tui":
		e.Attended = true
	case "serve", "web", "acp": // a person is at the other end, of several sessions
		e.Attended, e.Process.Shared = true, true
	}
	if pid := doc.Number("pid"); pid > 1 && pid <= 1<<31-1 {
		e.Process.Pid, e.Process.Start = int(pid), env.ProcessStart(int(pid))
	}
	if e, err = row.event(e, doc, env); err != nil {
		return turnpost.Event{}, err
	}
	if doc.Flag("late") {
		e.Accepts = turnpost.Accepts{}
	}
	if !e.Attended { // "opencode run" is over with its first turn
		e.Accepts.Continue, e.Accepts.Soon, e.Accepts.Watch = false, false, false
		return e, nil
	}
	e.Wake = turnpost.Wake{Method: "bell", Key: opencodeKey(e), Armed: e.Accepts.Watch}
	return e, nil
}

// opencodeKey names the process, in which one session at a time is in front of a
// person, or the session of a server.
func opencodeKey(e turnpost.Event) string {
	if e.Process.Shared {
		return e.Native
	}
	return bellKey(e)
}

// Encode: the plugin does what it says.
func (opencode) Encode(e turnpost.Event, d turnpost.Decision) Output { return encodePlugin(e, d) }

func (opencode) Binary() string { return "opencode" }

func (opencode) VersionArgs() []string { return []string{"--version"} }

// Version reads "1.18.33".
func (opencode) Version(output string) string {
	return parseVersion(strings.TrimSpace(output), ".").String()
}

// Home is the directory of its configuration, on every system. OPENCODE_CONFIG_DIR
// names one more, not another.
func (opencode) Home(getenv func(string) string) string {
	if dir := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "opencode")
	}
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".config", "opencode")
	}
	return ""
}

func (opencode) Resume(native string) string { return "opencode --session " + shellQuote(native) }

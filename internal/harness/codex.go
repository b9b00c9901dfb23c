package harness

import (
	"strings"
	"time"

	"turnpost"
	"turnpost/internal/document"
)

// codex is OpenAI's Codex CLI. What is said here was seen with 0.171.0; first
// versions are those whose own schema has the event.
type codex struct{}

var (
	_ Harness   = codex{}
	_ Program   = codex{}
	_ MCPClient = codex{}
	_ Resumer   = codex{}
	_ Timed     = codex{}
	_ Queuer    = codex{}
	_ Reviewer  = codex{}
)

func (codex) Name() string { return "codex" }

// First versions of what we use.
var (
	codexHooks  = version{0, 125, 0} // hooks without a feature flag
	codexQueue  = version{0, 150, 0} // the command queue
	codexTested = version{0, 171, 0}
)

// codexEvent is one event of Codex that the hub hears.
type codexEvent struct {
	name    string // case counts, and a name that it does not know is passed over
	kind    turnpost.Kind
	since   version
	carries turnpost.Accepts // what the answer can carry; anything else voids all of it
	fill    func(*turnpost.Event, document.Object)
	timeout time.Duration // other than hookTimeout
	matches bool          // it takes a matcher, which is then part of what is reviewed
}

// codexEnding is a little less than the most that Codex gives an event at which
// it does not wait: more makes it warn at every start.
const codexEnding = 2 * time.Second

// codexEvents is every event that setup registers and Decode knows. All are
// waited for: async handlers are skipped by some versions, and the answer to a
// request that failed must not come after the next prompt. PreModelRequest
// tells nothing that the others do not.
var codexEvents = [...]codexEvent{
	{name: "SessionStart", kind: turnpost.SessionStart, since: codexHooks, carries: turnpost.Accepts{Context: true}, fill: fillStart, matches: true},
	{name: "UserPromptSubmit", kind: turnpost.Prompt, since: codexHooks, carries: turnpost.Accepts{Context: true}, fill: fillCodexPrompt},
	{name: "PreToolUse", kind: turnpost.ToolBefore, since: codexHooks, fill: fillTool, matches: true},
	{name: "PostToolUse", kind: turnpost.ToolAfter, since: codexHooks, carries: turnpost.Accepts{Context: true}, fill: fillTool, matches: true},
	{name: "PermissionRequest", kind: turnpost.PermissionAsk, since: codexHooks, fill: fillCodexPermission, matches: true},
	{name: "PostModelRequest", kind: turnpost.TurnFailed, since: version{0, 164, 0}, fill: fillCodexRequest},
	{name: "PreCompact", kind: turnpost.CompactBefore, since: version{0, 134, 0}, matches: true},
	{name: "PostCompact", kind: turnpost.CompactAfter, since: version{0, 134, 0}, matches: true},
	{name: "SubagentStart", kind: turnpost.SubagentStart, since: version{0, 134, 0}, matches: true},
	{name: "SubagentStop", kind: turnpost.SubagentEnd, since: version{0, 134, 0}, matches: true},
	{name: "Stop", kind: turnpost.TurnEnd, since: codexHooks, carries: turnpost.Accepts{Continue: true}, fill: fillCodexStop},
	{name: "Interrupt", kind: turnpost.Interrupt, since: codexQueue, timeout: codexEnding},
	{name: "SessionEnd", kind: turnpost.SessionEnd, since: version{0, 145, 0}, fill: fillEnd, timeout: codexEnding, matches: true},
}

func codexRow(name string) (codexEvent, bool) {
	for _, row := range codexEvents {
		if row.name == name {
			return row, true
		}
	}
	return codexEvent{}, false
}

// codexAccepts says what the answer to an event can carry. A session that
// nobody sits in front of and that was given no handle takes nothing: the output
// of somebody's script is not ours to change.
func codexAccepts(e turnpost.Event) turnpost.Accepts {
	if e.Subagent != "" || (!e.Attended && e.Agent == "") {
		return turnpost.Accepts{}
	}
	if e.Kind == turnpost.Bell {
		return turnpost.Accepts{Continue: true, Deny: true}
	}
	row, _ := codexRow(e.Name)
	if row.kind != e.Kind {
		return turnpost.Accepts{}
	}
	return row.carries
}

// codexRole tells from how Codex was started whether the process hosts several
// sessions and whether a person sits in front of them. From 0.157 on the hooks
// of every terminal run in one daemon, an app-server that has no terminal
// itself; an editor starts one of its own.
func codexRole(p Parent) (shared, attended bool) {
	for _, arg := range p.Args[min(1, len(p.Args)):] {
		switch arg {
		case "exec", "e", "review":
			return false, false
		case "app-server", "remote-control":
			return true, true
		case "mcp-server":
			return true, false
		case "resume", "fork", "agents":
			return false, p.Terminal
		}
	}
	return false, p.Terminal
}

// codexVersion is in the path of installations that keep one directory a
// version, as the daemon's: ".../releases/0.171.0-x86_64-unknown-linux-musl/bin/codex".
func codexVersion(program string) version {
	parts := strings.Split(program, "/")
	for i, part := range parts[1:] {
		if parts[i] == "releases" || parts[i] == "codex" {
			if v := parseVersion(part, "."); v.known() {
				return v
			}
		}
	}
	return version{}
}

func (codex) Binary() string { return "codex" }

func (codex) VersionArgs() []string { return []string{"--version"} }

// Version reads "codex-cli 0.171.0".
func (codex) Version(output string) string {
	_, number, ok := strings.Cut(strings.TrimSpace(output), "codex-cli ")
	if !ok {
		return ""
	}
	return parseVersion(number, ".").String()
}

func (codex) Home(getenv func(string) string) string {
	return homeDirectory(getenv, "CODEX_HOME", ".codex")
}

// Resume: a native id is one word of the characters that Decode lets through.
func (codex) Resume(native string) string { return "codex resume " + shellQuote(native) }

// TimeoutUnit is a second; a fraction voids the whole file.
func (codex) TimeoutUnit() time.Duration { return time.Second }

// RingCommand puts a prompt into the queue of an open session: it runs when the
// turn is over, in an idle one at once.
func (codex) RingCommand(w turnpost.Wake) (args, env []string) {
	if w.At != "" {
		env = []string{"CODEX_HOME=" + w.At}
	}
	return []string{"queue", "--thread", w.Key, "--message", Poke}, env
}

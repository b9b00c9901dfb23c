package harness

import (
	"hash/fnv"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"turnpost"
	"turnpost/internal/document"
)

// claudeCode is Anthropic's Claude Code. What is said here of its versions was
// measured on 2.1.328 and 2.1.332 unless another source is named.
type claudeCode struct{}

var (
	_ Harness   = claudeCode{}
	_ Program   = claudeCode{}
	_ MCPClient = claudeCode{}
	_ Registrar = claudeCode{}
	_ Timed     = claudeCode{}
)

func (claudeCode) Name() string { return "claude-code" }

// First versions of what we use, by its change log unless said otherwise.
var (
	claudeHTTPHooks   = version{2, 1, 63}  // absent from the 2.1.48 package, present in 2.1.63
	claudeBell        = version{2, 1, 83}  // CwdChanged, FileChanged, watchPaths; asyncRewake is older
	claudeBatch       = version{2, 1, 120} // absent from the 2.1.92 package, present in 2.1.120: the floor, not the first
	claudeStopContext = version{2, 1, 163} // additionalContext at Stop
)

// claudeEvent is one event of Claude Code that the hub hears.
type claudeEvent struct {
	name  string
	kind  turnpost.Kind
	since version // clients before 2.1.101 drop a whole settings file that names an event they do not know, later ones open a dialog
	fill  func(*turnpost.Event, document.Object)
	// async keeps the harness from waiting for the hook: its answer is lost.
	async bool
	// local is an event that a plain HTTP handler cannot serve: SessionStart
	// takes none, PreToolUse would wait for it, and only a command can wake.
	local bool
}

// claudeEvents is every event that setup registers and Decode knows.
//
// WorktreeCreate must never be here: a registered hook replaces git's own
// making of worktrees. PreCompact may be, as long as nothing ever answers it: a
// blocked compaction leaves the session stuck.
var claudeEvents = [...]claudeEvent{
	{name: "SessionStart", kind: turnpost.SessionStart, since: version{1, 0, 62}, fill: fillStart, local: true},
	{name: "UserPromptSubmit", kind: turnpost.Prompt, since: version{1, 0, 54}, fill: fillPrompt},
	{name: "PreToolUse", kind: turnpost.ToolBefore, since: version{1, 0, 38}, fill: fillTool, async: true, local: true},
	{name: "PostToolUse", kind: turnpost.ToolAfter, since: version{1, 0, 38}, fill: fillTool},
	{name: "PostToolBatch", kind: turnpost.ToolAfter, since: claudeBatch, fill: fillBatch},
	{name: "PostToolUseFailure", kind: turnpost.ToolFailed, since: version{2, 1, 83}, fill: fillTool}, // in the 2.1.83 package; first version not known
	{name: "PermissionRequest", kind: turnpost.PermissionAsk, since: version{2, 0, 45}, fill: fillPermission},
	{name: "Notification", kind: turnpost.Notification, since: version{1, 0, 38}, fill: fillNotification},
	{name: "Stop", kind: turnpost.TurnEnd, since: version{1, 0, 38}, fill: fillStop},
	{name: "StopFailure", kind: turnpost.TurnFailed, since: version{2, 1, 78}, fill: fillFailure},
	{name: "SubagentStart", kind: turnpost.SubagentStart, since: version{2, 0, 43}},
	{name: "SubagentStop", kind: turnpost.SubagentEnd, since: version{1, 0, 41}},
	{name: "PreCompact", kind: turnpost.CompactBefore, since: version{1, 0, 48}},
	{name: "PostCompact", kind: turnpost.CompactAfter, since: version{2, 1, 76}},
	{name: "SessionEnd", kind: turnpost.SessionEnd, since: version{1, 0, 85}, fill: fillEnd},
	{name: "CwdChanged", kind: turnpost.CwdChanged, since: claudeBell, fill: fillCwd},
	{name: "FileChanged", kind: turnpost.Bell, since: claudeBell, local: true},
}

// claudeAccepts says what the answer to an event can carry. v is unknown for
// clients before 2.1.120, which do not tell it.
//
// A session that nobody sits in front of and that was given no handle takes
// nothing: the output of somebody's script is not ours to change. Nor does one
// without a person hear a bell: `claude -p` runs the hook to no effect.
func claudeAccepts(e turnpost.Event, v version) turnpost.Accepts {
	if e.Subagent != "" || (!e.Attended && e.Agent == "") {
		return turnpost.Accepts{}
	}
	rings := claudeRings(e, v)
	switch e.Kind {
	case turnpost.SessionStart:
		return turnpost.Accepts{Context: true, Watch: rings}
	case turnpost.Prompt, turnpost.ToolAfter:
		return turnpost.Accepts{Context: true}
	case turnpost.TurnEnd:
		return turnpost.Accepts{Continue: true, Row: claudeRowOfStops}
	case turnpost.CwdChanged:
		return turnpost.Accepts{Watch: rings}
	case turnpost.Bell:
		return turnpost.Accepts{Continue: rings}
	}
	return turnpost.Accepts{}
}

// claudeRowOfStops: the ninth continuation in a row is overridden, in whatever
// form it comes, since 2.1.143. CLAUDE_CODE_STOP_HOOK_BLOCK_CAP is another number.
const claudeRowOfStops = 8

// claudeRings tells whether the session can be rung at all.
func claudeRings(e turnpost.Event, v version) bool {
	return e.Attended && (!v.known() || !v.before(claudeBell))
}

// claudeVersion is in AI_AGENT, "claude-code_2-1-328_harness".
func claudeVersion(getenv func(string) string) version {
	rest, ok := strings.CutPrefix(getenv("AI_AGENT"), "claude-code_")
	if !ok {
		return version{}
	}
	return parseVersion(rest, "-")
}

// claudeAttended tells whether a person sits in front of the session. Versions
// that do not say it say how they were started.
func claudeAttended(getenv func(string) string) bool {
	switch getenv("CLAUDE_CODE_SESSION_ATTENDED") {
	case "1":
		return true
	case "0":
		return false
	}
	return getenv("CLAUDE_CODE_ENTRYPOINT") == "cli"
}

// claudeProcess is the client's process: a hook's parent is a shell.
func claudeProcess(env Env) turnpost.Process {
	pid, err := strconv.Atoi(env.Getenv("CLAUDE_PID"))
	if err != nil || pid <= 1 {
		return turnpost.Process{}
	}
	return turnpost.Process{Pid: pid, Start: env.ProcessStart(pid)}
}

// bellKey names the process and not the session, so that a bell outlives
// /clear; the session where the process is not known.
func bellKey(e turnpost.Event) string {
	if e.Process.Pid == 0 {
		return e.Native
	}
	pid := strconv.Itoa(e.Process.Pid)
	if e.Process.Start == "" {
		return pid
	}
	h := fnv.New32a()
	h.Write([]byte(e.Process.Start))
	return pid + "-" + strconv.FormatUint(uint64(h.Sum32()), 36)
}

func (claudeCode) Binary() string { return "claude" }

func (claudeCode) VersionArgs() []string { return []string{"--version"} }

// Version reads "2.1.332 (Claude Code)".
func (claudeCode) Version(output string) string {
	number, _, ok := strings.Cut(strings.TrimSpace(output), " (Claude Code)")
	if !ok {
		return ""
	}
	return parseVersion(number, ".").String()
}

func (claudeCode) Home(getenv func(string) string) string {
	if dir := getenv("CLAUDE_CONFIG_DIR"); filepath.IsAbs(dir) {
		return filepath.Clean(dir)
	}
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".claude")
	}
	return ""
}

// TimeoutUnit is a second, for every type of hook: 5000 would be 83 minutes.
func (claudeCode) TimeoutUnit() time.Duration { return time.Second }

package harness

import (
	"path/filepath"
	"slices"
	"strings"

	"turnpost"
	"turnpost/internal/document"
)

// qwen is Alibaba's Qwen Code. It came from Gemini CLI and has Claude Code's
// hooks, with differences. What is said here was seen with 0.24.4.
//
// It is not Timed: a timeout below 1000 is in seconds, any other in
// milliseconds, so that no number of somebody else's hook is suspicious.
type qwen struct{}

var (
	_ Harness   = qwen{}
	_ Program   = qwen{}
	_ MCPClient = qwen{}
	_ Resumer   = qwen{}
	_ Feeder    = qwen{}
	_ Inboxer   = qwen{}
	_ Keeper    = qwen{}
)

func (qwen) Name() string { return "qwen" }

// qwenTested is the version that this was proved with.
var qwenTested = version{0, 24, 4}

// qwenEvent is one event of Qwen Code that the hub hears.
type qwenEvent struct {
	name    string
	kind    turnpost.Kind
	carries turnpost.Accepts
	fill    func(*turnpost.Event, document.Object)
	async   bool            // it does not wait for the hook: the answer is lost
	others  []turnpost.Kind // what else fill makes of it
}

// qwenEvents is every event that setup registers and Decode knows. PostToolBatch
// follows the tools of one answer, whatever became of each, with one hook.
var qwenEvents = [...]qwenEvent{
	{name: "SessionStart", kind: turnpost.SessionStart, carries: turnpost.Accepts{Context: true}, fill: fillStart},
	{name: "UserPromptSubmit", kind: turnpost.Prompt, carries: turnpost.Accepts{Context: true}, fill: fillQwenPrompt, others: []turnpost.Kind{turnpost.Bell}},
	{name: "PreToolUse", kind: turnpost.ToolBefore, fill: fillTool, async: true},
	{name: "PostToolBatch", kind: turnpost.ToolAfter, carries: turnpost.Accepts{Context: true}, fill: fillBatch},
	{name: "PermissionRequest", kind: turnpost.PermissionAsk, fill: fillQwenPermission},
	{name: "Notification", kind: turnpost.Notification, fill: fillQwenNotification, others: []turnpost.Kind{turnpost.Interrupt}},
	{name: "Stop", kind: turnpost.TurnEnd, carries: turnpost.Accepts{Continue: true, Row: qwenRowOfStops}, fill: fillStop},
	{name: "StopFailure", kind: turnpost.TurnFailed, fill: fillFailure},
	{name: "SubagentStart", kind: turnpost.SubagentStart},
	{name: "SubagentStop", kind: turnpost.SubagentEnd},
	{name: "PreCompact", kind: turnpost.CompactBefore},
	{name: "PostCompact", kind: turnpost.CompactAfter},
	{name: "SessionEnd", kind: turnpost.SessionEnd, fill: fillEnd},
}

// qwenRowOfStops: a further block in a row is overridden (0.24.4).
const qwenRowOfStops = 8

func qwenRow(name string) (qwenEvent, bool) {
	for _, row := range qwenEvents {
		if row.name == name {
			return row, true
		}
	}
	return qwenEvent{}, false
}

// qwenAccepts says what the answer to an event can carry. A session that nobody
// sits in front of and that was given no handle takes nothing: the output of
// somebody's script is not ours to change.
func qwenAccepts(e turnpost.Event) turnpost.Accepts {
	if e.Subagent != "" || (!e.Attended && e.Agent == "") {
		return turnpost.Accepts{}
	}
	if e.Kind == turnpost.Bell {
		return turnpost.Accepts{Continue: true, Deny: true}
	}
	row, _ := qwenRow(e.Name)
	if row.kind != e.Kind {
		return turnpost.Accepts{}
	}
	return row.carries
}

// qwenRole tells from how Qwen was started whether the process hosts several
// sessions, for an editor or its own server, and whether a person sits in front
// of it. Only what has a terminal of its own opens an inbox; without one, a
// prompt among the arguments is answered and ends the program.
func qwenRole(p Parent, inbox bool) (shared, attended bool) {
	if p.has("--acp", "--experimental-acp") {
		return true, false
	}
	return false, p.Terminal && !oneShot(p) && (inbox || !qwenQuery(p.Args))
}

// qwenQuery tells whether a prompt stands among the arguments, behind those of
// Node and the script.
func qwenQuery(args []string) bool {
	option := func(arg string) bool { return strings.HasPrefix(arg, "-") }
	script := 1
	for script < len(args) && option(args[script]) {
		script++
	}
	for i := script + 1; i < len(args); i++ {
		before := args[i-1]
		value := i > script+1 && option(before) && !strings.Contains(before, "=") && !slices.Contains(qwenSwitches(), before)
		if !option(args[i]) && !value {
			return true
		}
	}
	return false
}

// qwenSwitches are the options that take no value.
func qwenSwitches() []string {
	return []string{
		"-y", "--yolo", "-c", "--continue", "-d", "--debug", "-s", "--sandbox", "--bare", "--safe-mode", "--insecure",
		"--screen-reader", "--fork-session", "--chat-recording", "--openai-logging", "--experimental-lsp",
	}
}

// qwenFeed is the file that the session reads prompts from, "" for none. A file
// that the settings name is read by every session, so it rings none.
func qwenFeed(p Parent, cwd string) string {
	for i, arg := range p.Args {
		file, ok := strings.CutPrefix(arg, "--input-file=")
		if arg == "--input-file" && i+1 < len(p.Args) {
			file, ok = p.Args[i+1], true
		}
		if !ok || file == "" {
			continue
		}
		if !filepath.IsAbs(file) {
			if cwd == "" {
				return ""
			}
			file = filepath.Join(cwd, file)
		}
		if keepable(file) {
			return filepath.Clean(file)
		}
	}
	return ""
}

func (qwen) Binary() string { return "qwen" }

func (qwen) VersionArgs() []string { return []string{"--version"} }

// Version reads "0.24.4".
func (qwen) Version(output string) string { return anyVersion(output) }

func (qwen) Home(getenv func(string) string) string {
	return homeDirectory(getenv, "QWEN_HOME", ".qwen")
}

// Resume: a native id is one word of the characters that Decode lets through.
func (qwen) Resume(native string) string { return "qwen --resume " + shellQuote(native) }

// RingLine is one command of its input file.
func (qwen) RingLine() []byte {
	var w document.Writer
	w.Open("")
	w.Text("type", "submit")
	w.Text("text", Poke)
	w.Close()
	return append(w.Bytes(), '\n')
}

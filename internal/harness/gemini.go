package harness

import (
	"path/filepath"
	"strings"
	"time"

	"turnpost"
	"turnpost/internal/document"
)

// gemini is Google's Gemini CLI. What is said here was seen with 0.61.0.
//
// It fails closed: any exit status but 0 and 1, with any text, blocks the tool
// or the prompt, and at a turn's end keeps the agent going for ever. So a
// registered line never ends with anything but 0 (quietLine).
type gemini struct{}

var (
	_ Harness   = gemini{}
	_ Program   = gemini{}
	_ MCPClient = gemini{}
	_ Resumer   = gemini{}
	_ Timed     = gemini{}
	_ Typist    = gemini{}
	_ Keeper    = gemini{}
)

func (gemini) Name() string { return "gemini" }

// geminiTested is the version that this was proved with; hooks are on by
// default in it.
var geminiTested = version{0, 61, 0}

// geminiEvent is one event of Gemini CLI that the hub hears.
type geminiEvent struct {
	name    string
	kind    turnpost.Kind
	carries turnpost.Accepts
	fill    func(*turnpost.Event, document.Object)
	timeout time.Duration   // other than hookTimeout
	others  []turnpost.Kind // what else fill makes of it
}

// geminiEnding is for the one event that delays the end of the program.
const geminiEnding = 2 * time.Second

// geminiEvents is every event that setup registers and Decode knows.
//
// PreCompress is not among them: it comes in every turn, before anybody looks
// whether there is anything to compress, and nothing comes after a compression.
// BeforeModel, AfterModel and BeforeToolSelection get the whole conversation
// each time.
var geminiEvents = [...]geminiEvent{
	{name: "SessionStart", kind: turnpost.SessionStart, carries: turnpost.Accepts{Context: true}, fill: fillStart},
	{name: "BeforeAgent", kind: turnpost.Prompt, carries: turnpost.Accepts{Context: true}, fill: fillGeminiPrompt, others: []turnpost.Kind{turnpost.Bell}},
	{name: "BeforeTool", kind: turnpost.ToolBefore, fill: fillTool},
	{name: "AfterTool", kind: turnpost.ToolAfter, carries: turnpost.Accepts{Context: true}, fill: fillTool},
	{name: "Notification", kind: turnpost.Notification, fill: fillGeminiNotification},
	{name: "AfterAgent", kind: turnpost.TurnEnd, carries: turnpost.Accepts{Continue: true}, fill: fillGeminiEnd, others: []turnpost.Kind{turnpost.Interrupt}},
	{name: "SessionEnd", kind: turnpost.SessionEnd, fill: fillEnd, timeout: geminiEnding},
}

func geminiRow(name string) (geminiEvent, bool) {
	for _, row := range geminiEvents {
		if row.name == name {
			return row, true
		}
	}
	return geminiEvent{}, false
}

// geminiAccepts says what the answer to an event can carry. A session that
// nobody sits in front of and that was given no handle takes nothing: the output
// of somebody's script is not ours to change.
func geminiAccepts(e turnpost.Event) turnpost.Accepts {
	if !e.Attended && e.Agent == "" {
		return turnpost.Accepts{}
	}
	if e.Kind == turnpost.Bell {
		return turnpost.Accepts{Continue: true, Deny: true}
	}
	row, _ := geminiRow(e.Name)
	if row.kind != e.Kind {
		return turnpost.Accepts{}
	}
	return row.carries
}

// geminiRole tells from how Gemini was started whether the process hosts several
// sessions, for an editor, and whether a person sits in front of it. A prompt
// that stands there without an option is only the first of a conversation.
func geminiRole(p Parent) (shared, attended bool) {
	if p.has("--acp", "--experimental-acp") {
		return true, false
	}
	return false, p.Terminal && !oneShot(p)
}

// oneShot tells whether the program was started with a prompt that it answers
// and then ends: Gemini CLI and what was made from it take -p, behind switches
// too, and --prompt.
func oneShot(p Parent) bool {
	for _, arg := range p.Args[min(1, len(p.Args)):] {
		short, ok := strings.CutPrefix(arg, "-")
		if arg == "--prompt" || strings.HasPrefix(arg, "--prompt=") || ok && strings.HasPrefix(strings.TrimLeft(short, "yds"), "p") {
			return true
		}
	}
	return false
}

func (gemini) Binary() string { return "gemini" }

func (gemini) VersionArgs() []string { return []string{"--version"} }

// Version reads "0.61.0".
func (gemini) Version(output string) string { return anyVersion(output) }

// Home is ~/.gemini; GEMINI_CLI_HOME stands for the user's own directory.
func (gemini) Home(getenv func(string) string) string {
	if home := getenv("GEMINI_CLI_HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".gemini")
	}
	return homeDirectory(getenv, "", ".gemini")
}

// Resume: a native id is one word of the characters that Decode lets through.
func (gemini) Resume(native string) string { return "gemini --resume " + shellQuote(native) }

// TimeoutUnit is a millisecond: 10 would end every hook at once.
func (gemini) TimeoutUnit() time.Duration { return time.Millisecond }

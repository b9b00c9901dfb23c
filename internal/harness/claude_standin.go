package harness

import (
	"strconv"
	"strings"

	"turnpost"
	"turnpost/internal/document"
)

var (
	_ Standin  = claudeCode{}
	_ HomeFlag = claudeCode{}
)

func (claudeCode) HomeFlag() string { return "claude-home" }

// standinVersion is the client whose forms a stand-in has; they were recorded
// from it (testdata/claude-code).
var standinVersion = version{2, 1, 332}

// Moment writes what 2.1.332 wrote for the same event, without what no hook of
// ours reads.
func (h claudeCode) Moment(kind turnpost.Kind, s StandinSession) (Moment, bool) {
	var input document.Writer
	input.Open("")
	input.Text("session_id", s.Native)
	input.Text("cwd", s.Cwd)
	switch kind {
	case turnpost.SessionStart:
		input.Text("source", turnpost.SourceStartup)
	case turnpost.Prompt:
		input.Text("permission_mode", "default")
		input.Text("prompt", "go on")
	case turnpost.TurnEnd:
		input.Text("permission_mode", "default")
		input.Flag("stop_hook_active", false)
		input.Raw("background_tasks", []byte("[]"))
	case turnpost.Bell:
		input.Text("file_path", s.Bell)
		input.Text("event", "change")
	case turnpost.SessionEnd:
		input.Text("reason", "other")
	default:
		return Moment{}, false
	}
	for _, row := range claudeEvents {
		if row.kind != kind {
			continue
		}
		input.Text("hook_event_name", row.name)
		input.Close()
		return Moment{
			Line:  h.handler(row, Target{Hook: s.Hook, Mode: "command", Version: standinVersion.String()}).Command,
			Stdin: append(input.Bytes(), '\n'),
			Env: []string{
				"CLAUDE_PID=" + strconv.Itoa(s.Pid),
				"CLAUDE_CODE_SESSION_ATTENDED=1",
				"CLAUDE_CODE_ENTRYPOINT=cli",
				"AI_AGENT=claude-code_" + strings.ReplaceAll(standinVersion.String(), ".", "-") + "_harness",
			},
		}, true
	}
	return Moment{}, false
}

// Reading: status 2 of the bell's line starts a turn with the text on standard
// error; otherwise JSON on standard output counts.
func (claudeCode) Reading(stdout, stderr []byte, status int) (text string, watch []string) {
	if status == 2 {
		return strings.TrimSpace(string(stderr)), nil
	}
	answer, err := document.Parse(stdout)
	if err != nil {
		return "", nil
	}
	specific := answer.Object("hookSpecificOutput")
	text, watch = specific.Text("additionalContext", len(stdout)), specific.Texts("watchPaths")
	if answer.Text("decision", maxWord) == "block" {
		text = answer.Text("reason", len(stdout))
	}
	return text, watch
}

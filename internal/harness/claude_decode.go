package harness

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"turnpost"
	"turnpost/internal/document"
)

// Sizes of what is taken over, in bytes.
const (
	maxLast   = 500
	maxDetail = 500
	maxWord   = 100
	maxPath   = 4096
	maxPrompt = 1 << 20 // only looked through
)

// Decode takes over what the hub needs and drops the rest: prompts, tool inputs
// and results go no further.
func (h claudeCode) Decode(in io.Reader, env Env) (turnpost.Event, error) {
	doc, err := document.Read(in)
	if err != nil {
		return turnpost.Event{}, documentError(err)
	}
	row, ok := claudeRow(doc.Text("hook_event_name", maxWord))
	if !ok || byCopilot(env, doc) {
		return turnpost.Event{}, ErrIgnore
	}
	native := doc.Text("session_id", maxPath)
	if !validNative(native) {
		return turnpost.Event{}, turnpost.Invalidf("session_id", "not a session id")
	}
	v := claudeVersion(env.Getenv)
	e := turnpost.Event{
		Kind:     row.kind,
		Harness:  h.Name(),
		Version:  v.String(),
		Native:   native,
		Name:     row.name,
		Digest:   digest(doc.Raw),
		Cwd:      absolute(doc.Text("cwd", maxPath)),
		Process:  claudeProcess(env),
		Attended: claudeAttended(env.Getenv),
		Agent:    clip(env.Getenv("TURNPOST_AGENT"), maxWord),
		Subagent: doc.Text("agent_id", maxWord),
	}
	if home := h.Home(env.Getenv); home != "" && e.Process.Pid != 0 {
		e.Registry = filepath.Join(home, "sessions", strconv.Itoa(e.Process.Pid)+".json")
	}
	key := bellKey(e)
	if e.Kind == turnpost.Bell && doc.Text("file_path", maxPath) != env.BellPath(key) {
		return turnpost.Event{}, ErrIgnore // a file that somebody else watches
	}
	if helper(row, doc) {
		return turnpost.Event{}, ErrIgnore
	}
	if row.fill != nil {
		row.fill(&e, doc)
	}
	e.Accepts = claudeAccepts(e, v)
	if claudeRings(e, v) {
		e.Wake = turnpost.Wake{Method: "bell", Key: key, Armed: e.Accepts.Watch}
	}
	return e, nil
}

// byCopilot tells a hook that Copilot CLI runs: it runs those of a repository's
// .claude/settings.json next to its own, with a time that Claude Code does not
// send (1.0.102). The variable alone may be that of a shell around us.
func byCopilot(env Env, doc document.Object) bool {
	return env.Getenv("COPILOT_CLI") != "" && doc.Value("timestamp") != nil
}

func claudeRow(name string) (claudeEvent, bool) {
	for _, row := range claudeEvents {
		if row.name == name {
			return row, true
		}
	}
	return claudeEvent{}, false
}

// helper tells a helper of the harness itself, as the one that writes the
// summary at a compaction, from a sub-agent: its type is empty.
func helper(row claudeEvent, doc document.Object) bool {
	return (row.kind == turnpost.SubagentStart || row.kind == turnpost.SubagentEnd) &&
		string(doc.Value("agent_type")) == `""`
}

// documentError keeps the reader's own errors and makes coded ones of ours.
func documentError(err error) error {
	switch {
	case errors.Is(err, document.ErrLimit):
		return turnpost.Errorf(turnpost.TooLarge, "hook event: %v", err)
	case errors.Is(err, document.ErrSyntax), errors.Is(err, document.ErrTwice), errors.Is(err, io.ErrUnexpectedEOF):
		return turnpost.Errorf(turnpost.Invalid, "hook event: %v", err)
	}
	return fmt.Errorf("read hook event: %w", err)
}

// absolute drops a path that is not one we could look at.
func absolute(path string) string {
	if !filepath.IsAbs(path) || strings.IndexByte(path, 0) >= 0 {
		return ""
	}
	return filepath.Clean(path)
}

func fillStart(e *turnpost.Event, doc document.Object) {
	e.Source = doc.Text("source", maxWord)
}

// fillPrompt tells prompts of the harness's own from those of people: they
// start with a tag. A text that woke the session is among them, whole, so that
// the ids in it are an exact receipt.
func fillPrompt(e *turnpost.Event, doc document.Object) {
	prompt := doc.Text("prompt", maxPrompt)
	e.Machine = strings.HasPrefix(prompt, "<task-notification>")
	e.Offers = offerIDs(prompt)
}

func fillTool(e *turnpost.Event, doc document.Object) {
	e.Tool = doc.Text("tool_name", maxWord)
}

// fillBatch names the first tool of the batch.
func fillBatch(e *turnpost.Event, doc document.Object) {
	doc.Objects("tool_calls", func(call document.Object) bool {
		e.Tool = call.Text("tool_name", maxWord)
		return e.Tool == ""
	})
}

func fillPermission(e *turnpost.Event, doc document.Object) {
	fillTool(e, doc)
	switch e.Tool {
	case "ExitPlanMode":
		e.Wants = turnpost.WantPlan
	case "AskUserQuestion":
		e.Wants = turnpost.WantAnswer
	default:
		e.Wants = turnpost.WantPermission
	}
}

// fillNotification: idle_prompt comes a minute after every turn and wants
// nothing, the others tell that something is over.
func fillNotification(e *turnpost.Event, doc document.Object) {
	switch doc.Text("notification_type", maxWord) {
	case "permission_prompt":
		e.Wants = turnpost.WantPermission
	case "elicitation_dialog", "elicitation_url_dialog", "agent_needs_input":
		e.Wants = turnpost.WantAnswer
	}
}

func fillStop(e *turnpost.Event, doc document.Object) {
	e.Last = doc.Text("last_assistant_message", maxLast)
	e.Continued = doc.Flag("stop_hook_active")
	doc.Objects("background_tasks", func(task document.Object) bool {
		// The list holds what is in flight (schema of 2.1.332); the status is
		// checked all the same.
		switch task.Text("status", maxWord) {
		case "running", "pending":
			e.Background++
		}
		return true
	})
}

// fillFailure: the field is error, which older texts call error_type. An
// overloaded service (529) arrives as server_error.
func fillFailure(e *turnpost.Event, doc document.Object) {
	native := doc.Text("error", maxWord)
	if native == "" {
		native = doc.Text("error_type", maxWord)
	}
	detail := doc.Text("error_details", maxDetail)
	if detail == "" {
		detail = doc.Text("last_assistant_message", maxDetail)
	}
	e.Failure = turnpost.Failure{Class: claudeFailure(native), Native: native, Detail: detail}
}

// claudeFailure maps the words of 2.1.328; our classes were named after them.
// "unknown" is one of the others.
func claudeFailure(native string) turnpost.FailureClass {
	switch class := turnpost.FailureClass(native); class {
	case turnpost.FailureRateLimit, turnpost.FailureServer, turnpost.FailureOverloaded,
		turnpost.FailureAuth, turnpost.FailureOrgNotAllowed, turnpost.FailureAccountHold,
		turnpost.FailureVerification, turnpost.FailureBilling, turnpost.FailureCloudCredential,
		turnpost.FailureMaxOutput, turnpost.FailureInvalidRequest, turnpost.FailureModelNotFound:
		return class
	}
	return turnpost.FailureOther
}

func fillEnd(e *turnpost.Event, doc document.Object) {
	e.Reason = doc.Text("reason", maxWord)
}

func fillCwd(e *turnpost.Event, doc document.Object) {
	if cwd := absolute(doc.Text("new_cwd", maxPath)); cwd != "" {
		e.Cwd = cwd
	}
}

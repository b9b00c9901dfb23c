package harness

import (
	"io"
	"path"
	"strings"

	"turnpost"
	"turnpost/internal/document"
)

// Decode reads what Copilot gives to a hook, in camel case, and what our
// extension sends, in snake case.
func (h copilot) Decode(in io.Reader, env Env) (turnpost.Event, error) {
	doc, err := document.Read(in)
	if err != nil {
		return turnpost.Event{}, documentError(err)
	}
	name, id := env.Getenv(copilotMark), "sessionId"
	extension := name == ""
	if extension {
		name, id = doc.Text("hook_event_name", maxWord), "session_id"
	}
	row, ok := copilotRow(name, extension)
	if !ok || copilotIgnores(row, doc) {
		return turnpost.Event{}, ErrIgnore
	}
	native := doc.Text(id, maxPath)
	if !validNative(native) {
		return turnpost.Event{}, turnpost.Invalidf(id, "not a session id")
	}
	from := copilotCaller(env)
	shared := from.has("--acp", "--headless")
	e := turnpost.Event{
		Kind:     row.kind,
		Harness:  h.Name(),
		Version:  copilotVersion(env.Getenv).String(),
		Native:   native,
		Name:     row.name,
		Digest:   digest(doc.Raw),
		Cwd:      absolute(doc.Text("cwd", maxPath)),
		Process:  from.process(env, shared),
		Attended: from.Terminal && !shared && !copilotOneShot(from),
		Subagent: doc.Text("agentId", maxWord),
	}
	if !shared {
		e.Agent = clip(env.Getenv("TURNPOST_AGENT"), maxWord)
	}
	if row.fill != nil {
		row.fill(&e, doc)
	}
	e.Accepts = copilotAccepts(e, row)
	if doc.Flag("late") {
		e.Accepts = turnpost.Accepts{}
	}
	if row.extension && e.Attended {
		e.Wake = turnpost.Wake{Method: "bell", Key: bellKey(e), Armed: e.Accepts.Watch}
	}
	return e, nil
}

// copilotAccepts: an extension is there in a run of one prompt too, which ends
// before it could be rung. What is told with a notification never gets to the
// model.
func copilotAccepts(e turnpost.Event, row copilotEvent) turnpost.Accepts {
	v := parseVersion(e.Version, ".")
	switch {
	case e.Subagent != "", v.known() && v.before(row.since), e.Machine && len(e.Offers) == 0:
		return turnpost.Accepts{}
	case e.Attended, e.Agent != "" && !row.extension:
		return row.carries
	}
	return turnpost.Accepts{}
}

func copilotRow(name string, extension bool) (copilotEvent, bool) {
	for _, row := range copilotEvents {
		if row.name == name && row.extension == extension {
			return row, true
		}
	}
	return copilotEvent{}, false
}

// copilotIgnores drops what says nothing of the session: notifications that a
// person need not answer, errors of tools, and what a sub-agent does. A sub-agent
// has hooks as if it were a session, with an id of its own for prompt, tools and
// stop.
func copilotIgnores(row copilotEvent, doc document.Object) bool {
	switch row.kind {
	case turnpost.SubagentStart, turnpost.SubagentEnd:
		return false
	case turnpost.Notification:
		var e turnpost.Event
		fillNotification(&e, doc)
		return e.Wants == turnpost.WantNothing
	case turnpost.Retry:
		if doc.Text("errorContext", maxWord) != "model_call" {
			return true
		}
	}
	return doc.Value("agentId") != nil
}

// copilotCaller is the process of the client. Extensions run in processes of the
// same program.
func copilotCaller(env Env) Parent {
	for parent := range env.Parents {
		extension := len(parent.Args) > 1 && path.Base(strings.ReplaceAll(parent.Args[1], `\`, "/")) == "extension_bootstrap.mjs"
		if !isShell(parent) && !extension {
			return parent
		}
	}
	return Parent{}
}

// copilotOneShot tells a run of one prompt by its arguments: -p, -sp, --prompt.
func copilotOneShot(p Parent) bool {
	for _, arg := range p.Args[min(1, len(p.Args)):] {
		if strings.HasPrefix(arg, "-p") || strings.HasPrefix(arg, "-sp") || arg == "--prompt" || strings.HasPrefix(arg, "--prompt=") {
			return true
		}
	}
	return false
}

// copilotVersion is that of the package which the program has loaded: it may be
// newer than the program.
func copilotVersion(getenv func(string) string) version {
	loaded := parseVersion(path.Base(strings.ReplaceAll(getenv("COPILOT_CLI_RESOLVED_DIST_DIR"), `\`, "/")), ".")
	if loaded.known() {
		return loaded
	}
	return parseVersion(getenv("COPILOT_CLI_BINARY_VERSION"), ".")
}

// fillCopilotStart: it runs with the first prompt of a session that is new, or
// new in this process.
func fillCopilotStart(e *turnpost.Event, doc document.Object) {
	e.Source = turnpost.SourceStartup // startup, new
	if doc.Text("source", maxWord) == "resume" {
		e.Source = turnpost.SourceResume
	}
}

// fillCopilotPrompt: a reason that keeps the agent going comes back as a prompt,
// and so does the end of a sub-agent in the background.
func fillCopilotPrompt(e *turnpost.Event, doc document.Object) {
	prompt := doc.Text("prompt", maxPrompt)
	e.Offers, e.Machine = ownText(prompt)
	e.Machine = e.Machine || strings.HasPrefix(prompt, "<system_notification>")
}

func fillCopilotTool(e *turnpost.Event, doc document.Object) { e.Tool = doc.Text("toolName", maxWord) }

func fillCopilotStop(e *turnpost.Event, doc document.Object) {
	e.Continued = doc.Flag("stop_hook_active")
}

func fillCopilotError(e *turnpost.Event, doc document.Object) {
	kind, status := doc.Text("error_type", maxWord-4), doc.Text("status", 3)
	e.Failure = turnpost.Failure{Class: copilotFailure(kind, status), Native: strings.TrimSpace(kind + " " + status), Detail: doc.Text("message", maxDetail)}
}

// copilotFailure maps the types of the session.error of 1.0.102; "query" is any
// error of the service.
func copilotFailure(kind, status string) turnpost.FailureClass {
	switch kind {
	case "authentication", "authorization":
		return turnpost.FailureAuth
	case "policy":
		return turnpost.FailureOrgNotAllowed
	case "quota":
		return turnpost.FailureBilling
	case "rate_limit":
		return turnpost.FailureRateLimit
	case "context_limit":
		return turnpost.FailureInvalidRequest
	}
	return statusFailure(status)
}

// Encode: hooks take one text at the top level, the extension does what it is
// told.
func (copilot) Encode(e turnpost.Event, d turnpost.Decision) Output {
	if e.Kind == turnpost.Bell || e.Kind == turnpost.CwdChanged {
		return encodePlugin(e, d)
	}
	var w document.Writer
	w.Open("")
	switch {
	case e.Accepts.Continue && d.Continue != "":
		w.Text("decision", "block")
		w.Text("reason", clipText(d.Continue))
	case e.Accepts.Context && d.Context != "":
		w.Text("additionalContext", clipText(d.Context))
	default:
		return Output{}
	}
	w.Close()
	return Output{Stdout: append(w.Bytes(), '\n')}
}

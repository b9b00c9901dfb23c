package harness

import (
	"io"
	"strings"

	"turnpost"
	"turnpost/internal/document"
)

// Decode takes over what the hub needs and drops the rest.
func (h qwen) Decode(in io.Reader, env Env) (turnpost.Event, error) {
	doc, err := document.Read(in)
	if err != nil {
		return turnpost.Event{}, documentError(err)
	}
	row, ok := qwenRow(doc.Text("hook_event_name", maxWord))
	if !ok {
		return turnpost.Event{}, ErrIgnore
	}
	native := doc.Text("session_id", maxPath)
	if !validNative(native) {
		return turnpost.Event{}, turnpost.Invalidf("session_id", "not a session id")
	}
	if row.kind == turnpost.Prompt && doc.Text("prompt", maxWord) == "" {
		return turnpost.Event{}, ErrIgnore // the results of tools go to the model: nobody said a thing
	}
	from := caller(env)
	inbox, _ := qwenInbox(env.Getenv)
	shared, attended := qwenRole(from, inbox != "")
	e := turnpost.Event{
		Kind:     row.kind,
		Harness:  h.Name(),
		Version:  parseVersion(env.Getenv("QWEN_CODE_STARTUP_VERSION"), ".").String(),
		Native:   native,
		Name:     row.name,
		Digest:   digest(doc.Raw),
		Cwd:      absolute(doc.Text("cwd", maxPath)),
		Process:  from.process(env, shared),
		Attended: attended,
		Subagent: doc.Text("agent_id", maxWord),
	}
	if !shared {
		e.Agent = clip(env.Getenv("TURNPOST_AGENT"), maxWord)
	}
	if row.fill != nil {
		row.fill(&e, doc)
	}
	e.Accepts = qwenAccepts(e)
	if e.Attended {
		e.Wake = turnpost.Wake{Method: "inbox", Key: native, Armed: e.Kind == turnpost.SessionStart}
		if inbox == "" { // which tells what became of a text
			e.Wake.Method = "feed"
			if qwenFeed(from, e.Cwd) == "" {
				e.Wake = turnpost.Wake{}
			}
		}
	}
	return e, nil
}

// Kept is the inbox with its key, or the file.
func (qwen) Kept(e turnpost.Event, env Env) string {
	switch e.Wake.Method {
	case "inbox":
		if inbox, key := qwenInbox(env.Getenv); inbox != "" {
			return inbox + "\n" + key + "\n"
		}
	case "feed":
		if file := qwenFeed(caller(env), e.Cwd); file != "" {
			return file + "\n"
		}
	}
	return ""
}

// fillQwenPrompt tells a ring, and what we wrote ourselves, from what a person
// wants.
func fillQwenPrompt(e *turnpost.Event, doc document.Object) {
	prompt := doc.Text("prompt", maxPrompt)
	if e.Attended && e.Subagent == "" && strings.TrimSpace(prompt) == Poke {
		e.Kind = turnpost.Bell
		return
	}
	e.Offers, e.Machine = ownText(prompt)
}

func fillQwenPermission(e *turnpost.Event, doc document.Object) {
	fillTool(e, doc)
	switch e.Tool {
	case "exit_plan_mode":
		e.Wants = turnpost.WantPlan
	case "ask_user_question":
		e.Wants = turnpost.WantAnswer
	default:
		e.Wants = turnpost.WantPermission
	}
}

// What a Stop calls input_tokens is how full the context is (context_usage of
// context_limit), not what the turn took: Event.Tokens stays 0.

// fillQwenNotification: idle_prompt comes as soon as no turn runs any more, and
// is all that tells of Esc and of a dialog that was left. After a turn that ended
// or failed it says nothing new.
func fillQwenNotification(e *turnpost.Event, doc document.Object) {
	switch doc.Text("notification_type", maxWord) {
	case "idle_prompt":
		if e.Subagent == "" {
			e.Kind = turnpost.Interrupt
		}
	case "permission_prompt":
		e.Wants = turnpost.WantPermission
	}
}

// Encode refuses with "block". Nothing to say is not one byte: any text would be
// told the model. The program writes < and > of a context as entities, those of
// a block as they are.
func (qwen) Encode(e turnpost.Event, d turnpost.Decision) Output {
	return encodeRefusing("block", e, d)
}

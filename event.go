package turnpost

import "time"

// Event is one normalised thing that a harness said about one session. The
// hook client makes it; the harness's raw JSON goes no further.
type Event struct {
	Kind    Kind   `json:"kind"`
	Harness string `json:"harness"`
	Version string `json:"version,omitempty"` // of the harness, "2.1.332"; empty when it does not say
	Native  string `json:"native"`            // the harness's own session id
	Name    string `json:"name,omitempty"`    // the harness's own name of the event, "PostToolBatch"
	Digest  string `json:"digest,omitempty"`  // of the raw input: two equal ones at once are one event registered twice

	Cwd   string `json:"cwd,omitempty"`
	Place Place  `json:"place,omitzero"` // where Cwd lies; the client resolves it

	Process  Process `json:"process,omitzero"`   // the harness process
	Attended bool    `json:"attended"`           // a person sits in front of it
	Reports  bool    `json:"reports,omitempty"`  // it only reports: nothing that is answered reaches its agent, so that it takes no mail
	Agent    string  `json:"agent,omitempty"`    // the handle that the user set for this process (TURNPOST_AGENT)
	Registry string  `json:"registry,omitempty"` // file in which the harness keeps this process's live state

	Source string `json:"source,omitempty"` // session.start: startup, resume, clear, compact, fork
	Reason string `json:"reason,omitempty"` // session.end: the harness's word for why

	Tool       string   `json:"tool,omitempty"`       // tool.*, permission
	Wants      Want     `json:"wants,omitempty"`      // permission, notification: what the session waits for
	Failure    Failure  `json:"failure,omitzero"`     // turn.failed
	Background int      `json:"background,omitempty"` // turn.end: background tasks that still run
	Continued  bool     `json:"continued,omitempty"`  // turn.end: the harness says a hook continued this turn before
	Machine    bool     `json:"machine,omitempty"`    // prompt: no person typed it
	Offers     []string `json:"offers,omitempty"`     // prompt: ids of our offers found in its text: an exact receipt
	Tokens     int64    `json:"tokens,omitempty"`     // turn.end: tokens that the turn took, where the harness says
	Last       string   `json:"last,omitempty"`       // turn.end: start of the last assistant message, at most 500 bytes
	Subagent   string   `json:"subagent,omitempty"`   // set when a sub-agent, not the session itself, said it

	Wake    Wake    `json:"wake,omitzero"`    // how this session can be rung
	Accepts Accepts `json:"accepts,omitzero"` // what the answer to this very event can carry
}

// Spooled is one line of the spool: a lifecycle event that no hub answered. The
// hub may have heard it all the same, so it applies one only if it has heard
// nothing of that session since At. An empty line of the spool stands for one
// event that was not worth keeping.
type Spooled struct {
	At    time.Time `json:"at"`
	Event Event     `json:"event"`
}

// Place is where a session works.
type Place struct {
	Root     string `json:"root,omitempty"`     // resolved path of the repository or, outside one, of the directory
	Main     string `json:"main,omitempty"`     // resolved path of the main work tree; equals Root outside linked work trees
	Worktree string `json:"worktree,omitempty"` // name of the linked work tree, empty in the main one
}

// Process identifies a process across pid reuse and reboots.
type Process struct {
	Pid    int    `json:"pid,omitempty"`
	Start  string `json:"start,omitempty"`  // opaque: boot id and start time
	Shared bool   `json:"shared,omitempty"` // it hosts several sessions at a time: a server, a daemon
}

// Wake says how a session can be rung.
type Wake struct {
	Method string `json:"method,omitempty"` // a method of internal/wake, "bell"
	Key    string `json:"key,omitempty"`    // what that method needs to find the session
	Armed  bool   `json:"armed,omitempty"`  // from here on the session hears: this event's answer announces its bell, or there is nothing to announce

	At string `json:"at,omitempty"` // where the session is found by it: a directory, a file or a socket, absolute
}

// Accepts says what the answer to one event can carry. An adapter decodes it
// per event, version and outcome.
type Accepts struct {
	Context  bool `json:"context,omitempty"`  // text for the model beside what it gets anyway
	Continue bool `json:"continue,omitempty"` // text that keeps the agent going
	Deny     bool `json:"deny,omitempty"`     // a permission decision; at a bell: that the prompt which rang is dropped
	Watch    bool `json:"watch,omitempty"`    // files that the harness shall watch
	Soon     bool `json:"soon,omitempty"`     // turn.end: an answer that comes later than in a second is lost
	Row      int  `json:"row,omitempty"`      // turn.end: so many continuations in a row the harness takes, 0: as many as come
}

// Want is what a waiting session waits for.
type Want string

// Only these make a session "waiting"; a prompt that sits idle does not.
const (
	WantNothing    Want = ""
	WantPermission Want = "permission"
	WantAnswer     Want = "question"
	WantPlan       Want = "plan"
)

// Package harness holds one file per coding-agent program. An adapter turns
// the program's own JSON into a turnpost.Event and a turnpost.Decision into
// that program's own output, and says what setup has to install for it.
//
// It is pure: no files, no network, no clock, standard library only. Names of
// harnesses appear nowhere else in the code.
package harness

import (
	"io"
	"iter"

	"turnpost"
)

// Harness is one coding-agent program.
type Harness interface {
	// Name is what users type and what sessions carry: "claude-code".
	Name() string
	// Decode reads exactly one JSON document from the start of in, without
	// waiting for the end of the stream. A document that is not a hook event of
	// this harness, or one that the hub need not hear, is ErrIgnore.
	Decode(in io.Reader, env Env) (turnpost.Event, error)
	// Encode says what the program has to print for a decision about that event.
	Encode(turnpost.Event, turnpost.Decision) Output
	// Install says what setup writes for this harness.
	Install(Target) []Entry
	// Profile is what people read about it.
	Profile() Profile
}

// Env is what an adapter may know about the hook's process.
type Env struct {
	Getenv func(string) string
	// BellPath returns the bell file of a key: of a process, or of a native id
	// where the process is unknown.
	BellPath func(key string) string
	// ProcessStart returns the opaque start stamp of a pid, "" when unknown.
	ProcessStart func(pid int) string
	// Parents are the processes around the hook's, nearest first: a shell, the
	// harness, what started it. Each is looked at when it is reached.
	Parents iter.Seq[Parent]
}

// Parent is one process around a hook call. What the system does not tell is
// empty.
type Parent struct {
	Pid      int
	Args     []string // as it was started, its name first
	Program  string   // absolute path of what runs
	Terminal bool     // it has a controlling terminal
}

// Output is what a hook process prints. The zero value is silence and exit 0.
type Output struct {
	Stdout []byte
	Stderr []byte
	// Wake asks for the private exit status that the registered line of the bell
	// maps to the one that wakes the session. Never a bare exit 2.
	Wake bool
}

// WakeStatus is that private exit status.
const WakeStatus = 86

// ignore is a constant error: adapters are free of package state.
type ignore struct{}

func (ignore) Error() string { return "not an event for the hub" }

// ErrIgnore is returned by Decode for input that needs no answer.
var ErrIgnore error = ignore{}

// Target is where and how an adapter is installed.
type Target struct {
	Home    string // directory of the harness's own files, absolute: "~/.claude" resolved
	Project string // root of the repository, for the scopes project and local
	Scope   string // user, project, local
	Mode    string // command, http
	Version string // installed version of the harness; empty: unknown
	Hook    string // absolute, stable path of the hook client; "": in a package, which looks for it
	Program string // absolute, stable path of turnpost itself: "turnpost mcp" serves the tools
	HubURL  string // http mode: "http://127.0.0.1:21584"
	Allow   bool   // write the permission rule for our tools too
}

// Entry is one value that setup puts into one file. Setup owns the editors; an
// entry is found again by its exact value, nothing else.
//
// The dialects: "json" is strict, "jsonc" takes comments and trailing commas,
// "toml", and "file" is a whole file of ours, whose Value is its content.
type Entry struct {
	File    string // absolute
	Dialect string // editor
	Pointer string // JSON pointer of the array that takes Value as an element, "/hooks/Stop", or of the object that takes it under Key
	Key     string // name of the member; empty: Value is an element of an array
	Value   any    // marshals to the element; for "toml" an object of plain values
	Why     string // one line for the plan
	Words   bool   `json:",omitempty"` // a text for people to type or agents to read: the harness is heard without it too
}

package harness

import (
	"time"

	"turnpost"
)

// Program is a harness that is a program on this machine. Callers run
// Binary with VersionArgs and hand the output to Version.
type Program interface {
	Binary() string        // name on PATH
	VersionArgs() []string // prints the version and does nothing else
	// Version finds the version in that output, "" when there is none.
	Version(output string) string
	// Home is the directory of the harness's own files, absolute, "" when the
	// environment does not say.
	Home(getenv func(string) string) string
}

// MCPClient is a harness whose registration of MCP servers is its own file,
// which we read but leave to its own command to write.
type MCPClient interface {
	// MCPCommand is the line for a shell that registers our MCP server for the
	// user; turnpost is the absolute path of the program. "" where Install's
	// entries do it: the file is meant for that and nothing else.
	MCPCommand(turnpost string) string
	// MCPRemove is the line that takes it away again, "" likewise.
	MCPRemove() string
	// MCPEntry says where the registration is found: a file, its dialect and the
	// pointer of the registration itself.
	MCPEntry(getenv func(string) string) (file, dialect, pointer string)
}

// Registrar is a harness that keeps a file for each of its live processes.
type Registrar interface {
	// Registry reads the file that Event.Registry names. The files are not
	// documented, so that everything in them may be missing.
	Registry(data []byte) (RegistryState, error)
}

// RegistryState is what such a file says.
type RegistryState struct {
	Pid   int
	Start string // the harness's own stamp of when the process started, for the eye
	turnpost.Live
}

// Channeler is a harness that takes texts which an MCP server pushes to it.
type Channeler interface {
	Channel() Channel
}

// Channel is how a text is pushed over MCP: the server announces an experimental
// capability and sends a notification with {"content": text}.
type Channel struct {
	Host       string // the name with which that client introduces itself
	Capability string
	Method     string // of the notification
}

// Timed says in which unit the harness counts the timeouts of hooks.
type Timed interface {
	TimeoutUnit() time.Duration
}

// ByHand is a harness whose registration setup cannot finish: its file has no
// editor of ours, or the last step is a command of its own.
type ByHand interface {
	// ByHand is what is left for a person: lines of text and the file, absolute,
	// that they go into, "" for a shell.
	ByHand(Target) (file, text string)
}

package realtest

// A Program is a harness program as far as programs differ from each other. It
// is a value without state, in a file of its own: claude.go, codex.go.
type Program interface {
	// Pin is the name of its directory in pins: "claude-code".
	Pin() string
	// Executable is the file to run, below node_modules of its installed pin: a
	// native program for this machine, or a script with a .js or .mjs name.
	Executable() string
	// Command is the name under which a person starts it: "claude".
	Command() string

	// Furnish writes what the program keeps in the HOME of a person who has used
	// it before, so that it asks nothing at its start, reports nothing and updates
	// nothing. It runs once, before Trust.
	Furnish(h *Home)
	// Trust lets the program work in a directory of the home without asking.
	Trust(h *Home, dir string)
	// Env is its environment beside Home.Env, as KEY=VALUE, for a model API whose
	// base URL, without a path, is url. It runs at every start: a program that
	// reads the address from a file has it written here. That file keeps its bytes
	// while the address is the same.
	Env(h *Home, url string) []string

	// OneShot is the command line of a run without a terminal, up to its end.
	OneShot(prompt string) []string
	// Interactive is the command line on a terminal.
	Interactive() []string

	// Look says what a screen shows.
	Look(screen string) View
	// Interrupt lists the keys that end the running turn, one press each.
	Interrupt() []string
	// Quit is the command that leaves the program when it is typed: "/exit".
	Quit() string
}

// A View is what a screen of a program shows.
type View struct {
	// Ready: the input line is there and takes a prompt; no dialog is open.
	Ready bool
	// Input is what stands in the input line, typed by us; a hint that the program
	// shows in an empty line is none. Blanks do not matter.
	Input string
	// Busy: a turn runs.
	Busy bool
	// Again: the first of the keys that interrupt it was heard.
	Again bool
	// Answer holds the keys for a dialog of the start that is open all the same,
	// such as whether to trust a directory. They are pressed until they become
	// others.
	Answer string
}

// Keys as a terminal sends them.
const (
	keyEnter     = "\r"
	keyEsc       = "\x1b"
	keyDown      = "\x1b[B"
	keyClearLine = "\x15" // Ctrl-U
)

// registrar is a Program that writes down what its living sessions do.
type registrar interface {
	// registered returns the conversation that is open in a process and its
	// status (busy, waiting, idle); nothing where it has written nothing.
	registered(h *Home, pid int) (session, status string)
}

// backgrounder is a Program with requests outside its main loop that offer
// tools all the same.
type backgrounder interface {
	background(r Request) bool
}

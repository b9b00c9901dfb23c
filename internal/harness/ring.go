package harness

import "turnpost"

// Poke is the text of a ring that has to be a prompt. It carries nothing: the
// prompt's own hook asks the hub for the items, like a bell, and drops the
// prompt when there are none any more. A prompt that is exactly this is a bell.
const Poke = "Turnpost: new mail."

// Keeper is a harness whose sessions are rung at a place that the environment of
// their hooks names: the ring methods "feed", "inbox" and "keys". What an event
// says is the word of whoever reaches the hub's socket, an agent in a sandbox too.
// So the hook client itself puts the place down when a session starts, where only
// this user writes, and the hub goes by that.
type Keeper interface {
	// Kept is what the ring method of the event needs, line by line; "" when there
	// is nothing.
	Kept(e turnpost.Event, env Env) string
}

// Queuer is a harness with a command that puts a prompt into an open session:
// the ring method "command".
type Queuer interface {
	// RingCommand is what follows the program's name, and what its environment
	// needs beside the hub's own, KEY=VALUE.
	RingCommand(turnpost.Wake) (args, env []string)
}

// Feeder is a harness that reads prompts from a file which the session was
// started with: the ring method "feed". The file is kept.
type Feeder interface {
	// RingLine is appended to the file.
	RingLine() []byte
}

// Typist is a harness whose session can be rung by typing into its terminal,
// where the user allowed it: the ring method "keys". Kept are the socket of tmux
// and the pane, "%5".
type Typist interface {
	// Foreground tells whether a terminal whose foreground command has this name
	// may be running it.
	Foreground(command string) bool
	// Prompt reads a screen, rows of text: what is typed in its prompt, and
	// whether that is ready for a new one: no dialog open, no turn running.
	Prompt(screen []string) (typed string, ready bool)
}

// Inboxer is a harness whose sessions take texts at a socket of their own, and
// give the processes that they start a key to it: the ring method "inbox". Kept
// are the socket and the key. Such a ring brings the items itself.
type Inboxer interface {
	// Letter is what is written to the socket.
	Letter(Letter) []byte
	// Receipt reads one line that came back for the letter with that id.
	Receipt(line []byte, id string) LetterState
}

// Letter is one text for one session.
type Letter struct {
	Key     string // what opens the inbox
	Session string // native id
	ID      string // of this letter, never used twice: letters and digits
	Text    string

	Reply    string // the socket for what comes back, absolute
	ReplyKey string // what has to open it: 64 hexadecimal digits
}

// LetterState is what became of a letter.
type LetterState int

// The states.
const (
	LetterUnknown LetterState = iota // the line says nothing of it
	LetterTaken                      // the model is told
	LetterBusy                       // turned away for now
	LetterClosed                     // the session takes none, or none before a person has looked at it
)

package harness

import "turnpost"

// Poke is the text of a ring that has to be a prompt. It carries nothing: the
// prompt's own hook asks the hub for the items, like a bell, and drops the
// prompt when there are none any more. A prompt that is exactly this is a bell.
const Poke = "Turnpost: new mail."

// Queuer is a harness with a command that puts a prompt into an open session:
// the ring method "command".
type Queuer interface {
	// RingCommand is what follows the program's name, and what its environment
	// needs beside the hub's own, KEY=VALUE.
	RingCommand(turnpost.Wake) (args, env []string)
}

// Feeder is a harness that reads prompts from a file which the session was
// started with: the ring method "feed".
type Feeder interface {
	// RingLine is appended to the file.
	RingLine() []byte
}

// Typist is a harness whose session can be rung by typing into its terminal,
// where the user allowed it: the ring method "keys".
type Typist interface {
	// PromptEmpty tells whether a screen, rows of text, shows an empty prompt
	// that takes input: no dialog, nothing half typed, no turn running.
	PromptEmpty(screen []string) bool
}

package harness

import "turnpost"

// Standin is a harness whose sessions can be played without the program itself,
// through the very lines that setup registers: for the demonstration.
type Standin interface {
	// Moment is what the program would run at an event of the kind; ok is false
	// for a kind that it cannot play.
	Moment(kind turnpost.Kind, session StandinSession) (moment Moment, ok bool)
	// Reading is what the program would make of the answer: the text that
	// reaches the model, and the files that it watches from then on, nil when
	// the answer names none.
	Reading(stdout, stderr []byte, status int) (text string, watch []string)
}

// StandinSession is a session that is played.
type StandinSession struct {
	Native string
	Pid    int    // the process that plays the program
	Cwd    string // absolute
	Hook   string // absolute path of the hook client
	Bell   string // the file that changed, for the bell
}

// Moment is one hook call as the program makes it.
type Moment struct {
	Line  string   // for a shell, as it is registered
	Stdin []byte   // the event
	Env   []string // what the program adds to the environment
}

// HomeFlag is a harness whose directory has a flag of its own in setup.
type HomeFlag interface {
	// HomeFlag is the flag's name, "claude-home".
	HomeFlag() string
}

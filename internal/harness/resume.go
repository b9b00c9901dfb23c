package harness

// Resumer is a harness that can reopen a session from a shell.
type Resumer interface {
	// Resume is the command line that does, in the session's own directory.
	Resume(native string) string
}

var _ Resumer = claudeCode{}

// Resume: a native id is one word of the characters that Decode lets through.
func (claudeCode) Resume(native string) string { return "claude --resume " + shellQuote(native) }

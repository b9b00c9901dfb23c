package setup

import (
	"encoding/json"
	"fmt"

	"turnpost"
)

// Value is one thing to be put into a file.
type Value struct {
	Pointer string          // JSON pointer of the array that holds it, or of the object with Key; "" where the dialect has no places
	Key     string          // name of the member; "": an element
	JSON    json.RawMessage // compact
}

// Presence says how far a document already holds a value.
type Presence int

// The presences.
const (
	Absent  Presence = iota
	Changed          // ours by its command or key, but somebody changed the rest of it
	Exact            // equal after parsing
)

// Editor changes files of one dialect. It works on bytes: what it neither adds
// nor takes out comes back byte for byte. A document of nil is a file that does
// not exist. An editor refuses what it cannot read in full; its errors name
// line and column.
type Editor interface {
	// Find tells for each value whether doc holds it. Two equal values need two
	// places.
	Find(doc []byte, values []Value) ([]Presence, error)
	// Insert adds the values that are absent. created lists the pointers of the
	// containers it had to make, "" for the document itself.
	Insert(doc []byte, values []Value) (out []byte, created []string, err error)
	// Remove takes out at most one occurrence of each value and tells which were
	// there.
	Remove(doc []byte, values []Value) (out []byte, taken []bool, err error)
	// Prune drops those of the containers that are empty. It returns nil when
	// the document itself is one of them and nothing is left in it.
	Prune(doc []byte, containers []string) (out []byte, err error)
}

// editors is the list of dialects: one line and one file each.
func editors() map[string]Editor {
	return map[string]Editor{
		"json":  jsonEditor{},
		"jsonc": jsonEditor{comments: true},
		"toml":  tomlEditor{},
		"file":  fileEditor{},
	}
}

func editorOf(dialect string) (Editor, error) {
	editor, ok := editors()[dialect]
	if !ok {
		return nil, turnpost.Errorf(turnpost.Internal, "no editor for the dialect %q", dialect)
	}
	return editor, nil
}

// refusal is why an editor does not touch a document.
type refusal struct {
	line, column int // 0: of the document as a whole
	reason       string
}

func (r *refusal) Error() string {
	if r.line == 0 {
		return r.reason
	}
	return fmt.Sprintf("line %d, column %d: %s", r.line, r.column, r.reason)
}

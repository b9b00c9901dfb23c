package turnpost

import "time"

// Sizes of an agent's notes.
const (
	MaxNotes        = 64 << 10 // bytes of now.md
	MaxNoteDecision = 8 << 10  // bytes of one decision with its why
	MaxRecall       = 3400     // runes of notes in one answer to an agent
)

// NotesVerb is what a NotesRequest does.
type NotesVerb string

// The verbs. All answer with the notes as they are then.
const (
	NotesRead   NotesVerb = "read"
	NotesWrite  NotesVerb = "write"  // replace now.md
	NotesAppend NotesVerb = "append" // add to now.md
	NotesLog    NotesVerb = "log"    // add a decision
	NotesClear  NotesVerb = "clear"  // put now.md away; decisions stay
)

// NotesVerbs lists the verbs in the order in which people meet them.
func NotesVerbs() []NotesVerb {
	return []NotesVerb{NotesRead, NotesWrite, NotesAppend, NotesLog, NotesClear}
}

// NotesRequest reads or changes an agent's notes.
type NotesRequest struct {
	Do     NotesVerb `json:"do"`
	Handle string    `json:"handle,omitempty"` // people: whose; empty: the caller's
	Text   string    `json:"text,omitempty"`   // write, append: Markdown; log: what was decided
	Why    string    `json:"why,omitempty"`    // log
}

// Notes are an agent's working state in its own words: what it is at (now.md),
// and what was decided on the way. They outlive its sessions.
type Notes struct {
	Handle    string          `json:"handle"`
	Dir       string          `json:"dir"`             // where the files are, on the hub's machine
	Place     string          `json:"place,omitempty"` // root of the repository or work tree that they are about
	Now       string          `json:"now,omitempty"`   // now.md
	At        time.Time       `json:"at,omitzero"`     // when now.md was written; zero: there is none
	Stub      bool            `json:"stub,omitempty"`  // Turnpost wrote it before a compaction, because there was none
	Decisions []NotedDecision `json:"decisions"`       // newest first, at most 20
	More      int             `json:"more,omitempty"`  // further decisions, in files
}

// NotedDecision is one file of decisions/.
type NotedDecision struct {
	At     time.Time `json:"at"`
	Author string    `json:"author"`
	Text   string    `json:"text"`
	Why    string    `json:"why,omitempty"`
	File   string    `json:"file"` // base name
}

// HandoffRequest passes an agent's work to another: its notes, what it has
// claimed and what is open in its inbox, as one item.
type HandoffRequest struct {
	To     string `json:"to"`
	Handle string `json:"handle,omitempty"` // people: whose work; empty: the caller's
	Text   string `json:"text,omitempty"`   // what to say besides
}

package statedir

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"turnpost/internal/document"
)

// Contexts is the directory of agents' notes, one folder a handle.
func (d Dir) Contexts() string { return d.path("context") }

// Context is the folder of a handle: "@api/auth" is in api+auth. No handle has a
// "+", and none starts with a dot.
func (d Dir) Context(handle string) string {
	return filepath.Join(d.Contexts(), strings.ReplaceAll(strings.TrimPrefix(handle, "@"), "/", "+"))
}

// Pointers is the directory of the pointers.
func (d Dir) Pointers() string { return d.path("pointers") }

// Pointer is the file that says whose notes a session has.
func (d Dir) Pointer(harness, native string) string {
	return filepath.Join(d.Pointers(), fileName(harness)+"."+fileName(native))
}

// Pointer says whose notes a session has. The hub writes it when it gives a
// session its notes, for when no hub is there to ask.
type Pointer struct {
	Harness string `json:"harness"`
	Native  string `json:"native"`
	Handle  string `json:"handle"`
	Root    string `json:"root"` // where the session works
}

// ReadPointer reads the pointer of a session; the error wraps os.ErrNotExist
// when it has none.
func (d Dir) ReadPointer(harness, native string) (Pointer, error) {
	data, err := os.ReadFile(d.Pointer(harness, native))
	if err != nil {
		return Pointer{}, fmt.Errorf("read pointer: %w", err)
	}
	doc, err := document.Parse(data)
	if err != nil {
		return Pointer{}, fmt.Errorf("read pointer: %w", err)
	}
	p := Pointer{
		Harness: doc.Text("harness", len(data)),
		Native:  doc.Text("native", len(data)),
		Handle:  doc.Text("handle", len(data)),
		Root:    doc.Text("root", len(data)),
	}
	if p.Harness != harness || p.Native != native {
		return Pointer{}, fmt.Errorf("read pointer: %w: it is another session's", os.ErrNotExist)
	}
	return p, nil
}

package setup

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io/fs"
	"strings"
)

// Action is what a plan is for.
type Action string

// The actions.
const (
	ActionInstall   Action = "install"
	ActionRemove    Action = "remove"
	ActionUninstall Action = "uninstall"
)

// Plan is a set of changes, made from the files as they were. It is a value:
// it can be shown, kept and applied later, and applies only as long as every
// file is still what it was made from.
type Plan struct {
	Action   Action       `json:"action"`
	Files    []FileChange `json:"files"` // that change; an entry that needs nothing is a Line of Kept
	Kept     []Line       `json:"kept,omitempty"`
	Warnings []string     `json:"warnings,omitempty"`
	Left     []string     `json:"left,omitempty"` // what stays although it was to go, and why
	// Unreviewed are the owners whose harness will not run all of its entries
	// before their user has reviewed them.
	Unreviewed []string `json:"unreviewed,omitempty"`
	Hash       string   `json:"hash"` // over every byte before and after, with paths and modes; 32 hex digits

	records recordChange
}

// recordChange is what a plan does to the record.
type recordChange struct {
	from    string // hash of the record's bytes that the plan was made from
	before  record
	after   record
	changed bool
	bases   map[string][]byte // backups of base files to be made, by name
	looked  []string          // every target that was looked at
}

// FileChange is one file before and after.
type FileChange struct {
	Path     string      `json:"path"`   // as the entries name it
	Target   string      `json:"target"` // all links resolved: what is replaced
	Before   []byte      `json:"-"`      // nil: there is no file
	After    []byte      `json:"-"`      // nil: the file goes
	Mode     fs.FileMode `json:"mode"`   // of a new file; an existing one keeps its own
	MakeDirs []string    `json:"make_dirs,omitempty"`
	DropDirs []string    `json:"drop_dirs,omitempty"` // made by us, dropped when empty
	Lines    []Line      `json:"lines"`
	Diff     string      `json:"diff"` // unified, safe for a terminal
}

// Line is one entry in a plan, for people. Its texts are safe for a terminal.
type Line struct {
	Owner string `json:"owner"` // of the place: see OwnerOf
	Do    string `json:"do"`    // add, remove, keep
	Kind  string `json:"kind"`  // hook, permission, trust, file, setting
	What  string `json:"what"`  // "Stop: '/home/u/.local/bin/turnpost-hook' ...", in full; of a file how long it is
	Why   string `json:"why,omitempty"`
}

// Empty tells whether there is nothing to do.
func (p Plan) Empty() bool { return len(p.Files) == 0 && !p.records.changed }

// Diff joins the diffs of all files.
func (p Plan) Diff() string {
	var out strings.Builder
	for _, file := range p.Files {
		out.WriteString(file.Diff)
	}
	return out.String()
}

// sum computes the hash of a plan from what it does.
func (p Plan) sum() string {
	h := sha256.New()
	put(h, "turnpost plan 1", string(p.Action))
	for _, file := range p.Files {
		put(h, "file", file.Path, file.Target, fmt.Sprintf("%o", file.Mode))
		putBytes(h, "before", file.Before)
		putBytes(h, "after", file.After)
		put(h, append([]string{"make"}, file.MakeDirs...)...)
		put(h, append([]string{"drop"}, file.DropDirs...)...)
	}
	return hex.EncodeToString(h.Sum(nil))[:32]
}

func putBytes(h hash.Hash, what string, data []byte) {
	if data == nil {
		put(h, what+" nothing")
		return
	}
	put(h, what, string(data))
}

// put adds fields, each with its length, so that no two lists hash alike.
func put(h hash.Hash, fields ...string) {
	fmt.Fprintf(h, "%d fields\n", len(fields))
	for _, field := range fields {
		fmt.Fprintf(h, "%d bytes\n%s\n", len(field), field)
	}
}

// lineOf describes an entry.
func lineOf(do string, entry recordEntry) Line {
	line := Line{Owner: entry.Owner, Do: do, Kind: "setting", Why: visibleLine(entry.Why)}
	name := strings.TrimPrefix(entry.Pointer, "/")
	switch first, rest, _ := strings.Cut(name, "/"); {
	case entry.Dialect == "file":
		line.Kind, line.What = "file", lengthOf(entry.Value)
		return line
	case entry.Review:
		line.Kind, name = "trust", entry.Key
	case entry.Key != "":
		name = strings.TrimPrefix(entry.Pointer+"/"+entry.Key, "/")
	case first == "hooks":
		line.Kind, name = "hook", rest
	case first == "permissions":
		line.Kind, name = "permission", rest
	}
	line.What = visibleLine(name + ": " + summary(entry.Value))
	return line
}

// lengthOf says how long a whole file is.
func lengthOf(value json.RawMessage) string {
	var content string
	if json.Unmarshal(value, &content) != nil {
		return ""
	}
	lines := strings.Count(content, "\n")
	if !strings.HasSuffix(content, "\n") {
		lines++
	}
	if lines == 1 {
		return "1 line"
	}
	return fmt.Sprintf("%d lines", lines)
}

// summary shows a value: the command of a hook, in full, else its JSON.
func summary(value json.RawMessage) string {
	var plain string
	if json.Unmarshal(value, &plain) == nil {
		return plain
	}
	var one map[string]string
	if json.Unmarshal(value, &one) == nil && len(one) == 1 {
		for _, plain = range one {
			return plain
		}
	}
	type handler struct {
		Command string   `json:"command"`
		URL     string   `json:"url"`
		Args    []string `json:"args"`
	}
	var group struct {
		handler
		Matcher string    `json:"matcher"`
		Hooks   []handler `json:"hooks"`
	}
	if json.Unmarshal(value, &group) != nil {
		return string(value)
	}
	hook := group.handler
	if len(group.Hooks) == 1 {
		hook = group.Hooks[0]
	}
	out := hook.Command + hook.URL
	if len(group.Hooks) > 1 || hook.Args != nil || out == "" {
		return string(value)
	}
	if group.Matcher != "" {
		out = "[" + group.Matcher + "] " + out
	}
	return out
}

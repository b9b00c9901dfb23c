package setup

import (
	"turnpost"
	"turnpost/internal/atomicfile"
	"turnpost/internal/harness"
)

// Holds returns the file of the first of the entries that is there with its
// exact value, "" when none is. Of the dialect "file" it is a file with any
// content. What cannot be read holds nothing.
func Holds(entries []harness.Entry) (file string) {
	for _, entry := range entries {
		data, info, err := readSettings(entry.File)
		if err != nil || info == nil {
			continue
		}
		if entry.Dialect == "file" {
			return entry.File
		}
		value, err := encodeValue(entry.Value)
		if err != nil {
			continue
		}
		editor, err := editorOf(entry.Dialect)
		if err != nil {
			continue
		}
		found, err := editor.Find(data, []Value{{Pointer: entry.Pointer, Key: entry.Key, JSON: value}})
		if err == nil && found[0] == Exact {
			return entry.File
		}
	}
	return ""
}

// Has tells whether a file of a dialect has a value at a pointer. A missing or
// blank file has none.
func Has(file, dialect, pointer string) (bool, error) {
	path, err := atomicfile.Resolve(file)
	if err != nil {
		return false, turnpost.Invalidf(file, "%v", err)
	}
	data, _, err := readSettings(path)
	if err != nil {
		return false, err
	}
	tokens, err := splitPointer(pointer)
	if err != nil {
		return false, err
	}
	editor, err := editorOf(dialect)
	if err != nil {
		return false, err
	}
	switch editor := editor.(type) {
	case jsonEditor:
		doc, err := editor.parse(data)
		if err != nil {
			return false, refused(file, err)
		}
		if doc.blank() {
			return false, nil
		}
		way, err := doc.walk(tokens)
		if err != nil {
			return false, refused(file, err)
		}
		return len(way) > len(tokens), nil
	case tomlEditor:
		doc, err := parseTOML(data)
		if err != nil {
			return false, refused(file, err)
		}
		_, found := tomlAt(doc.tree, tokens)
		return found, nil
	}
	return false, turnpost.Errorf(turnpost.Internal, "the dialect %q has no places", dialect)
}

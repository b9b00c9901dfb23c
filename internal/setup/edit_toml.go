package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"turnpost"
)

// tomlEditor edits TOML as bytes. A value is a table of plain values and such
// tables, under a key at a pointer. A table with the same name and another
// content is somebody else's. One that is written inline or with dotted keys is
// refused: nothing of it can be added or taken out as whole lines.
type tomlEditor struct{}

var _ Editor = tomlEditor{}

func (tomlEditor) Find(data []byte, values []Value) ([]Presence, error) {
	doc, err := parseTOML(data)
	if err != nil {
		return nil, err
	}
	out := make([]Presence, len(values))
	for i, value := range values {
		path, wanted, err := tableOf(value)
		if err != nil {
			return nil, err
		}
		if _, err := doc.lines(path); err != nil {
			return nil, err
		}
		switch found, ok := tomlAt(doc.tree, path); {
		case ok && sameTOML(found, wanted):
			out[i] = Exact
		case ok:
			out[i] = Changed
		}
	}
	return out, nil
}

func (e tomlEditor) Insert(data []byte, values []Value) ([]byte, []string, error) {
	present, err := e.Find(data, values)
	if err != nil {
		return nil, nil, err
	}
	var created []string
	for i, value := range values {
		if present[i] != Absent {
			continue
		}
		doc, err := parseTOML(data)
		if err != nil {
			return nil, nil, err
		}
		path, wanted, err := tableOf(value)
		if err != nil {
			return nil, nil, err
		}
		if doc.blank() {
			created = append(created, "")
		}
		out := doc.append(renderTable(path, wanted, doc.eol()))
		after, err := parseTOML(out)
		if err != nil {
			return nil, nil, fmt.Errorf("edit broke the document: %w", err)
		}
		if found, _ := tomlAt(after.tree, path); !sameTOML(found, wanted) || !sameBut(doc, after, path) {
			return nil, nil, errors.New("edit changed more than it should")
		}
		data = out
	}
	return data, created, nil
}

func (tomlEditor) Remove(data []byte, values []Value) ([]byte, []bool, error) {
	taken := make([]bool, len(values))
	for i, value := range values {
		doc, err := parseTOML(data)
		if err != nil {
			return nil, nil, err
		}
		path, wanted, err := tableOf(value)
		if err != nil {
			return nil, nil, err
		}
		lines, err := doc.lines(path)
		if err != nil {
			return nil, nil, err
		}
		if found, ok := tomlAt(doc.tree, path); !ok || !sameTOML(found, wanted) {
			continue
		}
		out := doc.without(lines)
		after, err := parseTOML(out)
		if err != nil {
			return nil, nil, fmt.Errorf("edit broke the document: %w", err)
		}
		if _, still := tomlAt(after.tree, path); still || !sameBut(doc, after, path) {
			return nil, nil, errors.New("edit changed more than it should")
		}
		data, taken[i] = out, true
	}
	return data, taken, nil
}

// Prune has only the document itself to drop: tables above ours are not written.
func (tomlEditor) Prune(data []byte, containers []string) ([]byte, error) {
	if slices.Contains(containers, "") && blank(data) {
		return nil, nil
	}
	return data, nil
}

// tableOf reads a value: the path of its table and what is in it.
func tableOf(value Value) (path []string, wanted map[string]any, err error) {
	tokens, err := splitPointer(value.Pointer)
	if err != nil {
		return nil, nil, err
	}
	if value.Key == "" {
		return nil, nil, turnpost.Errorf(turnpost.Internal, "a table at %q without a key", value.Pointer)
	}
	path = append(tokens, value.Key)
	decoder := json.NewDecoder(bytes.NewReader(value.JSON))
	decoder.UseNumber()
	if err := decoder.Decode(&wanted); err != nil {
		return nil, nil, fmt.Errorf("value for table %s: %w", place(path), err)
	}
	_, err = plainTOML(wanted)
	if err != nil {
		return nil, nil, fmt.Errorf("value for table %s: %w", place(path), err)
	}
	return path, wanted, nil
}

// plainTOML turns the numbers of a JSON value into integers, in place where it
// can, and refuses what a table of ours does not hold.
func plainTOML(value any) (any, error) {
	var err error
	switch v := value.(type) {
	case string, bool:
		return v, nil
	case json.Number:
		return v.Int64()
	case []any:
		for i := range v {
			if _, table := v[i].(map[string]any); table {
				return nil, errors.New("an array of tables")
			}
			if v[i], err = plainTOML(v[i]); err != nil {
				return nil, err
			}
		}
		return v, nil
	case map[string]any:
		for key := range v {
			if v[key], err = plainTOML(v[key]); err != nil {
				return nil, err
			}
		}
		return v, nil
	}
	return nil, fmt.Errorf("%T is no value for a table", value)
}

// renderTable writes a table and the tables in it, each line with its end.
func renderTable(path []string, table map[string]any, eol string) string {
	keys := make([]string, len(path))
	for i, key := range path {
		keys[i] = tomlKey(key)
	}
	var out strings.Builder
	out.WriteString("[" + strings.Join(keys, ".") + "]" + eol)
	var inner []string
	for _, key := range slices.Sorted(maps.Keys(table)) {
		if _, nested := table[key].(map[string]any); nested {
			inner = append(inner, key)
			continue
		}
		out.WriteString(tomlKey(key) + " = " + tomlValue(table[key]) + eol)
	}
	for _, key := range inner {
		out.WriteString(renderTable(append(slices.Clone(path), key), table[key].(map[string]any), eol))
	}
	return out.String()
}

// tomlKey writes a key, bare where it may be.
func tomlKey(key string) string {
	bare := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_'
	}
	if key != "" && strings.IndexFunc(key, func(r rune) bool { return !bare(r) }) < 0 {
		return key
	}
	return tomlString(key)
}

func tomlValue(value any) string {
	switch v := value.(type) {
	case string:
		return tomlString(v)
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = tomlValue(v[i])
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return fmt.Sprint(value)
}

// tomlString writes a basic string: JSON's escapes are TOML's, but for the one
// character that only TOML wants escaped.
func tomlString(s string) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(s) // a string always can be
	return strings.ReplaceAll(strings.TrimSuffix(out.String(), "\n"), "\x7f", `\u007f`)
}

// sameTOML compares two parsed values.
func sameTOML(a, b any) bool {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		return ok && maps.EqualFunc(x, y, sameTOML)
	case []any:
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, sameTOML)
	case float64:
		y, ok := b.(float64)
		return ok && (x == y || math.IsNaN(x) && math.IsNaN(y))
	}
	return a == b
}

// tomlAt returns what is at a path.
func tomlAt(tree map[string]any, path []string) (found any, ok bool) {
	found = tree
	for _, key := range path {
		table, isTable := found.(map[string]any)
		if !isTable {
			return nil, false
		}
		if found, ok = table[key]; !ok {
			return nil, false
		}
	}
	return found, true
}

// sameBut compares two documents but for the table at a path, and the tables
// above it that hold nothing else. It spoils both.
func sameBut(a, b tomlDocument, path []string) bool {
	forget(a.tree, path)
	forget(b.tree, path)
	return sameTOML(a.tree, b.tree)
}

func forget(tree map[string]any, path []string) {
	if len(path) > 1 {
		inner, ok := tree[path[0]].(map[string]any)
		if !ok {
			return
		}
		if forget(inner, path[1:]); len(inner) > 0 {
			return
		}
	}
	delete(tree, path[0])
}

// tomlRefusal says where a document cannot be read.
func tomlRefusal(err error) error {
	var decode *toml.DecodeError
	if !errors.As(err, &decode) {
		return &refusal{reason: err.Error()}
	}
	line, column := decode.Position()
	return &refusal{line: line, column: column, reason: strings.TrimPrefix(decode.Error(), "toml: ")}
}

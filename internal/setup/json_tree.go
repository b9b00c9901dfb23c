package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

const byteOrderMark = "\xef\xbb\xbf"

// document is a JSON text and its tree, whose offsets count from the start of
// text.
type document struct {
	bom      string // kept in front
	text     []byte
	comments bool         // JSONC: comments and trailing commas are allowed
	root     hujson.Value // zero when blank
}

// parseJSON reads strict JSON or, with comments, JSONC.
func parseJSON(data []byte, comments bool) (document, error) {
	text, found := bytes.CutPrefix(data, []byte(byteOrderMark))
	doc := document{text: text, comments: comments}
	if found {
		doc.bom = byteOrderMark
	}
	if doc.blank() {
		return doc, nil
	}
	if comments {
		err := doc.parseComments()
		return doc, err
	}
	// encoding/json goes first: it bounds the depth, and it knows where.
	var whole json.RawMessage
	if err := json.Unmarshal(text, &whole); err != nil {
		return document{}, doc.syntaxRefusal(err)
	}
	root, err := hujson.Parse(bytes.Clone(text)) // Parse keeps parts of its input
	if err != nil {
		return document{}, &refusal{reason: err.Error()}
	}
	doc.root = root
	return doc, nil
}

func (d document) blank() bool { return blank(d.text) }

// blank tells of white space alone, after a byte order mark or not.
func blank(data []byte) bool {
	return len(bytes.Trim(bytes.TrimPrefix(data, []byte(byteOrderMark)), " \t\r\n")) == 0
}

func (d document) syntaxRefusal(err error) error {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return &refusal{reason: err.Error()}
	}
	at := int(syntax.Offset) - 1 // Offset counts the offending byte
	if strings.Contains(syntax.Error(), "unexpected end") {
		at = len(d.text)
	}
	return d.refuse(at, "%s", syntax)
}

// refuse makes a refusal at a byte offset. Columns count characters from 1.
func (d document) refuse(at int, format string, args ...any) error {
	at = min(max(at, 0), len(d.text))
	start := bytes.LastIndexByte(d.text[:at], '\n') + 1
	return &refusal{
		line:   1 + bytes.Count(d.text[:at], []byte("\n")),
		column: 1 + utf8.RuneCount(d.text[start:at]),
		reason: fmt.Sprintf(format, args...),
	}
}

// child is one member of an object or one element of an array.
type child struct {
	start, end int           // with the key
	name       *hujson.Value // nil in arrays
	value      *hujson.Value
}

// children lists what is in an object or array; nothing for other values.
func children(v *hujson.Value) []child {
	var out []child
	switch node := v.Value.(type) {
	case *hujson.Object:
		for i := range node.Members {
			member := &node.Members[i]
			out = append(out, child{member.Name.StartOffset, member.Value.EndOffset, &member.Name, &member.Value})
		}
	case *hujson.Array:
		for i := range node.Elements {
			element := &node.Elements[i]
			out = append(out, child{element.StartOffset, element.EndOffset, nil, element})
		}
	}
	return out
}

// member returns the value of a key, nil when the object has no such key or v
// is no object. Of a repeated key it returns the last, as clients read it.
func member(v *hujson.Value, key string) *hujson.Value {
	var found *hujson.Value
	for _, c := range children(v) {
		if c.name != nil && text(c.name) == key {
			found = c.value
		}
	}
	return found
}

// text returns the unescaped value of a string, "" for anything else.
func text(v *hujson.Value) string {
	if literal, ok := v.Value.(hujson.Literal); ok && literal.Kind() == '"' {
		return literal.String()
	}
	return ""
}

// walk follows the tokens from the root as far as the document goes and returns
// the values on the way, the root first. It refuses a way that leads through
// something other than an object, or through a key that appears twice.
func (d document) walk(tokens []string) ([]*hujson.Value, error) {
	way := []*hujson.Value{&d.root}
	for i, token := range tokens {
		at := way[i]
		if at.Value.Kind() != '{' {
			return nil, d.refuse(at.StartOffset, "%s is %s, not an object", place(tokens[:i]), kindOf(at))
		}
		var next *hujson.Value
		for _, c := range children(at) {
			if text(c.name) != token {
				continue
			}
			if next != nil {
				return nil, d.refuse(c.start, "%s appears twice", place(tokens[:i+1]))
			}
			next = c.value
		}
		if next == nil {
			return way, nil
		}
		way = append(way, next)
	}
	return way, nil
}

// holder returns the array that a value is an element of, or the object that it
// is a member of; nil when there is none yet.
func (d document) holder(value Value) (*hujson.Value, error) {
	if d.blank() {
		return nil, nil
	}
	tokens, err := splitPointer(value.Pointer)
	if err != nil {
		return nil, err
	}
	way, err := d.walk(tokens)
	if err != nil || len(way) <= len(tokens) {
		return nil, err
	}
	last := way[len(tokens)]
	if value.Key != "" {
		_, err := d.walk(append(tokens, value.Key)) // refuses what is no object, and a key that is there twice
		return last, err
	}
	if last.Value.Kind() != '[' {
		return nil, d.refuse(last.StartOffset, "%s is %s, not an array", place(tokens), kindOf(last))
	}
	return last, nil
}

func splitPointer(pointer string) ([]string, error) {
	if pointer == "" {
		return nil, nil
	}
	if !strings.HasPrefix(pointer, "/") {
		return nil, fmt.Errorf("JSON pointer %q does not start with a slash", pointer)
	}
	tokens := strings.Split(pointer[1:], "/")
	for i := range tokens {
		tokens[i] = strings.ReplaceAll(strings.ReplaceAll(tokens[i], "~1", "/"), "~0", "~")
	}
	return tokens, nil
}

func joinPointer(tokens []string) string {
	var out strings.Builder
	for _, token := range tokens {
		out.WriteString("/" + strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1"))
	}
	return out.String()
}

func place(tokens []string) string {
	if len(tokens) == 0 {
		return "the document"
	}
	return strconv.Quote(strings.Join(tokens, "."))
}

func kindOf(v *hujson.Value) string {
	switch v.Value.Kind() {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 'n':
		return "null"
	}
	return "true or false"
}

// sameValue compares what two values mean: key order, escapes and the spelling
// of numbers do not count. An object that repeats a key equals nothing.
func sameValue(a, b *hujson.Value) bool {
	if a.Value.Kind() != b.Value.Kind() {
		return false
	}
	switch x := a.Value.(type) {
	case *hujson.Array:
		y := b.Value.(*hujson.Array)
		return slices.EqualFunc(x.Elements, y.Elements, func(v, w hujson.Value) bool { return sameValue(&v, &w) })
	case *hujson.Object:
		return sameMembers(a, b)
	case hujson.Literal:
		y := b.Value.(hujson.Literal)
		if x.Kind() == '0' {
			return sameNumber(string(x), string(y))
		}
		return x.String() == y.String()
	}
	return false
}

// sameNumber takes 10, 10.0 and 1e1 for one number, and numbers that a client
// may have rounded for different ones.
func sameNumber(a, b string) bool {
	if a == b {
		return true
	}
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return errX == nil && errY == nil && x == y && math.Abs(x) < 1<<53
}

// sameMembers compares two objects, some keys left out.
func sameMembers(a, b *hujson.Value, except ...string) bool {
	x, okX := members(a)
	y, okY := members(b)
	if !okX || !okY {
		return false
	}
	for _, key := range except {
		delete(x, key)
		delete(y, key)
	}
	return maps.EqualFunc(x, y, sameValue)
}

// members returns the members of an object; ok is false for anything that is no
// object or repeats a key.
func members(v *hujson.Value) (out map[string]*hujson.Value, ok bool) {
	if v.Value.Kind() != '{' {
		return nil, false
	}
	out = map[string]*hujson.Value{}
	for _, c := range children(v) {
		key := text(c.name)
		if _, twice := out[key]; twice {
			return nil, false
		}
		out[key] = c.value
	}
	return out, true
}

// Package document reads and writes single JSON objects the way the hook client
// needs it: off a stream that stays open, with exact keys, and without
// encoding/json, whose first use costs a fifth of a hook call's time.
//
// It knows no struct tags and no types but text, whole numbers, flags, objects
// and lists of these. It imports the standard library only.
package document

import (
	"errors"
	"io"
)

// Limits of one document. A hook payload holds whole tool results, so it can be
// large; what is larger is not worth the time that it takes.
const (
	maxDocument = 16 << 20
	maxMembers  = 256
	maxDepth    = 10_000 // of encoding/json too
)

// Object is one JSON object, its members by exact key. encoding/json matches
// keys without case and lets the last of two win, so that SESSION_ID would
// override session_id (CVE-2026-27896 is of this kind); here another case is
// another key and a repeated key is an error. The zero value has no members.
type Object struct {
	Raw     []byte // as it was written
	members []member
}

// member is one key with its value as it was written.
type member struct {
	key string
	raw []byte
}

// What can be wrong with a document; errors of the reader come as they are.
var (
	ErrSyntax = errors.New("not a JSON object")
	ErrTwice  = errors.New("a key occurs twice")
	ErrLimit  = errors.New("too large")
)

// Read reads one JSON object from the start of in. It returns as soon as the
// object is complete: harnesses leave the stream open behind it
// (anthropics/claude-code#90585). A stream that ends before is
// io.ErrUnexpectedEOF.
func Read(in io.Reader) (Object, error) {
	s := scanner{in: in, buf: make([]byte, 0, 4096)}
	return s.document()
}

// Parse reads one JSON object from the start of data, which the object keeps.
func Parse(data []byte) (Object, error) {
	s := scanner{buf: data}
	return s.document()
}

// Len returns the number of members.
func (o Object) Len() int { return len(o.members) }

// Value returns the value of a key as it was written, nil when there is none.
func (o Object) Value(key string) []byte {
	for _, m := range o.members {
		if m.key == key {
			return m.raw
		}
	}
	return nil
}

// Text returns the string of a key, at most limit bytes of it, cut between two
// characters, and "" when there is none.
func (o Object) Text(key string, limit int) string { return text(o.Value(key), limit) }

func text(raw []byte, limit int) string {
	if len(raw) == 0 || raw[0] != '"' {
		return ""
	}
	return unquote(raw, limit)
}

// whole returns a string without a limit: of what is not UTF-8, one byte
// becomes three.
func whole(raw []byte) string { return unquote(raw, 3*len(raw)) }

// Flag returns the boolean of a key.
func (o Object) Flag(key string) bool { return string(o.Value(key)) == "true" }

// Number returns the whole number of a key, 0 when there is none or when it is
// negative, has a fraction or is larger than 2^53.
func (o Object) Number(key string) int64 {
	n := int64(0)
	for _, c := range o.Value(key) {
		if c < '0' || c > '9' || n > 1<<53/10 {
			return 0
		}
		n = n*10 + int64(c-'0')
	}
	return n
}

// Object returns the object of a key, the zero Object when there is none.
func (o Object) Object(key string) Object {
	inner, err := Parse(o.Value(key))
	if err != nil {
		return Object{}
	}
	return inner
}

// Objects calls do for every object in the array of a key, until do says false.
func (o Object) Objects(key string, do func(Object) bool) {
	elements(o.Value(key), func(raw []byte) bool {
		inner, err := Parse(raw)
		return err != nil || do(inner)
	})
}

// Texts returns the strings in the array of a key, each whole.
func (o Object) Texts(key string) []string {
	var list []string
	elements(o.Value(key), func(raw []byte) bool {
		if raw[0] == '"' {
			list = append(list, whole(raw))
		}
		return true
	})
	return list
}

// Map returns the members that are strings, nil when there are none.
func (o Object) Map() map[string]string {
	var all map[string]string
	for _, m := range o.members {
		if m.raw[0] != '"' {
			continue
		}
		if all == nil {
			all = make(map[string]string)
		}
		all[m.key] = whole(m.raw)
	}
	return all
}

// elements calls do for every element of an array, until do says false.
func elements(raw []byte, do func(raw []byte) bool) {
	if len(raw) == 0 || raw[0] != '[' {
		return
	}
	s := scanner{buf: raw, pos: 1}
	for {
		c, err := s.token()
		if err != nil || c == ']' {
			return
		}
		if c == ',' {
			s.pos++
			continue
		}
		start := s.pos
		if s.skip(0) != nil || !do(raw[start:s.pos]) {
			return
		}
	}
}

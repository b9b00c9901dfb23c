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
	"strings"
	"unicode/utf16"
	"unicode/utf8"
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

// scanner reads JSON from buf, and more of it from in when buf is used up. It
// accepts what RFC 8259 allows and nothing else, except that bytes which are
// not UTF-8 may stand in strings.
type scanner struct {
	in  io.Reader
	buf []byte
	pos int
}

// more reads once.
func (s *scanner) more() error {
	if s.in == nil {
		return io.ErrUnexpectedEOF
	}
	if len(s.buf) >= maxDocument {
		return ErrLimit
	}
	if len(s.buf) == cap(s.buf) {
		grown := make([]byte, len(s.buf), min(4*cap(s.buf), maxDocument))
		copy(grown, s.buf)
		s.buf = grown
	}
	n, err := s.in.Read(s.buf[len(s.buf):cap(s.buf)])
	s.buf = s.buf[:len(s.buf)+n]
	switch {
	case n > 0:
		return nil
	case err == io.EOF:
		return io.ErrUnexpectedEOF
	}
	return err
}

// peek returns the next byte without taking it.
func (s *scanner) peek() (byte, error) {
	for s.pos >= len(s.buf) {
		if err := s.more(); err != nil {
			return 0, err
		}
	}
	return s.buf[s.pos], nil
}

// token returns the next byte that is not space, without taking it.
func (s *scanner) token() (byte, error) {
	for {
		c, err := s.peek()
		if err != nil {
			return 0, err
		}
		if c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c, nil
		}
		s.pos++
	}
}

// take takes the next token, which must be want.
func (s *scanner) take(want byte) error {
	c, err := s.token()
	if err == nil && c != want {
		err = ErrSyntax
	}
	s.pos++
	return err
}

// span is where a value stands; buf moves while it grows.
type span struct{ key, start, end int }

func (s *scanner) document() (Object, error) {
	if _, err := s.token(); err != nil {
		return Object{}, err
	}
	begin := s.pos
	var spans []span
	err := s.object(func(keyStart int) error {
		if len(spans) == maxMembers {
			return ErrLimit
		}
		if _, err := s.token(); err != nil {
			return err
		}
		start := s.pos
		err := s.skip(1)
		spans = append(spans, span{keyStart, start, s.pos})
		return err
	})
	if err != nil {
		return Object{}, err
	}
	doc := Object{Raw: s.buf[begin:s.pos:s.pos], members: make([]member, 0, len(spans))}
	for _, at := range spans {
		key := unquote(s.buf[at.key:], 3*maxDocument)
		if doc.Value(key) != nil {
			return Object{}, ErrTwice
		}
		doc.members = append(doc.members, member{key, s.buf[at.start:at.end:at.end]})
	}
	return doc, nil
}

// object takes an object; value takes the value of the key that starts at
// keyStart.
func (s *scanner) object(value func(keyStart int) error) error {
	if err := s.take('{'); err != nil {
		return err
	}
	c, err := s.token()
	if c == '}' {
		s.pos++
		return nil
	}
	for ; err == nil; s.pos++ {
		if c, err = s.token(); err != nil {
			break
		}
		if c != '"' {
			return ErrSyntax
		}
		key := s.pos
		if err = s.string(); err != nil {
			break
		}
		if err = s.take(':'); err != nil {
			break
		}
		if err = value(key); err != nil {
			break
		}
		if c, err = s.token(); err != nil {
			break
		}
		switch c {
		case ',':
		case '}':
			s.pos++
			return nil
		default:
			return ErrSyntax
		}
	}
	return err
}

func (s *scanner) array(depth int) error {
	if err := s.take('['); err != nil {
		return err
	}
	c, err := s.token()
	if c == ']' {
		s.pos++
		return nil
	}
	for ; err == nil; s.pos++ {
		if err = s.skip(depth); err != nil {
			break
		}
		if c, err = s.token(); err != nil {
			break
		}
		switch c {
		case ',':
		case ']':
			s.pos++
			return nil
		default:
			return ErrSyntax
		}
	}
	return err
}

// skip takes one value that stands in depth objects and arrays.
func (s *scanner) skip(depth int) error {
	c, err := s.token()
	if err != nil {
		return err
	}
	switch {
	case c == '"':
		return s.string()
	case c == '{' || c == '[':
		if depth++; depth > maxDepth {
			return ErrLimit
		}
		if c == '[' {
			return s.array(depth)
		}
		return s.object(func(int) error { return s.skip(depth) })
	case c == 't':
		return s.word("true")
	case c == 'f':
		return s.word("false")
	case c == 'n':
		return s.word("null")
	}
	return s.digits()
}

func (s *scanner) word(word string) error {
	for i := range len(word) {
		c, err := s.peek()
		if err != nil {
			return err
		}
		if c != word[i] {
			return ErrSyntax
		}
		s.pos++
	}
	return nil
}

// string takes a string; the next byte is its opening quote.
func (s *scanner) string() error {
	s.pos++
	for {
		for s.pos < len(s.buf) {
			c := s.buf[s.pos]
			if c == '"' {
				s.pos++
				return nil
			}
			if c == '\\' || c < ' ' {
				break
			}
			s.pos++
		}
		c, err := s.peek()
		if err != nil {
			return err
		}
		if c < ' ' {
			return ErrSyntax
		}
		if c == '\\' {
			if err := s.escape(); err != nil {
				return err
			}
		}
	}
}

func (s *scanner) escape() error {
	s.pos++
	c, err := s.peek()
	if err != nil {
		return err
	}
	s.pos++
	if c != 'u' {
		if strings.IndexByte(`"\/bfnrt`, c) < 0 {
			return ErrSyntax
		}
		return nil
	}
	for range 4 {
		c, err := s.peek()
		if err != nil {
			return err
		}
		if hex(c) < 0 {
			return ErrSyntax
		}
		s.pos++
	}
	return nil
}

// digits takes a number. It needs the byte behind it, which is there: only
// objects and arrays stand on their own.
func (s *scanner) digits() error {
	c, err := s.peek()
	if c == '-' {
		s.pos++
		c, err = s.peek()
	}
	if err != nil {
		return err
	}
	if c == '0' {
		s.pos++
	} else if err := s.run(); err != nil {
		return err
	}
	if c, err = s.peek(); c == '.' {
		s.pos++
		if err := s.run(); err != nil {
			return err
		}
		c, err = s.peek()
	}
	if err == nil && (c == 'e' || c == 'E') {
		s.pos++
		// An end here is what run reports.
		if sign, _ := s.peek(); sign == '+' || sign == '-' {
			s.pos++
		}
		return s.run()
	}
	return err
}

// run takes one digit or more.
func (s *scanner) run() error {
	for n := 0; ; n++ {
		c, err := s.peek()
		if err != nil {
			return err
		}
		if c < '0' || c > '9' {
			if n == 0 {
				return ErrSyntax
			}
			return nil
		}
		s.pos++
	}
}

// unquote returns what the string at the start of raw, valid and in its
// quotes, stands for: at most limit bytes, cut between two characters. What is
// not Unicode becomes U+FFFD.
func unquote(raw []byte, limit int) string {
	var out strings.Builder
	for i := 1; raw[i] != '"'; {
		r, n := rune(raw[i]), 1
		switch {
		case r == '\\' && raw[i+1] == 'u':
			r, n = hex4(raw[i+2:]), 6
			if utf16.IsSurrogate(r) {
				low := utf8.RuneError
				if raw[i+6] == '\\' && raw[i+7] == 'u' {
					low = utf16.DecodeRune(r, hex4(raw[i+8:]))
				}
				if r = low; r != utf8.RuneError {
					n = 12
				}
			}
		case r == '\\':
			n = 2
			switch r = rune(raw[i+1]); r {
			case 'b':
				r = '\b'
			case 'f':
				r = '\f'
			case 'n':
				r = '\n'
			case 'r':
				r = '\r'
			case 't':
				r = '\t'
			}
		case r >= utf8.RuneSelf:
			r, n = utf8.DecodeRune(raw[i:])
		}
		if out.Len()+utf8.RuneLen(r) > limit {
			break
		}
		out.WriteRune(r)
		i += n
	}
	return out.String()
}

func hex4(digits []byte) rune {
	return hex(digits[0])<<12 | hex(digits[1])<<8 | hex(digits[2])<<4 | hex(digits[3])
}

func hex(c byte) rune {
	switch {
	case c >= '0' && c <= '9':
		return rune(c - '0')
	case c >= 'a' && c <= 'f':
		return rune(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return rune(c-'A') + 10
	}
	return -1
}

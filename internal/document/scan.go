package document

import (
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

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

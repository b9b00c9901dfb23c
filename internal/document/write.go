package document

import (
	"strconv"
	"unicode/utf8"
)

// Writer writes one object, member by member. Members that are empty are left
// out; the zero Writer is ready. A text is written as it is but for what JSON
// demands: no HTML escapes.
type Writer struct {
	buf []byte
}

// Bytes returns what was written. Every Open must have been closed.
func (w *Writer) Bytes() []byte { return w.buf }

// Open starts an object: the outermost without a key, others with theirs.
func (w *Writer) Open(key string) {
	if key != "" {
		w.key(key)
	}
	w.buf = append(w.buf, '{')
}

// Close ends the innermost object.
func (w *Writer) Close() { w.buf = append(w.buf, '}') }

// Text writes a text unless it is empty.
func (w *Writer) Text(key, value string) {
	if value != "" {
		w.key(key)
		w.text(value)
	}
}

// Always writes a text even if it is empty.
func (w *Writer) Always(key, value string) {
	w.key(key)
	w.text(value)
}

// Texts writes a list unless it is empty.
func (w *Writer) Texts(key string, values []string) {
	if len(values) == 0 {
		return
	}
	w.key(key)
	for i, value := range values {
		if i == 0 {
			w.buf = append(w.buf, '[')
		} else {
			w.buf = append(w.buf, ',')
		}
		w.text(value)
	}
	w.buf = append(w.buf, ']')
}

// Number writes a number unless it is 0.
func (w *Writer) Number(key string, n int) {
	if n != 0 {
		w.key(key)
		w.buf = strconv.AppendInt(w.buf, int64(n), 10)
	}
}

// Flag writes a flag.
func (w *Writer) Flag(key string, set bool) {
	w.key(key)
	w.buf = strconv.AppendBool(w.buf, set)
}

// Raw writes a value that is JSON already.
func (w *Writer) Raw(key string, value []byte) {
	w.key(key)
	w.buf = append(w.buf, value...)
}

func (w *Writer) key(key string) {
	if w.buf[len(w.buf)-1] != '{' {
		w.buf = append(w.buf, ',')
	}
	w.text(key)
	w.buf = append(w.buf, ':')
}

func (w *Writer) text(s string) {
	const digits = "0123456789abcdef"
	w.buf = append(w.buf, '"')
	done := 0
	for i := 0; i < len(s); {
		c, size := s[i], 1
		switch {
		case c >= utf8.RuneSelf:
			var r rune
			if r, size = utf8.DecodeRuneInString(s[i:]); r != utf8.RuneError || size > 1 {
				i += size
				continue
			}
			w.buf = append(append(w.buf, s[done:i]...), "\uFFFD"...)
		case c == '"' || c == '\\':
			w.buf = append(append(w.buf, s[done:i]...), '\\', c)
		case c == '\n':
			w.buf = append(append(w.buf, s[done:i]...), `\n`...)
		case c < ' ':
			w.buf = append(append(w.buf, s[done:i]...), '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		default:
			i++
			continue
		}
		i += size
		done = i
	}
	w.buf = append(w.buf, s[done:]...)
	w.buf = append(w.buf, '"')
}

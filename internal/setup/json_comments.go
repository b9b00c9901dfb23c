package setup

import (
	"bytes"
	"errors"
	"fmt"
	"iter"

	"github.com/tailscale/hujson"
)

// maxDepth of a document with comments, as encoding/json has it for those
// without: the parser is recursive.
const maxDepth = 10000

// parseComments reads the text as JSONC.
func (d *document) parseComments() error {
	if err := d.bounded(); err != nil {
		return err
	}
	// The parser wants a line break behind a comment that ends the file.
	root, err := hujson.Parse(append(bytes.Clone(d.text), '\n'))
	if err != nil {
		var line, column int
		if _, scanErr := fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &line, &column); scanErr != nil {
			return &refusal{reason: err.Error()}
		}
		return d.refuse(d.offset(line, column), "%s", errors.Unwrap(err))
	}
	d.root = root
	return nil
}

// offset is where a line, and a byte in it, is; both count from 1.
func (d document) offset(line, column int) int {
	at := 0
	for ; line > 1; line-- {
		next := bytes.IndexByte(d.text[at:], '\n')
		if next < 0 {
			return len(d.text)
		}
		at += next + 1
	}
	return at + column - 1
}

// bounded refuses what is nested too deep.
func (d document) bounded() error {
	depth := 0
	for i := 0; i < len(d.text); i++ {
		switch d.text[i] {
		case '"':
			for i++; i < len(d.text) && d.text[i] != '"'; i++ {
				if d.text[i] == '\\' {
					i++
				}
			}
		case '/':
			if end, ok := commentAt(d.text, i); ok {
				i = end - 1
			}
		case '{', '[':
			if depth++; depth > maxDepth {
				return d.refuse(i, "nested deeper than %d", maxDepth)
			}
		case '}', ']':
			depth--
		}
	}
	return nil
}

// commentAt returns where the comment ends that starts at an offset; a line
// comment before its line break.
func commentAt(text []byte, at int) (end int, ok bool) {
	rest := text[at:]
	switch {
	case bytes.HasPrefix(rest, []byte("//")):
		if n := bytes.IndexByte(rest, '\n'); n >= 0 {
			return at + len(bytes.TrimSuffix(rest[:n], []byte("\r"))), true
		}
		return len(text), true
	case bytes.HasPrefix(rest, []byte("/*")):
		if n := bytes.Index(rest[2:], []byte("*/")); n >= 0 {
			return at + 2 + n + 2, true
		}
		return len(text), true
	}
	return at, false
}

// commentsIn yields the comments between two values, or between a value and a
// bracket: there are blanks, a comma or a colon, and comments.
func (d document) commentsIn(from, to int) iter.Seq[span] {
	return func(yield func(span) bool) {
		for i := from; i < to; {
			end, ok := commentAt(d.text, i)
			if !ok {
				i++
				continue
			}
			if !yield(span{i, end}) {
				return
			}
			i = end
		}
	}
}

func (d document) hasComment(from, to int) bool {
	_, found := d.lastComment(from, to)
	return found
}

// lastComment returns the end of the last comment, from when there is none.
func (d document) lastComment(from, to int) (end int, found bool) {
	end = from
	for c := range d.commentsIn(from, to) {
		end, found = c.end, true
	}
	return end, found
}

// pastComments returns the end of the comments that follow on the same line;
// open tells that the last one goes to the end of the line.
func (d document) pastComments(from, to int) (end int, open bool) {
	end = from
	for c := range d.commentsIn(from, to) {
		if bytes.IndexByte(d.text[end:c.start], '\n') >= 0 {
			break
		}
		end, open = c.end, d.text[c.start+1] == '/'
	}
	return end, open
}

// endsOpen tells whether the last comment goes to the end of its line.
func (d document) endsOpen(from, to int) bool {
	open := false
	for c := range d.commentsIn(from, to) {
		open = d.text[c.start+1] == '/'
	}
	return open
}

// comma returns the offset of the comma between two values, -1 for none.
func (d document) comma(from, to int) int {
	for i := from; i < to; i++ {
		if end, ok := commentAt(d.text, i); ok {
			i = end - 1
		} else if d.text[i] == ',' {
			return i
		}
	}
	return -1
}

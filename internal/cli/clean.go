package cli

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"turnpost"
)

// Whatever reaches a terminal passes through line or block first: items,
// handles, paths, errors. They take out what a terminal acts on and what a
// reader cannot see: escape sequences whole, then control characters,
// direction marks and characters without width.

// line makes text one line: white space runs become one space.
func line(text string) string {
	return strings.Join(strings.Fields(strip(text)), " ")
}

// block keeps line breaks and tabs.
func block(text string) string { return strings.TrimRight(strip(text), "\n") }

// The introducers of escape sequences, as one character or as ESC and another.
const (
	esc = 0x1b
	bel = 0x07
	csi = 0x9b // control sequence: ESC [
	dcs = 0x90 // strings that end with ST: ESC P, X, ], ^, _
	sos = 0x98
	osc = 0x9d
	pm  = 0x9e
	apc = 0x9f
	st  = 0x9c // ESC \
)

// strip takes out sequences and characters; line ends become line feeds, and
// tabs stay.
func strip(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	var out strings.Builder
	out.Grow(len(text))
	for len(text) > 0 {
		if n := sequence(text); n > 0 {
			text = text[n:]
			continue
		}
		_, size := utf8.DecodeRuneInString(text)
		out.WriteString(text[:size])
		text = text[size:]
	}
	return turnpost.Visible(out.String())
}

// unseen tells whether a character is a control or format character.
func unseen(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Cs, unicode.Zl, unicode.Zp) ||
		r >= 0xe0100 && r <= 0xe01ef // variation selectors that can carry hidden bytes
}

// sequence returns the length in bytes of the escape sequence at the start of
// text, 0 when there is none. One that does not end is only its introducer:
// what follows is text that somebody should see.
func sequence(text string) int {
	first, size := utf8.DecodeRuneInString(text)
	kind := first
	if first == esc {
		if len(text) < 2 {
			return size
		}
		next := rune(text[1])
		if next < 0x20 || next > 0x7e {
			return size
		}
		size++
		if kind = next + 0x40; next < 0x40 || next > 0x5f { // not the form of one of the introducers
			return size
		}
	}
	switch kind {
	case csi:
		for i := size; i < len(text); i++ {
			switch b := text[i]; {
			case b >= 0x40 && b <= 0x7e:
				return i + 1
			case b < 0x20 || b > 0x3f:
				return size
			}
		}
		return size
	case dcs, sos, osc, pm, apc:
		for i, r := range text[size:] {
			switch r {
			case bel, st:
				return size + i + utf8.RuneLen(r)
			case esc:
				if strings.HasPrefix(text[size+i:], "\x1b\\") {
					return size + i + 2
				}
				return size
			case '\n':
				return size
			}
		}
		return size
	}
	if first == esc {
		return size
	}
	return 0
}

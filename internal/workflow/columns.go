package workflow

import (
	"strings"
	"unicode"
)

// columns is how wide a terminal shows text that has no control characters.
func columns(text string) int {
	n := 0
	for _, r := range text {
		n += width(r)
	}
	return n
}

// width is of one character, as nearly all terminals have it: none for marks
// that join the one before, two for East Asian ones and pictures.
func width(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0x303e, r >= 0x3041 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3,
		r >= 0xf900 && r <= 0xfaff, r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60, r >= 0xffe0 && r <= 0xffe6,
		r >= 0x1f300 && r <= 0x1faff, r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}

// cut shortens text to a number of columns.
func cut(text string, most int) string {
	if columns(text) <= most {
		return text
	}
	n := 0
	for i, r := range text {
		if n += width(r); n > most-1 {
			return strings.TrimRight(text[:i], " ") + "…"
		}
	}
	return text
}

// filled is text in a column of that width.
func filled(text string, most int) string {
	text = cut(text, most)
	return text + strings.Repeat(" ", most-columns(text))
}

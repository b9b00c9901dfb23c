package setup

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
)

// diffOf returns a unified diff of a change.
func diffOf(change FileChange) string {
	from, to := visibleLine(change.Target), visibleLine(change.Target)
	if change.Before == nil {
		from += " (missing)"
	}
	if change.After == nil {
		to += " (removed)"
	}
	before, after := string(change.Before), string(change.After)
	if before == after {
		// A file without content comes or goes.
		return fmt.Sprintf("--- %s\n+++ %s\n", from, to)
	}
	return Visible(udiff.Unified(from, to, before, after))
}

// Visible makes a text safe and honest for a terminal: what cannot be seen, or
// moves other text about, is spelled out as <U+202E>, a broken byte as <0xFF>,
// the carriage return of a line end as ␍. Tabs and line feeds stay.
func Visible(s string) string {
	var out strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&out, "<0x%02X>", s[0])
		case r == '\n' || r == '\t':
			out.WriteRune(r)
		case r == '\r':
			out.WriteRune('␍')
		case r == ' ' || unicode.IsGraphic(r) && !hidden(r):
			out.WriteString(s[:size])
		default:
			fmt.Fprintf(&out, "<U+%04X>", r)
		}
		s = s[size:]
	}
	return out.String()
}

// hidden tells of a graphic character that shows nothing by itself.
func hidden(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Zs, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// visibleLine is Visible for what has to stay on one line.
func visibleLine(s string) string {
	return strings.NewReplacer("\n", "<U+000A>", "\t", "<U+0009>").Replace(Visible(s))
}

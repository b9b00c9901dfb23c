package web

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Everything that an agent, a tool or a repository wrote goes through line or
// block before a template sees it. The templates hold text nodes only, so this
// is not about markup: it is about characters that change how their neighbours
// are read, or that nobody can see.

// line makes text fit for one line: control and direction characters become
// visible, white space runs become one space, and what is over max runes is cut
// and marked with an ellipsis.
func line(s string, max int) string {
	return cut(strings.Join(strings.Fields(reveal(head(s, max), false)), " "), max)
}

// head is as much of a text as a line of max runes can be made of, and a little more,
// so that a row does not cost what the whole text would.
func head(s string, max int) string {
	n, space := 0, true // white space counts once, and not at the start
	for i, r := range s {
		if n > max+1 { // the last one may be white space
			return s[:i]
		}
		if now := unicode.IsSpace(r); !now || !space {
			n++
			space = now
		}
	}
	return s
}

// block makes text fit for a block that keeps its line breaks and tabs.
func block(s string, max int) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return cut(strings.Trim(reveal(s, true), "\n"), max)
}

// cut shortens to at most max runes, never inside one.
func cut(s string, max int) string {
	if len(s) <= max || utf8.RuneCountInString(s) <= max {
		return s
	}
	n := 0
	for i := range s {
		if n == max-1 {
			return strings.TrimRight(s[:i], " \n") + "…"
		}
		n++
	}
	return s
}

// reveal replaces what would act on a reader unseen. With breaks, line breaks
// and tabs stay; without, they become spaces.
func reveal(s string, breaks bool) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, acts) {
		return s
	}
	var out strings.Builder
	out.Grow(len(s))
	for _, r := range s {
		switch {
		case r == '\n' || r == '\t':
			if !breaks {
				r = ' '
			}
			out.WriteRune(r)
		case r == '\u2028' || r == '\u2029':
			if breaks {
				out.WriteByte('\n')
			} else {
				out.WriteByte(' ')
			}
		case r < 0x20:
			out.WriteString("^" + string(r+'@')) // as a terminal shows it: ^[ is escape
		case r == 0x7f:
			out.WriteString("^?")
		case r < 0xa0 && r > 0x7f, hidden(r):
			fmt.Fprintf(&out, "[U+%04X]", r)
		default:
			out.WriteRune(r) // invalid bytes arrive here as U+FFFD
		}
	}
	return out.String()
}

// acts tells whether reveal may have to replace a character.
func acts(r rune) bool {
	return r < 0x20 || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' || r > 0xa0 && hidden(r)
}

// hidden tells whether a character turns the direction of its neighbours or
// takes no space. The joiners U+200C and U+200D and the variation selectors
// stay: Persian, Indic scripts and emoji need them.
func hidden(r rune) bool {
	switch {
	case r == 0x00ad, r == 0x061c, r == 0x180e, r == 0x200b, r == 0x200e, r == 0x200f,
		r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x206f,
		r == 0xfeff, r >= 0xfff9 && r <= 0xfffb, r >= 0xe0000 && r <= 0xe007f:
		return true
	}
	return false
}

// ago is how long d is, as a person says it. It has coarse steps so that a page
// full of them stays calm; ago in app.js says the same.
func ago(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return "now"
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds())/10*10)
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours())/24)
}

// plural is "1 item", "2 items".
func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

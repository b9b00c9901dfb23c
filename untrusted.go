package turnpost

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// YourUser marks what the user wrote in a text for an agent. Escape takes it
// out of everything that others wrote.
const YourUser = "(your user)"

// Escape takes out of foreign text what could open or close a frame, full-width
// twins too, and our mark of the user.
func Escape(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "＜", "&lt;", "＞", "&gt;",
		YourUser, "(your user?)").Replace(text)
}

// Visible drops what a person would not see in a text but a model or a terminal
// would act on: control characters, direction marks, zero-width and tag
// characters. Line ends become \n; a tab stays.
func Visible(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n", "\u0085", "\n").
		Replace(strings.ToValidUTF8(text, "\uFFFD"))
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Cs):
			return -1
		case r >= 0xE0100 && r <= 0xE01EF: // variation selectors that carry hidden bytes
			return -1
		}
		return r
	}, text)
}

// OneLine makes foreign text one visible line of at most max runes; what is cut
// is marked.
func OneLine(text string, max int) string {
	text = strings.Join(strings.Fields(Visible(text)), " ")
	if utf8.RuneCountInString(text) > max {
		runes := []rune(text)
		text = strings.TrimSpace(string(runes[:max-1])) + "…"
	}
	return text
}

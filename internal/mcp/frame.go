package mcp

import (
	"crypto/rand"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"
)

// frame puts lines that others had a hand in between two tags that nobody
// could have written in advance.
func frame(lines []string) string {
	var nonce [4]byte
	rand.Read(nonce[:]) // never fails, by its contract
	tag := "turnpost " + hex.EncodeToString(nonce[:])
	return "<" + tag + ">\n" + strings.Join(lines, "\n") + "\n</" + tag + ">"
}

// oneLine makes foreign text one harmless line of at most limit runes.
func oneLine(text string, limit int) string {
	text = strings.Join(strings.Fields(visible(text)), " ")
	if utf8.RuneCountInString(text) > limit {
		runes := []rune(text)
		text = strings.TrimSpace(string(runes[:limit-1])) + "…"
	}
	return escape(text)
}

// quote makes foreign text harmless lines that cannot be taken for ours: each
// one starts with a bar.
func quote(text string) []string {
	var quoted []string
	for _, l := range strings.Split(strings.TrimRight(visible(text), "\n"), "\n") {
		quoted = append(quoted, "  | "+escape(l))
	}
	return quoted
}

// yourUser marks what the user wrote; only headline sets it.
const yourUser = "(your user)"

// escape takes the characters out that could open or close a frame, their
// full-width twins too, and our mark of the user.
func escape(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "＜", "&lt;", "＞", "&gt;", yourUser, "(your user?)").Replace(text)
}

// visible drops what a person would not see in the text but a model or a
// terminal would act on: control characters, direction marks, zero-width and tag
// characters. Line ends become \n; a tab stays.
func visible(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n", "\u0085", "\n").Replace(text)
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

package mcp

import (
	"crypto/rand"
	"encoding/hex"
	"strings"

	"turnpost"
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
	return turnpost.Escape(turnpost.OneLine(text, limit))
}

// quote makes foreign text harmless lines that cannot be taken for ours: each
// one starts with a bar.
func quote(text string) []string {
	var quoted []string
	for _, l := range strings.Split(strings.TrimRight(turnpost.Visible(text), "\n"), "\n") {
		quoted = append(quoted, "  | "+turnpost.Escape(l))
	}
	return quoted
}

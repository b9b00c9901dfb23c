package harness

import (
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// maxText is the most that one answer may tell a model, in bytes and so in
// characters. Harnesses replace texts above 10,000 characters by a short
// preview (anthropics/claude-code#44086), so whoever makes the text keeps it
// below this; the adapters cut what is left over.
const maxText = 9000

// cutNote ends a text that was cut.
const cutNote = "(Turnpost cut the rest: see the inbox.)"

// hookTimeout is what setup registers with every harness, each in its own unit.
// A hook call ends within a third of a second; scripts have their own 5 s.
const hookTimeout = 10 * time.Second

// clipText cuts a text for a model at a line end where there is one, so that it
// never ends inside a tag, and says so.
func clipText(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= maxText {
		return text
	}
	text = clip(text, maxText-len(cutNote)-1)
	if end := strings.LastIndexByte(text, '\n'); end > 0 {
		text = text[:end]
	}
	return text + "\n" + cutNote
}

// clip cuts s to at most limit bytes, between two characters.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// digest tells documents apart. It need not stand against an attacker: who can
// write a document can as well write another.
func digest(raw []byte) string {
	h := fnv.New64a()
	h.Write(raw)
	return strconv.FormatUint(h.Sum64(), 36) + "-" + strconv.Itoa(len(raw))
}

// validNative tells whether a native session id is one that we pass on: it
// becomes part of file names and of messages, and other programs' arguments
// start with it.
func validNative(id string) bool {
	if id == "" || len(id) > 128 || id[0] == '-' || id[0] == '_' {
		return false
	}
	for i := range len(id) {
		c := id[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_':
		default:
			return false
		}
	}
	return true
}

// offerIDs returns the ids of our offers in a text, each once, in order, at
// most 20: "of-" and a ULID in lower case, standing alone.
func offerIDs(text string) []string {
	const (
		prefix = "of-"
		length = len(prefix) + 26
		most   = 20
	)
	var ids []string
	for at := 0; len(ids) < most; at += len(prefix) {
		next := strings.Index(text[at:], prefix)
		if next < 0 || at+next+length > len(text) {
			break
		}
		at += next
		end := at + length
		alone := (at == 0 || !wordByte(text[at-1])) && (end == len(text) || !wordByte(text[end]))
		if id := text[at:end]; alone && isULID(id[len(prefix):]) && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// isULID checks the alphabet: Crockford's base 32, which has no i, l, o, u.
func isULID(s string) bool {
	return strings.Trim(s, "0123456789abcdefghjkmnpqrstvwxyz") == ""
}

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_'
}

// shellQuote makes one word of s for sh and its relatives.
func shellQuote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

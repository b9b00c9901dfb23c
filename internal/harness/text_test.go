package harness

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestOfferIDs(t *testing.T) {
	const id = "of-01kb8h3w6x5m4n3p2q1r0s9t8v"
	for text, want := range map[string][]string{
		id:                                 {id},
		"(" + id + ")\n" + id + ".":        {id},
		"x" + id + " " + id + "y":          nil,
		"-" + id + " _" + id:               nil,
		"of-of-" + id[3:]:                  nil,
		"of- " + id:                        {id},
		id[:28]:                            nil,
		strings.ToUpper(id):                nil,
		strings.Replace(id, "8v", "8u", 1): nil,
		"名" + id + "名":                     {id},
	} {
		if got := offerIDs(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestClipText(t *testing.T) {
	for name, c := range map[string]struct{ in, end string }{
		"lines":   {strings.Repeat("<a b>\n", 3000), "<a b>\n" + cutNote},
		"no line": {strings.Repeat("名", 5000), "名\n" + cutNote},
		"short":   {"hello\n", "hello\n"},
		"broken":  {"a\xffb", "a\uFFFDb"},
		"exact":   {strings.Repeat("x", maxText), "xx"},
	} {
		got := clipText(c.in)
		if len(got) > maxText || !strings.HasSuffix(got, c.end) || !utf8.ValidString(got) {
			t.Errorf("%s: %d bytes, ends %q", name, len(got), got[max(0, len(got)-60):])
		}
	}
}

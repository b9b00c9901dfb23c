package web

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"turnpost"
)

func TestLine(t *testing.T) {
	for _, test := range []struct {
		name, in string
		max      int
		want     string
	}{
		{"plain", "plain", 10, "plain"},
		{"as long as allowed", "0123456789", 10, "0123456789"},
		{"cut", "0123456789a", 10, "012345678…"},
		{"no space before the cut", "01234567 9a", 10, "01234567…"},
		{"cut between runes, not bytes", "ääääääääääää", 5, "ääää…"},
		{"cut inside an escape", `aaaa<script>`, 8, "aaaa<sc…"},
		{"white space", " a \t\n b\u2028c ", 10, "a b c"},
		{"terminal escape", "\x1b[31mred\x07", 20, "^[[31mred^G"},
		{"delete and C1", "a\x7fb\u009bc", 20, "a^?b[U+009B]c"},
		{"direction", "\u202etxt.exe", 20, "[U+202E]txt.exe"},
		{"isolate", "\u2066a\u2069", 30, "[U+2066]a[U+2069]"},
		{"unseen", "pay\u200bpal\ufeff\u00ad", 60, "pay[U+200B]pal[U+FEFF][U+00AD]"},
		{"tags that hide text", "hi\U000e0041", 20, "hi[U+E0041]"},
		{"not UTF-8", "a\xffb", 10, "a\ufffdb"},
		{"joiners stay", "👩\u200d💻 می\u200cخواهم ❤\ufe0f", 40, "👩\u200d💻 می\u200cخواهم ❤\ufe0f"},
	} {
		if got := line(test.in, test.max); got != test.want {
			t.Errorf("%s: line(%q) = %q, want %q", test.name, test.in, got, test.want)
		}
	}
}

// A line of a long text is the same as if the whole of it had been looked at.
func TestLineOfLongText(t *testing.T) {
	for _, text := range []string{
		strings.Repeat(" \n", 5000) + "a  b" + strings.Repeat(" ", 5000) + "c d", "a" + strings.Repeat("\u2028\x1b \r\u0085", 5000),
		strings.Repeat("ä", 5000), strings.Repeat("\xff", 5000), strings.Repeat("a ", 5) + strings.Repeat(" ", 5000),
	} {
		for _, max := range []int{3, 4, 5, 6, 9, 10, 11, 100} {
			want := cut(strings.Join(strings.Fields(reveal(text, false)), " "), max)
			if got := line(text, max); got != want {
				t.Errorf("line(%.20q…, %d) = %q, want %q", text, max, got, want)
			}
		}
	}
}

func TestBlockKeepsLines(t *testing.T) {
	if got, want := block("\na\r\n\tb\rc\u2028d\n\n", 100), "a\n\tb^Mc\nd"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := block("a\nb\nc", 4), "a\nb…"; got != want {
		t.Errorf("cut: got %q, want %q", got, want)
	}
}

func FuzzLine(f *testing.F) {
	f.Add("a\x1b\u202e\xff", 3)
	f.Fuzz(func(t *testing.T, text string, max int) {
		max = 1 + (max&0xff+0xff)%0xff
		got := line(text, max)
		if n := utf8.RuneCountInString(got); n > max || !utf8.ValidString(got) || strings.ContainsFunc(got, unseen) || strings.ContainsAny(got, "\n\t") {
			t.Errorf("line(%q, %d) = %q", text, max, got)
		}
	})
}

func TestAgo(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "now", 0: "now", 9 * time.Second: "now", 19 * time.Second: "10s", 59 * time.Second: "50s",
		time.Minute: "1m", 59*time.Minute + 59*time.Second: "59m", time.Hour: "1h", 47 * time.Hour: "47h", 50 * time.Hour: "2d",
	} {
		if got := ago(d); got != want {
			t.Errorf("ago(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestSplit(t *testing.T) {
	long := strings.Repeat("ä", turnpost.MaxSummary)
	for _, test := range []struct{ name, in, summary, body string }{
		{"one line", "  Does it work? \n", "Does it work?", ""},
		{"more lines", "First\r\n\r\nSecond\n", "First", "First\n\nSecond"},
		{"one long line", long, strings.Repeat("ä", (turnpost.MaxSummary-3)/2) + "…", long},
		{"nothing", " \n ", "", ""},
	} {
		summary, body := split(test.in)
		if summary != test.summary || body != test.body {
			t.Errorf("%s: got %q and %q", test.name, summary, body)
		}
		if len(summary) > turnpost.MaxSummary || !utf8.ValidString(summary) {
			t.Errorf("%s: summary of %d bytes", test.name, len(summary))
		}
	}
}

func TestRecipients(t *testing.T) {
	for in, want := range map[string]string{
		"@api": " @api", "api, @web;@docs": " @api @web @docs", "#general @api": "#general @api", "": "error", " , ": "error", "#a #b": "error",
	} {
		channel, to, err := recipients(in)
		got := strings.Join(append([]string{channel}, to...), " ")
		if err != nil {
			got = "error"
			if turnpost.CodeOf(err) != turnpost.Invalid {
				t.Errorf("%q: %v", in, err)
			}
		}
		if got != want {
			t.Errorf("recipients(%q) = %q, want %q", in, got, want)
		}
	}
}

// The classes are written for agents; the reader of the page is their user.
func TestSentText(t *testing.T) {
	until := time.Date(2026, 12, 1, 14, 5, 0, 0, time.Local)
	posted := turnpost.Posted{Item: turnpost.Item{ID: "q-9"}, Expect: []turnpost.Expect{
		{Handle: "@a", Class: turnpost.ClassRunning},
		{Handle: "@b", Class: turnpost.ClassWedged},
		{Handle: "@c", Class: turnpost.ClassNobody, Until: until},
		{Handle: "@d", Class: turnpost.ClassTheHuman},
	}}
	want := "q-9 sent. @a: in its running turn · @b: wedged: you are told · @c: nobody there: you will be told at 14:05 · @d: on your page"
	if got := sentText(posted); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := sentText(turnpost.Posted{Item: turnpost.Item{ID: "q-9"}, Again: true}); got != "q-9 was sent before." {
		t.Errorf("again: %s", got)
	}
}

// A command that holds what a reader does not see is not offered for copying.
func TestResume(t *testing.T) {
	for command, want := range map[string]string{
		"cd '/a  b' && claude --resume 1": "cd '/a  b' && claude --resume 1",
		"claude\n--resume 1":              "",
		"claude \u202e--resume 1":         "",
		"claude \x1b[2K--resume 1":        "",
		"":                                "",
	} {
		p := page{Resume: func(turnpost.Session) string { return command }}
		if got := p.resume(turnpost.Session{}); got != want {
			t.Errorf("%q: got %q", command, got)
		}
	}
}

func TestMark(t *testing.T) {
	if got, want := mark("s", "a b\"<\u202e>/é"), "s-a_b______"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

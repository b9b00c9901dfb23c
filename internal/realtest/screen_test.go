package realtest

import (
	"strings"
	"testing"
)

func TestScreen(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "one\r\ntwo", "one\ntwo"},
		{"colours and titles", "\x1b]0;title\a\x1b[1;31mred\x1b[0m\x1b]8;;x\x1b\\ link", "red link"},
		{"cursor", "\x1b[2;3Hb\x1b[Ha\x1b[3Cc\x1b[2Dd", "a  dc\n  b"},
		{"column and erase", "abcdef\x1b[4G\x1b[K\x1b[2;1Hx\x1b[1;2H\x1b[1K", "  c\nx"},
		{"erase below", "a\r\nb\r\nc\x1b[2;1H\x1b[J", "a"},
		{"another screen", "old\x1b[?1049h\x1b[Hnew", "new"},
		{"wrap", "0123456789ab", "0123456789\nab"},
		{"cursor at the edge", "0123456789\x1b[1D*", "01234567*9"},
		{"scroll", "a\r\nb\r\nc\r\nd\r\ne", "b\nc\nd\ne"},
		{"scroll a region", "a\r\nb\r\nc\r\nd\x1b[2;3r\x1b[3;1H\n*", "a\nc\n*\nd"},
		{"insert and delete lines", "a\r\nb\r\nc\x1b[1;1H\x1b[L*\x1b[3;1H\x1b[M", "*\na\nc"},
		{"delete characters", "abcdef\x1b[1;2H\x1b[2P", "adef"},
		{"wide", "日本\x1b[5Gx", "日本x"},
		{"sequences that never end well", "\x1b[99999999999A\x1b[;Hx\x1b[?25l\x1b(B\x1b[0;0Hy", "y"},
		{"hard space", "a\u00a0b", "a b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var whole, bytewise pulse
			a, b := newScreen(4, 10, &whole), newScreen(4, 10, &bytewise)
			_, _ = a.Write([]byte(c.in))
			for i := range len(c.in) {
				_, _ = b.Write([]byte{c.in[i]})
			}
			if got := a.String(); got != c.want {
				t.Errorf("in one piece:\n%s\nwant:\n%s", got, c.want)
			}
			if got := b.String(); got != c.want {
				t.Errorf("byte by byte:\n%s\nwant:\n%s", got, c.want)
			}
		})
	}
}

func TestScreenAnswersQueries(t *testing.T) {
	var answers strings.Builder
	s := newScreen(4, 10, &pulse{})
	s.answers = &answers
	_, _ = s.Write([]byte("ab\x1b[6n\x1b[c\x1b[?2026$p\x1b]11;?\a\x1b[18t\x1b[?uc"))
	want := "\x1b[1;3R" + "\x1b[?62;22c" + "\x1b[?2026;0$y" + "\x1b]11;rgb:0000/0000/0000\x1b\\" + "\x1b[8;4;10t"
	if answers.String() != want || s.String() != "abc" {
		t.Errorf("answers %q, screen %q", answers.String(), s.String())
	}
}

func FuzzScreen(f *testing.F) {
	f.Add([]byte("\x1b[2;3r\x1b[9L\x1b[5P\x1b[7X日\x1b[3S\x1bM\x1b8"))
	f.Fuzz(func(t *testing.T, in []byte) {
		s := newScreen(4, 10, &pulse{})
		_, _ = s.Write(in)
		if n := strings.Count(s.String(), "\n"); n > 3 {
			t.Errorf("%d lines on a screen of 4", n+1)
		}
	})
}

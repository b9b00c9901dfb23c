package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"turnpost"
)

// payloads are 150 texts that act on a terminal, or deceive its reader.
func payloads() []string {
	out := []string{
		"\x1b[2J\x1b[H", "\x1b[31mred", "\x1b[8mhidden\x1b[0m", "\x1b[1;31;40m", "\x1b[?1049h", "\x1b[6n", "\x1b[5;5H",
		"\x1b]0;title\x07", "\x1b]8;;http://evil.example\x1b\\click\x1b]8;;\x1b\\", "\x1b]52;c;ZXZpbA==\x07", "\x1b]52;c;!\x1b\\",
		"\x1b]10;?\x07", "\x1b]1337;File=inline=1:AAAA\x07", "\x1b]777;notify;a;b\x07", "\x1b]9;4;1;50\x07",
		"\x1bP+q544e\x1b\\", "\x1bPq#0;2;0;0;0\x1b\\", "\x1bXsos\x1b\\", "\x1b^pm\x1b\\", "\x1b_apc\x1b\\",
		"\x1bc", "\x1b7\x1b8", "\x1bM", "\x1b(0lqqk\x1b(B", "\x1b#8", "\x1b=", "\x1b>", "\x1bN", "\x1bO", "\x1b%G",
		"\u009b2J", "\u009b31mred", "\u009d0;title\u009c", "\u0090q\u009c", "\u0098x\u009c", "\u009ex\u009c", "\u009fx\u009c",
		"\u0084\u0085\u008d", "\u0080", "\u009c", "a\x00b", "a\rb", "safe\rEVIL", "a\bb", "a\x7fb", "\x07\x07\x07", "a\vb\fc",
		"\x0e\x0f", "\x05", "\x11\x13", "\x1a", "\x18", "\x1b", "end\x1b", "\x1b[", "\x1b]", "\x1b]0;never ends", "\x1b[999999999999C",
		"user\u202etxt.exe", "\u202aa\u202bb\u202cc\u202d", "\u2066a\u2067b\u2068c\u2069", "\u200ea\u200f", "\u061c",
		"zero\u200bwidth", "join\u200dme", "non\u200cjoin", "word\u2060joiner", "\u2061\u2062\u2063\u2064", "soft\u00adhyphen",
		"\ufeffbom", "\u180e", "\ufff9a\ufffab\ufffb", "\u2028line", "para\u2029graph", "\u206a\u206f",
		"\U000e0041\U000e0042\U000e007f", "tag\U000e0001", "vs\U000e0100\U000e01ef", "\xff\xfe", "bad\xc3\x28", "\xed\xa0\x80", "\xf4\x90\x80\x80",
		"\x1b[38;2;255;0;0mtrue colour", "\x1b[0 q", "\x1b[!p", "\x1b[?25l", "\x1b[3J", "\x1b[1A\x1b[2K", "\x1b[s\x1b[u", "\x1b[?2004h",
		"\x1b[200~paste\x1b[201~", "\x1b[c", "\x1b[>c", "\x1b[18t", "\x1b[21t", "\x1b[?1000h", "\x1b[?1006h", "\x1bZ", "\x1b[x",
	}
	for r := rune(1); len(out) < 150; r++ {
		out = append(out, fmt.Sprintf("c%cx%c[31m%c]0;t%c", r%0x20, 0x1b, 0x80+r%0x20, r%0x20))
	}
	return out[:150]
}

// ours is the only sequence that we print: colour.
var ours = regexp.MustCompile("\x1b\\[[0-9;]*m")

func TestNothingThatActsOnATerminalIsPrinted(t *testing.T) {
	for _, payload := range payloads() {
		for what, got := range map[string]string{"line": line(payload), "block": block(payload)} {
			if bad := unquiet(got); bad != "" {
				t.Errorf("%s(%q) = %q: %s", what, payload, got, bad)
			}
		}
		if got := line(payload); strings.ContainsAny(got, "\n\t") {
			t.Errorf("line(%q) = %q", payload, got)
		}
	}
}

func TestSequencesGoWhole(t *testing.T) {
	for text, want := range map[string]string{
		"a\x1b[31mb":                            "ab",
		"a\x1b]8;;http://evil.example\x1b\\b":   "ab",
		"a\x1b]0;t\x07b":                        "ab",
		"a\u009b31mb":                           "ab",
		"a\x1bPdata\x1b\\b":                     "ab",
		"a\x1b]0;never ends, and nothing hides": "a0;never ends, and nothing hides",
		"a\x1b[31;\nb":                          "a31;\nb",
		"plain, Grüße, 日本語, 👍":                  "plain, Grüße, 日本語, 👍",
		"two\r\nlines\rthree":                   "two\nlines\nthree",
	} {
		if got := block(text); got != want {
			t.Errorf("block(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestPrintersWithColourAndJSONAreClean(t *testing.T) {
	for _, payload := range payloads() {
		var out bytes.Buffer
		p := &printer{out: &out, colour: true, width: 60}
		p.line("%s and %s", payload, p.paint(bad, payload))
		p.text("  ", payload)
		table := table{head: []string{"a", "b"}}
		table.row(p.paint(warn, payload), payload)
		table.note(payload)
		p.table("  ", table)
		if bad := unquiet(ours.ReplaceAllString(out.String(), "")); bad != "" {
			t.Errorf("%q prints %q: %s", payload, out.String(), bad)
		}

		out.Reset()
		a := &app{env: Env{Stdout: &out}}
		if err := a.json(turnpost.Item{Summary: payload}); err != nil {
			t.Fatal(err)
		}
		if bad := unquiet(out.String()); bad != "" {
			t.Errorf("%q as JSON is %q: %s", payload, out.String(), bad)
		}
		var back turnpost.Item
		if err := json.Unmarshal(out.Bytes(), &back); err != nil || back.Summary != strings.ToValidUTF8(payload, "\ufffd") && !strings.Contains(back.Summary, "\ufffd") {
			t.Errorf("%q comes back as %q, %v", payload, back.Summary, err)
		}
	}
}

func FuzzLine(f *testing.F) {
	for _, payload := range payloads() {
		f.Add(payload)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, got := range []string{line(text), block(text)} {
			for _, r := range got {
				if r != '\n' && r != '\t' && (unseen(r) || unicode.IsControl(r)) {
					t.Errorf("%q lets %U through", text, r)
				}
			}
		}
	})
}

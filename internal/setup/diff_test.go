package setup

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestVisible(t *testing.T) {
	tests := []struct{ in, want string }{
		{"plain ünïcödé 名 😀\n\ttab", "plain ünïcödé 名 😀\n\ttab"},
		{"\x1b[31mred\x07", "<U+001B>[31mred<U+0007>"},
		{"a\r\nb\rc", "a␍\nb␍c"},
		{"\u202eevil\u200b", "<U+202E>evil<U+200B>"},
		{"\u0085\u009b31m\u00a0", "<U+0085><U+009B>31m<U+00A0>"},
		{"\xff\xc3", "<0xFF><0xC3>"},
		{"\u2028\u3164\ufeff\U000e0041", "<U+2028><U+3164><U+FEFF><U+E0041>"},
	}
	for _, tt := range tests {
		if got := Visible(tt.in); got != tt.want {
			t.Errorf("Visible(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
	if got := visibleLine("a\nb\tc"); got != "a<U+000A>b<U+0009>c" {
		t.Errorf("visibleLine: %q", got)
	}
}

func TestDiff(t *testing.T) {
	change := FileChange{
		Target: "/home/u/\x1b/settings.json",
		Before: []byte("{\r\n  \"a\": \"\u202e\"\r\n}"),
		After:  []byte("{\r\n  \"a\": \"\u202e\",\r\n  \"b\": 1\r\n}"),
	}
	want := "--- /home/u/<U+001B>/settings.json\n+++ /home/u/<U+001B>/settings.json\n" +
		"@@ -1,3 +1,4 @@\n {␍\n-  \"a\": \"<U+202E>\"␍\n+  \"a\": \"<U+202E>\",␍\n+  \"b\": 1␍\n }\n\\ No newline at end of file\n"
	if diff := cmp.Diff(want, diffOf(change)); diff != "" {
		t.Errorf("diff (-want +got):\n%s", diff)
	}
	created := diffOf(FileChange{Target: "/x", After: []byte("a\n")})
	if created != "--- /x (missing)\n+++ /x\n@@ -0,0 +1 @@\n+a\n" {
		t.Errorf("created: %q", created)
	}
	removed := diffOf(FileChange{Target: "/x", Before: []byte{}})
	if removed != "--- /x\n+++ /x (removed)\n" {
		t.Errorf("removed: %q", removed)
	}
}

// The plan shows the complete command, what cannot be seen in it included.
func TestPlanShowsTheWholeCommand(t *testing.T) {
	f := newFixture(t)
	hook := "/x/" + strings.Repeat("long/", 100) + "\x1b]0;t\x07\u202e/turnpost-hook"
	plan := f.plan(f.setup.PlanInstall(f.placeOf(hook)))
	want := "Stop: '/x/" + strings.Repeat("long/", 100) + "<U+001B>]0;t<U+0007><U+202E>/turnpost-hook' claude-code || exit 0"
	if got := plan.Files[0].Lines[1].What; got != want {
		t.Errorf("line %q", got)
	}
	if diff := plan.Diff(); strings.ContainsAny(diff, "\x1b\x07\u202e") {
		t.Errorf("diff holds control characters:\n%q", diff)
	}
}

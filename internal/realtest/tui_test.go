//go:build unix

package realtest

import "testing"

func TestInputLine(t *testing.T) {
	const rule = "\n──────────\n"
	for _, c := range []struct {
		name, screen, want string
		ok                 bool
	}{
		{"empty", "hello" + rule + "❯" + rule + " hint", "", true},
		{"text", rule + "❯ say hi" + rule, "say hi", true},
		{"after an earlier prompt and a menu", "\n❯ old\n● reply\n  ❯ /clear" + rule + "❯ /cle" + rule, "/cle", true},
		{"hint", rule + "❯ Resend your message to try again" + rule, "", true},
		{"two lines", rule + "❯ one\n  two" + rule, "one\n  two", true},
		{"dialog", "\n❯ old\n Do you want to proceed?\n ❯ 1. Yes\n   2. No", "", false},
	} {
		got, ok := inputLine(c.screen)
		if ok != c.ok || ok && got != c.want {
			t.Errorf("%s: %q, %v", c.name, got, ok)
		}
	}
}

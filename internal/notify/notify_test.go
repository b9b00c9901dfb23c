package notify

import (
	"strings"
	"testing"

	"turnpost"
)

func TestNoForeignTextOnTheCommandLine(t *testing.T) {
	hostile := "$(touch x); \" & do shell script \"x"
	for _, class := range []string{"wedge", "undelivered", "ignored", "deaf", "mail", "passed", "unheard of"} {
		n := turnpost.Notice{Class: class, Handle: "@api", Item: "q-4", Text: hostile}
		for _, goos := range []string{"linux", "darwin"} {
			line := strings.Join(Arguments(goos, n), " ")
			if strings.Contains(line, hostile) {
				t.Errorf("%s on %s: the notice's text is on the command line: %s", class, goos, line)
			}
			if !strings.Contains(line, Sentence(n)) {
				t.Errorf("%s on %s: %q lacks the sentence", class, goos, line)
			}
		}
	}
}

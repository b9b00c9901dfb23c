package workflow

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"turnpost"
	"turnpost/internal/run"
)

// TestRandomProcesses writes processes of which about half have no mistake: what
// is accepted is a process by the rules of runs, and those never find more.
func TestRandomProcesses(t *testing.T) {
	chance := rand.New(rand.NewPCG(4, 9))
	const rounds = 2000
	accepted := 0
	for round := range rounds {
		text := randomProcess(chance)
		start, err := Parse("ship", processFile, []byte(text))
		if err == nil {
			accepted++
			if err := run.CheckProcess(*start.Process); err != nil {
				t.Fatalf("round %d: accepted, but %v:\n%s", round, err, text)
			}
			if drawn := strings.Count(Draw(stepsOf(start.Process.Steps), 80), "\n"); drawn != len(start.Process.Steps)+2 {
				t.Fatalf("round %d: drawn in %d lines:\n%s", round, drawn, text)
			}
			continue
		}
		var problems Problems
		if !errors.As(err, &problems) {
			t.Fatalf("round %d: %v:\n%s", round, err, text)
		}
		for _, p := range problems {
			if p.Code != turnpost.Invalid || strings.HasPrefix(p.Field, processFile+":1:1") {
				t.Fatalf("round %d: %v has no place:\n%s", round, p, text)
			}
		}
	}
	if accepted < rounds/5 || accepted > rounds*4/5 {
		t.Errorf("%d of %d are accepted: the test is of little use", accepted, rounds)
	}
}

func randomProcess(chance *rand.Rand) string {
	rarely := func() bool { return chance.IntN(60) == 0 }
	var out strings.Builder
	out.WriteString("goal = \"g\"\n")
	n := 1 + chance.IntN(12)
	for i := range n {
		id := fmt.Sprintf("s%d", i)
		if rarely() {
			id = "s0"
		}
		fmt.Fprintf(&out, "[[step]]\nid = %q\n", id)
		// Groups hold neighbours, so that what waits for one comes after it.
		if chance.IntN(3) == 0 {
			fmt.Fprintf(&out, "group = \"g%d\"\n", i/4)
		}
		var needs []string
		for range chance.IntN(3) {
			of := chance.IntN(i + 1)
			if of == i && !rarely() {
				continue
			}
			need := fmt.Sprintf("s%d", of)
			if !strings.Contains(strings.Join(needs, " ")+" ", fmt.Sprintf("%q ", need)) {
				needs = append(needs, fmt.Sprintf("%q", need))
			}
		}
		if group := fmt.Sprintf("\"g%d\"", i/4-1); i >= 4 && strings.Contains(out.String(), "group = "+group) {
			needs = append(needs, group)
		}
		fmt.Fprintf(&out, "needs = [%s]\n", strings.Join(needs, ", "))
		switch kind := chance.IntN(6); kind {
		case 0:
			out.WriteString("text = \"t\"\nretries = 2\n")
		case 1:
			out.WriteString("kind = \"agent\"\nto = \"@b\"\ntext = \"t\"\n")
		case 2:
			out.WriteString("kind = \"command\"\nrun = \"make 'a b'\"\ntimeout = \"1m\"\n")
		case 3:
			out.WriteString("kind = \"breakpoint\"\nquestion = \"q\"\nfiles = [\"a\"]\n")
		case 4:
			out.WriteString("kind = \"sleep\"\nseconds = 5\n")
		case 5:
			out.WriteString("kind = \"gate\"\ntarget = 0.5\n")
			if len(needs) > 0 && strings.HasPrefix(needs[0], `"s`) {
				fmt.Fprintf(&out, "again = %s\n", needs[0])
			}
		}
		if rarely() {
			out.WriteString("colour = 1\n")
		}
	}
	return out.String()
}

package workflow

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"turnpost"
)

var update = flag.Bool("update", false, "write golden files")

// example is a process of the examples, whose steps are as far as the states say,
// "test=active/2/e-3"; all others are blocked.
func example(t *testing.T, name string, states ...string) []turnpost.Step {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../examples/runs", name+".toml"))
	if err != nil {
		t.Fatal(err)
	}
	start, err := Parse(name, inRepo(".turnpost/runs/"+name+".toml"), data)
	if err != nil {
		t.Fatal(err)
	}
	steps := stepsOf(start.Process.Steps)
	for _, text := range states {
		id, rest, _ := strings.Cut(text, "=")
		parts := strings.Split(rest, "/")
		i := newGraph(start.Process.Steps).ids[id]
		steps[i].State = turnpost.StepState(parts[0])
		if len(parts) > 1 {
			steps[i].Attempt = int(parts[1][0] - '0')
		}
		if len(parts) > 2 {
			steps[i].Effect = parts[2]
		}
	}
	return steps
}

// chain is n steps, one after the other.
func chain(n int) []turnpost.Step {
	steps := make([]turnpost.Step, n)
	for i := range steps {
		steps[i] = turnpost.Step{
			StepDef: turnpost.StepDef{ID: fmt.Sprintf("step-%d", i+1), Kind: turnpost.StepTask, Text: fmt.Sprintf("Do the part number %d", i+1)},
			State:   turnpost.StepBlocked,
		}
		if i > 0 {
			steps[i].Needs = []string{steps[i-1].ID}
		}
	}
	return steps
}

// fan is a step, n beside each other after it, and one that waits for them.
func fan(n int) []turnpost.Step {
	steps := chain(n + 2)
	for i := 1; i <= n; i++ {
		steps[i].Needs, steps[i].Group = []string{"step-1"}, "all"
	}
	steps[n+1].Needs = []string{"all"}
	return steps
}

// odd is steps whose names and texts are not what one hopes for.
func odd() []turnpost.Step {
	long := strings.Repeat("long-", 12) + "name"
	return []turnpost.Step{
		{StepDef: turnpost.StepDef{ID: "first", Kind: turnpost.StepTask, Text: "two\nlines and \x1b[31mred\x1b[0m and \u202eback"}, State: turnpost.StepDone, Attempt: 1},
		{StepDef: turnpost.StepDef{ID: "second", Kind: turnpost.StepTask, Text: "beside the first"}, State: turnpost.StepReady},
		{StepDef: turnpost.StepDef{ID: long, Kind: turnpost.StepAgent, To: "@review/" + strings.Repeat("x", 30), Text: "Look at it", Needs: []string{"first"}}, State: turnpost.StepFailed, Attempt: 3, Effect: "e-12"},
		{StepDef: turnpost.StepDef{ID: "wide", Kind: turnpost.StepBreakpoint, Text: strings.Repeat("出荷しますか ", 10), Needs: []string{"first", "second"}, Optional: true}, State: turnpost.StepActive, Attempt: 1, Effect: "e-3"},
		{StepDef: turnpost.StepDef{ID: "many", Kind: turnpost.StepSleep, Seconds: 90061, Needs: []string{"first", "second", long, "wide"}}, State: turnpost.StepBlocked},
		{StepDef: turnpost.StepDef{ID: "plain", Kind: turnpost.StepCommand, Needs: []string{"many", "first"}, Retries: 1}, State: turnpost.StepBlocked, Attempt: 5},
		{StepDef: turnpost.StepDef{ID: "new", Kind: "dance"}, State: "unheard"},
	}
}

// rounds is what no checked process has.
func rounds() []turnpost.Step {
	steps := chain(3)
	steps[1].Needs = []string{"step-3", "nobody"}
	return steps
}

func TestDraw(t *testing.T) {
	for _, c := range []struct {
		name  string
		steps []turnpost.Step
		width int
	}{
		{"release", example(t, "release", "notes=done/1/e-1", "migrations=done/1/e-2", "build=active/1/e-3", "site=active/2/e-6"), 80},
		{"release_narrow", example(t, "release"), 50},
		{"release_whole", example(t, "release"), 0},
		{
			"fix_issue", example(t, "fix-issue", "reproduce=done/1/e-1", "fix=active/2/e-6", "test=blocked/1/e-3", "vet=blocked/1/e-4", "review=blocked/1/e-5"), 80,
		},
		{"one", chain(1), 80},
		{"chain", chain(5), 80},
		{"fan", fan(6), 80},
		{"odd", odd(), 80},
		{"rounds", rounds(), 80},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Draw(c.steps, c.width)
			golden := filepath.Join("testdata", "draw", c.name+".txt")
			if *update {
				if err := os.MkdirAll(filepath.Dir(golden), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatalf("%v; go test ./internal/workflow -update writes it, read it then", err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestDrawFits holds that each step has its line, that no line is wider than
// asked for, and that all are lines.
func TestDrawFits(t *testing.T) {
	if got := Draw(nil, 80); got != "" {
		t.Errorf("no steps are drawn as %q", got)
	}
	for _, steps := range [][]turnpost.Step{chain(200), fan(198), odd(), rounds(), example(t, "release"), example(t, "fix-issue")} {
		for _, width := range []int{0, 40, 80, 200} {
			text := Draw(steps, width)
			lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
			if want := len(steps) + 2; len(lines) != want && steps[len(steps)-1].State != "unheard" {
				t.Errorf("%d steps at width %d have %d lines, want %d", len(steps), width, len(lines), want)
			}
			for _, line := range lines {
				if width > 0 && columns(line) > width {
					t.Errorf("%d columns at width %d: %s", columns(line), width, line)
				}
				if line != strings.TrimRight(line, " ") {
					t.Errorf("%q ends in blanks", line)
				}
			}
			if clean := turnpost.Visible(text); clean != text {
				t.Errorf("something that nobody sees is in %q", text)
			}
		}
	}
}

func TestColumns(t *testing.T) {
	for text, want := range map[string]int{"": 0, "abc": 3, "ä": 1, "a\u0308": 1, "出荷": 4, "é✓▶·…": 5, "🚀": 2} {
		if got := columns(text); got != want {
			t.Errorf("%q is %d columns wide, want %d", text, got, want)
		}
	}
	for _, c := range []struct {
		text string
		most int
		want string
	}{{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"a bcd", 3, "a…"}, {"出荷出荷", 5, "出荷…"}, {"出荷出荷", 4, "出…"}, {"abc", 0, "…"}} {
		if got := cut(c.text, c.most); got != c.want {
			t.Errorf("%q in %d columns is %q, want %q", c.text, c.most, got, c.want)
		}
	}
}

package workflow

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"turnpost"
	"turnpost/internal/run"
)

// processFile is where the tests' processes are said to be.
var processFile = filepath.FromSlash("/src/api/.turnpost/runs/ship.toml")

func inRepo(path string) string { return filepath.Join(filepath.FromSlash("/src/api"), path) }

func TestParse(t *testing.T) {
	const text = `
goal = "  Ship it  "
target = 0.9
max_iterations = 5
timeout = "2h"
budget_turns = 40
budget_tokens = 1_000_000
stall = 3

[[step]]
id = "plan"
text = """
Write the plan.
"""

[[step]]
id = "unit"
kind = "command"
group = "tests"
needs = ["plan"]
run = ["go", "test", "./..."]
timeout = "10m"
retries = 2

[[step]]
id = "lint"
kind = "command"
group = "tests"
needs = ["plan"]
run = "golangci-lint run --fix 'two words' \"it's\" ''"
dir = "tools/lint"
optional = true

[[step]]
id = "ask"
kind = "agent"
to = "review/go"
text = "Look at it"

[[step]]
id = "rest"
kind = "sleep"
duration = "1d"

[[step]]
id = "nap"
kind = "sleep"
seconds = 90

[[step]]
id = "good"
kind = "gate"
needs = ["tests", "ask"]
target = 1
again = "plan"

[[step]]
id = "go"
kind = "breakpoint"
needs = ["good"]
question = "Ship it?"
files = ["a.txt", { path = "docs/b.md", format = "markdown" }]
`
	target := 0.9
	sum := sha256.Sum256([]byte(text))
	want := turnpost.RunStart{
		Goal:   "Ship it",
		Limits: turnpost.Limits{Iterations: 5, Target: &target, Seconds: 7200, Turns: 40, Tokens: 1000000, Stall: 3},
		Process: &turnpost.RunProcess{
			Name: "ship", File: processFile, Hash: hex.EncodeToString(sum[:]),
			Steps: []turnpost.StepDef{
				{ID: "plan", Kind: turnpost.StepTask, Text: "Write the plan."},
				{
					ID: "unit", Kind: turnpost.StepCommand, Group: "tests", Needs: []string{"plan"}, Retries: 2,
					Command: &turnpost.Command{Args: []string{"go", "test", "./..."}, Dir: inRepo(""), Seconds: 600},
				},
				{
					ID: "lint", Kind: turnpost.StepCommand, Group: "tests", Needs: []string{"plan"}, Optional: true,
					Command: &turnpost.Command{Args: []string{"golangci-lint", "run", "--fix", "two words", "it's", ""}, Dir: inRepo("tools/lint")},
				},
				{ID: "ask", Kind: turnpost.StepAgent, To: "@review/go", Text: "Look at it"},
				{ID: "rest", Kind: turnpost.StepSleep, Seconds: 86400},
				{ID: "nap", Kind: turnpost.StepSleep, Seconds: 90},
				{ID: "good", Kind: turnpost.StepGate, Needs: []string{"tests", "ask"}, Target: 1, Again: "plan"},
				{
					ID: "go", Kind: turnpost.StepBreakpoint, Needs: []string{"good"}, Text: "Ship it?",
					Files: []turnpost.RunFile{{Path: inRepo("a.txt")}, {Path: inRepo("docs/b.md"), Format: "markdown"}},
				},
			},
		},
	}
	got, err := Parse("ship", processFile, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Paths count from the directory of a process that is in no repository's folder.
func TestParseElsewhere(t *testing.T) {
	got, err := Parse("p", filepath.FromSlash("/tmp/runs/p.toml"), []byte(one(`kind = "command"`, `run = "make"`)))
	if err != nil {
		t.Fatal(err)
	}
	if dir := got.Process.Steps[0].Command.Dir; dir != filepath.FromSlash("/tmp/runs") {
		t.Errorf("its commands start in %s", dir)
	}
}

// one is a process of one step, "a", whose lines begin in line 4.
func one(lines ...string) string {
	return "goal = \"g\"\n[[step]]\nid = \"a\"\n" + strings.Join(lines, "\n") + "\n"
}

func TestMistakes(t *testing.T) {
	long := strings.Repeat("x", turnpost.MaxGoal+1)
	var many strings.Builder
	many.WriteString("goal = \"g\"\n")
	for range turnpost.MaxRunSteps + 1 {
		many.WriteString("[[step]]\nid = \"a\"\n")
	}
	for _, c := range []struct {
		name, text string
		want       []string // without the path
	}{
		{"nothing", "", []string{"1:1: goal is missing", "1:1: it has no steps"}},
		{"not TOML", "goal = \"g\"\nstep = [", []string{"2:8: array is incomplete"}},
		{"key twice", "goal = \"g\"\n  goal = \"h\"\n", []string{"2:3: key goal is already defined"}},
		{"not UTF-8", "goal = \"\xff\"\n", []string{"1:9: invalid UTF-8 character in basic string"}},
		{
			"unknown key", "gaol = \"g\"\n\n  [other]\nx = 1\n" + one(`text = "t"`)[11:],
			[]string{`1:1: "gaol" is not a key of a process`, "1:1: goal is missing", `3:4: "other" is not a key of a process`},
		},
		{
			"wrong types",
			"goal = 1\ntarget = \"1\"\nmax_iterations = 1.5\ntimeout = 60\nbudget_turns = true\nbudget_tokens = []\nstall = {}\n[step]\nid = 1\n",
			[]string{
				"1:8: goal has to be a string, not a number", "2:10: target has to be a number, not a string",
				"3:18: max_iterations has to be a whole number", "4:11: timeout has to be a string, not a number",
				"5:16: budget_turns has to be a number, not true or false", "6:17: budget_tokens has to be a number, not a list",
				"7:9: stall has to be a number, not a table", "8:1: step has to be a list of tables, not a table",
			},
		},
		{
			"limits out of range",
			"goal = \" \"\ntarget = nan\nmax_iterations = 0\ntimeout = \"2w\"\nbudget_turns = -1\nstall = 9_999_999_999\n" + one(`text = "t"`)[11:],
			[]string{
				"1:8: goal is empty", "2:10: target has to be a finite number", "3:18: max_iterations has to be at least 1",
				"4:11: timeout has to be a duration like 90s, 10m, 2h or 3d", "5:16: budget_turns has to be at least 1",
				"6:9: stall has to be at most 2147483647",
			},
		},
		{"timeout too short", "timeout = \"10ms\"\n" + one(`text = "t"`), []string{"1:11: timeout has to be at least a second"}},
		{"timeout in parts", "timeout = \"1500ms\"\n" + one(`text = "t"`), []string{"1:11: timeout has to be whole seconds"}},
		{"timeout too long", "timeout = \"400d\"\n" + one(`text = "t"`), []string{"1:11: timeout has to be at most 366d"}},
		{"timeout negative", "timeout = \"-1h\"\n" + one(`text = "t"`), []string{"1:11: timeout has to be a duration like 90s, 10m, 2h or 3d"}},
		{"goal too long", strings.Replace(one(`text = "t"`), `"g"`, `"`+long+`"`, 1), []string{"1:8: goal has 4097 bytes, and may have 4096"}},
		{"too many steps", many.String(), []string{
			"2:1: the step has no text, which one of kind task needs", "4:1: the step has no text, which one of kind task needs",
			`5:6: "a" is the id of the step in line 2 already`, "6:1: the step has no text, which one of kind task needs",
			`7:6: "a" is the id of the step in line 2 already`, "8:1: the step has no text, which one of kind task needs",
			`9:6: "a" is the id of the step in line 2 already`, "10:1: the step has no text, which one of kind task needs",
			`11:6: "a" is the id of the step in line 2 already`, "12:1: the step has no text, which one of kind task needs",
			"that is not all: there are 390 more",
		}},
		{"steps of numbers", "goal = \"g\"\nstep = [1,\n  [2]]\n", []string{"2:8: a step has to be a table, not a list", "2:9: a step has to be a table, not a number"}},
		{"no steps", "goal = \"g\"\nstep = []\n", []string{"2:8: step has to be a list of tables, not a list"}},
		{"step in the line", "goal = \"g\"\nstep = [{ id = \"a\", txt = \"t\" }]\n", []string{
			"2:9: the step has no text, which one of kind task needs", `2:21: "txt" is not a key of a step`,
		}},

		{"no id", "goal = \"g\"\n  [[ step ]] # first\ntext = \"t\"\n", []string{"2:3: the step has no id"}},
		{"bad id", strings.Replace(one(`text = "t"`), `"a"`, `"A b"`, 1), []string{`3:6: "A b" is not a name`}},
		{"unknown kind", one(`kind = "tsk"`, `text = "t"`), []string{`4:8: "tsk" is not a kind of step`}},
		{"kind of another type", one(`kind = 1`, `text = "t"`), []string{"4:8: kind has to be a string, not a number"}},
		{"unknown key of a step", one(`text = "t"`, `Text = "t"`), []string{`5:1: "Text" is not a key of a step`}},
		{"dotted key", one(`text = "t"`, `command.run = "x"`), []string{`5:1: "command" is not a key of a step`}},
		{"key of another kind", one(`text = "t"`, `to = "@b"`), []string{"5:1: a step of kind task has no to"}},
		{"no text", one(), []string{"2:1: the step has no text, which one of kind task needs"}},
		{"blank text", one(`text = "  "`), []string{"4:8: text is empty"}},
		{"agent without anything", one(`kind = "agent"`), []string{
			"2:1: the step has no to, which one of kind agent needs", "2:1: the step has no text, which one of kind agent needs",
		}},
		{"no handle", one(`kind = "agent"`, `text = "t"`, `to = "@a b"`), []string{`6:6: "@a b" is not a handle`}},
		{"handle of three", one(`kind = "agent"`, `text = "t"`, `to = "@a/b/c"`), []string{`6:6: "@a/b/c" is not a handle`}},
		{"question and text", one(`kind = "breakpoint"`, `question = "q"`, `text = "t"`), []string{"6:1: text cannot be given together with question"}},
		{"no question", one(`kind = "breakpoint"`), []string{"2:1: the step has no question or text, which one of kind breakpoint needs"}},
		{"sleep without a time", one(`kind = "sleep"`), []string{"2:1: the step has no duration or seconds, which one of kind sleep needs"}},
		{"sleep too long", one(`kind = "sleep"`, `seconds = 99999999999`), []string{"5:11: seconds has to be at most 31622400"}},
		{"sleep of both", one(`kind = "sleep"`, `seconds = 1`, `duration = "1s"`), []string{"5:1: seconds cannot be given together with duration"}},
		{"gate without a target", one(`kind = "gate"`, `again = "b"`), []string{"2:1: the step has no target, which one of kind gate needs", `5:9: there is no step "b"`}},
		{"gate with a group to start over from", one(`kind = "gate"`, `target = 1`, `needs = ["c"]`, `again = "c"`, `[[step]]`, `id = "b"`, `group = "c"`, `text = "t"`), []string{`7:9: there is no step "c"`}},
		{"gate that starts over elsewhere", one(`kind = "gate"`, `target = 1`, `again = "b"`, `[[step]]`, `id = "b"`, `text = "t"`), []string{`6:9: the gate does not wait for "b", so it cannot start over there`}},
		{"gate with retries", one(`kind = "gate"`, `target = 1`, `retries = 1`), []string{"6:1: a step of kind gate has no retries"}},
		{"retries", one(`text = "t"`, `retries = 101`, `optional = "yes"`), []string{"5:11: retries has to be at most 100", "6:12: optional has to be true or false, not a string"}},

		{"no program", one(`kind = "command"`, `run = []`), []string{"5:7: run is empty"}},
		{"blank program", one(`kind = "command"`, `run = ["", "x"]`), []string{"5:8: run has no program"}},
		{"run of numbers", one(`kind = "command"`, `run = ["x",`, `  1]`), []string{"6:3: each of run has to be a string, not a number"}},
		{"run of another type", one(`kind = "command"`, `run = 1`), []string{"5:7: run has to be a list of strings, or one string, not a number"}},
		{"zero byte", one(`kind = "command"`, `run = ["x", "\u0000"]`), []string{"5:13: an argument cannot have a zero byte in it"}},
		{"dir outside", one(`kind = "command"`, `run = "x"`, `dir = "../x"`), []string{"6:7: dir has to be a path in the repository, from its root"}},
		{"dir absolute", one(`kind = "command"`, `run = "x"`, `dir = "/x"`), []string{"6:7: dir has to be a path in the repository, from its root"}},
		{"dir empty", one(`kind = "command"`, `run = "x"`, `dir = ""`), []string{"6:7: dir has to be a path"}},
		{"command too long", one(`kind = "command"`, `run = "x"`, `timeout = "25h"`), []string{"6:11: timeout has to be at most 1d"}},

		{"files", one(`kind = "breakpoint"`, `question = "q"`, `files = ["../x", { format = "pdf" }, { path = 1, at = 2 }, 3]`), []string{
			"6:10: each of files has to be a path in the repository, from its root", "6:18: the file has no path", `6:29: "pdf" is not a format`,
			"6:47: path has to be a string, not a number", `6:50: "at" is not a key of a file`, "6:60: each of files has to be a string, not a number",
		}},
		{"files of another type", one(`kind = "breakpoint"`, `question = "q"`, `files = "x"`), []string{"6:9: files has to be a list, not a string"}},

		{"same id", one(`text = "t"`, `[[step]]`, `text = "t"`, `id = "a"`), []string{`7:6: "a" is the id of the step in line 2 already`}},
		{"group like a step", one(`text = "t"`, `group = "a"`), []string{`5:9: "a" is the id of the step in line 2, so no group can have that name`}},
		{"unknown need", one(`text = "t"`, `needs = [`, `  "a",`, `  "b", # not there`, `]`), []string{`7:3: there is no step or group "b"`}},
		{"need twice", one(`text = "t"`, `[[step]]`, `id = "b"`, `text = "t"`, `needs = ["a", "a"]`), []string{`8:15: "a" is there twice`}},
		{"needs of another type", one(`text = "t"`, `needs = "b"`), []string{"5:9: needs has to be a list, not a string"}},
		{"needs of numbers", one(`text = "t"`, `needs = [1, [2]]`), []string{"5:9: each of needs has to be a string, not a list", "5:10: each of needs has to be a string, not a number"}},
		{"waits for itself", one(`text = "t"`, `needs = ["a"]`), []string{"5:10: the step waits for itself"}},
		{"waits for its group", one(`text = "t"`, `group = "g"`, `needs = ["g"]`), []string{"6:10: the step waits for itself"}},
		{
			"round", one(`text = "t"`, `needs = ["c"]`, `[[step]]`, `id = "b"`, `text = "t"`, `needs = ["a"]`, `[[step]]`, `id = "c"`, `text = "t"`, `needs = ["b"]`),
			[]string{"9:10: these steps wait for each other: a → c → b → a"},
		},
		{
			"two rounds", one(`text = "t"`, `needs = ["b"]`, `[[step]]`, `id = "b"`, `text = "t"`, `needs = ["a"]`, `[[step]]`, `id = "c"`, `text = "t"`, `needs = ["c"]`),
			[]string{"9:10: these steps wait for each other: a → b → a", "13:10: the step waits for itself"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse("ship", processFile, []byte(c.text))
			var problems Problems
			if !errors.As(err, &problems) {
				t.Fatalf("the error is %v", err)
			}
			var got []string
			for _, p := range problems {
				if p.Code != turnpost.Invalid {
					t.Errorf("the code of %q is %s", p, p.Code)
				}
				at := strings.TrimPrefix(p.Error(), processFile+":")
				got = append(got, strings.TrimPrefix(at, " "))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What the rules of runs refuse and we did not is said with its place too.
func TestRefusedByTheRules(t *testing.T) {
	args := strings.Repeat(`"x", `, 1001)
	_, err := Parse("ship", processFile, []byte(one(`kind = "command"`, `run = [`+args+`]`)))
	if err == nil || !strings.HasPrefix(err.Error(), processFile+":5:7: ") {
		t.Errorf("too many arguments: %v", err)
	}
	f := &file{path: "p", data: []byte(one(`kind = "breakpoint"`, `question = "q"`, `needs = [`, `  "b"]`))}
	table, err := readTOML(f.data)
	if err != nil {
		t.Fatal(err)
	}
	f.top(table, &turnpost.RunStart{})
	for field, want := range map[string]string{
		"steps[0].needs":        "p:6:9",
		"steps[0].needs[0]":     "p:7:3",
		"steps[0].needs[7]":     "p:6:9",
		"steps[0].question":     "p:5:12",
		"steps[0].text":         "p:5:12",
		"steps[0].kind":         "p:4:8",
		"steps[0].files":        "p:2:1",
		"steps[0].command.args": "p:2:1",
		"steps[0]":              "p:2:1",
		"steps[1].needs":        "p:1:1",
		"steps":                 "p:1:1",
		"":                      "p:1:1",
	} {
		f.problems = nil
		f.refused(turnpost.Invalidf(field, "is wrong").WithHint("mend it"))
		if got := f.problems[0].err; got.Field != want || got.Message != "is wrong" || got.Hint != "mend it" {
			t.Errorf("%s: %s, hint %q; want %s", field, got, got.Hint, want)
		}
	}
}

// What people are told comes with what they can do.
func TestHints(t *testing.T) {
	for text, want := range map[string]string{
		"gaol = 1":                              "keys are goal, target",
		one(`kind = "tsk"`):                     "kinds are task, agent, command, breakpoint, sleep, gate",
		one(`text = "t"`, `needs = ["b"]`):      "there are a",
		one(`text = "t"`, `colour = "b"`):       "keys are again, dir, duration,",
		one(`text = "t"`, `run = "b"`):          "it has id, kind, needs, group, text, retries, optional",
		one(`kind = "command"`, `run = "a&&b"`): `["sh", "-c", "..."]`,
	} {
		_, err := Parse("ship", processFile, []byte(text))
		var hints []string
		var problems Problems
		if errors.As(err, &problems) {
			for _, p := range problems {
				hints = append(hints, p.Hint)
			}
		}
		if !strings.Contains(strings.Join(hints, "\n"), want) {
			t.Errorf("%q: hints are %q, want %q", text, hints, want)
		}
	}
}

func TestCommandLines(t *testing.T) {
	for text, want := range map[string][]string{
		"make":              {"make"},
		"  make\t test  ":   {"make", "test"},
		`a 'b c' "d e"f ''`: {"a", "b c", "d ef", ""},
		`a '$x *' "b*~#;"`:  {"a", "$x *", "b*~#;"},
		`a b~c b#d --x=y`:   {"a", "b~c", "b#d", "--x=y"},
		"ä 'ö' ü":           {"ä", "ö", "ü"},
		"":                  nil,
		"   ":               nil,
	} {
		if got, wrong := splitWords(text); wrong != nil || !cmp.Equal(got, want) {
			t.Errorf("%q: %q, %v, want %q", text, got, wrong, want)
		}
	}
	for text, want := range map[string]string{
		"a $HOME":  "5:10: there is no shell that would act on $",
		"a > b":    "5:10: there is no shell that would act on >",
		"a b*":     "5:11: there is no shell that would act on *",
		"a ~/b":    "5:10: there is no shell that would act on ~",
		"a #b":     "5:10: there is no shell that would act on #",
		"A=1 b":    "5:9: there is no shell that would set a variable with =",
		"a 'b":     "5:10: the quote ' is not closed",
		"a || b":   "5:10: there is no shell that would act on |",
		"a; b":     "5:9: there is no shell that would act on ;",
		`a \\n`:    "5:7: there is no shell that would act on \\",
		`a\nb`:     "5:7: there is no shell that would act on a line end",
		`a \"$x\"`: "5:7: there is no shell that would act on $",
		"a {b,c}":  "5:10: there is no shell that would act on {",
	} {
		_, err := Parse("ship", processFile, []byte(one(`kind = "command"`, `run = "`+text+`"`)))
		if err == nil || err.Error() != processFile+":"+want {
			t.Errorf("%q: %v\nwant %s", text, err, want)
		}
	}
}

func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../../examples/runs/*.toml")
	if err != nil || len(files) < 2 {
		t.Fatalf("examples: %q, %v", files, err)
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(path), ".toml")
		start, err := Parse(name, inRepo(".turnpost/runs/"+filepath.Base(path)), data)
		if err != nil {
			t.Error(err)
			continue
		}
		if start.Goal == "" || len(start.Process.Steps) < 5 {
			t.Errorf("%s: %d steps for %q", path, len(start.Process.Steps), start.Goal)
		}
	}
}

// FuzzParse holds that nothing makes Parse panic, that each mistake has its
// place, and that what is accepted is a process by the rules of runs.
func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("../../examples/runs/*.toml")
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	for _, text := range []string{
		"", "\ufeffgoal = 'g'", "[[step]]\n[step.files]\n", "[[step]]\n[[step.files]]\npath='x'\n[step.files.format]\n", "step.a.b = 1",
		"[step]\n[step.x]\n", "step = [{}, {files=[{}]}]", "[[step.step]]", "a.b = 1\n[a.c]\nd = [[[]]]", "goal = 1979-05-27T07:32:00Z",
		one(`text = "t"`, `needs = ["a","b"]`), one(`kind = "gate"`, `target = 1e400`), one(`kind = "command"`, `run = "a 'b' \"c\" d"`),
		one(`kind = "sleep"`, `duration = "9999999h"`), "\"goal\" = '''g'''\r\n[[ \"step\" ]]\r\nid='a'\r\ntext='t'\r\n",
		strings.Repeat("x = [", 3) + strings.Repeat("[", 2000), one(`kind = "agent"`, `to = "@a/-b"`, `text = "t"`),
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		start, err := Parse("ship", processFile, []byte(text))
		if err == nil {
			if err := run.CheckProcess(*start.Process); err != nil {
				t.Errorf("accepted, but %v", err)
			}
			Draw(stepsOf(start.Process.Steps), 80)
			return
		}
		var problems Problems
		if !errors.As(err, &problems) || len(problems) == 0 || len(problems) > maxProblems+1 {
			t.Fatalf("the error is %v", err)
		}
		lines := strings.Count(text, "\n") + 1
		for _, p := range problems[:min(len(problems), maxProblems)] {
			var row, column int
			place := strings.Split(strings.TrimPrefix(p.Field, processFile+":"), ":")
			if len(place) != 2 || !digits(place[0], &row) || !digits(place[1], &column) || row < 1 || row > lines || column < 1 {
				t.Errorf("the place of %q is %q", p.Message, p.Field)
			}
		}
	})
}

func digits(text string, n *int) bool {
	for _, c := range text {
		if c < '0' || c > '9' {
			return false
		}
		*n = *n*10 + int(c-'0')
	}
	return text != ""
}

func stepsOf(defs []turnpost.StepDef) []turnpost.Step {
	out := make([]turnpost.Step, len(defs))
	for i, d := range defs {
		out[i] = turnpost.Step{StepDef: d, State: turnpost.StepBlocked}
	}
	return out
}

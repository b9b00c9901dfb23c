package run_test

import (
	"errors"
	"strings"
	"testing"

	"turnpost"
	"turnpost/internal/run"
)

func TestCheckProcess(t *testing.T) {
	with := func(def turnpost.StepDef, change func(*turnpost.StepDef)) turnpost.StepDef {
		change(&def)
		return def
	}
	grouped := func(group string, def turnpost.StepDef) turnpost.StepDef {
		return with(def, func(d *turnpost.StepDef) { d.Group = group })
	}
	many := make([]turnpost.StepDef, turnpost.MaxRunSteps+1)
	for _, c := range []struct {
		name  string
		steps []turnpost.StepDef
		field string
		words string
		hint  string
	}{
		{"none", nil, "steps", "missing", ""},
		{"many", many, "steps", "are 201", ""},
		{"no id", []turnpost.StepDef{{Kind: turnpost.StepTask}}, "steps[0].id", "missing", ""},
		{"an id", []turnpost.StepDef{task("Build!")}, "steps[0].id", "not a name", "small letters"},
		{"the same id", []turnpost.StepDef{task("a"), task("b"), task("a")}, "steps[2].id", "a is the id of steps[0] too", ""},
		{"a group", []turnpost.StepDef{grouped("b c", task("a"))}, "steps[0].group", "not a name", ""},
		{"a step's name", []turnpost.StepDef{grouped("b", task("a")), task("b")}, "steps[0].group", "b is the id of steps[1]", "another name"},
		{"kind", []turnpost.StepDef{{ID: "a", Kind: "comand"}}, "steps[0].kind", "not a kind", "did you mean command?"},
		{"no such kind", []turnpost.StepDef{{ID: "a", Kind: "xyzzy"}}, "steps[0].kind", "not a kind", "use task, "},
		{"no text", []turnpost.StepDef{{ID: "a", Kind: turnpost.StepTask}}, "steps[0].text", "kind task needs it", ""},
		{"no question", []turnpost.StepDef{{ID: "a", Kind: turnpost.StepBreakpoint}}, "steps[0].text", "kind breakpoint needs it", ""},
		{"no addressee", []turnpost.StepDef{{ID: "a", Kind: turnpost.StepAgent, Text: "t"}}, "steps[0].to", "needs it", ""},
		{"no command", []turnpost.StepDef{{ID: "a", Kind: turnpost.StepCommand}}, "steps[0].command", "needs it", ""},
		{"no program", []turnpost.StepDef{{ID: "a", Kind: turnpost.StepCommand, Command: &turnpost.Command{Dir: "/"}}}, "steps[0].command.args", "no program", ""},
		{"relative", []turnpost.StepDef{{ID: "a", Kind: turnpost.StepCommand, Command: &turnpost.Command{Args: []string{"a"}, Dir: "x"}}}, "steps[0].command.dir", "absolute", ""},
		{"no time", []turnpost.StepDef{{ID: "a", Kind: turnpost.StepSleep}}, "steps[0].seconds", "needs it", ""},
		{"retries", []turnpost.StepDef{with(task("a"), func(d *turnpost.StepDef) { d.Retries = -1 })}, "steps[0].retries", "is -1", ""},
		{"a task's target", []turnpost.StepDef{with(task("a"), func(d *turnpost.StepDef) { d.Target = 1 })}, "steps[0].target", "does not go", ""},
		{"a task's again", []turnpost.StepDef{with(task("a"), func(d *turnpost.StepDef) { d.Again = "a" })}, "steps[0].again", "does not go", ""},
		{"a gate's retries", []turnpost.StepDef{with(gate("a", 1, ""), func(d *turnpost.StepDef) { d.Retries = 1 })}, "steps[0].retries", "does not go", ""},
		{"a gate's target", []turnpost.StepDef{gate("a", nan(), "")}, "steps[0].target", "not a number", ""},
		{"unknown need", []turnpost.StepDef{task("build"), task("test", "biuld")}, "steps[1].needs", `"biuld" is neither`, "did you mean build?"},
		{"unknown group", []turnpost.StepDef{grouped("checks", task("a")), task("b", "check")}, "steps[1].needs", "neither", "did you mean checks?"},
		{"nothing like it", []turnpost.StepDef{task("build"), task("test", "xyzzy")}, "steps[1].needs", "neither", ""},
		{"twice", []turnpost.StepDef{task("a"), task("b", "a", "a")}, "steps[1].needs", "a is there twice", ""},
		{"itself", []turnpost.StepDef{task("a", "a")}, "steps[0].needs", "go in a circle: a needs a", ""},
		{"a circle", []turnpost.StepDef{task("a"), task("b", "a", "d"), task("c", "b"), task("d", "c")}, "steps[1].needs", "go in a circle: b needs d, d needs c, c needs b", ""},
		{"a circle by a group", []turnpost.StepDef{grouped("g", task("a", "b")), task("b", "g")}, "steps[0].needs", "a needs b, b needs a", ""},
		{"unknown again", []turnpost.StepDef{task("build"), gate("ok", 1, "bild", "build")}, "steps[1].again", "not a step", "did you mean build?"},
		{"again leads elsewhere", []turnpost.StepDef{task("a"), task("b"), gate("ok", 1, "b", "a")}, "steps[2].again", "b does not lead to ok", "that ok needs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := run.CheckProcess(turnpost.RunProcess{Name: "p", Steps: c.steps})
			var coded *turnpost.Error
			if !errors.As(err, &coded) {
				t.Fatalf("error %v", err)
			}
			if coded.Code != turnpost.Invalid || coded.Field != c.field || !strings.Contains(coded.Message, c.words) {
				t.Errorf("error %s %q: %q, want %q: %q", coded.Code, coded.Field, coded.Message, c.field, c.words)
			}
			if !strings.Contains(coded.Hint, c.hint) || c.hint == "" && strings.Contains(coded.Hint, "did you mean") {
				t.Errorf("hint %q, want %q", coded.Hint, c.hint)
			}
		})
	}
	good := []turnpost.StepDef{
		grouped("checks", command("unit")), grouped("checks", command("lint")), task("build"),
		gate("good", 0, "build", "checks", "build"), gate("self", 3, "self", "good"),
		{ID: "nap", Kind: turnpost.StepSleep, Seconds: 1, Needs: []string{"self"}},
	}
	if err := run.CheckProcess(turnpost.RunProcess{Name: "p", Steps: good}); err != nil {
		t.Errorf("a good process is refused: %v", err)
	}
	if err := run.CheckProcess(turnpost.RunProcess{Steps: good}); turnpost.CodeOf(err) != turnpost.Invalid {
		t.Errorf("a process without a name: %v", err)
	}
}

// TestRandomProcessesAreGood ties the generator of the other tests to the check.
func TestRandomProcessesAreGood(t *testing.T) {
	for seed := range uint64(500) {
		if err := run.CheckProcess(*newDice(seed).process()); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

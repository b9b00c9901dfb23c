package mcp

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"turnpost"
)

func runCalls() []callCase {
	at := time.Date(2026, 12, 1, 9, 30, 0, 0, time.UTC)
	when := clock(at, time.Now())
	target, score := 90.0, 72.5
	running := turnpost.Run{ID: "r-12", State: turnpost.RunRunning, Iteration: 2, Limits: turnpost.Limits{Iterations: 5}}
	waiting := turnpost.Run{
		ID: "r-12", Goal: "Ship login\nwith tests", Handle: "@api", Human: true, State: turnpost.RunWaiting, Reason: "q-41: Ship it?", Iteration: 2,
		Plan: "build, then test", Limits: turnpost.Limits{Target: &target}, Deadline: at,
		Scores: []turnpost.Score{{Value: 72.5, By: "@api", Iteration: 1, Note: "two tests fail"}},
		Steps: []turnpost.Step{
			{StepDef: turnpost.StepDef{ID: "build", Kind: turnpost.StepCommand}, State: turnpost.StepDone, Effect: "e-1"},
			{StepDef: turnpost.StepDef{ID: "ship", Kind: turnpost.StepBreakpoint, Text: "Ship it?"}, State: turnpost.StepActive, Effect: "e-3"},
			{StepDef: turnpost.StepDef{ID: "good", Kind: turnpost.StepGate, Target: 90}, State: turnpost.StepBlocked},
		},
		Effects: []turnpost.Effect{
			{ID: "e-1", Kind: turnpost.EffectCommand, State: turnpost.EffectOK, PostedBy: "@anna", Value: "ok\nall of it", Command: &turnpost.Command{Args: []string{"make", "build"}}},
			{ID: "e-2", Kind: turnpost.EffectBreakpoint, State: turnpost.EffectOK, Item: "q-40", PostedBy: "@anna", Value: "blue", Question: "Which colour?"},
			{ID: "e-3", Kind: turnpost.EffectBreakpoint, State: turnpost.EffectPending, Item: "q-41", Question: "Ship it?"},
			{ID: "e-4", Kind: turnpost.EffectSleep, State: turnpost.EffectPending, Until: at, Label: "cool down"},
		},
		Missing: []string{"e-3 (breakpoint) is open: Ship it?", "the last score is 72.5 of 90"},
	}
	const standing = "r-12 · running · iteration 2 of 5"
	shown := `r-12 · waiting · iteration 2 · score 72.5 of 90 · until ` + when + `
waits for q-41: Ship it?
missing: e-3 (breakpoint) is open: Ship it?; the last score is 72.5 of 90
` + turnpost.Trust([]turnpost.Item{{Human: true}, {}}) + `
<turnpost N>
goal (your user)
  | Ship login
  | with tests
plan
  | build, then test
step ship · breakpoint · active · e-3 · Ship it?
step good · gate · blocked · score 90
1 of 3 steps done
e-4 · sleep · pending · until ` + when + ` · cool down
e-3 · breakpoint · pending · q-41 · Ship it?
e-2 · breakpoint · ok · q-40 · by @anna (your user) · Which colour?
  | blue
e-1 · command · ok · by @anna · make build
  | ok
  | all of it
score 72.5 · iteration 1 · @api · two tests fail
</turnpost N>`
	asked := func(e turnpost.Effect) *fakeHub {
		return &fakeHub{effect: turnpost.EffectDone{Run: "r-12", Effect: e}}
	}
	const itself = " The result comes by itself: end your turn if you cannot go on without it."
	return []callCase{
		{
			name: "show a run", tool: "run",
			hub:       &fakeHub{run: waiting},
			arguments: `{"do":"show","run":"r-12"}`,
			asked:     []any{turnpost.RunQuery{ID: "r-12"}},
			text:      shown,
		},
		{
			name: "show a run that can be completed", tool: "run",
			hub:       &fakeHub{run: turnpost.Run{ID: "r-1", Goal: "Tidy up", State: turnpost.RunRunning, Iteration: 1, Proof: "00ff"}},
			arguments: `{"do":"show"}`,
			asked:     []any{turnpost.RunQuery{}},
			text: `r-1 · running · iteration 1
` + turnpost.ProtocolTrust + `
<turnpost N>
goal
  | Tidy up
</turnpost N>
Nothing is missing: do complete with proof 00ff`,
		},
		{
			name: "show an effect", tool: "run",
			hub:       &fakeHub{run: waiting},
			arguments: `{"do":"show","effect":"e-2"}`,
			asked:     []any{turnpost.RunQuery{}},
			text: turnpost.Trust([]turnpost.Item{{Human: true}, {}}) + `
<turnpost N>
e-2 · breakpoint · ok · q-40 · by @anna (your user) · Which colour?
  | Which colour?
  result
  | blue
</turnpost N>`,
		},
		{
			name: "start a run", tool: "run",
			hub:       &fakeHub{run: running},
			arguments: `{"do":"start","goal":"Ship login","target":90,"max_iterations":5,"seconds":3600,"key":"k"}`,
			asked:     []any{turnpost.RunStart{Goal: "Ship login", Limits: turnpost.Limits{Target: &target, Iterations: 5, Seconds: 3600}, Key: "k"}},
			text:      standing + "\nIt starts your next turn when this one ends. do plan first; do iterate ends an iteration.",
		},
		{
			name: "plan", tool: "run",
			hub:       &fakeHub{run: running},
			arguments: `{"do":"plan","text":"build, then test"}`,
			asked:     []any{turnpost.RunRequest{Do: turnpost.RunPlan, Text: "build, then test"}},
			text:      standing,
		},
		{
			name: "iterate, of another run", tool: "run",
			hub:       &fakeHub{run: running},
			arguments: `{"do":"iterate","run":"r-12","text":"built"}`,
			asked:     []any{turnpost.RunRequest{ID: "r-12", Do: turnpost.RunIterate, Text: "built"}},
			text:      standing,
		},
		{
			name: "dispatch", tool: "run",
			hub:       &fakeHub{run: waiting},
			arguments: `{"do":"dispatch"}`,
			asked:     []any{turnpost.RunRequest{Do: turnpost.RunDispatch}},
			text:      shown,
		},
		{
			name: "resume", tool: "run",
			hub:       &fakeHub{run: waiting},
			arguments: `{"do":"resume","run":"r-12"}`,
			asked:     []any{turnpost.RunRequest{ID: "r-12", Do: turnpost.RunResume}},
			text:      shown,
		},
		{
			name: "score", tool: "run",
			hub:       &fakeHub{run: turnpost.Run{ID: "r-1", State: turnpost.RunRunning, Iteration: 1, Scores: []turnpost.Score{{Value: 72.5}}, Proof: "00ff"}},
			arguments: `{"do":"score","score":72.5,"text":"two tests fail"}`,
			asked:     []any{turnpost.RunRequest{Do: turnpost.RunScore, Score: &score, Text: "two tests fail"}},
			text:      "r-1 · running · iteration 1 · score 72.5\nNothing is missing: do complete with proof 00ff",
		},
		{
			name: "score nothing", tool: "run",
			hub:       &fakeHub{run: turnpost.Run{ID: "r-1", State: turnpost.RunRunning, Iteration: 1, Missing: []string{"the last score is 0 of 9", "step a is ready"}}},
			arguments: `{"do":"score","score":0}`,
			asked:     []any{turnpost.RunRequest{Do: turnpost.RunScore, Score: new(float64)}},
			text:      "r-1 · running · iteration 1\nmissing: the last score is 0 of 9; step a is ready",
		},
		{
			name: "complete", tool: "run",
			hub:       &fakeHub{run: turnpost.Run{ID: "r-1", State: turnpost.RunCompleted, Reason: "shipped", Iteration: 5, Proof: "00ff"}},
			arguments: `{"do":"complete","proof":"00ff","text":"shipped"}`,
			asked:     []any{turnpost.RunRequest{Do: turnpost.RunComplete, Proof: "00ff", Text: "shipped"}},
			text:      "r-1 · completed · iteration 5\nreason: shipped",
		},
		{
			name: "fail", tool: "run",
			hub:       &fakeHub{run: turnpost.Run{ID: "r-1", State: turnpost.RunFailed, Reason: "no access", Iteration: 1}},
			arguments: `{"do":"fail","text":"no access"}`,
			asked:     []any{turnpost.RunRequest{Do: turnpost.RunFail, Text: "no access"}},
			text:      "r-1 · failed · iteration 1\nreason: no access",
		},
		{
			name: "halt", tool: "run",
			hub:       &fakeHub{run: turnpost.Run{ID: "r-1", State: turnpost.RunHalted, Reason: "halted by @api", Iteration: 1}},
			arguments: `{"do":"halt"}`,
			asked:     []any{turnpost.RunRequest{Do: turnpost.RunHalt}},
			text:      "r-1 · halted · iteration 1\nreason: halted by @api",
		},
		{
			name: "a task of one's own", tool: "run",
			hub:       asked(turnpost.Effect{ID: "e-1", Kind: turnpost.EffectTask, State: turnpost.EffectPending}),
			arguments: `{"do":"task","text":"read the logs","key":"logs","label":"logs"}`,
			asked:     []any{turnpost.EffectDraft{Kind: turnpost.EffectTask, Text: "read the logs", Key: "logs", Label: "logs"}},
			text:      "e-1 of r-12: do it, then post with effect e-1.",
		},
		{
			name: "a task of another agent", tool: "run",
			hub:       asked(turnpost.Effect{ID: "e-2", Kind: turnpost.EffectAgent, State: turnpost.EffectPending, To: "@web", Item: "t-9"}),
			arguments: `{"do":"task","kind":"agent","to":"@web","text":"check the page"}`,
			asked:     []any{turnpost.EffectDraft{Kind: turnpost.EffectAgent, To: "@web", Text: "check the page"}},
			text:      "e-2 of r-12: @web is asked, by t-9." + itself,
		},
		{
			name: "a command", tool: "run",
			hub:       asked(turnpost.Effect{ID: "e-3", Kind: turnpost.EffectCommand, State: turnpost.EffectPending}),
			arguments: `{"do":"task","kind":"command","command":["make","test"],"dir":"/src/api","seconds":60}`,
			asked:     []any{turnpost.EffectDraft{Kind: turnpost.EffectCommand, Command: &turnpost.Command{Args: []string{"make", "test"}, Dir: "/src/api", Seconds: 60}}},
			text:      "e-3 of r-12: `turnpost run work r-12` runs it, in your own shell or, with --all, in your user's." + itself,
		},
		{
			name: "a command in the caller's repository, that came back", tool: "run",
			hub: &fakeHub{
				me: turnpost.Identity{Session: &turnpost.Session{Cwd: "/src/api/sub", Place: turnpost.Place{Root: "/src/api"}}},
				effect: turnpost.EffectDone{Run: "r-12", Again: true, Effect: turnpost.Effect{
					ID: "e-3", Kind: turnpost.EffectCommand, State: turnpost.EffectError, Value: "exit 2", PostedBy: "@anna",
					Command: &turnpost.Command{Args: []string{"make", "test"}},
				}},
			},
			arguments: `{"do":"task","kind":"command","command":["make","test"]}`,
			asked: []any{turnpost.Nothing{}, turnpost.EffectDraft{
				Kind: turnpost.EffectCommand, Command: &turnpost.Command{Args: []string{"make", "test"}, Dir: "/src/api"},
			}},
			text: "e-3 of r-12, asked for before, is error. " + turnpost.ProtocolTrust + `
<turnpost N>
e-3 · command · error · by @anna · make test
  result
  | exit 2
</turnpost N>`,
		},
		{
			name: "a command that the user trusts, outside a repository", tool: "run",
			hub: &fakeHub{
				me: turnpost.Identity{Session: &turnpost.Session{Cwd: "/tmp/x"}},
				effect: turnpost.EffectDone{Run: "r-12", Again: true, Effect: turnpost.Effect{
					ID: "e-3", Kind: turnpost.EffectCommand, State: turnpost.EffectRunning, Trusted: true,
				}},
			},
			arguments: `{"do":"task","kind":"command","command":["make"]}`,
			asked: []any{turnpost.Nothing{}, turnpost.EffectDraft{
				Kind: turnpost.EffectCommand, Command: &turnpost.Command{Args: []string{"make"}, Dir: "/tmp/x"},
			}},
			text: "e-3 of r-12, asked for before, is running: `turnpost run work r-12` runs it." + itself,
		},
		{
			name: "sleep", tool: "run",
			hub:       asked(turnpost.Effect{ID: "e-4", Kind: turnpost.EffectSleep, State: turnpost.EffectPending, Until: at}),
			arguments: `{"do":"task","kind":"sleep","seconds":60,"run":"r-12"}`,
			asked:     []any{turnpost.EffectDraft{Run: "r-12", Kind: turnpost.EffectSleep, Seconds: 60}},
			text:      "e-4 of r-12: sleeps until " + when + "." + itself,
		},
		{
			name: "a result", tool: "run",
			hub:       asked(turnpost.Effect{ID: "e-1", Kind: turnpost.EffectTask, State: turnpost.EffectOK}),
			arguments: `{"do":"post","effect":"e-1","status":"ok","text":"two errors"}`,
			asked:     []any{turnpost.EffectPost{Effect: "e-1", Status: turnpost.EffectOK, Value: "two errors"}},
			text:      "e-1 of r-12: ok.",
		},
		{
			name: "a result again", tool: "run",
			hub:       &fakeHub{effect: turnpost.EffectDone{Run: "r-12", Again: true, Effect: turnpost.Effect{ID: "e-1", State: turnpost.EffectError}}},
			arguments: `{"do":"post","run":"r-12","effect":"e-1","status":"error"}`,
			asked:     []any{turnpost.EffectPost{Run: "r-12", Effect: "e-1", Status: turnpost.EffectError}},
			text:      "e-1 of r-12: error, as posted before.",
		},
		{
			name: "a breakpoint", tool: "run",
			hub:       asked(turnpost.Effect{ID: "e-5", Kind: turnpost.EffectBreakpoint, State: turnpost.EffectPending, Item: "q-41"}),
			arguments: `{"do":"breakpoint","text":"Ship it?","files":["CHANGES.md","/tmp/report.json"],"key":"ship"}`,
			asked: []any{turnpost.EffectDraft{
				Kind: turnpost.EffectBreakpoint, Question: "Ship it?", Key: "ship",
				Files: []turnpost.RunFile{{Path: "CHANGES.md"}, {Path: "/tmp/report.json"}},
			}},
			text: "e-5 of r-12: your user is asked, by q-41." + itself,
		},
	}
}

func runMistakes() []mistake {
	return []mistake{
		{"run", `{"goal":"x"}`, "error: do: missing\nhint: give one of show, start, plan, iterate, dispatch, score, complete, fail, halt, resume, task, post, breakpoint"},
		{"run", `{"do":"go"}`, "error: do: not one of its words\nhint: give one of show, start, plan, iterate, dispatch, score, complete, fail, halt, resume, task, post, breakpoint"},
		{"run", `{"do":"start"}`, "error: goal: missing\nhint: start takes goal, target, max_iterations, seconds, key"},
		{"run", `{"do":"start","goal":"x","run":"r-1"}`, "error: run: not for start\nhint: start takes goal, target, max_iterations, seconds, key"},
		{"run", `{"do":"start","goal":"x","target":"90"}`, "error: target: wrong type: string\nhint: give number: start: score to reach"},
		{"run", `{"do":"start","goal":"x","max_iterations":1.5}`, "error: max_iterations: wrong type: number 1.5\nhint: give integer"},
		{"run", `{"do":"plan"}`, "error: text: missing\nhint: plan takes text, run"},
		{"run", `{"do":"iterate","score":5}`, "error: score: not for iterate\nhint: iterate takes run, text"},
		{"run", `{"do":"dispatch","text":"x"}`, "error: text: not for dispatch\nhint: dispatch takes run"},
		{"run", `{"do":"score","text":"good"}`, "error: score: missing\nhint: score takes score, run, text"},
		{"run", `{"do":"score","score":1e400}`, "error: score: wrong type: number 1e400\nhint: give number"},
		{"run", `{"do":"complete"}`, "error: proof: missing\nhint: complete takes proof, run, text"},
		{"run", `{"do":"fail"}`, "error: text: missing\nhint: fail takes text, run"},
		{"run", `{"do":"halt","proof":"x"}`, "error: proof: not for halt\nhint: halt takes run, text"},
		{"run", `{"do":"resume","target":1}`, "error: target: not for resume\nhint: resume takes run"},
		{"run", `{"do":"task","kind":"breakpoint","text":"x"}`, "error: kind: not one of its words\nhint: give one of task, agent, command, sleep: default task, by you"},
		{"run", `{"do":"task","kind":"command"}`, "error: command: missing\nhint: give program and arguments, one string each"},
		{"run", `{"do":"task","kind":"command","command":"make test"}`, "error: command: wrong type: string\nhint: give a list of strings: program and arguments, no shell"},
		{"run", `{"do":"task","command":["make"]}`, "error: command: not for kind task\nhint: add kind: command"},
		{"run", `{"do":"task","kind":"sleep","dir":"/x"}`, "error: dir: not for kind sleep\nhint: add kind: command"},
		{"run", `{"do":"task","goal":"x"}`, "error: goal: not for task\nhint: task takes run, kind, key, label, text, command, dir, to, seconds"},
		{"run", `{"do":"post","status":"ok"}`, "error: effect: missing\nhint: post takes effect, status, run, text"},
		{"run", `{"do":"post","effect":"e-1","text":"x"}`, "error: status: missing\nhint: post takes effect, status, run, text"},
		{"run", `{"do":"post","effect":"e-1","status":"pending"}`, "error: status: not one of its words\nhint: give one of ok, error"},
		{"run", `{"do":"breakpoint","files":["a.md"]}`, "error: text: missing\nhint: breakpoint takes text, run, key, label, files"},
		{"run", `{"do":"breakpoint","text":"x","kind":"task"}`, "error: kind: not for breakpoint\nhint: breakpoint takes text, run, key, label, files"},
	}
}

// TestRunErrors: the hub's fields are named as the tool's arguments are.
func TestRunErrors(t *testing.T) {
	hub := &fakeHub{}
	c := serveHTTP(t, New(fixed(hub), Options{}))
	for _, test := range []struct{ arguments, field, want string }{
		{`{"do":"start","goal":"x"}`, "limits.iterations", "max_iterations"},
		{`{"do":"start","goal":"x"}`, "limits.target", "target"},
		{`{"do":"start","goal":"x"}`, "limits.seconds", "seconds"},
		{`{"do":"start","goal":"x"}`, "goal", "goal"},
		{`{"do":"task","kind":"command","command":[""],"dir":"x"}`, "command.args", "command"},
		{`{"do":"task","kind":"command","command":["x"],"dir":"x"}`, "command.dir", "dir"},
		{`{"do":"task","kind":"command","command":["x"],"dir":"/x","seconds":-1}`, "command.seconds", "seconds"},
		{`{"do":"breakpoint","text":"x"}`, "question", "text"},
		{`{"do":"post","effect":"e-1","status":"ok"}`, "value", "text"},
	} {
		hub.err = turnpost.Invalidf(test.field, "is wrong").WithHint("mend it")
		if text, isError := call(t, c, "run", test.arguments); !isError || text != "error: "+test.want+": is wrong\nhint: mend it" {
			t.Errorf("%s: got %v %q", test.arguments, isError, text)
		}
	}
	hub.err = nil
	for arguments, want := range map[string]string{
		`{"do":"task","kind":"command","command":["make"]}`: "error: dir: missing\nhint: give an absolute path: no session of yours says where you are",
		`{"do":"show","effect":"e-7"}`:                      "error: r-1 has no e-7\nhint: show without effect lists them",
	} {
		hub.run.ID = "r-1"
		if text, isError := call(t, c, "run", arguments); !isError || text != want {
			t.Errorf("%s: got %v %q, want true %q", arguments, isError, text, want)
		}
	}
}

// TestLongRun: a run of any size is shown in a bounded answer, with what is open
// first.
func TestLongRun(t *testing.T) {
	long := strings.Repeat("für alle Fälle ", 10000)
	r := turnpost.Run{ID: "r-1", State: turnpost.RunWaiting, Goal: long, Plan: long, Reason: long, Missing: []string{long, long}}
	for i := range 1000 {
		e := turnpost.Effect{ID: fmt.Sprint("e-", i+1), Kind: turnpost.EffectTask, State: turnpost.EffectOK, Text: long, Value: long}
		if i%10 == 0 {
			e.State, e.Value = turnpost.EffectPending, ""
		}
		r.Effects = append(r.Effects, e)
		r.Scores = append(r.Scores, turnpost.Score{Note: long})
		r.Steps = append(r.Steps, turnpost.Step{StepDef: turnpost.StepDef{ID: fmt.Sprint("s", i), Text: long}, State: turnpost.StepReady})
	}
	text, isError := call(t, serveHTTP(t, New(fixed(&fakeHub{run: r}), Options{})), "run", `{"do":"show"}`)
	if isError || len(text) > 48<<10 {
		t.Errorf("got %v, %d bytes", isError, len(text))
	}
	open, over := strings.Index(text, "\ne-991 · task · pending"), strings.Index(text, "\ne-1000 · task · ok")
	if open < 0 || over < open {
		t.Errorf("the open effects are at %d, the others at %d", open, over)
	}
	for _, want := range []string{"\n0 of 1000 steps done\n", "\n960 more effects\n", "  cut at byte "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	effect, _ := call(t, serveHTTP(t, New(fixed(&fakeHub{run: r}), Options{})), "run", `{"do":"show","effect":"e-1000"}`)
	if len(effect) > maxAnswer+4000 || strings.Count(effect, "  cut at byte ") != 2 {
		t.Errorf("one effect is %d bytes", len(effect))
	}
}

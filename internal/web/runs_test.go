package web

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"turnpost"
)

// attackRuns gives a hub runs and notes in which every text is the same one.
func attackRuns(h *fakeHub, text string) {
	states := []turnpost.RunState{
		turnpost.RunWaiting, turnpost.RunRunning, turnpost.RunCompleted, turnpost.RunFailed, turnpost.RunHalted, turnpost.RunState(text),
	}
	for _, state := range states {
		h.runs = append(h.runs, filled(text, func(r *turnpost.Run) {
			r.State = state
			if !state.Ended() {
				r.EndedAt = time.Time{}
			}
			r.Effects, r.Steps = nil, nil
			for _, kind := range append(turnpost.EffectKinds(), turnpost.EffectKind(text)) {
				for _, state := range []turnpost.EffectState{turnpost.EffectPending, turnpost.EffectRunning, turnpost.EffectOK, turnpost.EffectState(text)} {
					r.Effects = append(r.Effects, filled(text, func(e *turnpost.Effect) { e.Kind, e.State = kind, state }))
				}
			}
			for i, state := range []turnpost.StepState{turnpost.StepDone, turnpost.StepFailed, turnpost.StepReady, turnpost.StepBlocked, turnpost.StepState(text)} {
				r.Steps = append(r.Steps, filled(text, func(s *turnpost.Step) {
					s.ID, s.State, s.Needs, s.Group = fmt.Sprint(text, i), state, []string{fmt.Sprint(text, i-1), text}, "group"
					if i == 3 {
						s.Kind, s.Again = turnpost.StepGate, fmt.Sprint(text, 0)
					}
				}))
			}
		}))
	}
	for _, kind := range []turnpost.RunEventKind{turnpost.RunStarted, turnpost.IterationEnd, turnpost.RunScored, turnpost.RunEventKind(text)} {
		h.journals[text] = append(h.journals[text],
			filled(text, func(e *turnpost.RunEvent) { e.Kind = kind }),
			filled(text, func(e *turnpost.RunEvent) { e.Kind, e.Start = kind, nil }),
			filled(text, func(e *turnpost.RunEvent) { e.Kind, e.Start, e.Effect = kind, nil, nil }))
	}
	h.noted[text] = filled(text, func(n *turnpost.Notes) { n.Stub = true })
}

// The page of a run says all that is known of it, without script.
func TestRunIsReadWithoutScript(t *testing.T) {
	page := samplePage(sample(time.Now()), nil)
	wants(t, get(t, page, "/").Body.String(),
		"1 for you · 1 waiting · 1 running", "waiting for you", "<b>It asks:</b> Ship 2.4 to everybody now", `href="/runs/r-12#asks"`, "iteration 3 of 5", "14 of 40 turns",
		"score 0.94 of 0.9", "184k tokens", "2h left", "2 ended within an hour", "41 of 41 tables", `action="/do/run"`, "r-12 waits for it",
		`<a href="/runs/r-14" title="the run that it works at">r-14</a>`, `notes <time`, `data-load="/notes?handle=%40api%2Fauth"`)
	html := get(t, page, "/runs/r-12").Body.String()
	wants(t, html,
		"It waits for you", "the old session store is still in use at two customers.", "<code>docs/upgrade.md</code>", `name="item" value="q-49"`,
		"5 iterations · 40 turns · 4h · a score of 0.9 to be complete · 5 turns without progress", "step ship is blocked", "follows release", "claude-code 2.1.332, idle",
		"5 of 8 done", "passes at a score of 0.9, else again from build", "make test &#34;ARGS=-short -run &#39;Sign&#39;&#34;", "command · attempt 1 · retries allowed: 2 · in checks · after build",
		"task · optional · after ask-anna", "10, 1 open", "waits for you · iteration 3", "step unit, attempt 2", "There is no docs/upgrade.md",
		"guide written and read by @docs", "Put the old form behind the switch, and test both.", "21k tokens", "session 03", `href="/runs/r-12/effects/e-3"`)
	if strings.Index(html, `id="asks"`) > strings.Index(html, `id="run"`) {
		t.Error("what the run asks is not above everything else")
	}
	wants(t, get(t, page, "/runs/r-12/effects/e-3").Body.String(),
		"signin_test.go:41: the session is lost", "/home/anna/src/web", "600 s", "laptop", "step:unit:1", `href="/runs/r-12"`)
	wants(t, get(t, page, "/runs/r-9").Body.String(), "it used its 5 iterations", `name="iterations" value="10"`, "score 55 of 80")
	wants(t, get(t, page, "/runs").Body.String(), "waiting for you", "41 of 41 tables", `href="/runs/r-9#run"`)
}

// An agent's own command is said to be one: it does not run by itself.
func TestUntrustedCommand(t *testing.T) {
	h := newFake()
	h.runs = []turnpost.Run{{ID: "r-1", State: turnpost.RunWaiting, Effects: []turnpost.Effect{
		{ID: "e-1", Kind: turnpost.EffectCommand, State: turnpost.EffectPending, Command: &turnpost.Command{Args: []string{"rm", "-rf", "a b", "it's", `$HOME'`, ""}, Dir: "/x"}},
	}}}
	page := samplePage(h, nil)
	wants(t, get(t, page, "/runs/r-1").Body.String(), "pending, its agent&#39;s own")
	wants(t, get(t, page, "/runs/r-1/effects/e-1").Body.String(), "Its agent asked for it by itself.", "turnpost run work r-1 --all",
		`rm -rf &#39;a b&#39; &#34;it&#39;s&#34; &#39;$HOME&#39;\&#39;&#39;&#39; &#39;&#39;`)
	h.runs[0].Effects[0].Trusted = true
	if html := get(t, page, "/runs/r-1/effects/e-1").Body.String(); strings.Contains(html, "Its agent asked") {
		t.Error("a trusted command is warned of")
	}
}

// Where there is nothing, the page says what there could be, or nothing at all.
func TestRunsEmpty(t *testing.T) {
	h := newFake()
	page := samplePage(h, nil)
	wants(t, get(t, page, "/").Body.String(), `<section id="runs" aria-labelledby="h-runs" hidden>`)
	wants(t, get(t, page, "/runs").Body.String(), "No run yet.", "turnpost run start --agent @api --goal")
	h.runs = []turnpost.Run{{ID: "r-1", Goal: "g", Handle: "@api", State: turnpost.RunRunning, Iteration: 1}}
	html := get(t, page, "/runs/r-1").Body.String()
	wants(t, html, "It asked for nothing yet", "nothing: its agent may say that it is complete", "no session works at it now", "iteration 1", "0 turns")
	for _, id := range []string{"asks", "steps", "plan", "scores"} {
		if !regexp.MustCompile(`<section id="` + id + `"[^>]* hidden>`).MatchString(html) {
			t.Errorf("%s is shown although there is none", id)
		}
	}
}

// Which way a run can be steered depends on where it stands.
func TestSteering(t *testing.T) {
	halt, resume := `aria-label="Halt r-1"`, `aria-label="Resume r-1"`
	for _, test := range []struct {
		name         string
		run          turnpost.Run
		halt, resume bool
	}{
		{"running", turnpost.Run{State: turnpost.RunRunning}, true, false},
		{"waiting", turnpost.Run{State: turnpost.RunWaiting, Reason: "e-1: make"}, true, false},
		{"paused", turnpost.Run{State: turnpost.RunRunning, Reason: "your user has the word"}, true, true},
		{"halted", turnpost.Run{State: turnpost.RunHalted}, false, true},
		{"failed", turnpost.Run{State: turnpost.RunFailed}, false, true},
		{"completed", turnpost.Run{State: turnpost.RunCompleted}, false, false},
	} {
		h := newFake()
		test.run.ID = "r-1"
		h.runs = []turnpost.Run{test.run}
		for _, path := range []string{"/", "/runs", "/runs/r-1"} {
			html := get(t, samplePage(h, nil), path).Body.String()
			if got := strings.Contains(html, halt); got != test.halt {
				t.Errorf("%s on %s: halt %v", test.name, path, got)
			}
			if got := strings.Contains(html, resume); got != test.resume {
				t.Errorf("%s on %s: resume %v", test.name, path, got)
			}
		}
	}
}

// A question blocks a run only when the run says so, not because its agent asked.
func TestOtherQuestionsBlockNothing(t *testing.T) {
	h := sample(time.Now())
	h.runs[2].Effects[9].Item = "q-4"
	html := get(t, samplePage(h, nil), "/").Body.String()
	if strings.Contains(html, "waits for it") || strings.Contains(html, "It asks:") {
		t.Error("a question of the run's agent is taken for a breakpoint")
	}
	// A run that works on beside its question shows it, too.
	h = sample(time.Now())
	h.runs[2].State, h.runs[2].Reason = turnpost.RunRunning, ""
	html = get(t, samplePage(h, nil), "/").Body.String()
	wants(t, html, "<b>It asks:</b> Ship 2.4", "1 for you · 2 running")
	if strings.Contains(html, "waiting for you") {
		t.Error("a run that works is said to wait")
	}
}

// large is a run with n effects that hold all that they may.
func large(n int) *fakeHub {
	h := newFake()
	run := turnpost.Run{ID: "r-1", Goal: "g", State: turnpost.RunRunning, Seq: 5000}
	value := strings.Repeat("0123456789abcde\n", turnpost.MaxRunText/16)
	for i := range n {
		run.Effects = append(run.Effects, turnpost.Effect{
			ID: fmt.Sprint("e-", i+1), Kind: turnpost.EffectCommand, State: turnpost.EffectOK, Label: "make test", Value: value, At: time.Now(), EndedAt: time.Now(),
		})
	}
	h.runs = []turnpost.Run{run}
	for i := range run.Seq {
		h.journals["r-1"] = append(h.journals["r-1"], turnpost.RunEvent{Seq: i + 1, Kind: turnpost.EffectPosted, Task: "e-1", Text: value})
	}
	return h
}

// However much a run asked for, its page stays small, and everything is reached.
func TestLargeRun(t *testing.T) {
	page := samplePage(large(1000), nil)
	seen, path, pages, start := map[string]bool{}, "/runs/r-1", 0, time.Now()
	for path != "" {
		html := get(t, page, path).Body.String()
		if len(html) > 250<<10 {
			t.Fatalf("%s has %d bytes", path, len(html))
		}
		rows := regexp.MustCompile(`<li id="e-(e-\d+)"`).FindAllStringSubmatch(html, -1)
		if len(rows) > effectRows {
			t.Fatalf("%s shows %d effects", path, len(rows))
		}
		for _, m := range rows {
			seen[m[1]] = true
		}
		if n := strings.Count(html, `<li id="j-`); n != journalRows {
			t.Fatalf("%s shows %d entries", path, n)
		}
		if pages++; pages == 1 {
			wants(t, html, "the last 100 of 5,000", `id="j-5000"`, `id="e-e-1000"`)
		}
		next := regexp.MustCompile(`href="(/runs/r-1\?before=[^"#]+)#effects">Older`).FindStringSubmatch(html)
		if path = ""; next != nil {
			path = next[1]
		}
	}
	if len(seen) != 1000 || pages != 10 {
		t.Errorf("%d of 1000 effects are reached on %d pages", len(seen), pages)
	}
	if took := time.Since(start); took > 2*time.Second { // some 6 ms a page; a row must not cost what all of its text would
		t.Errorf("ten pages took %v", took)
	}
}

// The page of a run with 1,000 effects, hub excluded.
func BenchmarkLargeRun(b *testing.B) {
	page := samplePage(large(1000), nil)
	b.ReportAllocs()
	for b.Loop() {
		w := httptest.NewRecorder()
		page.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/runs/r-1", nil))
		if w.Code != http.StatusOK {
			b.Fatal(w.Code)
		}
	}
}

func TestNotesPage(t *testing.T) {
	h := sample(time.Now())
	page := samplePage(h, nil)
	wants(t, get(t, page, "/notes?handle=@api/auth").Body.String(), "# Where I am\n\n- /login answers 303", "about /home/anna/src/api",
		"303, not 302, after a form", "a browser then asks with GET", "and 3 before them, in files", "context/_api_auth")
	html := get(t, page, "/notes?handle=@web").Body.String()
	wants(t, html, "stub, by Turnpost", "Last said: the form posts to /session now.")
	if strings.Contains(html, "Decisions") {
		t.Error("decisions are announced where there is none")
	}
	wants(t, get(t, page, "/notes?handle=@nobody").Body.String(), "No notes are kept now.")

	// That notes are off does not mean that the hub is gone.
	h.keepOff = turnpost.Errorf(turnpost.Unavailable, "keep is off").WithHint("remove off = true under [keep]")
	w := get(t, page, "/notes?handle=@web")
	if w.Code != http.StatusServiceUnavailable {
		t.Errorf("keep is off: %d", w.Code)
	}
	wants(t, w.Body.String(), "hub alive", "keep is off", "remove off = true")
}

// The drawing of a process: every step in its place behind what it needs, none
// over another, and every need shown that does not follow from others.
func TestGraph(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		steps := randomSteps(chance)
		for _, down := range []bool{false, true} {
			g := draw(steps, down)
			at := map[string]graphNode{}
			for i, n := range g.Nodes {
				if n.X < 0 || n.Y < 0 || n.X+n.W > g.Width || n.Y+n.H > g.Height {
					t.Fatalf("%s lies outside of %gx%g: %+v", n.Step.ID, g.Width, g.Height, n)
				}
				for _, m := range g.Nodes[:i] {
					if n.X < m.X+m.W && m.X < n.X+n.W && n.Y < m.Y+m.H && m.Y < n.Y+n.H {
						t.Fatalf("%s and %s lie over each other", n.Step.ID, m.Step.ID)
					}
				}
				at[n.Step.ID] = n
			}
			if len(at) != len(steps) {
				t.Fatalf("%d of %d steps are drawn", len(at), len(steps))
			}
			for _, s := range steps {
				for _, need := range s.Needs {
					u, ok := at[need]
					if v := at[s.ID]; ok && (down && u.Y+u.H >= v.Y || !down && u.X+u.W >= v.X) {
						t.Fatalf("%s does not lie behind %s", s.ID, need)
					}
				}
			}
			for _, e := range g.Edges {
				for _, word := range regexp.MustCompile(`[-\d.]+`).FindAllString(e.Path, -1) {
					if v, err := strconv.ParseFloat(word, 64); err != nil || v < 0 || v > max(g.Width, g.Height) {
						t.Fatalf("an edge leaves the drawing: %s", e.Path)
					}
				}
			}
		}
	}
	chain := func(needs ...string) turnpost.Step {
		return turnpost.Step{StepDef: turnpost.StepDef{ID: needs[0], Needs: needs[1:]}}
	}
	for name, test := range map[string]struct {
		steps []turnpost.Step
		edges int
	}{
		"what follows is left out": {[]turnpost.Step{chain("a"), chain("b", "a"), chain("c", "a", "b")}, 2},
		"a long way round":         {[]turnpost.Step{chain("a"), chain("b", "a"), chain("c", "b"), chain("d", "c"), chain("x"), chain("y", "x", "d")}, 5 + 3},
		"a circle":                 {[]turnpost.Step{chain("a", "b"), chain("b", "a"), chain("c", "nowhere", "c")}, 0},
		"the same id":              {[]turnpost.Step{chain("a"), chain("a"), chain("b", "a")}, 2},
	} {
		if got := len(draw(test.steps, true).Edges); got != test.edges {
			t.Errorf("%s: %d lines, want %d", name, got, test.edges)
		}
	}
	if graphs(make([]turnpost.Step, maxGraph+1)) != nil || graphs(make([]turnpost.Step, 1)) != nil {
		t.Error("a thicket, or a single step, is drawn")
	}
}

func randomSteps(chance *rand.Rand) []turnpost.Step {
	var steps []turnpost.Step
	for i := range 2 + chance.IntN(20) {
		s := turnpost.Step{StepDef: turnpost.StepDef{ID: fmt.Sprint("s", i), Kind: turnpost.StepTask}}
		for _, u := range chance.Perm(i)[:min(i, chance.IntN(4))] {
			s.Needs = append(s.Needs, fmt.Sprint("s", u))
		}
		if chance.IntN(4) == 0 {
			s.Group = "g" + strconv.Itoa(i/5)
		}
		if i > 0 && chance.IntN(5) == 0 {
			s.Kind, s.Again = turnpost.StepGate, fmt.Sprint("s", chance.IntN(i))
		}
		steps = append(steps, s)
	}
	chance.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
	return steps
}

func TestFigures(t *testing.T) {
	target := 0.9
	for value, want := range map[float64]bar{0: {0, 73}, 0.45: {37, 73}, 0.9: {73, 73}, 5: {88, 16}, -3: {0, 73}} {
		got, ok := scoreBar(turnpost.Run{Limits: turnpost.Limits{Target: &target}, Scores: []turnpost.Score{{Value: value}}})
		if !ok || got != want {
			t.Errorf("a score of %v is %+v, want %+v", value, got, want)
		}
	}
	if _, ok := scoreBar(turnpost.Run{Scores: []turnpost.Score{{Value: 1}}}); ok {
		t.Error("a bar without a target")
	}
	run := turnpost.Run{State: turnpost.RunRunning, Iteration: 2, Limits: turnpost.Limits{Iterations: 3}}
	if got := []string{pip(run, 0), pip(run, 1), pip(run, 2)}; !slices.Equal(got, []string{"fill", "now", "ground"}) {
		t.Errorf("pips %v", got)
	}
	flat := scoreCurve(turnpost.Run{Scores: []turnpost.Score{{Value: 1}, {Value: 1}}})
	if flat.Points != "6,32 314,32" {
		t.Errorf("a flat curve is %s", flat.Points)
	}
	for n, want := range map[int64]string{0: "0", 999: "999", 1204: "1,204", 12_345: "12k", 12_345_678: "12M"} {
		if got := big(n); got != want {
			t.Errorf("big(%d) = %s, want %s", n, got, want)
		}
	}
	for n, want := range map[int64]string{45: "45s", 600: "10m", 3600: "1h", 5400: "1h30m", 3661: "1h1m1s"} {
		if got := span(n); got != want {
			t.Errorf("span(%d) = %s, want %s", n, got, want)
		}
	}
}

//go:build unix

package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"turnpost"
	"turnpost/internal/realtest"
)

// worker is a harness whose agent works at a run, and how its person gets a
// session back after a crash.
type worker struct {
	harness string
	program realtest.Program
	resume  func(native string) []string
	// prompt: a session that was resumed is heard of at its first prompt only.
	prompt bool
}

func workers() []worker {
	return []worker{
		{"claude-code", realtest.Claude{}, func(id string) []string { return []string{"--resume", id} }, false},
		{"codex", realtest.Codex{}, func(id string) []string { return []string{"resume", id} }, true},
		{"opencode", realtest.Opencode{}, func(id string) []string { return []string{"--session", id} }, true},
	}
}

// TestRunCompletes keeps a real agent at a goal for five iterations: it plans,
// asks for two commands, scores its work until the score is good enough, asks the
// person once, and completes with the proof. Nobody types a prompt.
func TestRunCompletes(t *testing.T) {
	t.Parallel()
	for _, work := range workers() {
		t.Run(work.harness, func(t *testing.T) {
			t.Parallel()
			newShift(t, work, nil).complete()
		})
	}
}

// TestRunSurvivesKills is the same run, but its agent's program is killed once in
// every iteration, and its session resumed.
func TestRunSurvivesKills(t *testing.T) {
	t.Parallel()
	for _, work := range workers() {
		t.Run(work.harness, func(t *testing.T) {
			t.Parallel()
			newShift(t, work, map[int]int{0: 1, 1: 2, 2: 1, 3: 1, 4: 2}).complete()
		})
	}
}

// shift is one run with all who have a part in it.
type shift struct {
	worker
	t     *testing.T
	w     *world
	api   *realtest.API
	tui   *realtest.TUI
	model *diligent
	out   string // what the commands append to
}

// newShift has a session that is idle, and a worker for commands in the person's
// terminal.
func newShift(t *testing.T, work worker, kills map[int]int) *shift {
	s := &shift{worker: work, t: t, w: newWorldOf(t, 1, work.program)}
	for _, line := range s.w.setupAs("--harness", work.harness) {
		s.w.sh(line)
	}
	s.out = filepath.Join(s.w.home.Repo, "done")
	s.model = &diligent{t: t, stages: stages(s.out), kills: kills, kill: make(chan int)}
	s.api = realtest.NewAPI(t, realtest.Say("ready"))
	s.start()
	turn(s.tui, "wait for work", "ready")
	for range 200 {
		s.api.Script(realtest.Think(s.model.answer))
	}
	return s
}

func (s *shift) start(args ...string) {
	client := realtest.Client{Program: s.program, Home: s.w.home, API: s.api, Args: args}
	s.tui = client.TUI(s.t)
}

// complete plays the run to its end and looks at what is left of it.
func (s *shift) complete() {
	s.t.Helper()
	t, w := s.t, s.w
	w.turnpost("run", "start", "--agent", handleOfRepo, "--goal", "Build and test it", "--target", "90", "--max-iterations", "5")
	stop := s.commands("r-1")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.awaitRun(t, "r-1", func(r turnpost.Run) bool { return r.State.Ended() })
	}()
	go s.person(ended)
	for running := true; running; {
		select {
		case iteration := <-s.model.kill:
			t.Logf("killed in iteration %d", iteration)
			native := w.native(handleOfRepo)
			s.tui.Kill()
			s.start(s.resume(native)...)
			if s.prompt {
				s.tui.Type("go on")
			}
		case <-ended:
			running = false
		}
	}
	settle(s.tui, "finished")
	stop()

	r, err := w.hub.Run(t.Context(), turnpost.RunQuery{ID: "r-1"})
	if err != nil {
		t.Fatal(err)
	}
	if r.State != turnpost.RunCompleted || r.Iteration != 5 || r.Plan != "build, then test" {
		t.Errorf("the run: %s (%s) in iteration %d, planned %q", r.State, r.Reason, r.Iteration, r.Plan)
	}
	done, err := os.ReadFile(s.out)
	if err != nil || string(done) != "built\ntested\n" {
		t.Errorf("the commands did %q, %v", done, err)
	}
	var effects, scores []string
	for _, e := range r.Effects {
		effects = append(effects, fmt.Sprintf("%s %s %s", e.ID, e.Kind, e.State))
	}
	for _, score := range r.Scores {
		scores = append(scores, fmt.Sprint(score.Value))
	}
	if diff := cmp.Diff([]string{"e-1 command ok", "e-2 command ok", "e-3 breakpoint ok"}, effects); diff != "" {
		t.Errorf("effects (-want +got):\n%s", diff)
	}
	if got := strings.Join(scores, " "); !strings.HasPrefix(got, "60") || !strings.HasSuffix(got, "95") {
		t.Errorf("scores %s", got)
	}
	s.journal()
}

// journal holds that nothing is in the journal twice that happens once.
func (s *shift) journal() {
	s.t.Helper()
	j, err := s.w.hub.Journal(s.t.Context(), turnpost.JournalQuery{ID: "r-1", Limit: 1000})
	if err != nil || !j.Ended {
		s.t.Fatalf("the journal: %v, ended: %t", err, j.Ended)
	}
	count, proof := map[string]int{}, false
	for i, e := range j.Events {
		proof = proof || e.Proof != ""
		if e.Seq != int64(i+1) {
			s.t.Errorf("entry %d is at place %d", e.Seq, i+1)
		}
		switch e.Kind {
		case turnpost.EffectAsked:
			count["asked"]++
		case turnpost.EffectTaken, turnpost.EffectPosted:
			count[string(e.Kind)+" "+e.Task]++
		case turnpost.IterationStart:
			count[fmt.Sprint("iteration ", e.Iteration)]++
		case turnpost.RunEnded:
			count["ended"]++
		}
	}
	want := map[string]int{
		"asked": 3, "ended": 1,
		"task.take e-1": 1, "task.take e-2": 1,
		"task.complete e-1": 1, "task.complete e-2": 1, "task.complete e-3": 1,
		"iteration 1": 1, "iteration 2": 1, "iteration 3": 1, "iteration 4": 1, "iteration 5": 1,
	}
	if diff := cmp.Diff(want, count); diff != "" || proof {
		s.t.Errorf("the journal, which shows the proof: %t (-want +got):\n%s", proof, diff)
	}
}

// person answers the breakpoint as soon as it is asked.
func (s *shift) person(ended <-chan struct{}) {
	for {
		open, err := s.w.hub.Open(s.t.Context(), turnpost.OpenQuery{Kind: turnpost.Question})
		if err == nil && len(open.Items) > 0 {
			item := open.Items[0]
			if item.Author != handleOfRepo || !strings.Contains(item.Summary, "Ship it?") {
				s.t.Errorf("the breakpoint: %+v", item)
			}
			s.w.post(turnpost.Draft{Kind: turnpost.Answer, ReplyTo: item.ID, Summary: "yes"})
			return
		}
		select {
		case <-ended:
			return
		default:
		}
		if board, err := s.w.hub.Board(s.t.Context(), turnpost.BoardQuery{}); err == nil {
			_, _ = s.w.hub.Changes(s.t.Context(), turnpost.ChangesQuery{After: board.Rev, Seconds: 1}) // looks again in any case
		}
	}
}

// commands executes what the run asks for, as the person would in a terminal.
func (s *shift) commands(run string) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, s.w.program("turnpost"), "run", "work", run, "--all", "--follow")
	done := make(chan string, 1)
	go func() {
		out, err := s.w.output(cmd)
		done <- fmt.Sprintf("%s%v", out, err)
	}()
	s.t.Cleanup(cancel)
	return func() {
		s.t.Helper()
		if text := <-done; !strings.HasSuffix(text, "<nil>") {
			s.t.Errorf("run work: %s", text)
		}
	}
}

// awaitRun waits until a run is right. It may run in any goroutine.
func (w *world) awaitRun(t testing.TB, id string, right func(turnpost.Run) bool) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*realtest.Patience)
	defer cancel()
	for after := int64(0); ; {
		r, err := w.hub.Run(ctx, turnpost.RunQuery{ID: id})
		if err == nil && right(r) {
			return
		}
		after = r.Seq
		if _, err := w.hub.Journal(ctx, turnpost.JournalQuery{ID: id, After: after, Seconds: 2}); ctx.Err() != nil {
			t.Errorf("wait for %s: %v, %v", id, err, r)
			return
		}
	}
}

// native is the harness's own id of the handle's session that lives.
func (w *world) native(handle string) string {
	for _, s := range w.now().Sessions {
		if s.Handle == handle && s.Live() {
			return s.Native
		}
	}
	w.t.Fatalf("%s has no session", handle)
	return ""
}

// stage is what a diligent model does in one iteration: calls of the run tool,
// then its last word. A call that it made already, before it was killed or in an
// earlier iteration, has the same key.
type stage struct {
	calls []object
	last  string
}

func stages(out string) []stage {
	command := func(key, word string) object {
		return object{"do": "task", "kind": "command", "key": key, "label": word, "command": []string{"sh", "-c", "echo " + word + " >>'" + out + "'"}}
	}
	iterate := func(text string) object { return object{"do": "iterate", "text": text} }
	score := func(value int) object { return object{"do": "score", "score": value} }
	return []stage{
		{[]object{{"do": "plan", "text": "build, then test"}, command("build", "built"), iterate("asked for the build")}, "one done"},
		{[]object{command("build", "built"), score(60), iterate("not good enough")}, "two done"},
		{[]object{command("test", "tested"), iterate("asked for the tests")}, "three done"},
		{[]object{{"do": "breakpoint", "text": "Ship it?", "key": "ship"}, iterate("asked the user")}, "four done"},
		{[]object{command("test", "tested"), score(95), {"do": "complete", "text": "shipped"}}, "finished"},
	}
}

// diligent is a model that works at a run, one stage an iteration. In the stages
// of kills it stops to answer at that request, once, for good: its program dies
// there.
type diligent struct {
	t      testing.TB
	stages []stage
	kills  map[int]int // stage → request
	kill   chan int    // iterations in which it stopped

	mu     sync.Mutex
	at     int // stage
	called int // calls of it so far
	proof  string
	never  realtest.Gate
}

var (
	runText  = regexp.MustCompile(`Turnpost: run r-\d+, iteration (\d+)`)
	runProof = regexp.MustCompile(`proof ([0-9a-f]{32})`)
)

func (d *diligent) answer(r realtest.Request) realtest.Step {
	d.mu.Lock()
	defer d.mu.Unlock()
	fresh := r.Fresh()
	if told := runProof.FindStringSubmatch(fresh); told != nil {
		d.proof = told[1]
	}
	if d.at >= len(d.stages) {
		return realtest.Say("nothing is left to do")
	}
	now := d.stages[d.at]
	if told := runText.FindStringSubmatch(fresh); told != nil {
		if n, _ := strconv.Atoi(told[1]); n != d.at+1 {
			return realtest.Say(fmt.Sprintf("told of iteration %d in iteration %d", n, d.at+1))
		}
		d.called = 0
	}
	if request, ok := d.kills[d.at]; ok && request == d.called {
		delete(d.kills, d.at)
		killed := d.at + 1
		d.called = 0
		go func() { d.kill <- killed }()
		return realtest.Say("too late").Behind(&d.never)
	}
	if d.called == len(now.calls) {
		d.at++
		d.called = 0
		return realtest.Say(now.last)
	}
	call := now.calls[d.called]
	d.called++
	if call["do"] == "complete" {
		call = object{"do": "complete", "text": call["text"], "proof": d.proof}
	}
	return realtest.Call(ourTool(d.t, r, "run"), call)
}

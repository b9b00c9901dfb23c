// Package hook is one hook call: it reads what the harness says, asks the hub,
// prints what the harness understands, confirms that it did, and ends.
//
// It fails open. Whatever goes wrong, it prints nothing and ends with 0: no
// agent may be stopped, slowed or told anything because Turnpost is broken or
// not there. It is the one package that drops errors; `turnpost status` and
// `turnpost doctor` are where a dead hub is reported. Its exit status is 0 or
// harness.WakeStatus and never 2, which means "block" to a harness and is what
// a Go program that crashes ends with.
//
// Delivery is at least once: what was printed is confirmed on the same
// connection, and a connection that ends without that frees the held items.
package hook

import (
	"os"
	"runtime/debug"
	"sync/atomic"
	"time"

	"turnpost"
	"turnpost/internal/harness"
	"turnpost/internal/keep/recall"
	"turnpost/internal/process"
	"turnpost/internal/statedir"
)

// budget covers the harness's input and the hub, from the first line of Main.
// The hub's share ends a little earlier, so that what needs no hub is still
// answered in time.
const (
	budget = 300 * time.Millisecond
	margin = 15 * time.Millisecond
)

// notesTime is how long the notes of a session may take where no hub answers.
const notesTime = 100 * time.Millisecond

// maxDelay is how long an answer is held back at most when the hub asks for
// that: half of the time that a hook has where setup registered it.
const maxDelay = 5 * time.Second

// Step adds to the answer of one hook call after the hub was asked. A step
// keeps its own time: the budget of the hub does not cover it.
type Step interface {
	// Decide gets the handle that the hub gave, "" when it did not answer.
	Decide(event turnpost.Event, handle string) turnpost.Decision
}

// Main runs one hook call of the harness that args name, over the standard
// streams, and returns the exit status. Steps are asked in order. The caller
// exits at once.
func Main(args []string, steps ...Step) (status int) {
	c := &call{start: time.Now()}
	timer := time.AfterFunc(budget, c.late)
	debug.SetTraceback("crash") // a crash ends by a signal, not with 2
	forbidCore()
	defer func() {
		if recover() != nil {
			status = c.status
		}
	}()
	c.run(args, timer, steps)
	return c.status
}

// call is the state of one hook call.
type call struct {
	start   time.Time
	status  int
	asked   atomic.Bool              // the hub's time is over, one way or the other
	offline atomic.Pointer[prepared] // set once the event is known
}

// prepared is an event with what can be answered to it without a hub.
type prepared struct {
	dir      statedir.Dir
	harness  harness.Harness
	event    turnpost.Event
	decision turnpost.Decision
}

func (c *call) run(args []string, timer *time.Timer, steps []Step) {
	if len(args) == 0 {
		return
	}
	h, ok := harness.Find(args[0])
	if !ok {
		return
	}
	dir, err := statedir.Find(os.Getenv)
	if err != nil {
		return
	}
	env := harness.Env{
		Getenv:       os.Getenv,
		BellPath:     dir.Bell,
		ProcessStart: process.Start,
		Parents:      parents,
	}
	event, err := h.Decode(os.Stdin, env)
	if err != nil {
		return
	}
	p := &prepared{dir: dir, harness: h, event: event}
	p.watch(dir)
	p.keep(dir, env)
	c.offline.Store(p)
	event = p.event
	event.Place = findPlace(event.Cwd)
	p = &prepared{dir: dir, harness: h, event: event, decision: p.decision}
	c.offline.Store(p)

	link := &hub{dir: dir, deadline: c.start.Add(budget - margin)}
	answer := link.ask(event, c.start)
	if !c.asked.CompareAndSwap(false, true) {
		select {} // late has the word, and ends the process
	}
	timer.Stop()

	decision := turnpost.Merge(p.decision, answer.Decision)
	if link.silent {
		decision = p.alone(c.start)
	}
	for _, step := range steps {
		decision = turnpost.Merge(decision, step.Decide(event, answer.Handle))
	}
	out := h.Encode(event, decision)
	time.Sleep(delay(event, answer))
	if !c.print(out) {
		return
	}
	if answer.Offer != "" && carries(event, answer.Decision) {
		link.shown(answer.Offer)
	}
}

// parents are the processes around this call, nearest first.
func parents(yield func(harness.Parent) bool) {
	for pid := os.Getppid(); pid > 1; pid = process.Parent(pid) {
		parent := harness.Parent{
			Pid: pid, Args: process.Args(pid), Program: process.Program(pid), Terminal: process.Terminal(pid),
		}
		if !yield(parent) {
			return
		}
	}
}

// late ends a call whose budget is used up, with what can be said without the
// hub.
func (c *call) late() {
	if !c.asked.CompareAndSwap(false, true) {
		return
	}
	defer os.Exit(0)
	if p := c.offline.Load(); p != nil {
		c.print(p.harness.Encode(p.event, p.alone(c.start)))
	}
}

// alone is the answer where a hub should be and none answers: a session that
// starts gets its own notes back. A disk that hangs holds nobody up.
func (p *prepared) alone(now time.Time) turnpost.Decision {
	decision := p.decision
	if p.event.Kind != turnpost.SessionStart {
		return decision
	}
	found := make(chan string, 1)
	go func() {
		defer func() { _ = recover() }() // nothing is found then
		file, err := p.dir.ReadHub()
		if err != nil || file.Keep == 0 {
			found <- ""
			return
		}
		found <- recall.Alone(p.dir, p.event, time.Duration(file.Keep)*time.Second, now)
	}()
	select {
	case decision.Context = <-found:
	case <-time.After(notesTime):
	}
	return decision
}

// print writes an answer and tells whether all of it was taken. Silence is not
// even an empty write.
func (c *call) print(out harness.Output) bool {
	if len(out.Stdout) > 0 {
		if _, err := os.Stdout.Write(out.Stdout); err != nil {
			return false
		}
	}
	if len(out.Stderr) > 0 {
		if _, err := os.Stderr.Write(out.Stderr); err != nil {
			return false
		}
	}
	if out.Wake {
		c.status = harness.WakeStatus
	}
	return true
}

// watch makes the directory of the bells and answers the bell. A directory that
// is missing when the harness starts to watch leaves the session deaf, so this
// is done whether there is a hub or not.
func (p *prepared) watch(dir statedir.Dir) {
	if !p.event.Accepts.Watch {
		return
	}
	if os.MkdirAll(dir.Bells(), 0o700) != nil {
		p.event.Accepts.Watch, p.event.Wake.Armed = false, false
		return
	}
	bell := dir.Bell(p.event.Wake.Key)
	p.decision.Watch = []string{bell}
	// The file is the mark that its session was told of it: a hub that was not
	// up at this moment finds it later.
	if file, err := os.OpenFile(bell, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); err == nil {
		_ = file.Close() // nothing was written
	}
}

// keep puts down where a session that starts is rung, in the file of its bell. A
// hub that is up now or later goes by that.
func (p *prepared) keep(dir statedir.Dir, env harness.Env) {
	keeper, ok := p.harness.(harness.Keeper)
	if !ok || p.event.Kind != turnpost.SessionStart || p.event.Wake.Method == "" {
		return
	}
	text := keeper.Kept(p.event, env)
	if text == "" || os.MkdirAll(dir.Bells(), 0o700) != nil ||
		os.WriteFile(dir.Bell(p.event.Wake.Key), []byte(text), 0o600) != nil {
		p.event.Wake.Armed = false
	}
}

// delay is how long an answer is held back before it is printed.
func delay(e turnpost.Event, a turnpost.HookAnswer) time.Duration {
	if !carries(e, a.Decision) {
		return 0
	}
	return min(time.Duration(max(a.Delay, 0))*time.Millisecond, maxDelay)
}

// carries tells whether the text of a decision is in the answer to the event.
func carries(e turnpost.Event, d turnpost.Decision) bool {
	return e.Accepts.Context && d.Context != "" || e.Accepts.Continue && d.Continue != ""
}

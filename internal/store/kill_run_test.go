//go:build unix

package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"turnpost"
	"turnpost/internal/api/client"
	"turnpost/internal/run"
	"turnpost/internal/statedir"
)

const (
	killedRuns = 100
	killedFor  = 20 * time.Second
	soakedFor  = 2 * time.Minute // with TURNPOST_SOAK=1
)

// mortal is the real hub as a process of its own, which is killed and started
// again.
type mortal struct {
	t       *testing.T
	program string
	dir     statedir.Dir

	mu  sync.Mutex
	up  chan struct{} // closed while it is up
	cmd *exec.Cmd
}

func newMortal(t *testing.T) *mortal {
	t.Helper()
	home, err := os.MkdirTemp("", "tp") // short: a socket's path is
	if err != nil {
		t.Fatal(err)
	}
	m := &mortal{t: t, program: filepath.Join(home, "turnpost"), dir: statedir.Dir(filepath.Join(home, "state")), up: make(chan struct{})}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", m.program, "./cmd/turnpost")
	build.Dir = filepath.Join("..", "..")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the hub: %v\n%s", err, out)
	}
	t.Cleanup(func() {
		m.kill()
		if err := os.RemoveAll(home); err != nil {
			t.Error(err)
		}
	})
	m.start()
	return m
}

// start starts the hub and waits until it answers.
func (m *mortal) start() {
	m.t.Helper()
	home := filepath.Dir(m.program)
	cmd := exec.Command(m.program, "up", "--listen", "off")
	cmd.Env = []string{"HOME=" + home, "TURNPOST_HOME=" + string(m.dir), "PATH=" + os.Getenv("PATH"), "USER=anna"}
	cmd.Dir = home
	ready, err := cmd.StdoutPipe()
	if err != nil {
		m.t.Fatal(err)
	}
	var complaints strings.Builder
	cmd.Stderr = &complaints
	if err := cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	// It says where it is once it answers.
	if n, err := ready.Read(make([]byte, 1)); n == 0 {
		_ = cmd.Wait()
		m.t.Fatalf("the hub does not start: %v\n%s", err, complaints.String())
	}
	m.mu.Lock()
	m.cmd = cmd
	close(m.up)
	m.mu.Unlock()
}

// kill ends it in the middle of whatever it does.
func (m *mortal) kill() {
	m.mu.Lock()
	cmd := m.cmd
	if cmd != nil {
		m.up = make(chan struct{})
	}
	m.cmd = nil
	m.mu.Unlock()
	if cmd != nil {
		_ = cmd.Process.Kill() // it may have ended, which fails elsewhere
		_ = cmd.Wait()
	}
}

// await waits until it is up, whoever asks for something in vain.
func (m *mortal) await() {
	m.mu.Lock()
	up := m.up
	m.mu.Unlock()
	<-up
}

// insist asks until somebody answers: a hub that was killed may have done it.
func insist[T any](m *mortal, call func(context.Context) (T, error)) (T, error) {
	for {
		m.await()
		out, err := call(context.Background())
		if turnpost.CodeOf(err) != turnpost.Unavailable {
			return out, err
		}
	}
}

// driver is one agent with its run, and all that was acknowledged of it.
type driver struct {
	m     *mortal
	n     int
	human *client.Client
	hook  *client.Client
	run   string
	asked map[string]string // key → id of the effect
	done  map[string]string // id of the effect → value of its result
	ran   map[string]int    // id of the effect → how often its command was executed
}

func (d *driver) handle() string { return fmt.Sprintf("@agent-%d", d.n) }

func (d *driver) event(kind turnpost.Kind, digest int) turnpost.Event {
	root := fmt.Sprintf("/src/agent-%d", d.n)
	return turnpost.Event{
		Kind: kind, Harness: "standin", Native: fmt.Sprintf("n%d", d.n), Cwd: root, Attended: true, Agent: d.handle(),
		Place: turnpost.Place{Root: root, Main: root}, Digest: fmt.Sprint(kind, digest), Source: turnpost.SourceStartup,
		Accepts: turnpost.Accepts{Context: kind == turnpost.SessionStart, Continue: kind == turnpost.TurnEnd},
	}
}

// send is one hook call; what a dead hub missed of turns does not matter here.
func (d *driver) send(kind turnpost.Kind, digest int) {
	d.m.await()
	answer, err := d.hook.Handle(context.Background(), d.event(kind, digest))
	if err == nil && answer.Offer != "" {
		_, _ = d.hook.Shown(context.Background(), turnpost.Receipt{Offer: answer.Offer})
	}
}

// begin starts the session and the run.
func (d *driver) begin() error {
	if _, err := insist(d.m, func(ctx context.Context) (turnpost.HookAnswer, error) {
		return d.hook.Handle(ctx, d.event(turnpost.SessionStart, 0))
	}); err != nil {
		return err
	}
	started, err := insist(d.m, func(ctx context.Context) (turnpost.Run, error) {
		return d.human.StartRun(ctx, turnpost.RunStart{
			Goal: "survive", Handle: d.handle(), Key: d.handle(), Limits: turnpost.Limits{Stall: 1 << 20},
		})
	})
	d.run = started.ID
	return err
}

// ask asks for an effect, again and again until that is acknowledged.
func (d *driver) ask(in turnpost.EffectDraft) (turnpost.Effect, error) {
	in.Run = d.run
	done, err := insist(d.m, func(ctx context.Context) (turnpost.EffectDone, error) { return d.human.AskEffect(ctx, in) })
	if err != nil {
		return turnpost.Effect{}, fmt.Errorf("ask for %s: %w", in.Key, err)
	}
	d.asked[in.Key] = done.Effect.ID
	return done.Effect, nil
}

// round is a few commands, executed by a worker, sometimes a question, and the
// end of a turn.
func (d *driver) round(n int) error {
	for i := range 2 {
		key := fmt.Sprintf("%d/%d", n, i)
		if _, err := d.ask(turnpost.EffectDraft{
			Kind: turnpost.EffectCommand, Key: key, Command: &turnpost.Command{Args: []string{"do", key}, Dir: "/src"},
		}); err != nil {
			return err
		}
	}
	taken, err := insist(d.m, func(ctx context.Context) (turnpost.Taken, error) {
		return d.human.TakeEffects(ctx, turnpost.EffectTake{Run: d.run, Worker: "w", Limit: 4, All: true})
	})
	if err != nil {
		return fmt.Errorf("take: %w", err)
	}
	for _, e := range taken.Effects {
		d.ran[e.ID]++
		value := "did " + e.Command.Args[1]
		if _, err := insist(d.m, func(ctx context.Context) (turnpost.EffectDone, error) {
			return d.human.PostEffect(ctx, turnpost.EffectPost{Run: d.run, Effect: e.ID, Status: turnpost.EffectOK, Value: value, Worker: "w"})
		}); err != nil {
			return fmt.Errorf("post %s: %w", e.ID, err)
		}
		d.done[e.ID] = value
	}
	if n%5 == 4 {
		key := fmt.Sprintf("%d/q", n)
		e, err := d.ask(turnpost.EffectDraft{Kind: turnpost.EffectBreakpoint, Key: key, Question: "Go on?"})
		if err != nil {
			return err
		}
		if e.Item == "" {
			return fmt.Errorf("%s has no question", e.ID)
		}
		if _, err := insist(d.m, func(ctx context.Context) (turnpost.Posted, error) {
			return d.human.Post(ctx, turnpost.Draft{Kind: turnpost.Answer, ReplyTo: e.Item, Summary: "yes", Key: d.run + "/" + key})
		}); err != nil {
			return fmt.Errorf("answer %s: %w", e.Item, err)
		}
		d.done[e.ID] = "yes"
	}
	d.send(turnpost.Prompt, n)
	d.send(turnpost.TurnEnd, n)
	return nil
}

// journal reads the whole journal as clients do.
func (d *driver) journal() ([]turnpost.RunEvent, error) {
	var all []turnpost.RunEvent
	for {
		page, err := d.human.Journal(context.Background(), turnpost.JournalQuery{ID: d.run, After: int64(len(all)), Limit: 1000})
		if err != nil || len(page.Events) == 0 {
			return all, err
		}
		all = append(all, page.Events...)
	}
}

// settled waits until what was acknowledged has its result: an answer may have
// outlived the hub that should have brought it.
func (d *driver) settled() (turnpost.Run, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		got, err := d.human.Run(ctx, turnpost.RunQuery{ID: d.run})
		if err != nil {
			return got, err
		}
		open := 0
		for _, e := range got.Effects {
			if d.done[e.ID] != "" && !e.State.Settled() {
				open++
			}
		}
		if open == 0 {
			return got, nil
		}
		if _, err := d.human.Journal(ctx, turnpost.JournalQuery{ID: d.run, After: got.Seq, Seconds: 5}); err != nil {
			return got, fmt.Errorf("%d results are missing: %w", open, err)
		}
	}
}

// check holds that nothing acknowledged is lost and nothing was done twice.
func (d *driver) check(t *testing.T) {
	got, err := d.settled()
	if err != nil {
		t.Errorf("%s: %v", d.run, err)
		return
	}
	events, err := d.journal()
	if err != nil {
		t.Errorf("%s: read the journal: %v", d.run, err)
		return
	}
	state, err := run.Replay(events) // it refuses two results, or takers, of one effect
	if err != nil {
		t.Errorf("%s: replay: %v", d.run, err)
		return
	}
	if diff := cmp.Diff(state.View(), got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s: the replayed journal is another run (-replayed +shown):\n%s", d.run, diff)
	}
	keys := map[string]string{}
	for _, e := range got.Effects {
		if was := keys[e.Key]; was != "" {
			t.Errorf("%s: %s was asked for as %s and %s", d.run, e.Key, was, e.ID)
		}
		keys[e.Key] = e.ID
		if want := d.done[e.ID]; want != "" && (e.Value != want || e.State != turnpost.EffectOK) {
			t.Errorf("%s: %s is %s with %q, acknowledged was %q", d.run, e.ID, e.State, e.Value, want)
		}
	}
	for key, id := range d.asked {
		if keys[key] != id {
			t.Errorf("%s: %s was acknowledged as %s, and is %q", d.run, key, id, keys[key])
		}
	}
	for id, n := range d.ran {
		if n != 1 {
			t.Errorf("%s: %s was executed %d times", d.run, id, n)
		}
	}
}

// TestRunsUnderKills drives a hundred runs at a time while the hub is killed
// every other second.
func TestRunsUnderKills(t *testing.T) {
	m := newMortal(t)
	address := client.Address{Socket: m.dir.Socket()}
	human := client.New(address)
	defer human.Close()

	long := killedFor
	if os.Getenv("TURNPOST_SOAK") == "1" {
		long = soakedFor
	}
	var over atomic.Bool
	drivers := make([]*driver, killedRuns)
	var driving sync.WaitGroup
	for n := range drivers {
		d := &driver{
			m: m, n: n, human: human, hook: client.New(address),
			asked: map[string]string{}, done: map[string]string{}, ran: map[string]int{},
		}
		defer d.hook.Close()
		drivers[n] = d
		driving.Go(func() {
			err := d.begin()
			for round := 0; err == nil && !over.Load(); round++ {
				err = d.round(round)
			}
			if err != nil {
				t.Errorf("%s: %v", d.handle(), err)
			}
		})
	}

	random := rand.New(rand.NewPCG(5, 6))
	kills := 0
	for end := time.Now().Add(long); time.Now().Before(end) && !t.Failed(); kills++ {
		time.Sleep(time.Second + time.Duration(random.IntN(1000))*time.Millisecond)
		m.kill()
		m.start()
	}
	over.Store(true)
	driving.Wait()

	effects, results := 0, 0
	for _, d := range drivers {
		d.check(t)
		effects += len(d.asked)
		results += len(d.done)
	}
	t.Logf("%d runs, %d effects, %d results, %d kills in %s", len(drivers), effects, results, kills, long)
	if effects < killedRuns || kills < 5 {
		t.Errorf("%d effects and %d kills are too few", effects, kills)
	}
}

//go:build unix

package setup

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

const childVariable = "TURNPOST_SETUP_TEST_CHILD"

// TestMain is also the program that the tests kill: with the variable set the
// test binary applies and removes, for ever or up to a named step.
func TestMain(m *testing.M) {
	if os.Getenv(childVariable) == "" {
		flag.Parse()
		_ = flag.Set("test.parallel", "8") // they wait for the disk, mostly
		os.Exit(m.Run())
	}
	if err := runChild(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// childOrder is what a child is told in its environment.
type childOrder struct {
	Home, State string
	Action      string // "loop", "install", "remove"
	DieAt       string // step at which it kills itself
	NoSpace     bool   // it can write no file longer than its limit
	Others      bool   // files of every dialect, in the same plan
}

func runChild() error {
	var order childOrder
	if err := json.Unmarshal([]byte(os.Getenv(childVariable)), &order); err != nil {
		return err
	}
	f := &fixture{home: order.Home, state: order.State, settings: filepath.Join(order.Home, ".claude", "settings.json")}
	f.setup = New(order.State, time.Now)
	f.setup.step = func(name string) {
		if name == order.DieAt {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
	if order.NoSpace {
		signal.Ignore(syscall.SIGXFSZ) // a write over the limit is then an error
	}
	places := []Place{f.place()}
	if order.Others {
		places = append(places, f.others())
	}
	fmt.Println("go")
	for {
		if order.Action != "remove" {
			plan, err := f.setup.PlanInstall(places...)
			if err != nil {
				return err
			}
			if _, err := f.setup.Apply(context.Background(), plan, ""); err != nil {
				return err
			}
		}
		if order.Action != "install" {
			plan, err := f.setup.PlanRemove(places...)
			if err != nil {
				return err
			}
			if _, err := f.setup.Apply(context.Background(), plan, ""); err != nil {
				return err
			}
		}
		if order.Action != "loop" {
			return nil
		}
	}
}

func (f *fixture) child(order childOrder, wrap ...string) *exec.Cmd {
	f.t.Helper()
	self, err := os.Executable()
	if err != nil {
		f.t.Fatal(err)
	}
	order.Home, order.State = f.home, f.state
	data, err := json.Marshal(order)
	if err != nil {
		f.t.Fatal(err)
	}
	argv := append(wrap, self)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), childVariable+"="+string(data))
	return cmd
}

// killedHome prepares a home for the child: with a settings file or without.
func killedHome(t *testing.T, existed bool) (f *fixture, original string) {
	f = newFixture(t)
	if existed {
		original = plainSettings
		f.withSettings(original)
	}
	return f, original
}

// wantOldOrNew reads the settings as a client would at that moment.
func (f *fixture) wantOldOrNew(t *testing.T, original string, existed bool) {
	t.Helper()
	data, err := os.ReadFile(f.settings)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !existed:
	case err != nil:
		t.Error(err)
	case existed && string(data) == original:
	case !json.Valid(data) || strings.Count(string(data), "claude-code") != 3:
		t.Errorf("neither old nor new:\n%s", data)
	}
	for _, name := range f.backups() {
		if !strings.HasPrefix(strings.TrimPrefix(name, "."), "settings.json.") {
			continue
		}
		if data, err := os.ReadFile(filepath.Join(f.state, "backups", name)); err != nil || !(string(data) == original || json.Valid(data)) {
			if !strings.HasPrefix(name, ".") { // a backup in the making is no backup
				t.Errorf("backup %s cannot be read: %q, %v", name, data, err)
			}
		}
	}
}

func TestKilledAtRandomMoments(t *testing.T) {
	for seed := range uint64(30) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			killedAtRandom(t, rand.New(rand.NewPCG(seed, 3)))
		})
	}
}

func killedAtRandom(t *testing.T, random *rand.Rand) {
	existed := random.IntN(3) > 0
	f, original := killedHome(t, existed)
	f.killLoop(t, random, childOrder{Action: "loop"})
	f.wantOldOrNew(t, original, existed)
	f.mend(t, original, existed)
}

// killLoop kills the child at a random moment.
func (f *fixture) killLoop(t *testing.T, random *rand.Rand, order childOrder) {
	t.Helper()
	cmd := f.child(order)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "go\n" {
		t.Fatalf("child said %q, %v", line, err)
	}
	time.Sleep(time.Duration(random.IntN(60_000)) * time.Microsecond) // the random moment
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
}

// A plan over files of every dialect, killed between and in them: each file is
// the old or the new one, and all come back.
func TestKilledInAPlanOverDialects(t *testing.T) {
	for seed := range uint64(30) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			f, original := killedHome(t, true)
			f.withForeign()
			f.killLoop(t, rand.New(rand.NewPCG(seed, 7)), childOrder{Action: "loop", Others: true})
			f.wantOldOrNew(t, original, true)
			present := map[string][]Presence{}
			for _, entry := range f.others().Entries {
				data, _, err := readSettings(entry.File)
				if err != nil {
					t.Fatal(err)
				}
				value, err := encodeValue(entry.Value)
				if err != nil {
					t.Fatal(err)
				}
				found, err := editors()[entry.Dialect].Find(data, []Value{{Pointer: entry.Pointer, Key: entry.Key, JSON: value}})
				if err != nil || found[0] == Changed {
					t.Fatalf("%s: found %v, %v in\n%s", entry.File, found, err, data)
				}
				present[entry.File] = append(present[entry.File], found[0])
			}
			for file, found := range present {
				if len(slices.Compact(slices.Clone(found))) != 1 {
					t.Errorf("%s is half written: %v", file, found)
				}
			}
			places := []Place{f.place(), f.others()}
			f.apply(f.setup.PlanInstall(places...))
			f.apply(f.setup.PlanRemove(places...))
			f.wantClean()
			f.wantForeign()
			f.wantSettings(original)
		})
	}
}

func TestKilledAtEveryStep(t *testing.T) {
	tests := []struct {
		existed bool
		action  string
		steps   []string
	}{
		{true, "install", commitSteps},
		{true, "remove", commitSteps},
		{false, "install", []string{"checked", "backed up", "recorded", "staged", "linked", "changed"}},
		{false, "remove", []string{"checked", "backed up", "recorded", "staged", "verified", "moved", "changed"}},
	}
	for _, tt := range tests {
		for _, step := range tt.steps {
			t.Run(fmt.Sprint(tt.existed, " ", tt.action, " ", step), func(t *testing.T) {
				t.Parallel()
				f, original := killedHome(t, tt.existed)
				if tt.action == "remove" {
					f.apply(f.setup.PlanInstall(f.place()))
				}
				cmd := f.child(childOrder{Action: tt.action, DieAt: step})
				err := cmd.Run()
				var exit *exec.ExitError
				if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
					t.Fatalf("the child did not come to the step: %v", err)
				}
				f.wantOldOrNew(t, original, tt.existed)
				f.mend(t, original, tt.existed)
			})
		}
	}
}

// A disk without space lets a file become no longer than a few blocks: here the
// limit of a shell does it, in blocks of 512 bytes.
func TestNoSpaceLeavesTheOriginal(t *testing.T) {
	f := newFixture(t)
	original := strings.Replace(plainSettings, "opus", strings.Repeat("x", 4000), 1)
	f.withSettings(original)
	cmd := f.child(childOrder{Action: "install", NoSpace: true}, "sh", "-c", `ulimit -f 4; exec "$0"`)
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "file too large") {
		t.Errorf("the child applied: %v, %s", err, out)
	}
	f.wantSettings(original)
	f.wantClean()
	if got := f.backups(); len(got) != 0 {
		t.Errorf("backups left: %q", got)
	}
	f.mend(t, original, true)
}

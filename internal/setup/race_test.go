package setup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"turnpost"
	"turnpost/internal/harness"
)

// otherWriter is a program that rewrites its own settings, without any lock, as
// the clients do.
type otherWriter struct {
	path  string
	value string // what it wants to keep
}

// content returns the settings that it would write now.
func (w otherWriter) content() []byte {
	data, err := os.ReadFile(w.path)
	var settings map[string]any
	if err != nil || json.Unmarshal(data, &settings) != nil {
		settings = map[string]any{}
	}
	settings["other"] = w.value
	out, _ := json.MarshalIndent(settings, "", "  ")
	return out
}

// rename replaces the file as a whole.
func (w otherWriter) rename() error {
	temp := w.path + ".other"
	if err := os.WriteFile(temp, w.content(), 0o600); err != nil {
		return err
	}
	return os.Rename(temp, w.path)
}

// inPlace truncates the file and writes into it.
func (w otherWriter) inPlace() error { return os.WriteFile(w.path, w.content(), 0o600) }

// slowInPlace opens the file and writes it later, when release is closed.
func (w otherWriter) slowInPlace(release <-chan struct{}, done *sync.WaitGroup) error {
	content := w.content()
	file, err := os.OpenFile(w.path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	done.Go(func() {
		<-release
		_ = errors.Join(file.Truncate(0), func() error { _, err := file.Write(content); return err }(), file.Close())
	})
	return nil
}

// commitSteps are the moments of applying a change of one existing file.
var commitSteps = []string{"checked", "backed up", "recorded", "staged", "verified", "exchanged", "changed"}

// At every step another program rewrites the file. What it wrote is there in
// the end, together with ours or with a refusal.
func TestOtherWriterAtEveryStep(t *testing.T) {
	for _, step := range commitSteps {
		for _, kind := range []string{"rename", "in place"} {
			t.Run(step+" "+kind, func(t *testing.T) {
				t.Parallel()
				f := newFixture(t).withSettings(plainSettings)
				other := otherWriter{f.settings, "mine"}
				f.setup.step = func(name string) {
					if name != step {
						return
					}
					write := other.rename
					if kind == "in place" {
						write = other.inPlace
					}
					if err := write(); err != nil {
						t.Error(err)
					}
				}
				plan := f.plan(f.setup.PlanInstall(f.place()))
				_, err := f.setup.Apply(context.Background(), plan, "")
				f.setup.step = func(string) {}
				wantBothOrConflict(t, f, err)
				if before := step != "exchanged" && step != "changed"; before && err == nil {
					t.Error("applied over another program's change")
				}
				f.wantClean()
				f.apply(f.setup.PlanInstall(f.place()))
				f.apply(f.setup.PlanRemove(f.place()))
				if got := f.read(); strings.Contains(got, "claude-code") || !strings.Contains(got, `"other": "mine"`) {
					t.Errorf("after all:\n%s", got)
				}
			})
		}
	}
}

func wantBothOrConflict(t *testing.T, f *fixture, err error) {
	t.Helper()
	got := f.read()
	if !strings.Contains(got, `"other": "mine"`) {
		t.Errorf("the other program's change is lost (apply: %v):\n%s", err, got)
	}
	switch ours := strings.Count(got, "claude-code"); {
	case err == nil && ours != 3:
		t.Errorf("applied, and %d of 3 hooks are there:\n%s", ours, got)
	case err != nil && ours != 0:
		t.Errorf("refused (%v), and %d hooks are there:\n%s", err, ours, got)
	case err != nil:
		wantCode(t, err, turnpost.Conflict)
	}
}

func TestHundredRaces(t *testing.T) {
	var refused atomic.Int32
	t.Cleanup(func() { t.Logf("%d of 100 refused", refused.Load()) })
	for seed := range uint64(100) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			if race(t, rand.New(rand.NewPCG(seed, 2))) {
				refused.Add(1)
			}
		})
	}
}

// race lets another program write at a random moment of an apply.
func race(t *testing.T, random *rand.Rand) (refused bool) {
	f := newFixture(t).withSettings(plainSettings)
	other := otherWriter{f.settings, "mine"}
	write := other.rename
	if random.IntN(2) == 0 {
		write = other.inPlace
	}
	plan := f.plan(f.setup.PlanInstall(f.place()))
	start := make(chan struct{})
	var done sync.WaitGroup
	moment := time.Duration(random.IntN(60_000)) * time.Microsecond
	done.Go(func() {
		<-start
		time.Sleep(moment) // the random moment
		if err := write(); err != nil {
			t.Error(err)
		}
	})
	close(start)
	_, err := f.setup.Apply(context.Background(), plan, "")
	done.Wait()
	got := f.read()
	if !strings.Contains(got, `"other": "mine"`) || !json.Valid([]byte(got)) {
		t.Errorf("the other program's change is lost (apply: %v):\n%s", err, got)
	}
	if err != nil {
		wantCode(t, err, turnpost.Conflict)
		if strings.Contains(got, "claude-code") {
			t.Errorf("refused (%v), and our hooks are there:\n%s", err, got)
		}
	}
	return err != nil
}

// A file that appears while we create it is not overwritten, and one that
// changes while we remove it comes back.
func TestOtherWriterWhileFileComesAndGoes(t *testing.T) {
	f := newFixture(t)
	f.setup.step = func(name string) {
		if name == "staged" {
			f.write(`{"other": "mine"}`)
		}
	}
	_, err := f.setup.Apply(context.Background(), f.plan(f.setup.PlanInstall(f.place())), "")
	wantCode(t, err, turnpost.Conflict)
	f.wantSettings(`{"other": "mine"}`)
	f.wantClean()
	f.wantNoFile(filepath.Join(f.state, "setup.json"))

	for _, step := range []string{"staged", "verified"} {
		f = newFixture(t)
		f.apply(f.setup.PlanInstall(f.place()))
		f.setup.step = func(name string) {
			if name == step {
				f.write(`{"other": "mine"}`)
			}
		}
		_, err = f.setup.Apply(context.Background(), f.plan(f.setup.PlanRemove(f.place())), "")
		wantCode(t, err, turnpost.Conflict)
		f.wantSettings(`{"other": "mine"}`)
		f.wantClean()
	}
}

// When the second file of a plan cannot be changed, the first one comes back.
func TestAllFilesOrNone(t *testing.T) {
	f := newFixture(t).withSettings(plainSettings)
	second := filepath.Join(f.home, "repo", ".claude", "settings.json")
	third := Place{Owner: "claude-code project", Entries: []harness.Entry{hookEntry(second, "Stop", handler{"command", "x", 5, false})}}
	plan := f.plan(f.setup.PlanInstall(f.place(), third))
	if len(plan.Files) != 2 {
		t.Fatalf("plan: %+v", plan.Files)
	}
	f.setup.step = func(name string) {
		if name == "exchanged" { // of the first file
			if err := errors.Join(os.MkdirAll(filepath.Dir(second), 0o755), os.WriteFile(second, []byte("{}"), 0o600)); err != nil {
				t.Error(err)
			}
		}
	}
	_, err := f.setup.Apply(context.Background(), plan, "")
	wantCode(t, err, turnpost.Conflict)
	f.wantSettings(plainSettings)
	f.wantClean()
	f.wantNoFile(filepath.Join(f.state, "setup.json"))
	if got := f.backups(); len(got) != 0 {
		t.Errorf("backups left: %q", got)
	}
	if data, err := os.ReadFile(second); err != nil || string(data) != "{}" {
		t.Errorf("second file: %s, %v", data, err)
	}
}

func TestOneSetupAtATime(t *testing.T) {
	f := newFixture(t).withSettings(plainSettings)
	plan := f.plan(f.setup.PlanInstall(f.place()))
	entered, leave := make(chan struct{}), make(chan struct{})
	first := New(f.state, tick())
	first.step = func(name string) {
		if name == "checked" {
			close(entered)
			<-leave
		}
	}
	var done sync.WaitGroup
	var firstErr error
	done.Go(func() { _, firstErr = first.Apply(context.Background(), plan, "") })
	<-entered
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err := f.setup.Apply(ctx, plan, "")
	wantCode(t, err, turnpost.Conflict)
	close(leave)
	done.Wait()
	if firstErr != nil {
		t.Error(firstErr)
	}
	_, err = f.setup.Apply(context.Background(), plan, "")
	wantCode(t, err, turnpost.Conflict) // the plan is spent
}

func TestFailuresLeaveTheOriginal(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(f *fixture)
	}{
		{"state directory is a file", func(f *fixture) {
			if err := errors.Join(os.MkdirAll(filepath.Dir(f.state), 0o755), os.WriteFile(f.state, nil, 0o600)); err != nil {
				f.t.Fatal(err)
			}
		}},
		{"backups are a file", func(f *fixture) {
			if err := errors.Join(os.MkdirAll(f.state, 0o700), os.WriteFile(filepath.Join(f.state, "backups"), nil, 0o600)); err != nil {
				f.t.Fatal(err)
			}
		}},
		{"record is a directory", func(f *fixture) {
			if err := os.MkdirAll(filepath.Join(f.state, "setup.json"), 0o700); err != nil {
				f.t.Fatal(err)
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t).withSettings(plainSettings)
			plan := f.plan(f.setup.PlanInstall(f.place()))
			tt.spoil(f)
			if _, err := f.setup.Apply(context.Background(), plan, ""); err == nil {
				t.Error("applied")
			} else {
				t.Log(err)
			}
			f.wantSettings(plainSettings)
			f.wantClean()
			if info, err := os.Lstat(filepath.Join(f.state, "backups")); err == nil && info.IsDir() && len(f.backups()) != 0 {
				t.Errorf("backups left: %q", f.backups())
			}
		})
	}
}

// mend runs setup after one that was killed or failed: nothing of that is left,
// and the original comes back.
func (f *fixture) mend(t *testing.T, original string, existed bool) {
	t.Helper()
	f.apply(f.setup.PlanInstall(f.place()))
	f.wantClean()
	f.apply(f.setup.PlanRemove(f.place()))
	f.wantClean()
	if existed {
		f.wantSettings(original)
		return
	}
	if data, err := os.ReadFile(f.settings); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file that we made is still there: %q, %v", data, err)
	}
}

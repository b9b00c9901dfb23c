package setup

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"turnpost"
)

// A program that has the file open for writing when it is replaced still gets
// its change through: the old file is looked at when nobody has it open.
func TestOtherWriterHasTheFileOpen(t *testing.T) {
	f := newFixture(t).withSettings(plainSettings)
	other := otherWriter{f.settings, "mine"}
	gate := make(chan struct{})
	release := sync.OnceFunc(func() { close(gate) })
	var done sync.WaitGroup
	f.setup.step = func(name string) {
		switch name {
		case "verified":
			if err := other.slowInPlace(gate, &done); err != nil {
				t.Error(err)
			}
		case "exchanged":
			time.AfterFunc(20*time.Millisecond, release)
		}
	}
	_, err := f.setup.Apply(context.Background(), f.plan(f.setup.PlanInstall(f.place())), "")
	release()
	done.Wait()
	wantCode(t, err, turnpost.Conflict)
	wantBothOrConflict(t, f, err)
	f.wantClean()
}

// A directory that we may not write into. Root may write everywhere, so the
// thread gives its powers away first and is thrown away afterwards.
func TestReadOnlyDirectory(t *testing.T) {
	for _, what := range []string{"settings", "state"} {
		f := newFixture(t).withSettings(plainSettings)
		if err := os.MkdirAll(f.state, 0o700); err != nil {
			t.Fatal(err)
		}
		plan := f.plan(f.setup.PlanInstall(f.place()))
		dir := filepath.Dir(f.settings)
		if what == "state" {
			dir = f.state
		}
		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
		var err error
		var done sync.WaitGroup
		done.Go(func() {
			runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
			header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
			var none [2]unix.CapUserData
			if capErr := unix.Capset(&header, &none[0]); capErr != nil {
				t.Error(capErr)
				return
			}
			_, err = f.setup.Apply(context.Background(), plan, "")
		})
		done.Wait()
		if chmodErr := os.Chmod(dir, 0o700); chmodErr != nil {
			t.Fatal(chmodErr)
		}
		if err == nil || !strings.Contains(err.Error(), "permission denied") {
			t.Errorf("%s read-only: %v", what, err)
		}
		f.wantSettings(plainSettings)
		f.wantClean()
		if got := f.backups(); len(got) != 0 {
			t.Errorf("%s read-only: backups left: %q", what, got)
		}
		f.mend(t, plainSettings, true)
	}
}

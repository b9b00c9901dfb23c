package hook_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// R31: whatever breaks, the harness sees a quiet 0 from every registered line.
// Crash reports on standard error are allowed: with status 0 harnesses keep
// them in their debug log.
func TestFaultsThroughTheRegisteredLine(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	plain := filepath.Join(dir, "not executable")
	broken := filepath.Join(dir, "broken")
	missing := filepath.Join(dir, "missing")
	looping := filepath.Join(dir, "looping")
	for path, mode := range map[string]os.FileMode{plain: 0o600, broken: 0o700} {
		if err := os.WriteFile(path, []byte("#!/no/such/interpreter\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(looping, looping); err != nil {
		t.Fatal(err)
	}
	type fault struct{ name, program, env, before string }
	faults := []fault{
		{"missing", missing, "", ""},
		{"not executable", plain, "", ""},
		{"broken interpreter", broken, "", ""},
		{"a directory", dir, "", ""},
		{"a link to itself", looping, "", ""},
		{"out of memory at start", program, "", "ulimit -v 50000; "},
		{"no files", program, "", "ulimit -n 3; "},
		{"no environment", program, "HOME=\nTURNPOST_HOME=", ""},
		{"relative home", program, "TURNPOST_HOME=.", ""},
		{"unknown event", program, "", ""},
		{"memory", self, "TURNPOST_TEST_FAULT=memory", "ulimit -v 3000000; "},
	}
	for _, name := range []string{"panic", "nil", "goroutine", "fatal", "stack", "kill", "status 2"} {
		faults = append(faults, fault{name, self, "TURNPOST_TEST_FAULT=" + name, ""})
	}
	for _, f := range faults {
		for _, event := range []string{"Stop", "FileChanged"} {
			for _, shell := range []string{"sh", "bash"} {
				p := newPlace(t)
				in := input("Stop")
				if f.name == "unknown event" {
					in = input("SomethingNew")
				} else if event == "FileChanged" {
					in = p.bell(t)
				}
				p.env = append(p.env, strings.Split(f.env, "\n")...)
				cmd := p.command(shell, "-c", f.before+line(t, event, f.program))
				cmd.Stdin = strings.NewReader(in)
				got := finish(t, cmd)
				if got.status != 0 || got.stdout != "" || got.took > 2*time.Second*busy {
					t.Errorf("%s, %s, %s: %d %.200q in %s\n%.500s", f.name, event, shell, got.status, got.stdout, got.took, got.stderr)
				}
				if cores, _ := filepath.Glob("core*"); len(cores) > 0 {
					t.Errorf("%s left %v", f.name, cores)
				}
			}
		}
	}
}

// A panic is caught, a crash is a signal: not even without the guard does the
// client end with 2.
func TestNeverTwo(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{"panic": 0, "nil": 0, "goroutine": -1, "fatal": -1, "stack": -1} {
		p := newPlace(t)
		p.env = append(p.env, "TURNPOST_TEST_FAULT="+name)
		cmd := p.command(self, "claude-code")
		cmd.Stdin = strings.NewReader(input("Stop"))
		if got := finish(t, cmd); got.status != want || got.stdout != "" {
			t.Errorf("%s: %d %q", name, got.status, got.stdout)
		}
	}
}

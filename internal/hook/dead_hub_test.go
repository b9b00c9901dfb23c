package hook_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"turnpost"
	"turnpost/internal/statedir"
)

// A hub that died leaves a spool for the next one; one that was stopped does
// not.
func TestSpool(t *testing.T) {
	p := newPlace(t)
	kinds := []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolBatch", "Stop", "StopFailure", "SessionEnd", "Notification"}
	for _, kind := range kinds {
		p.call(t, strings.NewReader(input(kind)))
	}
	if _, err := os.Stat(p.dir.Spool()); err == nil {
		t.Fatal("there is a spool without a hub file")
	}
	p.hubFile(t, statedir.Hub{Protocol: statedir.Protocol, Pid: 1, Socket: p.dir.Socket()})
	before := time.Now().Add(-time.Second)
	for _, kind := range kinds {
		p.call(t, strings.NewReader(input(kind)))
	}
	var got []string
	for _, line := range readLines(t, p.dir.Spool()) {
		if line == "" {
			got = append(got, "")
			continue
		}
		var s turnpost.Spooled
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatal(err)
		}
		if s.At.Before(before) || s.At.After(time.Now()) || s.Event.Native != "s1" || s.Event.Place.Root != "/r" {
			t.Errorf("%s", line)
		}
		got = append(got, s.Event.Name)
	}
	want := []string{"SessionStart", "UserPromptSubmit", "", "", "Stop", "StopFailure", "SessionEnd", ""}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q, want %q", got, want)
	}
	if info, err := os.Stat(p.dir.Spool()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func readLines(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

// Lines of many processes do not mix, and the spool does not grow for ever.
func TestSpoolTogetherAndCapped(t *testing.T) {
	p := newPlace(t)
	p.hubFile(t, statedir.Hub{Protocol: statedir.Protocol, Pid: 1, Socket: p.dir.Socket()})
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for range 4 {
				cmd := p.command(program, "claude-code")
				cmd.Stdin = strings.NewReader(strings.Replace(input("Stop"), "{", `{"last_assistant_message":"`+strings.Repeat("名", 2000)+`",`, 1))
				if err := cmd.Run(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	lines := readLines(t, p.dir.Spool())
	if len(lines) != 64 {
		t.Errorf("%d lines, want 64", len(lines))
	}
	for _, line := range lines {
		var s turnpost.Spooled
		if err := json.Unmarshal([]byte(line), &s); err != nil || len(line) >= 4096 {
			t.Fatalf("%q: %v", line, err)
		}
	}
	if err := os.Truncate(p.dir.Spool(), 1<<20-10); err != nil {
		t.Fatal(err)
	}
	p.call(t, strings.NewReader(input("Stop")))
	if info, err := os.Stat(p.dir.Spool()); err != nil || info.Size() != 1<<20-10 {
		t.Errorf("%d bytes, %v", info.Size(), err)
	}
}

// A hub that wished it is started again: once, on its own feet, without what
// belongs to the harness, and the call stays silent.
func TestHeal(t *testing.T) {
	p := newPlace(t)
	mark := filepath.Join(string(p.dir), "started")
	script := filepath.Join(string(p.dir), "turnpost")
	text := "#!/bin/sh\n{ echo \"$@\"; env; ls -l /proc/self/fd; ps -o sid= -p $$; echo $$; } >" + mark + ".new 2>&1\nmv " + mark + ".new " + mark + ".$$\n"
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	p.call(t, strings.NewReader(input("Stop"))) // no hub file: it was told to stop
	p.hubFile(t, statedir.Hub{Protocol: statedir.Protocol, Pid: 1, Socket: p.dir.Socket(), Heal: script})
	p.env = append(p.env, "XDG_RUNTIME_DIR=/run/user/1")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			cmd := p.command(program, "claude-code")
			cmd.Stdin = strings.NewReader(input("PreToolUse"))
			if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("%q, %v", out, err)
			}
		})
	}
	all.Wait()
	var started []string
	for deadline := time.Now().Add(20 * time.Second); len(started) == 0 && time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		started, _ = filepath.Glob(mark + ".[0-9]*")
	}
	if len(started) != 1 {
		t.Fatalf("started %d times", len(started))
	}
	got := strings.Join(readLines(t, started[0]), "\n")
	for _, want := range []string{"up -d\n", "\nTURNPOST_HOME=" + string(p.dir) + "\n", "\nXDG_RUNTIME_DIR=/run/user/1\n", " 0 -> /dev/null", "\nPATH="} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	for _, secret := range []string{"sk-secret", "CLAUDE", "AI_AGENT"} {
		if strings.Contains(got, secret) {
			t.Errorf("the hub gets %s:\n%s", secret, got)
		}
	}
	lines := strings.Fields(got)
	if sid, pid := lines[len(lines)-2], lines[len(lines)-1]; sid != pid {
		t.Errorf("session %s of process %s", sid, pid)
	}

	for path := range strings.SplitSeq("turnpost ./turnpost", " ") { // only by absolute path
		if err := os.RemoveAll(p.dir.HealMark()); err != nil {
			t.Fatal(err)
		}
		p.hubFile(t, statedir.Hub{Socket: p.dir.Socket(), Heal: path})
		p.call(t, strings.NewReader(input("Stop")))
		if _, err := os.Stat(p.dir.HealMark()); err == nil {
			t.Errorf("%q was started", path)
		}
	}
}

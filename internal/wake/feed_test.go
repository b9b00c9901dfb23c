//go:build unix

package wake

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"turnpost"
	"turnpost/internal/harness"
	"turnpost/internal/statedir"
)

func TestFeedAppendsOneLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "in.jsonl")
	if err := os.WriteFile(path, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	wake := turnpost.Wake{Method: "feed", Key: "s1"}
	dir := statedir.Dir(t.TempDir())
	ways := All(dir, nil)
	if !ways.Knows("feed") || ways.Announced(wake) || ways.Ring("qwen", wake) == nil {
		t.Error("feed is not known, or rings what nobody put down")
	}
	keep(t, dir, "s1", path+"\n")
	if !ways.Announced(wake) {
		t.Error("what was put down is not found")
	}
	for range 2 {
		if err := ways.Ring("qwen", wake); err != nil {
			t.Fatal(err)
		}
	}
	line := `{"type":"submit","text":"` + harness.Poke + `"}` + "\n"
	if got, _ := os.ReadFile(path); string(got) != "{}\n"+line+line {
		t.Errorf("%q", got)
	}
	if err := ways.Ring("claude-code", wake); err == nil {
		t.Error("a harness that reads no file was rung")
	}
	if ways.Forget(wake) != nil || ways.Announced(wake) {
		t.Error("what was put down is still there")
	}
}

// keep puts down where a session is, as the hook client does.
func keep(t *testing.T, dir statedir.Dir, key, text string) {
	t.Helper()
	err := os.MkdirAll(dir.Bells(), 0o700)
	if err == nil {
		err = os.WriteFile(dir.Bell(key), []byte(text), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// What is not the user's own plain file is neither made nor written.
func TestFeedWritesNothingElse(t *testing.T) {
	dir := t.TempDir()
	plain, link, pipe := filepath.Join(dir, "plain"), filepath.Join(dir, "link"), filepath.Join(dir, "pipe")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(plain, link); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(dir, "missing")
	others := []string{link, pipe, dir, missing, "relative", ""}
	if os.Getuid() == 0 {
		foreign := filepath.Join(dir, "foreign")
		if err := os.WriteFile(foreign, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(foreign, 12345, -1); err != nil {
			t.Fatal(err)
		}
		others = append(others, foreign)
	}
	state := statedir.Dir(t.TempDir())
	for _, path := range others {
		keep(t, state, "s1", path+"\n")
		if err := All(state, nil).Ring("qwen", turnpost.Wake{Method: "feed", Key: "s1", At: plain}); err == nil {
			t.Errorf("%q: no error", path)
		}
	}
	for _, text := range []string{"", plain + "\n" + plain + "\n"} {
		keep(t, state, "s1", text)
		if err := All(state, nil).Ring("qwen", turnpost.Wake{Method: "feed", Key: "s1", At: plain}); err == nil {
			t.Errorf("kept %q: no error", text)
		}
	}
	if got, _ := os.ReadFile(plain); len(got) > 0 {
		t.Errorf("written: %q", got)
	}
	if _, err := os.Lstat(missing); err == nil {
		t.Error("a missing file was made")
	}
}

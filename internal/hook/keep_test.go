package hook

import (
	"os"
	"testing"

	"turnpost"
	"turnpost/internal/harness"
	"turnpost/internal/statedir"
)

// The key of an inbox is kept when a session starts, for this user alone, and
// nowhere else; where it cannot be kept, the session is not said to hear.
func TestKeepsTheKeyOfAnInbox(t *testing.T) {
	h, _ := harness.Find("qwen")
	wake := turnpost.Wake{Method: "inbox", Key: "s1", At: "/run/s", Armed: true}
	keep := func(dir statedir.Dir, kind turnpost.Kind, wake turnpost.Wake) (armed bool, kept string) {
		p := &prepared{harness: h, event: turnpost.Event{Kind: kind, Wake: wake}}
		p.keep(dir)
		data, _ := os.ReadFile(dir.Bell(wake.Key)) // none where nothing is kept
		return p.event.Wake.Armed, string(data)
	}
	dir := statedir.Dir(t.TempDir())
	t.Setenv("QWEN_CODE_MESSAGING_TOKEN", "")
	if armed, kept := keep(dir, turnpost.SessionStart, wake); armed || kept != "" {
		t.Errorf("without a key: armed %t, kept %q", armed, kept)
	}
	t.Setenv("QWEN_CODE_MESSAGING_TOKEN", "1374")
	if _, kept := keep(dir, turnpost.Prompt, wake); kept != "" {
		t.Errorf("at a prompt it kept %q", kept)
	}
	if _, kept := keep(dir, turnpost.SessionStart, turnpost.Wake{Method: "feed", Key: "s1"}); kept != "" {
		t.Errorf("for another way to ring it kept %q", kept)
	}
	if armed, kept := keep(dir, turnpost.SessionStart, wake); !armed || kept != "1374\n" {
		t.Errorf("armed %t, kept %q", armed, kept)
	}
	t.Setenv("QWEN_CODE_MESSAGING_TOKEN", "99")
	if armed, kept := keep(dir, turnpost.SessionStart, wake); !armed || kept != "99\n" { // another process took the session over
		t.Errorf("armed %t, kept %q", armed, kept)
	}
	for path, want := range map[string]os.FileMode{dir.Bells(): 0o700, dir.Bell("s1"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
	if armed, _ := keep(statedir.Dir("/dev/null"), turnpost.SessionStart, wake); armed {
		t.Error("armed where nothing can be kept")
	}
}

package hook

import (
	"os"
	"testing"

	"turnpost"
	"turnpost/internal/harness"
	"turnpost/internal/statedir"
)

// Where a session is rung is put down when it starts, for this user alone; where
// that cannot be, the session is not said to hear.
func TestKeepsWhereASessionIsRung(t *testing.T) {
	h, _ := harness.Find("qwen")
	vars := map[string]string{}
	env := harness.Env{Getenv: func(name string) string { return vars[name] }, Parents: func(func(harness.Parent) bool) {}}
	wake := turnpost.Wake{Method: "inbox", Key: "s1", Armed: true}
	keep := func(dir statedir.Dir, kind turnpost.Kind, wake turnpost.Wake) (armed bool, kept string) {
		p := &prepared{harness: h, event: turnpost.Event{Kind: kind, Wake: wake}}
		p.keep(dir, env)
		data, _ := os.ReadFile(dir.Bell(wake.Key)) // none where nothing is kept
		return p.event.Wake.Armed, string(data)
	}
	dir := statedir.Dir(t.TempDir())
	if armed, kept := keep(dir, turnpost.SessionStart, wake); armed || kept != "" {
		t.Errorf("without an inbox: armed %t, kept %q", armed, kept)
	}
	vars["QWEN_CODE_MESSAGING_SOCKET"], vars["QWEN_CODE_MESSAGING_TOKEN"] = "/run/s", "1374"
	if _, kept := keep(dir, turnpost.Prompt, wake); kept != "" {
		t.Errorf("at a prompt it kept %q", kept)
	}
	if _, kept := keep(dir, turnpost.SessionStart, turnpost.Wake{Key: "s1"}); kept != "" {
		t.Errorf("for a session that is not rung it kept %q", kept)
	}
	if armed, kept := keep(dir, turnpost.SessionStart, wake); !armed || kept != "/run/s\n1374\n" {
		t.Errorf("armed %t, kept %q", armed, kept)
	}
	vars["QWEN_CODE_MESSAGING_TOKEN"] = "99"
	if armed, kept := keep(dir, turnpost.SessionStart, wake); !armed || kept != "/run/s\n99\n" { // another process took the session over
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

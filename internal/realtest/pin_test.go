package realtest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLocksHoldHashesAndNoAddresses(t *testing.T) {
	dirs, err := filepath.Glob("pins/*")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("pins: %v, %v", dirs, err)
	}
	for _, dir := range dirs {
		raw, err := os.ReadFile(filepath.Join(dir, "package-lock.json"))
		if err != nil {
			t.Error(err)
			continue
		}
		if strings.Contains(string(raw), `"resolved"`) {
			t.Errorf("%s: the lock file holds addresses; see .npmrc", dir)
		}
		var lock struct {
			Packages map[string]struct {
				Version   string
				Integrity string
				Bundled   bool `json:"inBundle"`
			}
		}
		if err := json.Unmarshal(raw, &lock); err != nil {
			t.Errorf("%s: %v", dir, err)
		}
		found := false
		for path, p := range lock.Packages {
			if path == "" || p.Bundled {
				continue // the manifest itself; a package whose holder has the hash
			}
			if !strings.HasPrefix(p.Integrity, "sha512-") {
				t.Errorf("%s, %s: integrity %q", dir, path, p.Integrity)
			}
			found = found || p.Version == pinned(filepath.Base(dir))
		}
		if !found {
			t.Errorf("%s: no package has the pinned version", dir)
		}
	}
}

func TestPinDirFollowsCache(t *testing.T) {
	for _, c := range []struct{ own, xdg, home, want string }{
		{"/own", "/xdg", "/home/me", "/own/claude-code-"},
		{"", "/xdg", "/home/me", "/xdg/turnpost-test/claude-code-"},
		{"", "", "/home/me", "/home/me/.cache/turnpost-test/claude-code-"},
	} {
		t.Setenv("TURNPOST_TEST_CACHE", c.own)
		t.Setenv("XDG_CACHE_HOME", c.xdg)
		t.Setenv("HOME", c.home)
		if got, err := pinDir("claude-code"); err != nil || got != c.want+pinned("claude-code") {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
}

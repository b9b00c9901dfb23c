package realtest

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

func TestLockHoldsHashesAndNoAddresses(t *testing.T) {
	raw, err := os.ReadFile("claude/package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(raw), "://") {
		t.Error("the lock file holds addresses; see claude/.npmrc")
	}
	var lock struct {
		Packages map[string]struct {
			Version   string
			Integrity string
		}
	}
	if err := json.Unmarshal(raw, &lock); err != nil {
		t.Fatal(err)
	}
	if len(lock.Packages) < 3 {
		t.Errorf("%d packages, want the client for each platform", len(lock.Packages))
	}
	for path, p := range lock.Packages {
		if path == "" {
			continue // the manifest itself
		}
		if p.Version != ClaudeVersion() || !strings.HasPrefix(p.Integrity, "sha512-") {
			t.Errorf("%s: version %q, integrity %q", path, p.Version, p.Integrity)
		}
	}
}

func TestClaudePathFollowsCache(t *testing.T) {
	for _, c := range []struct{ own, xdg, home, want string }{
		{"/own", "/xdg", "/home/me", "/own/claude-"},
		{"", "/xdg", "/home/me", "/xdg/turnpost-test/claude-"},
		{"", "", "/home/me", "/home/me/.cache/turnpost-test/claude-"},
	} {
		t.Setenv("TURNPOST_TEST_CACHE", c.own)
		t.Setenv("XDG_CACHE_HOME", c.xdg)
		t.Setenv("HOME", c.home)
		if got, err := claudePath(); err != nil || !strings.HasPrefix(got, c.want) {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
}

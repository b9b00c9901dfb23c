package realtest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

//go:embed claude/package.json
var pin []byte

// Claude returns the path of the pinned Claude Code program. It fails the test
// when the program is not installed: a missing client must not look like a
// passing test.
func Claude(t testing.TB) string {
	t.Helper()
	path, err := claudePath()
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		t.Fatalf("the pinned Claude Code client is not installed (%v)\nrun: scripts/install-test-tools.sh", err)
	}
	return path
}

// ClaudeVersion returns the pinned version: "2.1.332".
func ClaudeVersion() string {
	var manifest struct {
		Dependencies map[string]string `json:"dependencies"`
	}
	if err := json.Unmarshal(pin, &manifest); err != nil {
		panic("realtest: package.json: " + err.Error()) // compiled in
	}
	return manifest.Dependencies["@anthropic-ai/claude-code"]
}

// claudePath says where scripts/install-test-tools.sh puts the program.
func claudePath() (string, error) {
	cache := os.Getenv("TURNPOST_TEST_CACHE")
	if cache == "" {
		base := os.Getenv("XDG_CACHE_HOME")
		if base == "" {
			home, err := os.UserHomeDir()
			if err != nil {
				return "", fmt.Errorf("find the cache directory: %w", err)
			}
			base = filepath.Join(home, ".cache")
		}
		cache = filepath.Join(base, "turnpost-test")
	}
	arch := runtime.GOARCH
	if arch == "amd64" {
		arch = "x64"
	}
	return filepath.Join(cache, "claude-"+ClaudeVersion(), "node_modules", "@anthropic-ai",
		"claude-code-"+runtime.GOOS+"-"+arch, "claude"), nil
}

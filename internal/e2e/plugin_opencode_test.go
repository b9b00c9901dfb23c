//go:build unix

package e2e

import (
	"path/filepath"
	"testing"

	"turnpost/internal/harness"
)

// The plugin for opencode, as setup writes it, with an opencode that is played.
func TestPluginOfOpencode(t *testing.T) {
	h, ok := harness.Find("opencode")
	if !ok {
		t.Fatal("no opencode")
	}
	script(t, "plugin_opencode.mjs", func(dir string) map[string]string {
		entries := h.Install(harness.Target{
			Home: dir, Scope: "user", Mode: "command", Allow: true,
			Hook: filepath.Join(dir, "turnpost-hook"), Program: filepath.Join(dir, "turnpost"),
		})
		return map[string]string{"plugin.mjs": entries[0].Value.(string)}
	})
}

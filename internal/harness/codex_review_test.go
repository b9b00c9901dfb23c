package harness

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"
)

// The hashes are what Codex 0.171.0 says of these hooks itself (hooks/list of
// its app-server). Timeouts are those that it counts with.
func TestCodexReviewed(t *testing.T) {
	const path = `"$HOME/.f/é"`
	for want, c := range map[string]struct {
		event   string
		matcher string
		hook    codexHandler
	}{
		"bf55703bdd14ec86ce286631c147cc9a7274c8e5eb8a9ae28f2b371e7f1ce95e": {"SessionStart", "startup|resume", codexHandler{Command: "/x a", Timeout: 600}},
		"b5f2cddbca3c63fb27191858f7ca17fd2fbe53804410af7f1a0f62c2a754b4a7": {"SessionStart", "startup|resume", codexHandler{Command: "/x b", Timeout: 7, StatusMessage: "Doing it"}},
		"014fbe4b1e44593be3eb10c8699f498c7d786d14093f7d66e2cf6846f07546e6": {"SessionEnd", "", codexHandler{Command: "/x e2", Timeout: 1}},
		"99f5b1283be60d33243f0fcc9c84328c7f4a39d4e8e2929d17a185bb7c09d0d6": {"SessionEnd", "", codexHandler{Command: "/x e", Timeout: 3}},
		"04a6031f61d1ae0eab61f65abcd32bceb714e31ad818a95287fc9addeb02a47b": {"Stop", "foo", codexHandler{Command: "/x s", Timeout: 1, Async: true}},
		"a9ee32a7259cffd8800cbb0e482bdd280d995371e62c578981de9b960c4c8ba8": {"PreToolUse", "^Bash$", codexHandler{Command: "/x w", Timeout: 600, ContextLimit: 100}},
		"3e16b0185551ac40717c5fdca15e8c582649ab2721195f65f35d02fdc8b7a18d": {"Stop", "", codexHandler{Command: "if [ -x " + path + " ]; then " + path + " hook <&0 || true; fi", Timeout: 30}},
	} {
		c.hook.Type = "command"
		text := codexReviewed(c.event, codexGroup{Matcher: c.matcher, Hooks: []codexHandler{c.hook}})
		sum := sha256.Sum256(text)
		if got := hex.EncodeToString(sum[:]); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

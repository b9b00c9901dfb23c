//go:build unix

package e2e

import (
	"path/filepath"

	"turnpost/internal/realtest"
)

// codexRow: the terminal asks for a review of the hooks, and is told yes.
func codexRow() row {
	return row{
		harness: "codex",
		program: realtest.Codex{},
		settings: func(home *realtest.Home) {
			home.Write(filepath.Join(".codex", "hooks.json"), []byte(ownHooks))
		},
	}
}

// ownHooks is what the person has in hooks.json before Turnpost comes.
const ownHooks = `{
    "description":  "mine, café",
    "hooks": { "Stop": [
        {"hooks": [ {"type": "command", "command": "true <&1", "timeout": 5} ]} ]
    } }
`

//go:build unix

package e2e

import (
	"path/filepath"

	"turnpost/internal/realtest"
)

func claudeRow() row {
	return row{
		harness: "claude-code",
		program: realtest.Claude{},
		settings: func(home *realtest.Home) {
			home.Write(filepath.Join(".claude", "settings.json"), []byte(ownSettings))
		},
	}
}

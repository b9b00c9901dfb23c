//go:build unix

package e2e

import (
	"path/filepath"
	"regexp"

	"turnpost/internal/realtest"
)

func opencodeRow() row {
	return row{
		harness: "opencode",
		program: realtest.Opencode{},
		settings: func(home *realtest.Home) {
			dir := filepath.Join(".config", "opencode")
			home.Write(filepath.Join(dir, "opencode.jsonc"), []byte("{\n\t// mine\n\t\"instructions\" : [],\n}"))
			home.Write(filepath.Join(dir, "plugins", "mine.js"), []byte("export const Mine = async () => ({})"))
		},
		// Its plugin brings the tools; what their server says of itself is in the
		// system prompt.
		mentions: []*regexp.Regexp{regexp.MustCompile(`(?s)<mcp_instructions>\s*<server name="turnpost">.*?</server>\s*</mcp_instructions>`)},
	}
}

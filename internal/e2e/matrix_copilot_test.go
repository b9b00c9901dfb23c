//go:build unix

package e2e

import (
	"path/filepath"
	"regexp"

	"turnpost/internal/realtest"
)

func copilotRow() row {
	return row{
		harness: "copilot",
		program: realtest.Copilot{},
		settings: func(home *realtest.Home) {
			home.Write(filepath.Join(".copilot", "mcp-config.json"), []byte("{ \"mcpServers\" :\n{} }"))
		},
		// Extensions are experimental, and a tool needs the person's permission.
		args: func(*realtest.Home) []string { return []string{"--experimental", "--allow-tool=turnpost"} },
		gone: regexp.MustCompile(`(?s)! Failed to connect to MCP server "turnpost": .*? check the logs\.`),
	}
}

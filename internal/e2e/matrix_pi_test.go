//go:build unix

package e2e

import (
	"path/filepath"
	"regexp"

	"turnpost/internal/realtest"
)

func piRow() row {
	return row{
		harness: "pi",
		program: realtest.Pi{},
		settings: func(home *realtest.Home) {
			home.Write(filepath.Join(".pi", "agent", "extensions", "mine.ts"), []byte("export default function () { }"))
		},
		// The paths of its own documentation are in a cache of ours.
		mentions: []*regexp.Regexp{regexp.MustCompile(`/\S*/pi-coding-agent\S*`)},
	}
}

// piOldRow is the package that Pi was before.
func piOldRow() row {
	r := piRow()
	r.name, r.program = "pi (old package)", realtest.Pi{Old: true}
	r.cannot = map[string]string{caseTool: "no: it has no MCP"}
	return r
}

package harness

import (
	"path/filepath"
	"strings"
)

// run is the start of a registered line: the hook client with the harness's
// name. Where only the main program is there, its command hook is the client.
func (t Target) run(name string) string {
	line := shellQuote(t.Hook)
	if strings.TrimSuffix(filepath.Base(t.Hook), ".exe") == "turnpost" {
		line += " hook"
	}
	return line + " " + name
}

package harness

import (
	"path/filepath"
	"strings"
)

// command is the hook client with the harness's name. Where only the main
// program is there, its command hook is the client.
func (t Target) command(name string) []string {
	if strings.TrimSuffix(filepath.Base(t.Hook), ".exe") == "turnpost" {
		return []string{t.Hook, "hook", name}
	}
	return []string{t.Hook, name}
}

// run is the start of a registered line: the command for a shell.
func (t Target) run(name string) string {
	command := t.command(name)
	return shellQuote(command[0]) + " " + strings.Join(command[1:], " ")
}

package harness

import (
	"path/filepath"
	"strings"
)

// command is the hook client with the harness's name. Where only the main
// program is there, its command hook is the client; where nothing says where it
// is, a shell looks for it at each call, and is silent without it.
func (t Target) command(name string) []string {
	if t.Hook == "" {
		return []string{"sh", "-c", found("turnpost-hook") + `[ -x "$p" ] && exec "$p" ` + name}
	}
	if strings.TrimSuffix(filepath.Base(t.Hook), ".exe") == "turnpost" {
		return []string{t.Hook, "hook", name}
	}
	return []string{t.Hook, name}
}

// run is the start of a registered line: the command for a shell.
func (t Target) run(name string) string {
	command := t.command(name)
	if t.Hook == "" {
		return "sh -c " + shellQuote(command[2])
	}
	return shellQuote(command[0]) + " " + strings.Join(command[1:], " ")
}

// found is the start of a shell's line that sets p to a program of ours: on
// PATH, else where make up installs it.
func found(program string) string {
	return "p=$(command -v " + program + ` || echo "$HOME/.local/bin/` + program + `"); `
}

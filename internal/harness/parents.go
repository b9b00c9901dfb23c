package harness

import (
	"path"
	"slices"
	"strings"

	"turnpost"
)

// caller is the process that runs a hook: the nearest one around it that is no
// shell. The zero Parent is one that nobody knows.
func caller(env Env) Parent {
	for parent := range env.Parents {
		if !isShell(parent) {
			return parent
		}
	}
	return Parent{}
}

func isShell(p Parent) bool {
	name := p.Program
	if name == "" && len(p.Args) > 0 {
		name = strings.TrimPrefix(p.Args[0], "-") // a login shell
	}
	switch strings.TrimSuffix(path.Base(strings.ReplaceAll(name, `\`, "/")), ".exe") {
	case "sh", "bash", "dash", "zsh", "fish", "ksh", "ash", "busybox", "cmd", "powershell", "pwsh":
		return true
	}
	return false
}

// has tells whether the process was started with one of these arguments.
func (p Parent) has(args ...string) bool {
	return len(p.Args) > 1 && slices.ContainsFunc(p.Args[1:], func(arg string) bool { return slices.Contains(args, arg) })
}

// process is what the hub knows it by.
func (p Parent) process(env Env, shared bool) turnpost.Process {
	if p.Pid <= 1 {
		return turnpost.Process{}
	}
	return turnpost.Process{Pid: p.Pid, Start: env.ProcessStart(p.Pid), Shared: shared}
}

package cli

import (
	"os"
	"path/filepath"

	"turnpost"
	"turnpost/internal/setup"
)

// stableProgram is this program under the name that survives an upgrade, or as
// it was started where there is no such name.
func (a *app) stableProgram() string {
	if path, _, err := setup.StablePath(a.env.Program, a.env.Getenv); err == nil {
		return path
	}
	return a.env.Program
}

// hookName is the program that harnesses run.
const hookName = "turnpost-hook"

// hookBeside is the hook client beside this program; ok is false when there is
// none.
func (a *app) hookBeside() (path string, ok bool) {
	programs := []string{a.stableProgram(), a.env.Program}
	if real, err := filepath.EvalSymlinks(a.env.Program); err == nil {
		programs = append(programs, real)
	}
	for _, program := range programs {
		candidate := filepath.Join(filepath.Dir(program), hookName+filepath.Ext(program))
		if info, err := os.Stat(candidate); err == nil && info.Mode().IsRegular() {
			return candidate, true
		}
	}
	return "", false
}

// hookProgram is the hook client as settings may name it: the small one beside
// this program, else this program itself.
func (a *app) hookProgram() (path, warning string, err error) {
	path, ok := a.hookBeside()
	if !ok {
		path = a.env.Program
	}
	if path == "" {
		return "", "", turnpost.Errorf(turnpost.Invalid, "the system does not say where this program is").
			WithHint("start it by its full path")
	}
	return setup.StablePath(path, a.env.Getenv)
}

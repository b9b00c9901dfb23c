package cli

import (
	"fmt"
	"os/exec"

	"turnpost/internal/harness"
	"turnpost/internal/setup"
	"turnpost/internal/wake"
)

// programs are the harnesses' programs as the hub's user has them.
type programs struct{ *app }

var _ wake.Programs = programs{}

// Find looks on the hub's own PATH.
func (p programs) Find(name string) (string, error) {
	h, _ := harness.Find(name)
	program, ok := h.(harness.Program)
	if !ok {
		return "", fmt.Errorf("%.40q has no program", name)
	}
	path, err := exec.LookPath(program.Binary())
	if err != nil {
		return "", fmt.Errorf("find the program on the hub's PATH: %w", err)
	}
	return path, nil
}

// Keeps: its usual directory, and wherever setup was applied.
func (p programs) Keeps(name, dir string) bool {
	h, _ := harness.Find(name)
	if program, ok := h.(harness.Program); ok && program.Home(p.env.Getenv) == dir {
		return true
	}
	s, err := p.setup()
	if err != nil {
		return false
	}
	return s.Has(setup.OwnerOf(name, harness.Target{Home: dir, Scope: "user"}))
}

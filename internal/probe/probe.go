// Package probe looks at what lives on this machine: whether a process is
// still the one it was, who its ancestors are, and what a harness's own
// registry says of it. It changes nothing.
package probe

import (
	"os"

	"turnpost"
	"turnpost/internal/harness"
	"turnpost/internal/process"
)

// Machine probes this machine.
type Machine struct{}

// maxRegistry is the most that is read of a registry file, in bytes.
const maxRegistry = 64 << 10

// Alive tells whether the process runs and is not another one by its number.
func (Machine) Alive(p turnpost.Process) bool { return process.Alive(p) }

// Ancestors lists the process and its parents, nearest first, up to pid 1.
func (Machine) Ancestors(pid int) []int {
	var out []int
	for pid > 1 && len(out) < 64 {
		out = append(out, pid)
		pid = process.Parent(pid)
	}
	return out
}

// Live reads the registry file of one process of a harness.
func (Machine) Live(name, file string) (turnpost.Live, bool) {
	h, ok := harness.Find(name)
	if !ok {
		return turnpost.Live{}, false
	}
	registrar, ok := h.(harness.Registrar)
	if !ok {
		return turnpost.Live{}, false
	}
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxRegistry {
		return turnpost.Live{}, false
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return turnpost.Live{}, false
	}
	state, err := registrar.Registry(data)
	if err != nil {
		return turnpost.Live{}, false
	}
	return state.Live, true
}

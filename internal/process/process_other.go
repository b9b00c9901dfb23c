//go:build !linux && !darwin

package process

import "os"

func start(int) string { return "" }

func zombie(int) bool { return false }

func parent(int) int { return 0 }

func args(int) []string { return nil }

func program(int) string { return "" }

func terminal(int) bool { return false }

// exists finds the process: on Windows that fails for one that is gone, on
// other Unix systems it never does, which is "unknown" and counts as alive.
func exists(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	p.Release()
	return true
}

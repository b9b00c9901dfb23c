package realtest

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
)

// endProcesses kills, by pid, every process that was started with this HOME:
// what a killed client left behind, and all that came from it.
func (h *Home) endProcesses() {
	h.t.Helper()
	until(context.Background(), h.t, "the processes of this home have ended", func() bool {
		left := h.Processes()
		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have gone by itself
		}
		return len(left) == 0
	})
}

// Processes returns the pids of the living processes that were started with
// this HOME, whoever started them. On systems other than Linux it returns none.
func (h *Home) Processes() []int {
	files, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is well formed
	var pids []int
	for _, file := range files {
		environ, err := os.ReadFile(file) // empty for a zombie
		if err != nil {
			continue // ended meanwhile, or another user's
		}
		if slices.ContainsFunc(bytes.Split(environ, []byte{0}), func(kv []byte) bool {
			return string(kv) == "HOME="+h.Dir
		}) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			pids = append(pids, pid)
		}
	}
	return pids
}

//go:build unix

package setup

import (
	"errors"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// wantGone waits until a process has ended; one that nobody has waited for yet
// counts as gone when a signal does not reach it.
func wantGone(t *testing.T, pid string) {
	t.Helper()
	number, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if errors.Is(syscall.Kill(number, 0), syscall.ESRCH) || isZombie(number) {
			return
		}
	}
	t.Errorf("process %d is still there", number)
}

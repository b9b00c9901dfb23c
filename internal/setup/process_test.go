//go:build unix

package setup

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A line that hangs is ended with everything that it started.
func TestCheckIsBounded(t *testing.T) {
	f := newFixture(t)
	pidFile := filepath.Join(f.home, "pid")
	hook := f.program("turnpost-hook", "sleep 600 & echo $! > "+ShellQuote(pidFile)+"; wait")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan lineResult)
	go func() { ended <- runLine(ctx, ShellQuote(hook)+" || exit 0", os.Environ(), []byte("{}\n")) }()
	var pid string
	for deadline := time.Now().Add(runLimit); pid == "" && time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		data, _ := os.ReadFile(pidFile)
		pid, _ = strings.CutSuffix(string(data), "\n")
	}
	cancel() // as the limit does
	if result := <-ended; result.err == nil {
		t.Errorf("result %+v", result)
	}
	wantGone(t, pid)
}

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

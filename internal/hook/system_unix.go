//go:build unix

package hook

import (
	"os"
	"syscall"
)

// forbidCore keeps a crash from leaving a file in somebody's repository, with
// the harness's secrets in it.
func forbidCore() {
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
}

// detached gives the hub its own session: it must not end with the harness.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// closeOnExec keeps what the harness left open in this process from staying
// open in the hub.
func closeOnExec() {
	for fd := 3; fd < 256; fd++ {
		syscall.CloseOnExec(fd)
	}
}

// lock takes a file until it is closed; false when another has it.
func lock(file *os.File) bool {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

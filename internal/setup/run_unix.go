//go:build unix

package setup

import (
	"io/fs"
	"os/exec"
	"syscall"
)

// ownGroup makes the context kill the command with everything it started.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

func executable(info fs.FileInfo) bool { return info.Mode()&0o111 != 0 }

//go:build !unix

package hook

import (
	"os"
	"syscall"
)

func forbidCore() {}

func detached() *syscall.SysProcAttr { return nil }

func closeOnExec() {}

func lock(*os.File) bool { return true }

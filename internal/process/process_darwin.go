package process

import (
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// state SZOMB of sys/proc.h.
const stateZombie = 5

func info(pid int) (*unix.KinfoProc, bool) {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	return p, err == nil && int(p.Proc.P_pid) == pid
}

// start is the wall-clock time of the start, in microseconds.
func start(pid int) string {
	p, ok := info(pid)
	if !ok {
		return ""
	}
	t := p.Proc.P_starttime
	return strconv.FormatInt(t.Sec*1_000_000+int64(t.Usec), 10)
}

func zombie(pid int) bool {
	p, ok := info(pid)
	return ok && p.Proc.P_stat == stateZombie
}

func parent(pid int) int {
	p, ok := info(pid)
	if !ok {
		return 0
	}
	return int(p.Eproc.Ppid)
}

func exists(pid int) bool {
	err := syscall.Kill(pid, 0)
	return (err == nil || err == syscall.EPERM) && !zombie(pid)
}

package process

import (
	"bytes"
	"encoding/binary"
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

// procArgs reads the argument area of sysctl kern.procargs2: the number of
// arguments, the path of the program, zeros, the arguments.
func procArgs(pid int) (program string, args []string) {
	area, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil || len(area) < 4 {
		return "", nil
	}
	count := int(binary.NativeEndian.Uint32(area))
	path, rest, ok := bytes.Cut(area[4:], []byte{0})
	if !ok {
		return "", nil
	}
	rest = bytes.TrimLeft(rest, "\x00")
	for len(args) < count {
		arg, after, ok := bytes.Cut(rest, []byte{0})
		if !ok {
			break
		}
		args, rest = append(args, string(arg)), after
	}
	return string(path), args
}

func args(pid int) []string {
	_, args := procArgs(pid)
	return args
}

func program(pid int) string {
	path, _ := procArgs(pid)
	return path
}

// terminal: NODEV is -1.
func terminal(pid int) bool {
	p, ok := info(pid)
	return ok && p.Eproc.Tdev != -1
}

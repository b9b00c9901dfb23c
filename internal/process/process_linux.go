package process

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// The fields of /proc/PID/stat that follow the command name, proc_pid_stat(5).
const (
	fieldState    = 0  // the third of the whole line
	fieldParent   = 1  // the fourth
	fieldTerminal = 4  // the seventh: 0 is none
	fieldStart    = 19 // the 22nd: ticks after boot
)

// stat returns one field after the command name. The name is in parentheses and
// may itself hold spaces and parentheses, so that only the last one counts.
func stat(pid, field int) string {
	line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return ""
	}
	end := bytes.LastIndexByte(line, ')')
	if end < 0 {
		return ""
	}
	fields := strings.Fields(string(line[end+1:]))
	if field >= len(fields) {
		return ""
	}
	return fields[field]
}

// start is "BOOT:TICKS": ticks alone repeat after a reboot.
func start(pid int) string {
	ticks := stat(pid, fieldStart)
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if ticks == "" || err != nil {
		return ""
	}
	return strings.TrimSpace(string(boot)) + ":" + ticks
}

func zombie(pid int) bool {
	state := stat(pid, fieldState)
	return state == "Z" || state == "X"
}

func parent(pid int) int {
	ppid, err := strconv.Atoi(stat(pid, fieldParent))
	if err != nil {
		return 0
	}
	return ppid
}

func exists(pid int) bool {
	err := syscall.Kill(pid, 0)
	return (err == nil || err == syscall.EPERM) && !zombie(pid)
}

func args(pid int) []string {
	line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil || len(line) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00")
}

// program is the path of what runs; of one that was replaced since, where it was.
func program(pid int) string {
	path, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/exe")
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(path, " (deleted)")
}

func terminal(pid int) bool {
	number := stat(pid, fieldTerminal)
	return number != "" && number != "0"
}

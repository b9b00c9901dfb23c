// Package process tells one process from another that got the same number
// later. It is used where a pid comes from outside: by the hook client, which
// stamps the harness's process, and by whoever asks later whether it lives.
//
// It never starts or signals anything. Where an operating system does not tell,
// the answers are "unknown", never a guess.
package process

import "turnpost"

// Start returns an opaque stamp of when the process started, the same for as
// long as it lives and different for any other process that ever has its pid,
// across reboots too. It is "" when there is no such process or the system does
// not tell.
func Start(pid int) string {
	if pid <= 0 {
		return ""
	}
	return start(pid)
}

// Alive tells whether p still runs. A process that has ended but was not yet
// reaped by its parent is not alive. Without a start stamp any process with
// that pid counts.
func Alive(p turnpost.Process) bool {
	if p.Pid <= 0 {
		return false
	}
	if p.Start == "" {
		return exists(p.Pid)
	}
	return start(p.Pid) == p.Start && !zombie(p.Pid)
}

// Parent returns the pid of the parent process, 0 when unknown.
func Parent(pid int) int {
	if pid <= 0 {
		return 0
	}
	return parent(pid)
}

// Args returns the arguments with which the process was started, its name
// first; nil when unknown.
func Args(pid int) []string {
	if pid <= 0 {
		return nil
	}
	return args(pid)
}

// Program returns the absolute path of the program that the process runs, ""
// when unknown.
func Program(pid int) string {
	if pid <= 0 {
		return ""
	}
	return program(pid)
}

// Terminal tells whether the process has a controlling terminal.
func Terminal(pid int) bool { return pid > 0 && terminal(pid) }

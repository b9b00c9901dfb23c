//go:build unix

package work

import (
	"os/exec"
	"syscall"
	"time"

	"turnpost"
	"turnpost/internal/process"
)

// ownGroup makes a command the leader of a process group.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// askToEnd tells the group of a command that lives to end.
func askToEnd(leader int) error { return syscall.Kill(-leader, syscall.SIGTERM) }

// groupLook is the pause between two looks at a group that ends.
const groupLook = 20 * time.Millisecond

// awaitGroup waits until nothing of a group is left.
func awaitGroup(leader turnpost.Process, limit time.Duration) {
	for until := time.Now().Add(limit); time.Now().Before(until); time.Sleep(groupLook) {
		if syscall.Kill(-leader.Pid, 0) != nil {
			return
		}
	}
}

// endGroup ends what is left of a group. As long as anything is, no new process
// has its number; one that has it is another's.
func endGroup(leader turnpost.Process) {
	if now := process.Start(leader.Pid); now == "" || now == leader.Start {
		_ = syscall.Kill(-leader.Pid, syscall.SIGKILL) // an error means that nothing is left
	}
}

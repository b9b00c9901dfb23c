//go:build !unix

package work

import (
	"os"
	"os/exec"
	"time"

	"turnpost"
)

// ownGroup does nothing: what a command starts itself is not ended with it here.
func ownGroup(*exec.Cmd) {}

func askToEnd(leader int) error {
	process, err := os.FindProcess(leader)
	if err != nil {
		return err
	}
	return process.Kill()
}

func awaitGroup(turnpost.Process, time.Duration) {}

func endGroup(turnpost.Process) {}

//go:build !unix

package cli

import (
	"io/fs"
	"os/exec"
)

func ownerOf(fs.FileInfo) (uid int, ok bool) { return 0, false }

// detach has nothing to do: a program that is started keeps running.
func detach(*exec.Cmd) {}

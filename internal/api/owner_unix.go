//go:build unix

package api

import (
	"io/fs"
	"os"
	"syscall"

	"turnpost"
)

// noFollow keeps a link in the place of a file from being opened.
const noFollow = syscall.O_NOFOLLOW

func checkOwner(path string, info fs.FileInfo) error {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Getuid() {
		return turnpost.Errorf(turnpost.Forbidden, "%s belongs to user %d", path, stat.Uid).WithHint("start the hub as its owner, or move it away")
	}
	return nil
}

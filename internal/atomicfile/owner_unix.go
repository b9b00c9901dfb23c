//go:build unix

package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// keepOwnerAndMode makes file look like old, or fails: a settings file that
// silently changes its owner is worse than one that is not written.
func keepOwnerAndMode(file *os.File, old fs.FileInfo) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	was, ok := old.Sys().(*syscall.Stat_t)
	is, ok2 := info.Sys().(*syscall.Stat_t)
	if ok && ok2 && (was.Uid != is.Uid || was.Gid != is.Gid) {
		if err := file.Chown(int(was.Uid), int(was.Gid)); err != nil {
			return fmt.Errorf("keep the owner: %w", err)
		}
	}
	// After chown, which clears the set-id bits.
	return file.Chmod(old.Mode())
}

// SyncDir makes the names in a directory last.
func SyncDir(dir string) error {
	file, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("sync directory: %w", err)
	}
	defer file.Close()
	// Some network file systems cannot sync a directory and say EINVAL.
	if err := file.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) {
		return fmt.Errorf("sync directory: %w", err)
	}
	return nil
}

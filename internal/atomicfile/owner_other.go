//go:build !unix

package atomicfile

import (
	"io/fs"
	"os"
)

// keepOwnerAndMode keeps the read-only bit; the owner follows the directory.
func keepOwnerAndMode(file *os.File, old fs.FileInfo) error {
	return os.Chmod(file.Name(), old.Mode())
}

// SyncDir does nothing: directories cannot be synced here.
func SyncDir(string) error { return nil }

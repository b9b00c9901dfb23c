//go:build unix

package recall

import (
	"io/fs"
	"os"
	"syscall"
)

// ours tells whether this user owns what info is of, and not everybody can write
// it. A group may: the directory above is private.
func ours(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid() && info.Mode().Perm()&0o002 == 0
}

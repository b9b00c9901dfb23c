package setup

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// exchange swaps two names in one step; ErrUnsupported where the file system
// cannot.
func exchange(a, b string) error {
	err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
	switch {
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS):
		return errors.ErrUnsupported
	case err != nil:
		return &os.LinkError{Op: "exchange", Old: a, New: b, Err: err}
	}
	return nil
}

// waitForWriters waits up to 200 ms until nobody else has the file open: the
// kernel grants a write lease only then. Readers that stay, such as tail -f,
// cost the wait and nothing else.
func waitForWriters(file *os.File) {
	for range 40 {
		_, err := unix.FcntlInt(file.Fd(), unix.F_SETLEASE, unix.F_WRLCK)
		if !errors.Is(err, unix.EAGAIN) {
			if err == nil {
				_, _ = unix.FcntlInt(file.Fd(), unix.F_SETLEASE, unix.F_UNLCK)
			}
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

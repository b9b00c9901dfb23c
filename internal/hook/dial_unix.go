//go:build unix

package hook

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// dial connects to a unix socket; errGone is that nobody listens there. It does
// without package net, which costs a tenth of a hook call's time and gives up at
// once when the hub is too busy to accept: EAGAIN, which here is tried again
// until the deadline.
func dial(path string, deadline time.Time) (*os.File, error) {
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return nil, err
	}
	syscall.CloseOnExec(fd)
	if err := syscall.SetNonblock(fd, true); err != nil {
		syscall.Close(fd)
		return nil, err
	}
	for {
		err = syscall.Connect(fd, &syscall.SockaddrUnix{Name: path})
		if err == nil || errors.Is(err, syscall.EISCONN) {
			return os.NewFile(uintptr(fd), "hub"), nil
		}
		again := errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EINTR)
		if !again || time.Now().After(deadline) {
			break
		}
		time.Sleep(2 * time.Millisecond)
	}
	syscall.Close(fd)
	if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ENOENT) {
		return nil, errGone
	}
	return nil, err
}

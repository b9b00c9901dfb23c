package api

import (
	"errors"
	"net"
	"syscall"
)

// peerOf asks the kernel who connected (SO_PEERCRED, unix(7)).
func peerOf(c *net.UnixConn) (peer, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return peer{}, err
	}
	var cred *syscall.Ucred
	var failed error
	err = raw.Control(func(fd uintptr) {
		cred, failed = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	})
	if err := errors.Join(err, failed); err != nil {
		return peer{}, err
	}
	return peer{pid: int(cred.Pid), uid: int(cred.Uid)}, nil
}

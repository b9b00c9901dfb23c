package api

import (
	"errors"
	"net"

	"golang.org/x/sys/unix"
)

// peerOf asks the kernel who connected (LOCAL_PEERPID and LOCAL_PEERCRED, unix(4)).
func peerOf(c *net.UnixConn) (peer, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return peer{}, err
	}
	var p peer
	var failed error
	err = raw.Control(func(fd uintptr) {
		cred, credErr := unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
		pid, pidErr := unix.GetsockoptInt(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERPID)
		if failed = errors.Join(credErr, pidErr); failed == nil {
			p = peer{pid: pid, uid: int(cred.Uid)}
		}
	})
	return p, errors.Join(err, failed)
}

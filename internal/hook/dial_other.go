//go:build !unix

package hook

import (
	"errors"
	"os"
	"time"
)

// dial has no way yet: the hub listens on a unix socket.
func dial(string, time.Time) (*os.File, error) { return nil, errors.ErrUnsupported }

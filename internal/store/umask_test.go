//go:build unix

package store

import (
	"syscall"
	"testing"
)

// wideUmask lets nothing but the code itself keep files private.
func wideUmask(t *testing.T) {
	old := syscall.Umask(0)
	t.Cleanup(func() { syscall.Umask(old) })
}

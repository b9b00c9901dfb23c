//go:build linux

package cli

import (
	"net"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestSystemdIsTold: ready when it is, alive as often as asked for, stopping at
// the end.
func TestSystemdIsTold(t *testing.T) {
	p := newPlace(t)
	path := filepath.Join(p.home, "notify")
	manager, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer manager.Close()
	if err := manager.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	cmd := p.command("up")
	cmd.Env = append(cmd.Env, "NOTIFY_SOCKET="+path, "WATCHDOG_USEC=300000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var told []string
	next := func() string {
		buffer := make([]byte, 200)
		n, err := manager.Read(buffer)
		if err != nil {
			t.Fatalf("after %q: %v", told, err)
		}
		told = append(told, string(buffer[:n]))
		return told[len(told)-1]
	}
	for next() != "READY=1" {
	}
	for next() != "WATCHDOG=1" {
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for next() != "STOPPING=1" {
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("ended with %v", err)
	}
	if !strings.HasPrefix(strings.Join(told, " "), "READY=1") {
		t.Errorf("systemd was told %q", told)
	}
}

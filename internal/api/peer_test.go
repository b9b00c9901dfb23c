//go:build unix

package api

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"turnpost"
	"turnpost/internal/api/client"
)

func TestMayConnect(t *testing.T) {
	for _, test := range []struct {
		peer, own int
		want      bool
	}{{1000, 1000, true}, {0, 1000, true}, {0, 0, true}, {1000, 0, false}, {1001, 1000, false}, {-1, 1000, false}} {
		if got := mayConnect(test.peer, test.own); got != test.want {
			t.Errorf("mayConnect(%d, %d) = %v", test.peer, test.own, got)
		}
	}
}

// TestForeignUser runs itself as another user, who finds the socket open and
// is turned away all the same. Only root can become another user; for others
// TestMayConnect holds the rule, and this test asks as themselves.
func TestForeignUser(t *testing.T) {
	const key = "TURNPOST_TEST_SOCKET"
	if path := os.Getenv(key); path != "" {
		_, err := client.New(client.Address{Socket: path}).Whoami(t.Context(), turnpost.Nothing{})
		t.Logf("answered: %v", err == nil)
		return
	}
	f := newFake()
	s := listen(t, f)
	serve(t, s)
	path := s.socket.Addr().String()
	for file, mode := range map[string]os.FileMode{filepath.Dir(filepath.Dir(path)): 0o755, filepath.Dir(path): 0o755, path: 0o666} {
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
	}
	self := filepath.Join(filepath.Dir(path), "self.test")
	copyFile(t, os.Args[0], self)
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestForeignUser$", "-test.v")
	cmd.Env, cmd.Dir = []string{key + "=" + path}, "/"
	want := "answered: true"
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 12345, Gid: 12345}}
		want = "answered: false"
	}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), want) {
		t.Errorf("%v: %s", err, out)
	}
	if os.Getuid() == 0 && f.count() != 0 {
		t.Error("another user reached the hub")
	} else if os.Getuid() != 0 && f.last(t).caller.Pid == os.Getpid() {
		t.Error("the caller's process is not the one that asked")
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o755); err != nil { //nolint:gosec // the other user runs it
		t.Fatal(err)
	}
}

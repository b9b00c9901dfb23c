//go:build unix

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestWriteKeepsWhatIsNotContent(t *testing.T) {
	for _, mode := range []fs.FileMode{0o600, 0o644, 0o640, 0o755} {
		dir := t.TempDir()
		path := filepath.Join(dir, "a")
		must(t, os.WriteFile(path, []byte("old"), 0o600))
		must(t, os.Chmod(path, mode))
		must(t, Write(path, []byte("new"), 0o600))
		info, err := os.Stat(path)
		must(t, err)
		if info.Mode() != mode {
			t.Errorf("mode %v became %v", mode, info.Mode())
		}
		wantFile(t, path, "new")
		wantAlone(t, dir, "a")
	}
}

func TestWriteNewFileHasPerm(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	must(t, Write(path, []byte("x"), 0o600))
	info, err := os.Stat(path)
	must(t, err)
	if info.Mode() != 0o600 {
		t.Errorf("mode %v, want 0600", info.Mode())
	}
}

func TestWriteThroughLinks(t *testing.T) {
	dir := t.TempDir()
	real := filepath.Join(dir, "dotfiles", "settings.json")
	must(t, os.MkdirAll(filepath.Dir(real), 0o755))
	must(t, os.WriteFile(real, []byte("old"), 0o644))
	must(t, os.Symlink("dotfiles/settings.json", filepath.Join(dir, "one")))
	must(t, os.Symlink(filepath.Join(dir, "one"), filepath.Join(dir, "two")))

	must(t, Write(filepath.Join(dir, "two"), []byte("new"), 0o600))
	wantFile(t, real, "new")
	for _, name := range []string{"one", "two"} {
		info, err := os.Lstat(filepath.Join(dir, name))
		must(t, err)
		if info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("%s is no link any more", name)
		}
	}
	wantAlone(t, filepath.Dir(real), "settings.json")
}

func TestResolve(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	must(t, os.MkdirAll(filepath.Join(dir, "real"), 0o755))
	must(t, os.Symlink("real", filepath.Join(dir, "d")))
	must(t, os.Symlink("missing/x", filepath.Join(dir, "real", "dangling")))
	must(t, os.Symlink("loop", filepath.Join(dir, "loop")))
	tests := []struct{ in, want string }{
		{"d/new", "real/new"},
		{"d/a/b/new", "real/a/b/new"},
		{"d/dangling", "real/missing/x"},
		{"d/../x", "x"}, // as filepath.Clean reads it
	}
	for _, tt := range tests {
		got, err := Resolve(filepath.Join(dir, tt.in))
		if err != nil || got != filepath.Join(dir, tt.want) {
			t.Errorf("Resolve(%s) = %s, %v; want %s", tt.in, got, err, tt.want)
		}
	}
	if _, err := Resolve(filepath.Join(dir, "loop")); err == nil {
		t.Error("a loop of links was resolved")
	}
}

func TestWriteRefusesWhatIsNotAFile(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "dir"), 0o755))
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	must(t, os.Symlink("pipe", filepath.Join(dir, "link")))
	for _, name := range []string{"dir", "pipe", "link"} {
		if err := Write(filepath.Join(dir, name), []byte("x"), 0o600); !errors.Is(err, ErrNotRegular) {
			t.Errorf("Write(%s) = %v, want ErrNotRegular", name, err)
		}
	}
	wantAlone(t, dir, "dir", "link", "pipe")
}

func TestDiscardLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	must(t, os.WriteFile(path, []byte("old"), 0o600))
	staged, err := Stage(path, []byte("new"), 0o600)
	must(t, err)
	wantFile(t, staged.Temp, "new")
	staged.Discard()
	wantFile(t, path, "old")
	wantAlone(t, dir, "a")
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantFile(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("%s holds %q, %v; want %q", path, got, err, want)
	}
}

func wantAlone(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	var got []string
	for _, entry := range entries {
		got = append(got, entry.Name())
	}
	if len(got) != len(want) {
		t.Fatalf("%s holds %q, want %q", dir, got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("%s holds %q, want %q", dir, got, want)
		}
	}
}

// Only root can give files away, so only for root is there something to keep.
func TestWriteKeepsTheOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	must(t, os.WriteFile(path, []byte("old"), 0o600))
	want := uint32(os.Geteuid())
	if want == 0 {
		want = 12345
		must(t, os.Chown(path, int(want), int(want)))
	}
	must(t, os.Chmod(path, 0o640))
	must(t, Write(path, []byte("new"), 0o600))
	info, err := os.Stat(path)
	must(t, err)
	if got := info.Sys().(*syscall.Stat_t).Uid; got != want || info.Mode() != 0o640 {
		t.Errorf("owner %d and mode %v, want %d and 0640", got, info.Mode(), want)
	}
}

package api

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"turnpost"
)

func TestEnsureToken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	first, err := EnsureToken(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(first) != tokenLength {
		t.Errorf("the token has %d characters", len(first))
	}
	info, err := os.Lstat(path)
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if again, err := EnsureToken(path); err != nil || again != first {
		t.Errorf("the second time: %q, %v", again, err)
	}
	if other, err := EnsureToken(filepath.Join(t.TempDir(), "token")); err != nil || other == first {
		t.Errorf("another file: %q, %v", other, err)
	}
}

func TestTokenFileRules(t *testing.T) {
	good := strings.Repeat("a", tokenLength) + "\n"
	file := func(text string, mode os.FileMode) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte(text), mode); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(path, mode); err != nil { // past the umask
				t.Fatal(err)
			}
		}
	}
	for _, test := range []struct {
		name  string
		place func(t *testing.T, path string)
		ok    bool
	}{
		{"as it should be", file(good, 0o600), true},
		{"read-only", file(good, 0o400), true},
		{"readable by the group", file(good, 0o640), false},
		{"readable by all", file(good, 0o604), false},
		{"writable by all", file(good, 0o602), false},
		{"empty", file("", 0o600), false},
		{"short", file("abc\n", 0o600), false},
		{"no token", file(strings.Repeat("a b", 30), 0o600), false},
		{"a directory", func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"a link", func(t *testing.T, path string) {
			file(good, 0o600)(t, path+".real")
			if err := os.Symlink(path+".real", path); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"a link to nothing", func(t *testing.T, path string) {
			if err := os.Symlink(path+".none", path); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"of another user, where we may make one", func(t *testing.T, path string) {
			file(good, 0o600)(t, path)
			if os.Getuid() != 0 { // only root can give a file away: for others the case is the mode
				file(good, 0o604)(t, path)
			} else if err := os.Chown(path, 12345, 12345); err != nil {
				t.Fatal(err)
			}
		}, false},
	} {
		path := filepath.Join(t.TempDir(), "token")
		test.place(t, path)
		token, err := EnsureToken(path)
		if (err == nil) != test.ok || (token != "") != test.ok {
			t.Errorf("%s: %q, %v", test.name, token, err)
		}
		if err != nil && strings.Contains(err.Error(), "aaaa") {
			t.Errorf("%s: the error tells the token: %v", test.name, err)
		}
	}
	if _, err := EnsureToken(filepath.Join(t.TempDir(), "missing", "token")); err == nil || turnpost.CodeOf(err) != turnpost.Internal {
		t.Errorf("without a directory: %v", err)
	}
}

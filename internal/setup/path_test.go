package setup

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestStablePath(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(root, "home")
	// home makes what is in it lasting; so the rest of the machine is in there.
	at := func(path string) string { return filepath.Join(home, path) }
	files := []string{
		"local/bin/turnpost", "brew/Cellar/turnpost/1.2.3/bin/turnpost", "asdf/installs/turnpost/0.4.0/bin/turnpost",
		"nix/store/0c8yq7a9wz4xh5v2lq0b3n6m8kfd1j3s-turnpost/bin/turnpost", "opt/turnpost-1.0/turnpost",
		"cache/go-build/ab/cdef-d/turnpost", "go-build123456/b001/exe/turnpost",
	}
	for _, file := range files {
		if err := errors.Join(os.MkdirAll(filepath.Dir(at(file)), 0o755), os.WriteFile(at(file), nil, 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	outside := filepath.Join(root, "elsewhere", "turnpost")
	if err := errors.Join(os.MkdirAll(filepath.Dir(outside), 0o755), os.WriteFile(outside, nil, 0o755),
		os.MkdirAll(at("brew/bin"), 0o755), os.Symlink("../Cellar/turnpost/1.2.3/bin/turnpost", at("brew/bin/turnpost")),
		os.MkdirAll(at("profile/bin"), 0o755), os.Symlink(at(files[3]), at("profile/bin/turnpost")),
		os.MkdirAll(at("links"), 0o755), os.Symlink(at(files[6]), at("links/turnpost"))); err != nil {
		t.Fatal(err)
	}
	path := strings.Join([]string{"relative", at("local/bin"), at("links"), at("brew/bin"), at("profile/bin")}, ":")
	getenv := func(name string) string {
		return map[string]string{"HOME": home, "PATH": path, "TMPDIR": root}[name]
	}
	tests := []struct{ exe, want, warning, err string }{
		{at(files[0]), at(files[0]), "", ""},
		{at(files[1]), at("brew/bin/turnpost"), "", ""},
		{at("brew/bin/turnpost"), at("brew/bin/turnpost"), "", ""},
		{at(files[2]), at(files[2]), "version in its path", ""},
		{at(files[3]), at("profile/bin/turnpost"), "", ""},
		{at(files[4]), at(files[4]), "version in its path", ""},
		{at(files[5]), "", "", "temporary"},
		{at(files[6]), "", "", "temporary"},
		{at("links/turnpost"), "", "", "temporary"},
		{outside, "", "", "temporary"},
		{"turnpost", "", "", "not an absolute path"},
		{at("missing"), "", "", "no such file"},
	}
	for _, tt := range tests {
		got, warning, err := StablePath(tt.exe, getenv)
		if got != tt.want || !strings.Contains(warning, tt.warning) || (warning == "") != (tt.warning == "") {
			t.Errorf("StablePath(%s) = %s, %q; want %s, %q", tt.exe, got, warning, tt.want, tt.warning)
		}
		if (err == nil) != (tt.err == "") || (err != nil && !strings.Contains(err.Error(), tt.err)) {
			t.Errorf("StablePath(%s): %v, want %q", tt.exe, err, tt.err)
		}
	}
}

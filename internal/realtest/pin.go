package realtest

import (
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

//go:embed pins/*/package.json
var pins embed.FS

// Version returns the pinned version of a program: "2.1.332".
func Version(p Program) string { return pinned(p.Pin()) }

// pinned returns the one version that a pin names.
func pinned(pin string) string {
	var manifest struct {
		Dependencies         map[string]string `json:"dependencies"`
		OptionalDependencies map[string]string `json:"optionalDependencies"`
	}
	raw, err := pins.ReadFile("pins/" + pin + "/package.json")
	if err == nil {
		err = json.Unmarshal(raw, &manifest)
	}
	if err != nil {
		panic("realtest: pin " + pin + ": " + err.Error()) // compiled in
	}
	for _, packages := range []map[string]string{manifest.Dependencies, manifest.OptionalDependencies} {
		for _, version := range packages {
			return version
		}
	}
	panic("realtest: pin " + pin + " names no package")
}

// installed returns the path of a file of a pinned package, below node_modules.
// It fails the test when it is not there: a missing program must not look like
// a passing test.
func installed(t testing.TB, pin, file string) string {
	t.Helper()
	dir, err := pinDir(pin)
	path := filepath.Join(dir, "node_modules", filepath.FromSlash(file))
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		t.Fatalf("the pinned %s is not installed (%v)\nrun: scripts/install-test-tools.sh", pin, err)
	}
	return path
}

// node returns the Node that runs the programs that are scripts: the pinned one
// or, where there is no package of it for this machine, that on PATH.
func node(t testing.TB) string {
	t.Helper()
	if dir, err := pinDir("node"); err == nil {
		path := filepath.Join(dir, "node_modules", "node-"+npmPlatform(), "bin", "node")
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	path, err := exec.LookPath("node")
	if err != nil {
		t.Fatalf("there is no Node (%v)\nrun: scripts/install-test-tools.sh", err)
	}
	return path
}

// pinDir says where scripts/install-test-tools.sh puts a pin.
func pinDir(pin string) (string, error) {
	cache := os.Getenv("TURNPOST_TEST_CACHE")
	if cache == "" {
		base := os.Getenv("XDG_CACHE_HOME")
		if base == "" {
			home, err := os.UserHomeDir()
			if err != nil {
				return "", fmt.Errorf("find the cache directory: %w", err)
			}
			base = filepath.Join(home, ".cache")
		}
		cache = filepath.Join(base, "turnpost-test")
	}
	return filepath.Join(cache, pin+"-"+pinned(pin)), nil
}

// npmPlatform is this machine as npm packages name it: "linux-x64".
func npmPlatform() string {
	arch := runtime.GOARCH
	if arch == "amd64" {
		arch = "x64"
	}
	return runtime.GOOS + "-" + arch
}

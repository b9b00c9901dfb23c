package web

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The files of others are the ones that were published.
func TestVendored(t *testing.T) {
	list, err := os.ReadFile("static/VENDORED")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for l := range strings.Lines(string(list)) {
		f := strings.Fields(l)
		if len(f) != 5 || f[0] != "npm" {
			continue
		}
		listed[f[3]] = true
		content, err := os.ReadFile(filepath.Join("static", f[3]))
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != f[4] {
			t.Errorf("%s is %x, recorded is %s", f[3], sum, f[4])
		}
	}
	minified, err := filepath.Glob("static/*.min.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range minified {
		if !listed[filepath.Base(path)] {
			t.Errorf("%s is not recorded", path)
		}
	}
	if len(listed) != 2 {
		t.Errorf("%d files are recorded, expected 2", len(listed))
	}
}

package api

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What the tests of behaviour cannot see: the token is compared in constant
// time, and no route can start a process.
func TestSource(t *testing.T) {
	guard, err := os.ReadFile("guard.go")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(guard), "subtle.ConstantTimeCompare(sum[:], g.token[:])") || strings.Contains(string(guard), "bytes.Equal") {
		t.Error("guard.go does not compare the hash of the token with crypto/subtle")
	}
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range parsed.Imports {
			if spec.Path.Value == `"os/exec"` || spec.Path.Value == `"plugin"` {
				t.Errorf("%s imports %s", file, spec.Path.Value)
			}
		}
	}
}

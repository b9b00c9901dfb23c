package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"turnpost/internal/harness"
)

// TestVersionOfAPackage: a program that is a script of a package is not run to
// hear its version; one that only has its name is.
func TestVersionOfAPackage(t *testing.T) {
	for _, c := range []struct{ packed, says, want string }{
		{`{"name": "@google/gemini-cli", "version": "0.61.0"}`, "0.1.0", "0.61.0"},
		{`{"name": "another", "version": "0.61.0"}`, "0.62.0", "0.62.0"},
		{`{`, "0.63.0", "0.63.0"},
		{"", "0.64.0", "0.64.0"},
	} {
		dir := t.TempDir()
		program := filepath.Join(dir, "lib", "bundle", "gemini.js")
		write := func(path, text string, mode os.FileMode) {
			err := os.MkdirAll(filepath.Dir(path), 0o755)
			if err == nil {
				err = os.WriteFile(path, []byte(text), mode)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		ran := filepath.Join(dir, "ran")
		write(program, fmt.Sprintf("#!/bin/sh\n: >'%s'\necho %s\n", ran, c.says), 0o755)
		if c.packed != "" {
			write(filepath.Join(dir, "lib", "package.json"), c.packed, 0o644)
		}
		if err := os.Symlink(program, filepath.Join(dir, "gemini")); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir+":/usr/bin:/bin")
		h, _ := harness.Find("gemini")
		got := (&app{env: quietEnv(t)}).detect(t.Context(), h.(harness.Program))
		_, err := os.Stat(ran)
		if got.version != c.want || (err == nil) != (c.want == c.says) {
			t.Errorf("%s: %+v, it ran: %t", c.packed, got, err == nil)
		}
	}
}

package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// golden compares with a file, or writes it with -update.
func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test ./internal/cli -update writes it)", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s is not what the commands say (-file +now); go test ./internal/cli -update writes it:\n%s", path, diff)
	}
}

func TestCommandReference(t *testing.T) {
	golden(t, filepath.FromSlash("../../docs/cli.md"), reference(quietEnv(t)))
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"post", "--help"}, {"setup", "--help"}, {"channels", "--help"}} {
		env := quietEnv(t)
		var out bytes.Buffer
		env.Stdout = &out
		if status := Run(t.Context(), env, args); status != 0 {
			t.Fatalf("%v ended with %d", args, status)
		}
		name := "root"
		if len(args) > 1 {
			name = args[0]
		}
		golden(t, filepath.Join("testdata", "help", name+".txt"), out.Bytes())
	}
}

// quietEnv is a world without a home, a hub or a terminal.
func quietEnv(t *testing.T) Env {
	return Env{
		Stdin: bytes.NewReader(nil), Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{},
		Getenv:  func(string) string { return "" },
		Home:    t.TempDir(),
		Login:   "anna",
		UID:     os.Getuid(),
		Version: "v1.2.3-test",
	}
}

package workflow

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"turnpost"
)

func TestFind(t *testing.T) {
	root := t.TempDir()
	hint := func(err error) string {
		var coded *turnpost.Error
		if !errors.As(err, &coded) {
			t.Fatalf("the error is %v", err)
		}
		return coded.Hint
	}
	_, err := Find(root, "ship")
	if turnpost.CodeOf(err) != turnpost.NotFound || hint(err) != "a process is a file of that name and .toml in there" {
		t.Errorf("without the directory: %v, hint %q", err, hint(err))
	}

	dir := filepath.Join(root, ".turnpost", "runs")
	if err := os.MkdirAll(filepath.Join(dir, "folder.toml"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ship.toml", "fix-1.2.toml", "notes.md", "No.toml", ".toml"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"ship", "fix-1.2"} {
		if got, err := Find(root, name); err != nil || got != filepath.Join(dir, name+".toml") {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	_, err = Find(root, "shop")
	if turnpost.CodeOf(err) != turnpost.NotFound || hint(err) != "there are fix-1.2, ship" {
		t.Errorf("another name: %v, hint %q", err, hint(err))
	}
	for _, name := range []string{"", ".", "..", "../ship", "/ship", "a/b", `a\b`, "Ship", ".ship", "ship\x00", "ship\n"} {
		if got, err := Find(root, name); turnpost.CodeOf(err) != turnpost.Invalid {
			t.Errorf("%q: %s, %v", name, got, err)
		}
	}
	file := filepath.Join(dir, "ship.toml")
	if _, err := Find(file, "ship"); err == nil || errors.Is(err, fs.ErrNotExist) || turnpost.CodeOf(err) == turnpost.NotFound {
		t.Errorf("a file for a root: %v", err)
	}
}

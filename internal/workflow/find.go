package workflow

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"turnpost"
)

// Dir is where processes are, in the root of a repository.
const Dir = ".turnpost/runs"

// Find returns the file of a process of a repository. A name is a name, never a
// path; where there is none of it, the hint says which there are.
func Find(root, name string) (string, error) {
	dir := filepath.Join(root, filepath.FromSlash(Dir))
	if !isName(name, "._-", 64) {
		return "", turnpost.Invalidf("name", "%.80q is not the name of a process", name).
			WithHint("use small letters, digits, '.', '_' and '-', at most 64, the first a letter or a digit")
	}
	path := filepath.Join(dir, name+".toml")
	_, err := os.Stat(path)
	if err == nil {
		return path, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("find process: %w", err)
	}
	missing := turnpost.Errorf(turnpost.NotFound, "there is no process %q in %s", name, dir)
	if names := namesIn(dir); len(names) > 0 {
		return "", missing.WithHint("there are %s", strings.Join(names, ", "))
	}
	return "", missing.WithHint("a process is a file of that name and .toml in there")
}

// namesIn lists the processes of a directory; one that cannot be read has none.
func namesIn(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".toml")
		if ok && isName(name, "._-", 64) && !e.IsDir() {
			names = append(names, name)
		}
	}
	return names
}

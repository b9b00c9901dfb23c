package harness_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"turnpost/internal/harness"
)

// packageDirs are the directories of this repository that hold nothing else.
var packageDirs = []string{"plugins", ".claude-plugin", ".agents"}

// TestPackages holds that the packages in the repository are what the adapters
// make now, and that there is nothing beside them.
func TestPackages(t *testing.T) {
	root := filepath.Join("..", "..")
	want := map[string][]byte{}
	for _, h := range harness.All() {
		packaged, ok := h.(harness.Packaged)
		if !ok {
			continue
		}
		for _, file := range packaged.Package() {
			if _, twice := want[file.Path]; twice {
				t.Errorf("%s: two packages have %s", h.Name(), file.Path)
			}
			want[file.Path] = contentOf(t, file)
		}
	}
	for _, dir := range packageDirs {
		err := filepath.WalkDir(filepath.Join(root, dir), func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			rel, err := filepath.Rel(root, name)
			if err != nil {
				return err
			}
			if _, known := want[filepath.ToSlash(rel)]; known || path.Base(filepath.ToSlash(rel)) == "README.md" {
				return nil
			}
			if *update {
				return os.Remove(name)
			}
			t.Errorf("%s is in no package", rel)
			return nil
		})
		if err != nil && !(*update && os.IsNotExist(err)) {
			t.Error(err)
		}
	}
	for name, content := range want {
		file := filepath.Join(root, filepath.FromSlash(name))
		if *update {
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, content, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Errorf("%v; make gen writes it", err)
			continue
		}
		if diff := cmp.Diff(string(content), string(got)); diff != "" {
			t.Errorf("%s is not what the adapter makes; make gen writes it (-want +got):\n%s", name, diff)
		}
	}
}

func contentOf(t *testing.T, file harness.PackageFile) []byte {
	t.Helper()
	if file.JSON == nil {
		return []byte(file.Text)
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(file.JSON); err != nil {
		t.Fatalf("%s: %v", file.Path, err)
	}
	return out.Bytes()
}

// TestPackagesLookForTheProgram holds that the hooks of a package look for their
// program, and are those of the settings otherwise.
func TestPackagesLookForTheProgram(t *testing.T) {
	for _, h := range harness.All() {
		packaged, ok := h.(harness.Packaged)
		if !ok {
			continue
		}
		text := ""
		for _, file := range packaged.Package() {
			text += string(contentOf(t, file))
		}
		if !strings.Contains(text, ".local/bin") || !strings.Contains(text, "turnpost-hook") {
			t.Errorf("%s: its package does not look for the hook client", h.Name())
		}
		if strings.Contains(text, "Written by turnpost setup") {
			t.Errorf("%s: its package says that setup wrote it", h.Name())
		}
		if packaged.PackageInstall() == "" {
			t.Errorf("%s: nothing says how its package is installed", h.Name())
		}
		for _, sign := range packaged.PackageSigns(func(name string) string { return map[string]string{"HOME": "/h"}[name] }) {
			if !filepath.IsAbs(sign.File) || !slices.Contains([]string{"json", "jsonc", "toml", "file"}, sign.Dialect) {
				t.Errorf("%s: sign %+v", h.Name(), sign)
			}
		}
	}
}

// TestPackageReadme holds that people read how each package is installed and
// removed.
func TestPackageReadme(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "plugins", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range harness.All() {
		packaged, ok := h.(harness.Packaged)
		if !ok {
			continue
		}
		for _, line := range []string{packaged.PackageInstall(), packaged.PackageRemove()} {
			if !strings.Contains(string(text), "`"+line+"`") && line != "" {
				t.Errorf("plugins/README.md does not say %q", line)
			}
		}
	}
}

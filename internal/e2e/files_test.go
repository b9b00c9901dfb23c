//go:build unix

package e2e

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// files are the files of a home by their names in it: content and mode.
type files map[string]string

// files reads the whole home, beside what is ours alone and what programs keep
// in temporary directories.
func (w *world) files() files {
	w.t.Helper()
	found := files{}
	err := filepath.WalkDir(w.home.Dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(w.home.Dir, path)
		if err != nil {
			return err
		}
		switch {
		case path == string(w.dir), entry.IsDir() && entry.Name() == "tmp":
			return filepath.SkipDir
		case !entry.Type().IsRegular(), strings.HasPrefix(name, filepath.Join(".local", "bin")):
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		found[name] = info.Mode().String() + "\n" + string(data)
		return err
	})
	if err != nil {
		w.t.Fatalf("look at the home: %v", err)
	}
	return found
}

// wantUndone holds that what was written is as it was before, or gone.
func wantUndone(t testing.TB, before, wrote, after files) {
	t.Helper()
	for name := range wrote {
		was, had := before[name]
		is, has := after[name]
		if had != has || is != was {
			t.Errorf("%s was there: %v, is: %v\nbefore:\n%s\nafter:\n%s", name, had, has, was, is)
		}
	}
}

// changed are the files that are new or other in after, as they are there.
func (f files) changed(after files) files {
	found := files{}
	for name, is := range after {
		if was, ok := f[name]; !ok || was != is {
			found[name] = is
		}
	}
	return found
}

// Package atomicfile replaces whole files so that a reader, a crash or a full
// disk finds the old bytes or the new ones, never a part.
//
// A symbolic link stays a link: its target is replaced. An existing file keeps
// its mode and its owner, or is not replaced at all. Extended attributes, ACLs
// and further hard links are not carried over.
package atomicfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrNotRegular is wrapped by the error for a path that holds anything but a
// regular file: a directory, a device, a pipe, a socket.
var ErrNotRegular = errors.New("not a regular file")

// maxLinks is where Resolve takes a chain of links for a loop, as Linux does.
const maxLinks = 40

// Write creates or replaces the file at path with data. The directory must
// exist. perm, less the umask, is for a new file only.
func Write(path string, data []byte, perm fs.FileMode) error {
	staged, err := Stage(path, data, perm)
	if err != nil {
		return err
	}
	return staged.Commit()
}

// Staged is new content on disk beside the file that it is going to replace.
type Staged struct {
	Temp   string // holds the data, synced, with mode and owner of the target
	Target string // what Commit replaces, all links resolved
}

// TempPrefix starts the base name of every Temp of a target, so that the
// remains of a killed process can be told and removed.
func TempPrefix(target string) string {
	return "." + filepath.Base(target) + ".turnpost-"
}

// Stage does everything of Write but the replacing. The caller ends it with
// Commit or Discard.
func Stage(path string, data []byte, perm fs.FileMode) (Staged, error) {
	target, err := Resolve(path)
	if err != nil {
		return Staged{}, err
	}
	old, err := os.Lstat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return Staged{}, fmt.Errorf("look at the file: %w", err)
	case !old.Mode().IsRegular():
		return Staged{}, fmt.Errorf("replace %s: %w", target, ErrNotRegular)
	}

	temp, err := createTemp(target, perm)
	if err != nil {
		return Staged{}, fmt.Errorf("create temporary file: %w", err)
	}
	staged := Staged{Temp: temp.Name(), Target: target}
	_, err = temp.Write(data)
	if err == nil && old != nil {
		err = keepOwnerAndMode(temp, old)
	}
	if err == nil {
		err = temp.Sync()
	}
	if closeErr := temp.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		staged.Discard()
		return Staged{}, fmt.Errorf("write temporary file: %w", err)
	}
	return staged, nil
}

// Commit puts the new content in place and makes that last.
func (s Staged) Commit() error {
	if err := os.Rename(s.Temp, s.Target); err != nil {
		s.Discard()
		return fmt.Errorf("replace file: %w", err)
	}
	return SyncDir(filepath.Dir(s.Target))
}

// Discard gives up: the target was not touched.
func (s Staged) Discard() { _ = os.Remove(s.Temp) }

// Resolve follows all links of path, also where the last ones of it do not
// exist yet: the result is where a write through path would end up.
func Resolve(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("resolve %s: %w", path, err)
	}
	at := path
	for range maxLinks {
		info, err := os.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if filepath.Dir(at) == at {
				return at, nil
			}
			dir, err := Resolve(filepath.Dir(at))
			return filepath.Join(dir, filepath.Base(at)), err
		case err != nil:
			return "", fmt.Errorf("resolve %s: %w", path, err)
		case info.Mode()&fs.ModeSymlink == 0:
			full, err := filepath.EvalSymlinks(at)
			if err != nil {
				return "", fmt.Errorf("resolve %s: %w", path, err)
			}
			return full, nil
		}
		link, err := os.Readlink(at)
		if err != nil {
			return "", fmt.Errorf("resolve %s: %w", path, err)
		}
		if !filepath.IsAbs(link) {
			// A relative link counts from where its directory really is.
			dir, err := filepath.EvalSymlinks(filepath.Dir(at))
			if err != nil {
				return "", fmt.Errorf("resolve %s: %w", path, err)
			}
			link = filepath.Join(dir, link)
		}
		at = link
	}
	return "", fmt.Errorf("resolve %s: too many links", path)
}

// createTemp makes a new file beside target; perm is subject to the umask.
func createTemp(target string, perm fs.FileMode) (*os.File, error) {
	for try := 0; ; try++ {
		name := filepath.Join(filepath.Dir(target), TempPrefix(target)+rand.Text()[:12])
		file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
		if !errors.Is(err, fs.ErrExist) || try > 100 {
			return file, err
		}
	}
}

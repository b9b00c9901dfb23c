// Package keep is the context folder: agents' notes as plain files that people
// can read, one folder a handle in the state directory.
//
// now.md is replaced whole, so that a reader, a crash or a full disk finds the
// old notes or the new ones; what was acknowledged is on disk. Nothing is
// written through links or over what is no text. Secrets are taken out by the
// caller.
package keep

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"turnpost"
	"turnpost/internal/atomicfile"
	"turnpost/internal/keep/recall"
	"turnpost/internal/statedir"
)

// shownDecisions is how many decisions Read returns.
const shownDecisions = 20

// Store keeps the notes of all handles. Its methods are safe for concurrent
// use; the process that has it is the only one that writes.
type Store struct {
	dir   statedir.Dir
	fresh time.Duration
	now   func() time.Time

	mu sync.Mutex // one write at a time
}

// Open returns the notes in a state directory. What is older than fresh is not
// given back. It makes nothing.
func Open(dir statedir.Dir, fresh time.Duration, now func() time.Time) *Store {
	return &Store{dir: dir, fresh: fresh, now: now}
}

// Read returns the notes of a handle; none are no error.
func (s *Store) Read(handle string) (turnpost.Notes, error) {
	folder := s.dir.Context(handle)
	out := turnpost.Notes{Handle: handle, Dir: folder, Decisions: []turnpost.NotedDecision{}}
	notes, err := recall.Load(folder)
	if err != nil {
		return out, odd(err)
	}
	if !recall.Blank(notes.Now) {
		out.Place, out.Now, out.At, out.Stub = notes.Place, notes.Now, notes.At.UTC(), notes.Stub
	}
	list, more, err := recall.Decisions(folder, shownDecisions)
	if err != nil {
		return out, odd(err)
	}
	for _, d := range list {
		out.Decisions = append(out.Decisions, d.NotedDecision)
	}
	out.More = more
	return out, nil
}

// odd is an error that the person can mend, where a file is not what we wrote.
func odd(err error) error {
	if errors.Is(err, recall.ErrDoubt) {
		return turnpost.Errorf(turnpost.Conflict, "%v", err).WithHint("look at it, and move it away")
	}
	return err
}

// At is when now.md was written; zero: there is none, or a stub.
func (s *Store) At(handle string) time.Time {
	folder := s.dir.Context(handle)
	info, err := os.Lstat(filepath.Join(folder, recall.NowFile))
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return time.Time{}
	}
	// Only what is as long as the stub can be the stub.
	if stub, err := os.Lstat(filepath.Join(folder, recall.StubFile)); err == nil && stub.Size() == info.Size() {
		if notes, err := recall.Load(folder); err == nil && notes.Stub {
			return time.Time{}
		}
	}
	return info.ModTime().UTC()
}

// Recall is the framed text that gives a session its handle's notes back, ""
// when there are none that are fresh and about its place.
func (s *Store) Recall(handle string, session turnpost.Session, compacted bool) string {
	return recall.Text(s.dir.Context(handle), handle, session.Place.Root, s.fresh, s.now(), compacted)
}

// folder makes the folder of a handle and returns its path.
func (s *Store) folder(handle string) (string, error) {
	folder := s.dir.Context(handle)
	if err := makeDir(s.dir.Contexts()); err != nil {
		return "", err
	}
	return folder, makeDir(folder)
}

// makeDir makes one directory that lasts, for this user alone.
func makeDir(path string) error {
	err := os.Mkdir(path, 0o700)
	if errors.Is(err, fs.ErrExist) {
		info, err := os.Lstat(path)
		if err == nil && !info.IsDir() {
			err = odd(fmt.Errorf("write notes: %s: %w", path, recall.ErrDoubt))
		}
		return err
	}
	if err != nil {
		return fmt.Errorf("make directory of notes: %w", err)
	}
	return atomicfile.SyncDir(filepath.Dir(path))
}

// Package trust knows which files of repositories the person trusted: by path,
// all links resolved, and by content. A file that changed is trusted no more,
// and neither is a copy of it elsewhere.
//
// It only keeps what a person said. Nothing is trusted by itself, and a record
// that cannot be read trusts nothing and is never written over.
package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"turnpost"
	"turnpost/internal/atomicfile"
)

// MaxFile is the size, in bytes, of the largest file that can be trusted: a
// person has to be able to read it.
const MaxFile = 1 << 20

// State is what the record says of a file as it is now.
type State string

// The states.
const (
	Trusted State = "trusted"
	Changed State = "changed" // other content was trusted
	Unknown State = "unknown"
	Gone    State = "gone" // in List only: it is there no more, or is no file that can be trusted
)

// Look is a file with what the record says of it. Data is what was hashed:
// whoever acts on a trusted file uses it, and does not read the file again.
type Look struct {
	Path  string    // absolute, all links resolved
	Hash  string    // sha-256 of Data, in hex
	Data  []byte    // the whole file
	State State     // Trusted, Changed or Unknown
	At    time.Time // when it was trusted, also where it has changed since
}

// Entry is one line of the record.
type Entry struct {
	Path  string    `json:"path"`
	Hash  string    `json:"hash"` // of what was trusted
	At    time.Time `json:"at"`
	State State     `json:"state"` // Trusted, Changed or Gone
}

// Store is the record, a file of the state directory.
type Store struct{ path string }

// Open returns the record at path. It reads and makes nothing.
func Open(path string) Store { return Store{path} }

// Look reads a file and the record. The error wraps fs.ErrNotExist for a file
// that is not there. Links count for nothing: what is judged is the file at
// their end, wherever that is.
func (s Store) Look(file string) (Look, error) {
	look, err := read(file)
	if err != nil {
		return Look{}, err
	}
	entries, err := s.load()
	if err != nil {
		return Look{}, err
	}
	look.State = Unknown
	if i := find(entries, look.Path); i >= 0 {
		look.State, look.At = stateOf(entries[i], look.Hash), entries[i].At
	}
	return look, nil
}

// Grant trusts the content of a file that has the hash, and has it now: it is
// what the person saw.
func (s Store) Grant(path, hash string, now time.Time) error {
	return s.change(func(entries []Entry) ([]Entry, error) {
		look, err := read(path)
		if err != nil {
			return nil, err
		}
		if look.Hash != hash {
			return nil, turnpost.Errorf(turnpost.Conflict, "%s changed since you saw it", look.Path).WithHint("look at it again")
		}
		entry := Entry{Path: look.Path, Hash: hash, At: now.UTC().Truncate(time.Second)}
		if i := find(entries, look.Path); i >= 0 {
			entries[i] = entry
			return entries, nil
		}
		return append(entries, entry), nil
	})
}

// Revoke ends the trust in a file, which need not exist any more.
func (s Store) Revoke(path string) error {
	return s.change(func(entries []Entry) ([]Entry, error) {
		// As the record has it, or as it is reached today.
		literal, err := filepath.Abs(path)
		if err != nil {
			return nil, fmt.Errorf("find %s: %w", path, err)
		}
		i := find(entries, literal)
		if resolved, err := atomicfile.Resolve(path); i < 0 && err == nil {
			i = find(entries, resolved)
		}
		if i < 0 {
			return nil, turnpost.Errorf(turnpost.NotFound, "%s is not trusted", literal).WithHint("turnpost trust lists what is")
		}
		return slices.Delete(entries, i, i+1), nil
	})
}

// List returns the record, by path, with the state that each file is in.
func (s Store) List() ([]Entry, error) {
	entries, err := s.load()
	if err != nil {
		return nil, err
	}
	for i, e := range entries {
		entries[i].State = Gone
		// A path that leads elsewhere today is not the file that was trusted.
		if look, err := read(e.Path); err == nil && look.Path == e.Path {
			entries[i].State = stateOf(e, look.Hash)
		}
	}
	slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	return entries, nil
}

func stateOf(e Entry, hash string) State {
	if e.Hash == hash {
		return Trusted
	}
	return Changed
}

func find(entries []Entry, path string) int {
	return slices.IndexFunc(entries, func(e Entry) bool { return e.Path == path })
}

// read reads a file that can be trusted: a regular one, and not a large one.
func read(path string) (Look, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return Look{}, fmt.Errorf("find %s: %w", path, err)
	}
	if full, err = filepath.EvalSymlinks(full); err != nil {
		return Look{}, unread(path, err)
	}
	info, err := os.Lstat(full)
	if err != nil {
		return Look{}, unread(path, err)
	}
	if !info.Mode().IsRegular() {
		return Look{}, turnpost.Errorf(turnpost.Invalid, "%s is not a regular file", full)
	}
	// A pipe that took its place meanwhile would wait for a writer.
	file, err := os.OpenFile(full, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return Look{}, unread(path, err)
	}
	defer file.Close()
	if opened, err := file.Stat(); err != nil || !os.SameFile(info, opened) {
		return Look{}, turnpost.Errorf(turnpost.Conflict, "%s is being replaced", full).WithHint("try again")
	}
	data, err := io.ReadAll(io.LimitReader(file, MaxFile+1))
	if err != nil {
		return Look{}, unread(path, err)
	}
	if len(data) > MaxFile {
		return Look{}, turnpost.Errorf(turnpost.TooLarge, "%s is larger than %d bytes", full, MaxFile)
	}
	sum := sha256.Sum256(data)
	return Look{Path: full, Hash: hex.EncodeToString(sum[:]), Data: data}, nil
}

// missing is a coded error that still says fs.ErrNotExist.
type missing struct{ coded *turnpost.Error }

func (m missing) Error() string   { return m.coded.Error() }
func (m missing) Unwrap() []error { return []error{m.coded, fs.ErrNotExist} }

func unread(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return missing{turnpost.Errorf(turnpost.NotFound, "there is no file %s", path)}
	}
	return fmt.Errorf("read %s: %w", path, err)
}

package trust

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"turnpost"
	"turnpost/internal/atomicfile"
)

// How long a change waits for another process's, and how often it looks.
const (
	lockWait  = 5 * time.Second
	lockRetry = 5 * time.Millisecond
)

// version of the record.
const version = 1

// record is the file.
type record struct {
	Version int            `json:"version"`
	Files   []recordedFile `json:"files"`
}

type recordedFile struct {
	Path string    `json:"path"`
	Hash string    `json:"sha256"`
	At   time.Time `json:"at"`
}

// load reads the record; one that is not there is empty.
func (s Store) load() ([]Entry, error) {
	data, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read what is trusted: %w", err)
	}
	var r record
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&r); err != nil {
		return nil, s.damaged("%v", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, s.damaged("something follows its end")
	}
	if r.Version != version {
		return nil, s.damaged("its version is %d, not %d", r.Version, version)
	}
	entries := make([]Entry, 0, len(r.Files))
	for i, f := range r.Files {
		switch {
		case !filepath.IsAbs(f.Path) || filepath.Clean(f.Path) != f.Path:
			return nil, s.damaged("the path of entry %d is not one", i+1)
		case len(f.Hash) != 64 || strings.Trim(f.Hash, "0123456789abcdef") != "":
			return nil, s.damaged("the hash of entry %d is not one", i+1)
		case find(entries, f.Path) >= 0:
			return nil, s.damaged("entry %d is there twice", i+1)
		}
		entries = append(entries, Entry{Path: f.Path, Hash: f.Hash, At: f.At})
	}
	return entries, nil
}

func (s Store) damaged(format string, args ...any) error {
	return turnpost.Invalidf(s.path, "is damaged, so nothing is trusted: "+format, args...).
		WithHint("move it away, and trust again what you still do")
}

// change makes one change of the record, while no other process makes one.
func (s Store) change(with func([]Entry) ([]Entry, error)) error {
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock()
	entries, err := s.load()
	if err != nil {
		return err
	}
	if entries, err = with(entries); err != nil {
		return err
	}
	r := record{Version: version, Files: make([]recordedFile, len(entries))}
	for i, e := range entries {
		r.Files[i] = recordedFile{e.Path, e.Hash, e.At}
	}
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("encode what is trusted: %w", err)
	}
	if err := atomicfile.Write(s.path, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("write what is trusted: %w", err)
	}
	return nil
}

// lock is the operating system's, so a process that was killed has let go of it.
// It is a file of its own, because the record is replaced whole.
func (s Store) lock() (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	lock := flock.New(s.path+".lock", flock.SetPermissions(0o600))
	ok, err := lock.TryLockContext(ctx, lockRetry)
	if errors.Is(err, context.DeadlineExceeded) || (err == nil && !ok) {
		return nil, turnpost.Errorf(turnpost.Conflict, "another process is changing what is trusted").WithHint("try again when it is done")
	}
	if err != nil {
		return nil, fmt.Errorf("lock what is trusted: %w", err)
	}
	return func() { _ = lock.Close() }, nil
}

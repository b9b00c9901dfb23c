package keep

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"turnpost"
	"turnpost/internal/atomicfile"
	"turnpost/internal/statedir"
)

// Remember puts down whose notes a session has, for when no hub is there to
// ask. It waits for no disk: a pointer that is lost means nothing is recalled.
func (s *Store) Remember(handle string, session turnpost.Session) error {
	want := statedir.Pointer{Harness: session.Harness, Native: session.Native, Handle: handle, Root: session.Place.Root}
	if have, err := s.dir.ReadPointer(want.Harness, want.Native); err == nil && have == want {
		return nil
	}
	return s.point(want)
}

func (s *Store) point(p statedir.Pointer) error {
	data, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("write pointer: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := os.MkdirAll(s.dir.Pointers(), 0o700); err != nil {
		return fmt.Errorf("write pointer: %w", err)
	}
	path := s.dir.Pointer(p.Harness, p.Native)
	if err := os.WriteFile(path+".new", data, 0o600); err != nil {
		return fmt.Errorf("write pointer: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("write pointer: %w", err)
	}
	return nil
}

// Forget takes the pointer of a session away.
func (s *Store) Forget(session turnpost.Session) error {
	if _, err := s.dir.ReadPointer(session.Harness, session.Native); err != nil {
		return nil // there is none, or it is another session's
	}
	if err := os.Remove(s.dir.Pointer(session.Harness, session.Native)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget pointer: %w", err)
	}
	return nil
}

// Tidy takes away the pointers of sessions that nobody forgot, because no hub
// was up when their time was over.
func (s *Store) Tidy() error {
	entries, err := os.ReadDir(s.dir.Pointers())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return fmt.Errorf("list pointers: %w", err)
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || s.now().Sub(info.ModTime()) < s.fresh+30*24*time.Hour {
			continue
		}
		if err := os.Remove(filepath.Join(s.dir.Pointers(), entry.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("forget pointer: %w", err)
		}
	}
	return nil
}

// Rename moves the notes of a handle that takes another name. What lies there
// from an earlier owner of that name is moved aside, for the person.
func (s *Store) Rename(from, to string) error {
	if err := s.move(s.dir.Context(from), s.dir.Context(to)); err != nil {
		return err
	}
	entries, err := os.ReadDir(s.dir.Pointers())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return fmt.Errorf("list pointers: %w", err)
	}
	for _, entry := range entries {
		data, err := os.ReadFile(filepath.Join(s.dir.Pointers(), entry.Name()))
		if err != nil {
			continue // forgotten meanwhile
		}
		var p statedir.Pointer
		if json.Unmarshal(data, &p) == nil && p.Handle == from && !strings.HasSuffix(entry.Name(), ".new") {
			p.Handle = to
			if err := s.point(p); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Store) move(from, to string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := os.Lstat(to); err == nil {
		aside := fmt.Sprintf("%s~%s", to, s.now().UTC().Format("20060102T150405"))
		if err := os.Rename(to, aside); err != nil {
			return fmt.Errorf("move notes aside: %w", err)
		}
	}
	if err := os.Rename(from, to); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return fmt.Errorf("rename notes: %w", err)
	}
	return atomicfile.SyncDir(s.dir.Contexts())
}

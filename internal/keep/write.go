package keep

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"turnpost"
	"turnpost/internal/atomicfile"
	"turnpost/internal/keep/recall"
)

// Write replaces now.md, about the place where its author works. What was there
// about another place is put away first.
func (s *Store) Write(handle string, place turnpost.Place, text string) error {
	if err := checkText(text, len(text)); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	folder, err := s.folder(handle)
	if err != nil {
		return err
	}
	old, err := lookNow(folder)
	if err != nil {
		return err
	}
	about, err := recall.Place(folder)
	if err != nil {
		return odd(err)
	}
	if about != place.Root && !recall.Blank(string(old)) {
		if err := putAway(folder); err != nil {
			return err
		}
	}
	return s.replace(folder, place.Root, []byte(text))
}

// Append adds to now.md, and starts it where there is none.
func (s *Store) Append(handle string, place turnpost.Place, text string) error {
	if err := checkText(text, len(text)); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	folder, err := s.folder(handle)
	if err != nil {
		return err
	}
	old, err := lookNow(folder)
	if err != nil {
		return err
	}
	if recall.Blank(string(old)) {
		return s.replace(folder, place.Root, []byte(text))
	}
	about, err := recall.Place(folder)
	switch {
	case err != nil:
		return odd(err)
	case about != place.Root:
		return turnpost.Errorf(turnpost.Conflict, "the notes of %s are about %s, you are in %s", handle, about, place.Root).
			WithHint("replace them: turnpost context write puts the old ones away")
	case !utf8.Valid(old):
		return odd(fmt.Errorf("append to notes: %s: %w", filepath.Join(folder, recall.NowFile), recall.ErrDoubt))
	}
	if !bytes.HasSuffix(old, []byte("\n")) {
		old = append(old, '\n')
	}
	if err := checkText(text, len(old)+len(text)); err != nil {
		return err
	}
	return s.replace(folder, about, append(old, text...))
}

// checkText checks what is added to notes that are then so large.
func checkText(text string, size int) error {
	if recall.Blank(text) {
		return turnpost.Invalidf("text", "is empty").WithHint("turnpost context clear puts the notes away")
	}
	if size > turnpost.MaxNotes {
		return tooLarge("text", "would make the notes", size, turnpost.MaxNotes).
			WithHint("write them anew, shorter: what is needed to go on; what was decided goes into the log")
	}
	return nil
}

func tooLarge(field, what string, have, most int) *turnpost.Error {
	err := turnpost.Errorf(turnpost.TooLarge, "%s %d bytes long, at most %d are allowed", what, have, most)
	err.Field = field
	return err
}

// Clear puts now.md away, as the one that was before; decisions stay.
func (s *Store) Clear(handle string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return putAway(s.dir.Context(handle))
}

// putAway keeps the notes as the previous ones, if they say anything of
// somebody's own.
func putAway(folder string) error {
	now := filepath.Join(folder, recall.NowFile)
	var err error
	if notes, odd := recall.Load(folder); odd == nil && (recall.Blank(notes.Now) || notes.Stub) {
		err = os.Remove(now)
	} else {
		err = os.Rename(now, filepath.Join(folder, recall.PreviousFile))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return fmt.Errorf("put notes away: %w", err)
	}
	return atomicfile.SyncDir(folder)
}

// Stub writes now.md only where it is missing or blank, or still the stub that
// was written last: never over what an agent or a person wrote, nor over what
// is no plain file.
func (s *Store) Stub(handle string, place turnpost.Place, text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	folder, err := s.folder(handle)
	if err != nil {
		return err
	}
	old, err := lookNow(folder)
	if err != nil {
		return err
	}
	stub := filepath.Join(folder, recall.StubFile)
	if !recall.Blank(string(old)) {
		if last, _, err := recall.ReadFile(stub, turnpost.MaxNotes); err != nil || !bytes.Equal(last, old) {
			return nil // without a stub that can be read it is real
		}
	}
	// The mark comes first: a stub without it would pass for the agent's own.
	data := lines(text)
	if err := atomicfile.Write(stub, data, 0o600); err != nil {
		return fmt.Errorf("write stub: %w", err)
	}
	return s.replace(folder, place.Root, data)
}

// lookNow reads now.md, nil when there is none. What is no plain file is not
// written over.
func lookNow(folder string) ([]byte, error) {
	data, _, err := recall.ReadFile(filepath.Join(folder, recall.NowFile), 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, odd(err)
}

// replace writes now.md. Its time is our clock's, not that of a file server.
// While the notes of one place take over from those of another, nobody reads
// them: the folder is about no place.
func (s *Store) replace(folder, root string, text []byte) error {
	place := filepath.Join(folder, recall.PlaceFile)
	about, err := recall.Place(folder)
	if err != nil {
		return odd(err)
	}
	if about != root {
		if err := os.Remove(place); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("write notes: %w", err)
		}
		if err := atomicfile.SyncDir(folder); err != nil {
			return fmt.Errorf("write notes: %w", err)
		}
	}
	now := filepath.Join(folder, recall.NowFile)
	if err := s.sweep(folder, now); err != nil {
		return err
	}
	staged, err := atomicfile.Stage(now, lines(string(text)), 0o600)
	if err != nil {
		return fmt.Errorf("write notes: %w", err)
	}
	at := s.now()
	if err := os.Chtimes(staged.Temp, at, at); err != nil {
		staged.Discard()
		return fmt.Errorf("write notes: %w", err)
	}
	if err := staged.Commit(); err != nil {
		return fmt.Errorf("write notes: %w", err)
	}
	if about == root {
		return nil
	}
	if err := atomicfile.Write(place, []byte(root+"\n"), 0o600); err != nil {
		return fmt.Errorf("write notes: %w", err)
	}
	return nil
}

// sweep takes away what a killed hub left beside a file.
func (s *Store) sweep(folder, file string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return fmt.Errorf("look at notes: %w", err)
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), atomicfile.TempPrefix(file)) {
			if err := os.Remove(filepath.Join(folder, entry.Name())); err != nil {
				return fmt.Errorf("look at notes: %w", err)
			}
		}
	}
	return nil
}

// lines ends a text with a line end.
func lines(text string) []byte {
	if strings.HasSuffix(text, "\n") {
		return []byte(text)
	}
	return []byte(text + "\n")
}

package recall

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"turnpost"
)

// The files of a folder.
const (
	NowFile      = "now.md"
	PreviousFile = "now.previous.md" // what was put away last
	DecisionsDir = "decisions"
	PlaceFile    = ".place" // root of the place that now.md is about
	StubFile     = ".stub"  // the stub that was written last: now.md is one while it is the same
)

// ErrDoubt is what there is, but is no notes of ours: a link, a device,
// somebody else's file, bytes that are no text.
var ErrDoubt = errors.New("not a plain text file of yours")

// Notes are now.md with what is known of it. The zero value is none.
type Notes struct {
	Now   string
	At    time.Time
	Place string
	Stub  bool
}

// Load reads the notes in a folder. None are no error.
func Load(folder string) (Notes, error) {
	info, err := os.Lstat(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return Notes{}, nil
	} else if err != nil {
		return Notes{}, fmt.Errorf("look at notes: %w", err)
	}
	if !info.IsDir() || !ours(info) {
		return Notes{}, fmt.Errorf("read notes: %s: %w", folder, ErrDoubt)
	}
	place, err := Place(folder)
	if err != nil {
		return Notes{}, err
	}
	data, info, err := ReadFile(filepath.Join(folder, NowFile), turnpost.MaxNotes)
	if errors.Is(err, fs.ErrNotExist) {
		return Notes{}, nil
	} else if err != nil {
		return Notes{}, err
	}
	if info.Size() > int64(len(data)) { // somebody else wrote more: what was read may end inside a character
		data = whole(data)
	}
	if !utf8.Valid(data) {
		return Notes{}, fmt.Errorf("read notes: %s: %w", filepath.Join(folder, NowFile), ErrDoubt)
	}
	stub, _, err := ReadFile(filepath.Join(folder, StubFile), turnpost.MaxNotes)
	isStub := err == nil && string(stub) == string(data)
	// Notes about another place may have been written between two looks.
	if again, err := Place(folder); err != nil || again != place {
		return Notes{}, fmt.Errorf("read notes: they are being replaced")
	}
	return Notes{Now: string(data), At: info.ModTime(), Place: place, Stub: isStub}, nil
}

// Place reads what the notes in a folder are about, "" when that is not known.
func Place(folder string) (string, error) {
	data, _, err := ReadFile(filepath.Join(folder, PlaceFile), 8<<10)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSuffix(string(data), "\n"), err
}

// Blank tells whether a text says nothing.
func Blank(text string) bool { return strings.TrimSpace(turnpost.Visible(text)) == "" }

// ReadFile reads the start of a plain file of this user's.
func ReadFile(path string, limit int64) ([]byte, fs.FileInfo, error) {
	seen, err := os.Lstat(path)
	if err != nil {
		return nil, nil, fmt.Errorf("read notes: %w", err)
	}
	if !seen.Mode().IsRegular() || !ours(seen) {
		return nil, nil, fmt.Errorf("read notes: %s: %w", path, ErrDoubt)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("read notes: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, nil, fmt.Errorf("read notes: %w", err)
	}
	if !info.Mode().IsRegular() || !ours(info) { // it was replaced between two looks
		return nil, nil, fmt.Errorf("read notes: %s: %w", path, ErrDoubt)
	}
	data, err := io.ReadAll(io.LimitReader(file, limit))
	if err != nil {
		return nil, nil, fmt.Errorf("read notes: %w", err)
	}
	return data, info, nil
}

// whole drops a character of which the end is missing.
func whole(data []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(data); i++ {
		if c := data[len(data)-i]; utf8.RuneStart(c) {
			if !utf8.FullRune(data[len(data)-i:]) {
				return data[:len(data)-i]
			}
			break
		}
	}
	return data
}

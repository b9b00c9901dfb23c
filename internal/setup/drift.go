package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/gofrs/flock"

	"turnpost/internal/atomicfile"
)

// Missing is something that setup wrote, without which an owner's harness is not
// heard, and that is gone.
type Missing struct {
	Owner string // of the place: see OwnerOf
	File  string // absolute, as the entries named it
	What  string // "every hook", "part of the hooks (3 of 9)"; "": the file itself
}

// Drift looks again and again for what setup wrote and somebody took away: a
// client that rewrote its settings, an update, a person. It reads a file only
// when that changed, and puts nothing back. It is safe for concurrent use.
type Drift struct {
	setup *Setup

	mu     sync.Mutex
	record fs.FileInfo // as it was read; nil: there was none
	claims []recordFile
	files  map[string]look // by path
	last   []Missing
}

// look is a file as it was when it was read last.
type look struct {
	info    fs.FileInfo // nil: there was none
	missing []Missing
}

// Drift returns a new Drift, which has not looked yet.
func (s *Setup) Drift() *Drift { return &Drift{setup: s, files: map[string]look{}} }

// Missing returns what is missing now, in the order of the record. While a setup
// is at work it is what was missing before. A file that cannot be read says
// nothing: it may be half written, and checks tell of it.
func (d *Drift) Missing() ([]Missing, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	info, err := stat(d.setup.recordPath())
	if err != nil {
		return d.last, err
	}
	if info == nil {
		d.record, d.claims, d.last = nil, nil, nil
		return nil, nil
	}
	lock := flock.New(filepath.Join(d.setup.state, "setup.lock"))
	if free, err := lock.TryRLock(); err != nil || !free {
		return d.last, err
	}
	defer func() { _ = lock.Close() }()
	if !same(d.record, info) {
		r, _, damaged, err := d.setup.loadRecord()
		if err = errors.Join(err, damaged); err != nil {
			return d.last, err
		}
		d.record, d.claims, d.files = info, r.Files, map[string]look{}
	}
	d.last = nil
	for _, file := range d.claims {
		d.last = append(d.last, d.look(file)...)
	}
	return d.last, nil
}

// look compares one file with what the record claims of it.
func (d *Drift) look(file recordFile) []Missing {
	known, seen := d.files[file.Path]
	path, err := atomicfile.Resolve(file.Named)
	if err != nil {
		return known.missing
	}
	info, err := stat(path)
	if err != nil || seen && same(known.info, info) {
		return known.missing
	}
	data, _, err := readSettings(path)
	if err != nil {
		return known.missing
	}
	missing, err := file.missing(data)
	if err != nil {
		return known.missing
	}
	d.files[file.Path] = look{info, missing}
	return missing
}

// missing lists what is not in a file any more.
func (f recordFile) missing(data []byte) ([]Missing, error) {
	editor, err := oneEditor(f.Entries)
	if err != nil || editor == nil {
		return nil, err
	}
	present, err := editor.Find(data, values(f.Entries))
	if err != nil {
		return nil, err
	}
	var out []Missing
	for _, owner := range ownersOf(f.Entries) {
		all, gone := map[string]int{}, map[string]int{}
		for i, entry := range f.Entries {
			kind := entry.heardBy()
			if entry.Owner != owner || kind == "" {
				continue
			}
			all[kind]++
			if present[i] == Absent || kind == "review" && present[i] != Exact {
				gone[kind]++
			}
		}
		for _, kind := range []string{"hook", "review", "file"} {
			if n := gone[kind]; n > 0 {
				out = append(out, Missing{Owner: owner, File: f.Named, What: goneText(kind, n, all[kind])})
			}
		}
	}
	return out, nil
}

// heardBy is the kind of an entry without which a harness is not heard, "" for
// others: tools, permissions, commands.
func (e recordEntry) heardBy() string {
	switch {
	case e.Words:
		return ""
	case e.Dialect == "file":
		return "file"
	case e.Review:
		return "review"
	case e.Key == "" && strings.HasPrefix(e.Pointer, "/hooks/"):
		return "hook"
	}
	return ""
}

func goneText(kind string, gone, all int) string {
	switch {
	case kind == "file":
		return ""
	case kind == "review" && gone == all:
		return "every review of our hooks"
	case kind == "review":
		return fmt.Sprintf("the review of %d of %d hooks", gone, all)
	case gone == all:
		return "every hook"
	}
	return fmt.Sprintf("part of the hooks (%d of %d)", gone, all)
}

// stat returns nothing for a file that is not there.
func stat(path string) (fs.FileInfo, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look at %s: %w", path, err)
	}
	return info, nil
}

// same tells whether two looks at a file see one content: a program that
// rewrites it in place within one tick of the clock, to the same length, is
// missed.
func same(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

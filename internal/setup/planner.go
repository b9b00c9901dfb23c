package setup

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"turnpost"
	"turnpost/internal/atomicfile"
)

const (
	maxSettings = 8 << 20 // bytes of a settings file that we read
	newFileMode = 0o644   // of settings that we create, less the umask, as their own programs do
)

// planner holds the files of one plan while its places are worked in, one after
// the other: two places may share a file.
type planner struct {
	s        *Setup
	action   Action
	before   record // with the paths that files have now
	record   record // as it will be
	from     string
	changed  bool
	files    map[string]*working
	order    []string
	kept     []Line
	warnings []string
	left     []string
	bases    map[string][]byte
}

// working is one file in the making.
type working struct {
	named, target string
	before, after []byte
	mode          fs.FileMode
	dropDirs      []string
	lines         []Line
}

func (s *Setup) newPlanner(action Action) (*planner, error) {
	r, data, damaged, err := s.loadRecord()
	if err != nil {
		return nil, err
	}
	p := &planner{s: s, action: action, record: r, from: hashOf(data), files: map[string]*working{}, bases: map[string][]byte{}}
	if damaged != nil {
		p.warn("%s cannot be read and counts as lost: %v", s.recordPath(), damaged)
	}
	// A file that became a link since keeps its record.
	p.record.Files = slices.Clone(p.record.Files)
	for i, file := range p.record.Files {
		now, err := atomicfile.Resolve(file.Path)
		if err != nil || now == file.Path {
			continue
		}
		if _, taken := p.record.file(now); !taken {
			p.record.Files[i].Path = now
		}
	}
	p.before = p.record
	return p, nil
}

func (p *planner) warn(format string, args ...any) {
	p.warnings = append(p.warnings, visibleLine(fmt.Sprintf(format, args...)))
}

func (p *planner) leave(format string, args ...any) {
	p.left = append(p.left, visibleLine(fmt.Sprintf(format, args...)))
}

func (p *planner) resolve(path string) (string, error) {
	target, err := atomicfile.Resolve(path)
	if err != nil {
		return "", turnpost.Invalidf(path, "%v", err)
	}
	return target, nil
}

// open returns the working state of a file, read at first use.
func (p *planner) open(named, target string) (*working, error) {
	if w, ok := p.files[target]; ok {
		return w, nil
	}
	data, info, err := readSettings(target)
	if err != nil {
		return nil, err
	}
	if now, err := atomicfile.Resolve(named); err != nil || now != target {
		named = target // a link that leads elsewhere since
	}
	w := &working{named: named, target: target, before: data, after: data, mode: newFileMode}
	if info != nil {
		w.mode = info.Mode().Perm()
		if links := linkCount(info); links > 1 {
			p.warn("%s has %d hard links; the others keep the old content", target, links)
		}
	}
	p.files[target] = w
	p.order = append(p.order, target)
	return w, nil
}

// readSettings reads a whole file; data is nil when there is none.
func readSettings(path string) (data []byte, info fs.FileInfo, err error) {
	info, err = os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, nil
	case err != nil:
		return nil, nil, fmt.Errorf("read settings: %w", err)
	case !info.Mode().IsRegular():
		return nil, nil, turnpost.Invalidf(path, "not a regular file").WithHint("nothing was changed")
	case info.Size() > maxSettings:
		return nil, nil, turnpost.Errorf(turnpost.TooLarge, "%s: larger than %d bytes", path, maxSettings)
	}
	data, err = os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read settings: %w", err)
	}
	return data, info, nil
}

// refused says whose file it is that an editor does not touch.
func refused(path string, err error) error {
	var no *refusal
	if !errors.As(err, &no) {
		return fmt.Errorf("edit %s: %w", path, err)
	}
	return turnpost.Invalidf(path, "%s", visibleLine(no.Error())).WithHint("mend the file by hand and try again; nothing was changed")
}

// untouched returns the file without us, if it is still what we wrote.
func (p *planner) untouched(w *working, prev recordFile) (base []byte, ok bool) {
	if w.after == nil || prev.After == "" || hashOf(w.after) != prev.After {
		return nil, false
	}
	if data, ok := p.bases[prev.Base.Backup]; ok {
		return data, true
	}
	return p.s.loadBase(prev.Base)
}

// emptied says what becomes of a file in which nothing is left but what we
// made: it goes if we made it, or is blank again as it was.
func (p *planner) emptied(w *working, prev recordFile) (after []byte, dropDirs []string) {
	if prev.Path == "" || prev.Base.Absent {
		return nil, prev.Dirs
	}
	if base, ok := p.s.loadBase(prev.Base); ok && blank(base) {
		return base, nil
	}
	return []byte{}, nil
}

func (p *planner) setRecord(file recordFile) {
	p.record = p.record.with(file)
	p.changed = true
}

// finish makes the plan.
func (p *planner) finish() (Plan, error) {
	plan := Plan{
		Action: p.action, Files: []FileChange{}, Kept: p.kept, Warnings: p.warnings, Left: p.left,
		records: recordChange{from: p.from, before: p.before, after: p.record, changed: p.changed, bases: p.bases, looked: p.order},
	}
	for _, target := range p.order {
		w := p.files[target]
		if bytes.Equal(w.before, w.after) && (w.before == nil) == (w.after == nil) {
			continue
		}
		if w.before != nil && w.after != nil && w.mode&0o200 == 0 {
			return Plan{}, turnpost.Invalidf(target, "the file is read-only").
				WithHint("change it where it comes from, or make it writable; nothing was changed")
		}
		change := FileChange{
			Path: w.named, Target: target, Before: w.before, After: w.after,
			Mode: w.mode, DropDirs: w.dropDirs, Lines: w.lines,
		}
		if w.before == nil {
			change.MakeDirs = missingDirs(filepath.Dir(target))
		}
		change.Diff = diffOf(change)
		plan.Files = append(plan.Files, change)
	}
	plan.Hash = plan.sum()
	return plan, nil
}

func split(entries []recordEntry, owner string) (mine, others []recordEntry) {
	for _, entry := range entries {
		if entry.Owner == owner {
			mine = append(mine, entry)
		} else {
			others = append(others, entry)
		}
	}
	return mine, others
}

func values(entries []recordEntry) []Value {
	out := make([]Value, len(entries))
	for i, entry := range entries {
		out[i] = entry.value()
	}
	return out
}

// oneEditor returns the editor of entries of one file; nil for no entries.
func oneEditor(entries []recordEntry) (Editor, error) {
	if len(entries) == 0 {
		return nil, nil
	}
	for _, entry := range entries {
		if entry.Dialect != entries[0].Dialect {
			return nil, turnpost.Errorf(turnpost.Internal, "one file in two dialects, %q and %q", entries[0].Dialect, entry.Dialect)
		}
	}
	return editorOf(entries[0].Dialect)
}

// union appends what is not there yet.
func union(list, more []string) []string {
	out := slices.Clone(list)
	for _, item := range more {
		if !slices.Contains(out, item) {
			out = append(out, item)
		}
	}
	return out
}

// missingDirs lists the directories that have to be made, outermost first.
func missingDirs(dir string) []string {
	var out []string
	for {
		if _, err := os.Lstat(dir); err == nil || !errors.Is(err, fs.ErrNotExist) || filepath.Dir(dir) == dir {
			slices.Reverse(out)
			return out
		}
		out = append(out, dir)
		dir = filepath.Dir(dir)
	}
}

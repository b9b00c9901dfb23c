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

// install brings one owner's entries in one file to what is wanted.
func (p *planner) install(named, target, owner string, want []recordEntry) error {
	w, err := p.open(named, target)
	if err != nil {
		return err
	}
	prev, _ := p.record.file(target)
	mine, others := split(prev.Entries, owner)
	editor, err := oneEditor(append(slices.Clone(want), mine...))
	if editor == nil || err != nil {
		return err
	}
	fail := func(err error) error { return refused(target, err) }

	stale := slices.DeleteFunc(slices.Clone(mine), func(e recordEntry) bool { return slices.ContainsFunc(want, e.same) })
	stale, err = goneBy(editor, w.after, stale, want)
	if err != nil {
		return fail(err)
	}
	rest, taken, err := editor.Remove(w.after, values(stale))
	if err != nil {
		return fail(err)
	}
	present, err := editor.Find(rest, values(want))
	if err != nil {
		return fail(err)
	}
	var lines []Line
	for i, entry := range stale {
		if taken[i] {
			lines = append(lines, lineOf("remove", entry))
		}
	}
	for i, entry := range want {
		switch present[i] {
		case Absent:
			lines = append(lines, lineOf("add", entry))
		case Changed:
			p.warn("%s: this entry was changed by hand and stays so: %s", target, lineOf("keep", entry).What)
			fallthrough
		case Exact:
			p.kept = append(p.kept, lineOf("keep", entry))
		}
	}
	if len(lines) == 0 {
		return nil
	}

	next := recordFile{Path: target, Named: named, Containers: prev.Containers, Dirs: prev.Dirs, Base: prev.Base}
	base, untouched := p.untouched(w, prev)
	if untouched && len(others) == 0 {
		// From the clean file, so that versions leave no sediment.
		rest, next.Containers = base, nil
		if present, err = editor.Find(rest, values(want)); err != nil {
			return fail(err)
		}
	}
	out, created, err := editor.Insert(rest, values(want))
	if err != nil {
		return fail(err)
	}
	next.Containers = union(next.Containers, created)
	if out, err = editor.Prune(out, next.Containers); err != nil {
		return fail(err)
	}
	if !untouched {
		if base, err = p.cleaned(editor, w, prev); err != nil {
			return fail(err)
		}
		next.Base = p.keepBase(target, base)
	}
	if out == nil {
		out, w.dropDirs = p.emptied(w, prev)
	}
	next.Entries = others
	for i, entry := range want {
		if present[i] == Absent || slices.ContainsFunc(mine, func(e recordEntry) bool { return e.same(entry) || replaces(editor, e, entry) }) {
			next.Entries = append(next.Entries, entry)
		}
	}
	if w.before == nil {
		next.Dirs = union(prev.Dirs, missingDirs(filepath.Dir(target)))
	}
	next.After = hashOf(out)
	w.after, w.lines = out, append(w.lines, lines...)
	p.setRecord(next)
	return nil
}

// remove takes one owner's entries out of one file. entries are what the owner
// would install: they stand in for a lost record.
func (p *planner) remove(named, target, owner string, entries []recordEntry) error {
	w, err := p.open(named, target)
	if err != nil {
		return err
	}
	prev, known := p.record.file(target)
	mine, others := split(prev.Entries, owner)
	if !known {
		return p.removeByValue(w, entries)
	}
	if len(mine) == 0 {
		return p.noteForeign(named, target, owner, entries)
	}
	editor, err := oneEditor(mine)
	if err != nil {
		return err
	}
	next := prev
	next.Entries = others
	base, untouched := p.untouched(w, prev)
	out := base
	taken := slices.Repeat([]bool{true}, len(mine))
	if !untouched || len(others) > 0 {
		if out, taken, err = editor.Remove(w.after, values(mine)); err != nil {
			return refused(target, err)
		}
		if slices.Contains(taken, true) {
			if out, err = editor.Prune(out, prev.Containers); err != nil {
				return refused(target, err)
			}
		}
		if out == nil && w.after != nil {
			out, w.dropDirs = p.emptied(w, prev)
		}
		next.After = ""
		if untouched {
			next.After = hashOf(out)
		}
	} else if out == nil {
		w.dropDirs = prev.Dirs
	}
	for i, entry := range mine {
		if taken[i] {
			w.lines = append(w.lines, lineOf("remove", entry))
		} else if entry.Dialect == "file" && w.after != nil {
			p.leave("%s: was changed since Turnpost wrote it", target)
		}
	}
	w.after = out
	p.setRecord(next)
	return p.noteForeign(named, target, owner, entries)
}

// removeByValue is remove without a record: whatever equals an entry goes.
func (p *planner) removeByValue(w *working, entries []recordEntry) error {
	editor, err := oneEditor(entries)
	if editor == nil || err != nil || w.after == nil {
		return err
	}
	out, removedAny := w.after, false
	for {
		next, taken, err := editor.Remove(out, values(entries))
		if err != nil {
			return refused(w.target, err)
		}
		for i, entry := range entries {
			if taken[i] {
				w.lines = append(w.lines, lineOf("remove", entry))
			}
		}
		if !slices.Contains(taken, true) {
			break
		}
		out, removedAny = next, true
	}
	if !removedAny {
		return nil
	}
	// Nobody knows who made the containers; empty ones held only us.
	var containers []string
	for _, entry := range entries {
		tokens, err := splitPointer(entry.Pointer)
		if err != nil {
			return err
		}
		containers = union(containers, pointersFrom(tokens, 1))
	}
	if out, err = editor.Prune(out, containers); err != nil {
		return refused(w.target, err)
	}
	w.after = out
	return nil
}

// noteForeign says which lines stay although they equal ours: the record knows
// that we did not add them.
func (p *planner) noteForeign(named, target, _ string, entries []recordEntry) error {
	w, err := p.open(named, target)
	if err != nil {
		return err
	}
	editor, err := oneEditor(entries)
	if editor == nil || err != nil || w.after == nil {
		return err
	}
	present, err := editor.Find(w.after, values(entries))
	if err != nil {
		return refused(target, err)
	}
	for i, entry := range entries {
		if present[i] == Exact {
			p.leave("%s: as far as the record goes Turnpost did not add this, though it equals ours (removing once more takes it out): %s",
				target, lineOf("keep", entry).What)
		}
	}
	return nil
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

// cleaned returns the file as it would be without us, when it has changed since.
func (p *planner) cleaned(editor Editor, w *working, prev recordFile) ([]byte, error) {
	out, taken, err := editor.Remove(w.after, values(prev.Entries))
	if err != nil || !slices.Contains(taken, true) {
		return w.after, err
	}
	if out, err = editor.Prune(out, prev.Containers); err != nil {
		return nil, err
	}
	if out == nil {
		out, _ = p.emptied(w, prev)
	}
	return out, nil
}

// emptied says what becomes of a file in which nothing is left but what we
// made: it goes if we made it, or is blank again as it was.
func (p *planner) emptied(w *working, prev recordFile) (after []byte, dropDirs []string) {
	if prev.Path == "" || prev.Base.Absent {
		return nil, prev.Dirs
	}
	if base, ok := p.s.loadBase(prev.Base); ok && len(bytes.TrimSpace(base)) == 0 {
		return base, nil
	}
	return []byte{}, nil
}

// keepBase makes sure that the base can be had later.
func (p *planner) keepBase(target string, base []byte) baseFile {
	if base == nil {
		return baseFile{Absent: true}
	}
	name := p.s.backupName(target, base)
	p.bases[name] = base
	return baseFile{Hash: hashOf(base), Backup: name}
}

func (p *planner) setRecord(file recordFile) {
	p.record = p.record.with(file)
	p.changed = true
}

// finish makes the plan.
func (p *planner) finish() (Plan, error) {
	plan := Plan{
		Action: p.action, Files: []FileChange{}, Kept: p.kept, Warnings: p.warnings, Left: p.left,
		records: recordChange{from: p.from, after: p.record, changed: p.changed, bases: p.bases},
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

// goneBy filters recorded entries that are wanted no more: one that somebody
// changed by hand stays when a wanted entry runs the same command.
func goneBy(editor Editor, doc []byte, stale, want []recordEntry) ([]recordEntry, error) {
	present, err := editor.Find(doc, values(stale))
	if err != nil {
		return nil, err
	}
	var out []recordEntry
	for i, entry := range stale {
		kept := present[i] == Changed && slices.ContainsFunc(want, func(w recordEntry) bool { return replaces(editor, entry, w) })
		if !kept {
			out = append(out, entry)
		}
	}
	return out, nil
}

// replaces tells whether two entries are one thing with other settings.
func replaces(editor Editor, old, wanted recordEntry) bool {
	alone, _, err := editor.Insert(nil, []Value{wanted.value()})
	if err != nil {
		return false
	}
	present, err := editor.Find(alone, []Value{old.value()})
	return err == nil && present[0] != Absent
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

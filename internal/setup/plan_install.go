package setup

import (
	"path/filepath"
	"slices"
)

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
			why := "this entry was changed by hand and stays so"
			if entry.Key != "" && !slices.ContainsFunc(mine, func(e recordEntry) bool { return replaces(editor, e, entry) }) {
				why = "this exists with another value and stays so"
			}
			p.warn("%s: %s: %s", target, why, lineOf("keep", entry).What)
			fallthrough
		case Exact:
			p.kept = append(p.kept, lineOf("keep", entry))
		}
	}
	if len(lines) == 0 {
		return nil
	}

	next := recordFile{Path: target, Named: named, Containers: prev.Containers, Dirs: prev.Dirs, Base: prev.Base}
	out, created, err := editor.Insert(rest, values(want))
	if err != nil {
		return fail(err)
	}
	next.Containers = union(next.Containers, created)
	if out, err = editor.Prune(out, next.Containers); err != nil {
		return fail(err)
	}
	if _, untouched := p.untouched(w, prev); !untouched {
		base, err := p.cleaned(editor, w, prev)
		if err != nil {
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

// keepBase makes sure that the base can be had later.
func (p *planner) keepBase(target string, base []byte) baseFile {
	if base == nil {
		return baseFile{Absent: true}
	}
	name := p.s.backupName(target, base)
	p.bases[name] = base
	return baseFile{Hash: hashOf(base), Backup: name}
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

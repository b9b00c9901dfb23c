package setup

import (
	"slices"
)

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
		return p.noteForeign(w, entries)
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
	var present []Presence
	if slices.Contains(taken, false) {
		if present, err = editor.Find(w.after, values(mine)); err != nil {
			return refused(target, err)
		}
	}
	for i, entry := range mine {
		switch {
		case taken[i]:
			w.lines = append(w.lines, lineOf("remove", entry))
		case entry.Dialect == "file" && w.after != nil:
			p.leave("%s: was changed since Turnpost wrote it", target)
		case present[i] == Changed:
			p.leave("%s: this was changed since Turnpost wrote it: %s", target, lineOf("keep", entry).What)
		}
	}
	w.after = out
	p.setRecord(next)
	return p.noteForeign(w, entries)
}

// removeUnknown takes entries out of a file that a record does not know, and of
// one that it knows says which lines stay.
func (p *planner) removeUnknown(known record, named, target string, entries []recordEntry) error {
	w, err := p.open(named, target)
	if err != nil {
		return err
	}
	if _, ok := known.file(target); ok {
		return p.noteForeign(w, entries)
	}
	return p.removeByValue(w, entries)
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
func (p *planner) noteForeign(w *working, entries []recordEntry) error {
	editor, err := oneEditor(entries)
	if editor == nil || err != nil || w.after == nil {
		return err
	}
	present, err := editor.Find(w.after, values(entries))
	if err != nil {
		return refused(w.target, err)
	}
	for i, entry := range entries {
		if present[i] == Exact {
			p.leave("%s: as far as the record goes Turnpost did not add this, though it equals ours (removing once more takes it out): %s",
				w.target, lineOf("keep", entry).What)
		}
	}
	return nil
}

// Package recall gives an agent its notes back: it reads the folder that
// internal/keep writes and makes one framed text of it. The hook client links
// it, for the time when no hub is there to ask.
//
// It gives nothing when in doubt: what is no plain file of this user's, no text,
// out of date or about another place is left out without a word.
package recall

import (
	"time"

	"turnpost"
	"turnpost/internal/statedir"
)

// Alone is what a session that starts gets back without a hub: only what the
// hub put down as this very session's.
func Alone(dir statedir.Dir, ev turnpost.Event, fresh time.Duration, now time.Time) string {
	if ev.Kind != turnpost.SessionStart || !ev.Accepts.Context || ev.Subagent != "" {
		return ""
	}
	p, err := dir.ReadPointer(ev.Harness, ev.Native)
	if err != nil {
		return ""
	}
	// An agent that is compacted may have gone elsewhere; one that starts is where
	// it works.
	compacted := ev.Source == turnpost.SourceCompact
	if !compacted && ev.Place.Root != p.Root {
		return ""
	}
	return Text(dir.Context(p.Handle), p.Handle, p.Root, fresh, now, compacted)
}

// Text is the notes in a folder for a session that works in root, "" when there
// are none that are fresh and about that place. An agent that was compacted gets
// no stub: its own summary says more.
func Text(folder, handle, root string, fresh time.Duration, now time.Time, compacted bool) string {
	notes, err := Load(folder)
	if err != nil || root == "" || notes.Place != root || Blank(notes.Now) || notes.Stub && compacted {
		return ""
	}
	age := now.Sub(notes.At)
	if age > fresh || age < -time.Minute {
		return ""
	}
	var decisions []Decision
	all := 0
	if list, more, err := Decisions(folder, maxDecisions); err == nil {
		for _, d := range list {
			if d.Place == "" || d.Place == root {
				decisions = append(decisions, d)
			}
		}
		all = len(list) + more
	}
	return frame(label(handle, notes.Stub, age), turnpost.Visible(notes.Now), decisions, all)
}

package cli

import (
	"fmt"
	"strings"
	"time"

	"turnpost"
)

// state is what a session does, in one or two words.
func (p *printer) state(s turnpost.Status) styled {
	text, t := string(s.State), plain
	switch s.State {
	case turnpost.StateWorking:
		t = good
		if s.Tool != "" {
			text += " · " + s.Tool
		}
	case turnpost.StateWaiting:
		t = warn
		if s.Wants != "" {
			text += " · " + string(s.Wants)
		}
	case turnpost.StateWedged:
		t = bad
		text += " · " + failure(s.Failure)
	case turnpost.StateIdle:
		if s.Background > 0 {
			text += " · " + plural(s.Background, "background task")
		}
		if s.Failure.Native != "" {
			text += " · " + failure(s.Failure)
		}
	case turnpost.StateQuiet, turnpost.StateUnheard:
		t = warn
	case turnpost.StateEnded:
		t = dim
	}
	return p.paint(t, text)
}

// failure is the harness's own word for why a turn failed.
func failure(f turnpost.Failure) string {
	if f.Native != "" {
		return f.Native
	}
	return string(f.Class)
}

// dot is the state as one character.
func (p *printer) dot(s turnpost.State) styled {
	switch s {
	case turnpost.StateWorking:
		return p.paint(good, "●")
	case turnpost.StateWaiting:
		return p.paint(warn, "◐")
	case turnpost.StateWedged:
		return p.paint(bad, "✕")
	case turnpost.StateQuiet, turnpost.StateUnheard:
		return p.paint(warn, "?")
	case turnpost.StateEnded:
		return p.paint(dim, "·")
	}
	return p.paint(plain, "○")
}

// sessionName is how people tell sessions apart.
func sessionName(s turnpost.Session) string {
	if s.Handle != "" {
		return s.Handle
	}
	return s.ID
}

// sessions prints sessions, each with what its state is known from and what can
// reach it now.
func (a *app) sessions(p *printer, sessions []turnpost.Session, now time.Time) {
	var t table
	for _, s := range sessions {
		waits := ""
		if s.Unread > 0 {
			waits = fmt.Sprintf("%d unread", s.Unread)
		}
		t.row(p.dot(s.Status.State), p.paint(bold, sessionName(s)), p.paint(dim, s.Harness), p.state(s.Status), ago(now.Sub(s.Status.Since)), waits, a.tilde(s.Cwd))
		can, unlinked := s.Can, s.Unlinked
		if s.Reports {
			unlinked = "" // it is what it can
		}
		if s.Status.State == turnpost.StateUnheard {
			can = "" // nothing proves that it still hears
		}
		t.note(a.shortPaths(strings.Join(nonEmpty(s.Status.Evidence, prefixed("hears: ", can), prefixed("no handle: ", unlinked), notesOf(s, now), prefixed("works at ", s.Run)), "; ")))
	}
	p.table("", t)
}

// notesOf says how old the notes of a session's handle are.
func notesOf(s turnpost.Session, now time.Time) string {
	if s.NotesAt.IsZero() {
		return ""
	}
	return "notes of " + since(s.NotesAt, now)
}

func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

func nonEmpty(texts ...string) []string {
	var out []string
	for _, text := range texts {
		if text != "" {
			out = append(out, text)
		}
	}
	return out
}

// notices prints what the person should know.
func (a *app) notices(p *printer, notices []turnpost.Notice, now time.Time) {
	if len(notices) == 0 {
		return
	}
	p.line("")
	p.line("%s", p.paint(bold, plural(len(notices), "notice")))
	var t table
	for _, n := range notices {
		mark := p.paint(warn, "!")
		if n.Loud == turnpost.LoudUrgent {
			mark = p.paint(bad, "!")
		}
		if n.Loud == turnpost.LoudSilent {
			mark = p.paint(dim, "·")
		}
		t.row(mark, n.ID, clock(n.At, now), a.shortPaths(n.Text))
	}
	p.table("  ", t)
}

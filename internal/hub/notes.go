package hub

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"turnpost"
)

// askForNotes follows the start line where notes are kept.
const askForNotes = " Keep notes of your work: rewrite them (context tool, or turnpost context write) whenever your plan changes."

// Notes reads or changes an agent's notes: its own, or for a person anybody's.
func (v *view) Notes(ctx context.Context, q turnpost.NotesRequest) (turnpost.Notes, error) {
	h := v.Hub
	me, err := v.who()
	if err != nil {
		return turnpost.Notes{}, err
	}
	handle, place, err := v.notesOf(ctx, q.Handle, me)
	if err != nil {
		return turnpost.Notes{}, err
	}
	text := h.redact.text(clean(q.Text))
	switch q.Do {
	case turnpost.NotesRead:
		return h.keeper.Read(handle)
	case turnpost.NotesWrite:
		err = h.keeper.Write(handle, place, text)
	case turnpost.NotesAppend:
		err = h.keeper.Append(handle, place, text)
	case turnpost.NotesLog:
		err = h.keeper.Log(handle, place, turnpost.NotedDecision{
			At: time.Now().UTC(), Author: me.handle, Text: text, Why: h.redact.text(clean(q.Why)),
		})
	case turnpost.NotesClear:
		err = h.keeper.Clear(handle)
	default:
		return turnpost.Notes{}, turnpost.Invalidf("do", "%.40q is not known", string(q.Do)).
			WithHint("use read, write, append, log or clear")
	}
	if err != nil {
		return turnpost.Notes{}, err
	}
	if me.session != nil && q.Do != turnpost.NotesClear {
		h.mu.Lock()
		shown := me.session.Session
		h.mu.Unlock()
		h.report(h.keeper.Remember(handle, shown))
	}
	h.note()
	return h.keeper.Read(handle)
}

// notesOf finds out whose notes a request is about, and where their agent works.
func (v *view) notesOf(ctx context.Context, handle string, me who) (string, turnpost.Place, error) {
	if v.keeper == nil {
		return "", turnpost.Place{}, turnpost.Errorf(turnpost.Unavailable, "notes are not kept: keep is off").
			WithHint("take off = true under [keep] out of config.toml, then turnpost up --restart")
	}
	if handle != "" {
		parsed, err := ParseHandle("handle", handle)
		if err != nil {
			return "", turnpost.Place{}, err
		}
		if parsed != me.handle && !me.human {
			return "", turnpost.Place{}, turnpost.Errorf(turnpost.Forbidden, "notes are for their agent and for people: you are %s", me.handle)
		}
		handle = parsed
	}
	if me.session != nil {
		v.mu.Lock()
		defer v.mu.Unlock()
		return me.handle, me.session.Place, nil
	}
	if handle == "" {
		return "", turnpost.Place{}, turnpost.Invalidf("handle", "is missing: people have no notes").
			WithHint("name an agent; turnpost agents --all lists them")
	}
	var agent turnpost.Agent
	err := v.store.View(ctx, func(tx Tx) (err error) {
		agent, err = tx.Agent(handle)
		return err
	})
	switch {
	case errors.Is(err, ErrNoRow):
		return "", turnpost.Place{}, turnpost.Errorf(turnpost.NotFound, "there is no %s", handle).WithHint("turnpost agents --all lists the handles")
	case err != nil:
		return "", turnpost.Place{}, err
	case agent.Human:
		return "", turnpost.Place{}, turnpost.Invalidf("handle", "%s is a person: people have no notes", handle)
	}
	return handle, agent.Place, nil
}

// notesAt is when a handle's notes were written.
func (h *Hub) notesAt(handle string) time.Time {
	if h.keeper == nil || handle == "" {
		return time.Time{}
	}
	return h.keeper.At(handle)
}

// renameNotes takes the notes of a handle along.
func (h *Hub) renameNotes(from, to string) {
	if h.keeper != nil {
		h.report(h.keeper.Rename(from, to))
	}
}

// forgetNotes ends what is kept for a session that is over; the notes are its
// handle's and stay.
func (h *Hub) forgetNotes(s *session) {
	if h.keeper != nil {
		h.report(h.keeper.Forget(s.Session))
	}
}

// greeting is what a session is told as soon as it can be, behind its start
// line: what to do first where there is something to do, the items that ride
// along, and its own notes.
func (h *Hub) greeting(s *session, ev turnpost.Event, line string, waits bool, items string) string {
	if h.keeper != nil {
		line += askForNotes
	}
	notes := h.recall(s, ev)
	if waits || items != "" || notes != "" {
		line = joined(line, h.ritual(s))
	}
	return joined(joined(line, items), notes)
}

// recall is the notes of a session's handle. After a compaction its own summary
// is there too.
func (h *Hub) recall(s *session, ev turnpost.Event) string {
	if h.keeper == nil {
		return ""
	}
	h.mu.Lock()
	compacted := ev.Source == turnpost.SourceCompact || ev.Kind == turnpost.Prompt && s.compacted
	s.compacted = false
	shown := s.Session
	h.mu.Unlock()
	text := h.keeper.Recall(shown.Handle, shown, compacted)
	if text != "" {
		h.report(h.keeper.Remember(shown.Handle, shown))
	}
	return text
}

// ritual is what an agent does first. The person is told of a file there that
// counts for nothing until it is trusted.
func (h *Hub) ritual(s *session) string {
	if h.cfg.Ritual == nil {
		return ""
	}
	h.mu.Lock()
	place, handle := s.Place, s.Handle
	h.mu.Unlock()
	text, news := h.cfg.Ritual(place)
	if news != "" {
		h.mu.Lock()
		h.tell(turnpost.Notice{Class: "untrusted", Loud: turnpost.LoudNotice, Handle: handle, Text: news})
		h.mu.Unlock()
	}
	return text
}

// backstop writes a stub where a session that is about to be compacted has no
// notes. Nobody waits for it.
func (h *Hub) backstop(s *session) {
	if h.keeper == nil {
		return
	}
	h.mu.Lock()
	shown := h.shownSession(s)
	h.mu.Unlock()
	if shown.Handle == "" {
		return
	}
	at := time.Now()
	h.beside.Go(func() {
		claimed, err := h.claimed(context.Background(), shown.Handle)
		if err == nil {
			err = h.keeper.Stub(shown.Handle, shown.Place, h.redact.text(stub(shown, claimed, at)))
		}
		h.report(err)
		h.note()
	})
}

// claimed lists the open tasks that a handle has claimed.
func (h *Hub) claimed(ctx context.Context, handle string) ([]turnpost.Item, error) {
	var out []turnpost.Item
	err := h.store.View(ctx, func(tx Tx) (err error) {
		out, err = claimedBy(tx, handle)
		return err
	})
	return out, err
}

func claimedBy(tx Tx, handle string) ([]turnpost.Item, error) {
	tasks, err := tx.OpenItems(turnpost.Task, 5000)
	var out []turnpost.Item
	for _, task := range tasks {
		if task.ClaimedBy == handle {
			out = append(out, task)
		}
	}
	return out, err
}

// stub is what the hub knows of a session's work.
func stub(s turnpost.Session, claimed []turnpost.Item, at time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Put down by Turnpost before a compaction, because %s had no notes\n\n", s.Handle)
	fmt.Fprintf(&b, "- Time: %s\n- Place: %s\n", at.UTC().Format("2006-01-02 15:04 UTC"), s.Place.Root)
	if s.Last != "" {
		fmt.Fprintf(&b, "- Last message began: %s\n", turnpost.OneLine(s.Last, 300))
	}
	if s.Run != "" {
		fmt.Fprintf(&b, "- Run: %s\n", s.Run)
	}
	for _, task := range claimed {
		fmt.Fprintf(&b, "- Claimed: %s %s\n", task.ID, turnpost.OneLine(task.Summary, 200))
	}
	return clip(b.String(), turnpost.MaxNotes)
}

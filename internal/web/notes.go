package web

import (
	"net/http"
	"net/url"

	"turnpost"
)

func notesURL(handle string) string { return "/notes?handle=" + url.QueryEscape(handle) }

// notes is what an agent wrote down for itself. It is read, never changed here.
func (s *server) notes(w http.ResponseWriter, r *http.Request) {
	handle := r.URL.Query().Get("handle")
	found, err := s.hub.Notes(r.Context(), turnpost.NotesRequest{Do: turnpost.NotesRead, Handle: handle})
	if fragment(r) {
		if err != nil {
			s.fail(w, r, err)
			return
		}
		s.render(w, r, http.StatusOK, notesPane(found, s.Now()))
		return
	}
	p, loadErr := s.load(r.Context(), view{Path: "/notes"})
	if loadErr != nil {
		s.fail(w, r, loadErr)
		return
	}
	if err != nil { // the hub is there: that it keeps no notes does not make it gone
		s.render(w, r, status(err), layout(p, notesTrouble(handle, problemOf(err))))
		return
	}
	s.render(w, r, http.StatusOK, layout(p, notesPage(found, p.Now)))
}

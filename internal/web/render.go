package web

import (
	"bytes"
	"errors"
	"net/http"

	"github.com/a-h/templ"

	"turnpost"
)

// trouble is an error as the page tells it.
type trouble struct {
	Code    turnpost.Code
	Message string
	Hint    string
}

func problemOf(err error) trouble {
	t := trouble{Code: turnpost.CodeOf(err), Message: err.Error()}
	var coded *turnpost.Error
	if errors.As(err, &coded) {
		t.Message, t.Hint = coded.Error(), coded.Hint
	}
	return t
}

// status is the HTTP status of an error.
func status(err error) int {
	switch turnpost.CodeOf(err) {
	case turnpost.Invalid:
		return http.StatusBadRequest
	case turnpost.Unauthorized:
		return http.StatusUnauthorized
	case turnpost.Forbidden:
		return http.StatusForbidden
	case turnpost.NotFound:
		return http.StatusNotFound
	case turnpost.Conflict:
		return http.StatusConflict
	case turnpost.TooLarge:
		return http.StatusRequestEntityTooLarge
	case turnpost.Unavailable:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// render writes HTML. It renders into memory first, so that a template that
// fails half way is a clean error.
func (s *server) render(w http.ResponseWriter, r *http.Request, code int, parts ...templ.Component) {
	var body bytes.Buffer
	for _, part := range parts {
		if err := part.Render(r.Context(), &body); err != nil {
			http.Error(w, "render the page: "+err.Error(), http.StatusInternalServerError)
			return
		}
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Add("Vary", "HX-Request")
	w.WriteHeader(code)
	_, _ = w.Write(body.Bytes()) // a reader who left needs no error
}

// fail answers with what went wrong: the pane's place for htmx, else a page.
func (s *server) fail(w http.ResponseWriter, r *http.Request, err error) {
	t := problemOf(err)
	if fragment(r) {
		s.render(w, r, status(err), problem(t))
		return
	}
	p := s.blank(view{Path: "/problem"})
	if t.Code == turnpost.Unavailable {
		p.Gone = p.Now
	}
	s.render(w, r, status(err), layout(p, problemPage(t)))
}

func (s *server) nothing(w http.ResponseWriter, r *http.Request) {
	s.fail(w, r, turnpost.Errorf(turnpost.NotFound, "there is no page %s", line(r.URL.Path, 80)))
}

package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"turnpost"
)

// status is the one table from codes to HTTP.
func status(code turnpost.Code) int {
	switch code {
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

// refusal is an error for which HTTP has a narrower word than its code has.
type refusal struct {
	coded  *turnpost.Error
	status int
	header http.Header
}

func (r *refusal) Error() string { return r.coded.Error() }
func (r *refusal) Unwrap() error { return r.coded }

// failure is the one shape of all errors on the wire.
type failure struct {
	Error *turnpost.Error `json:"error"`
}

// writeTimeout bounds the writing of one answer, not the wait before it.
const writeTimeout = 10 * time.Second

// send writes a JSON answer.
func send(w http.ResponseWriter, code int, answer any) error {
	data, err := encode(answer)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(data)))
	limitWrite(w)
	w.WriteHeader(code)
	_, _ = w.Write(data) // the client went away: nobody is left to tell
	return nil
}

func limitWrite(w http.ResponseWriter) {
	// Only a recorder in a test has no deadlines.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout))
}

// fail answers with an error. What has no code is our fault: it is logged, and
// the client learns no more than that.
func (g *guard) fail(w http.ResponseWriter, r *http.Request, err error) {
	var (
		coded  *turnpost.Error
		narrow *refusal
		code   int
	)
	switch {
	case errors.As(err, &narrow):
		coded, code = narrow.coded, narrow.status
		for name, values := range narrow.header {
			w.Header()[name] = values
		}
	case errors.As(err, &coded):
		code = status(coded.Code)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		coded = turnpost.Errorf(turnpost.Unavailable, "the hub stopped before it had an answer").WithHint("ask again")
		code = http.StatusServiceUnavailable
	default:
		g.log.Error("request failed", "path", r.URL.Path, "error", err)
		coded = internalError()
		code = http.StatusInternalServerError
	}
	if code == http.StatusRequestEntityTooLarge {
		w.Header().Set("Connection", "close") // what is left of the body is not read
	}
	if plain(r) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		limitWrite(w)
		w.WriteHeader(code)
		_, _ = w.Write([]byte(forPeople(coded)))
		return
	}
	if err := send(w, code, failure{coded}); err != nil {
		g.log.Error("answer failed", "path", r.URL.Path, "error", err)
	}
}

func internalError() *turnpost.Error {
	return turnpost.Errorf(turnpost.Internal, "the hub made a mistake").WithHint("its log tells more")
}

// plain tells whether a person looks at the answer in a browser.
func plain(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.HasPrefix(r.Header.Get("Accept"), "text/html")
}

func forPeople(err *turnpost.Error) string {
	text := "turnpost: error: " + err.Error() + "\n"
	if err.Hint != "" {
		text += "turnpost: hint: " + err.Hint + "\n"
	}
	return text
}

// answer is the writer that every handler gets. It lets no handler permit
// another site anything, and knows whether the answer has begun.
type answer struct {
	http.ResponseWriter
	begun bool
}

func (a *answer) WriteHeader(status int) {
	if !a.begun {
		for name := range a.Header() {
			if strings.HasPrefix(http.CanonicalHeaderKey(name), "Access-Control-") {
				delete(a.Header(), name)
			}
		}
	}
	a.begun = a.begun || status >= 200 // a 1xx is not the answer yet
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(data []byte) (int, error) {
	if !a.begun {
		a.WriteHeader(http.StatusOK)
	}
	return a.ResponseWriter.Write(data)
}

// Flush is for streams.
func (a *answer) Flush() {
	if !a.begun {
		a.WriteHeader(http.StatusOK)
	}
	_ = http.NewResponseController(a.ResponseWriter).Flush() // the next write fails then
}

// Unwrap is for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// recovered ends a request whose handler panicked. The stack goes to the log.
func (g *guard) recovered(w *answer, r *http.Request, cause any) {
	if cause == http.ErrAbortHandler { //nolint:errorlint // net/http compares it like this too
		panic(cause)
	}
	g.log.Error("handler panicked", "path", r.URL.Path, "cause", cause, slog.String("stack", string(debug.Stack())))
	if w.begun {
		panic(http.ErrAbortHandler) // half an answer must not look like a whole one
	}
	g.fail(w, r, internalError())
}

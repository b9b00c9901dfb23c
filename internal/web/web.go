// Package web is the page: what every session does, what the human should know,
// the mail, and the integrations. It renders on the server, and one stream of
// server-sent events replaces the regions that changed.
//
// It never decides anything: each button is one call of turnpost.Hub or
// Integrations. It trusts no text that it shows (see text.go), and it serves no
// inline script or style, so that the strictest content security policy holds.
//
// The *_templ.go files are generated from the *.templ files beside them.
package web

//go:generate go run github.com/a-h/templ/cmd/templ@v0.3.1118 generate

import (
	"net/http"
	"time"

	"turnpost"
)

// Config is what the page needs.
type Config struct {
	Hub          turnpost.Hub                  // acts as the human
	Integrations Integrations                  // nil: the integrations page says how to use the command instead
	Resume       func(turnpost.Session) string // the command that reopens a session; nil or "": not known
	Now          func() time.Time              // nil: time.Now
	Version      string                        // of Turnpost, for the foot of the page
}

// New returns the page's handler. It serves "/", "/item/", "/timeline", "/runs",
// "/notes", "/integrations", "/events", "/static/" and, for forms, "/do/".
//
// It has to be mounted at the root and behind a guard that knows who asks and
// sets the security headers; by itself it only refuses cross-origin writes.
// A stream on /events ends when the context of its request does, so a server
// that wants to stop at once cancels its BaseContext.
func New(c Config) http.Handler {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Resume == nil {
		c.Resume = func(turnpost.Session) string { return "" }
	}
	s := &server{Config: c, hub: c.Hub, assets: loadAssets()}

	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.board)
	mux.HandleFunc("GET /timeline", s.older)
	mux.HandleFunc("GET /item/{id}", s.item)
	mux.HandleFunc("GET /runs", s.runs)
	mux.HandleFunc("GET /runs/{id}", s.run)
	mux.HandleFunc("GET /runs/{id}/effects/{effect}", s.effect)
	mux.HandleFunc("GET /notes", s.notes)
	mux.HandleFunc("GET /integrations", s.integrations)
	mux.HandleFunc("GET /events", s.events)
	mux.HandleFunc("GET /static/{name}", s.static)

	mux.HandleFunc("POST /do/post", s.do(action{run: s.post, body: composed, back: toBoard}))
	mux.HandleFunc("POST /do/reply", s.do(action{run: s.reply, body: s.answered, back: toItem}))
	mux.HandleFunc("POST /do/resolve", s.do(action{run: s.resolve, body: s.answered, back: toItem}))
	mux.HandleFunc("POST /do/ack", s.do(action{run: s.ack, back: toBoard}))
	mux.HandleFunc("POST /do/clear", s.do(action{run: s.clear, back: toBoard}))
	mux.HandleFunc("POST /do/run", s.do(action{run: s.steer, back: toRun}))
	mux.HandleFunc("POST /do/answer", s.do(action{run: s.decide, back: toRun}))
	mux.HandleFunc("POST /do/link", s.do(action{run: s.link, back: toIntegrations}))
	mux.HandleFunc("POST /do/apply", s.do(action{run: s.apply, body: s.set, back: toIntegrations}))
	mux.HandleFunc("POST /do/remove", s.do(action{run: s.remove, body: s.set, back: toIntegrations}))
	mux.HandleFunc("POST /do/check", s.do(action{run: s.check, body: s.set, back: toIntegrations}))

	mux.HandleFunc("/", s.nothing)
	return http.NewCrossOriginProtection().Handler(mux)
}

type server struct {
	Config
	hub    turnpost.Hub
	assets assets
}

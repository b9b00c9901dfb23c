package mcp

import (
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Handler serves streamable HTTP, without sessions: every POST stands alone, so
// that a client goes on after a restart of the hub with whatever Mcp-Session-Id
// it remembers. GET and DELETE are 405, which clients take for "no stream", and a
// message above MaxMessage is 413.
//
// Host, Origin and token are the business of who mounts it. A wait holds its
// request for up to 50 s: the server's write timeout has to be longer.
func (s *Server) Handler() http.Handler {
	stream := mcp.NewStreamableHTTPHandler(
		func(*http.Request) *mcp.Server { return s.server },
		&mcp.StreamableHTTPOptions{
			Stateless:           true,
			JSONResponse:        true,
			Logger:              s.logger,
			MaxRequestBodyBytes: MaxMessage,
		})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stream.ServeHTTP(w, r.WithContext(withLifetime(r.Context())))
	})
}

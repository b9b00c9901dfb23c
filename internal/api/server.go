// Package api is the hub's door: one table of routes over HTTP and JSON, a
// guard in front of everything, a unix socket for the programs of this machine
// and a loopback port for the page and for MCP. api/client is the other end.
//
// It never decides who an agent is: it hands the hub what the connection
// proves, as a turnpost.Caller. It starts no process and reads no file that a
// request names. Errors have one shape, {"error":{code,message,field,hint}}.
package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"turnpost"
)

// Backend is the hub behind the routes.
type Backend interface {
	// As returns the hub on behalf of one caller.
	As(turnpost.Caller) turnpost.Hub
	turnpost.HookHub
	// Release frees a held offer: its connection ended and nobody confirmed it.
	Release(offer string)
}

// Mount is a handler of another package behind the guard. Its requests carry
// the caller (CallerFrom) and their whole body.
type Mount struct {
	Handler http.Handler
	// Person: a page. The cookie or the token opens it, over the port only, and
	// the caller is the user. Without it the token or the socket does, and nobody
	// is the user: agents come here.
	Person bool
	// Types are the content types of a POST besides application/json. Such a
	// POST has to carry an Origin of ours.
	Types []string
	// MaxBody in bytes; 0 is 1 MiB.
	MaxBody int64
}

// Config is what a server needs.
type Config struct {
	Backend  Backend
	Socket   string           // path; its directory is made, 0700, or has to be so already
	TCP      string           // loopback address, "127.0.0.1:21584"; empty: the socket only
	Token    string           // the user's, from EnsureToken; TCP needs it
	Origins  []string         // further origins, as a proxy of the user's serves them: "https://hub.example"
	Mounts   map[string]Mount // by http.ServeMux pattern without a method: "/", "/mcp", "/hooks/"
	Version  string
	Protocol int
	Logger   *slog.Logger
}

// The times and sizes of connections.
const (
	headerTimeout = 5 * time.Second
	readTimeout   = 10 * time.Second // header and body
	idleTimeout   = time.Minute
	maxHeader     = 16 << 10
	maxConns      = 1024 // on each listener
)

// Stopping takes two seconds at most: waits end at once, other requests when
// the grace is over, connections at the end.
const (
	stopGrace = time.Second
	stopLimit = 1800 * time.Millisecond
)

// Server is a hub's open door.
type Server struct {
	backend  Backend
	guard    *guard
	offers   *offers
	version  string
	protocol int

	http   *http.Server
	socket net.Listener
	tcp    net.Listener // nil: none

	stopped  context.Context // done when the hub was told to stop
	stopping context.CancelFunc
	cutOff   context.CancelFunc // cancels every request
	conns    sync.WaitGroup
}

// Listen opens the socket and the port. From here on a client can connect; it
// is answered once Serve runs.
func Listen(cfg Config) (*Server, error) {
	if cfg.Backend == nil || cfg.Logger == nil {
		return nil, errors.New("listen: a backend and a logger are needed")
	}
	s := &Server{backend: cfg.Backend, offers: newOffers(), version: cfg.Version, protocol: cfg.Protocol}
	var err error
	if s.socket, err = listenSocket(cfg.Socket, cfg.Logger); err != nil {
		return nil, err
	}
	if cfg.TCP != "" {
		if s.tcp, err = listenTCP(cfg.TCP, cfg.Token); err != nil {
			return nil, errors.Join(err, s.socket.Close())
		}
	}
	if s.guard, err = s.newGuard(cfg); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	base, cutOff := context.WithCancel(context.Background())
	s.cutOff = cutOff
	s.stopped, s.stopping = context.WithCancel(base)
	s.http = &http.Server{
		Handler:           s.guard,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(cfg.Logger.Handler(), slog.LevelWarn),
		BaseContext:       func(net.Listener) context.Context { return base },
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			if c, ok := c.(*conn); ok && c.local {
				return context.WithValue(ctx, connKey{}, c)
			}
			return ctx
		},
		ConnState: s.connState,
		// OPTIONS * gets no answer of its own either.
		DisableGeneralOptionsHandler: true,
	}
	return s, nil
}

// TCP returns the address that the page is at, "127.0.0.1:21584", or "".
func (s *Server) TCP() string {
	if s.tcp == nil {
		return ""
	}
	return s.tcp.Addr().String()
}

// Close closes the listeners of a server that was never served.
func (s *Server) Close() error {
	err := s.socket.Close()
	if s.tcp != nil {
		err = errors.Join(err, s.tcp.Close())
	}
	return err
}

// Serve answers until ctx is done or a client says stop, and then ends within
// two seconds: a pending wait answers with what it has. It returns nil then.
func (s *Server) Serve(ctx context.Context) error {
	defer s.cutOff()
	stop := context.AfterFunc(ctx, s.stopping)
	defer stop()

	failed := make(chan error, 2)
	serve := func(l net.Listener) { failed <- s.http.Serve(l) }
	go serve(s.socket)
	if s.tcp != nil {
		go serve(s.tcp)
	}
	var broken error
	select {
	case <-s.stopped.Done():
	case err := <-failed:
		broken = fmt.Errorf("serve: %w", err)
		s.stopping()
	}

	cut := time.AfterFunc(stopGrace, s.cutOff)
	defer cut.Stop()
	limit, cancel := context.WithTimeout(context.Background(), stopLimit)
	defer cancel()
	if s.http.Shutdown(limit) != nil {
		_ = s.http.Close() // whoever still holds a connection had its time
	}
	s.cutOff()
	s.released(limit)
	return broken
}

// released waits until the offers of ended connections are free.
func (s *Server) released(limit context.Context) {
	done := make(chan struct{})
	go func() { s.conns.Wait(); close(done) }()
	select {
	case <-done:
	case <-limit.Done():
	}
}

func (s *Server) connState(nc net.Conn, state http.ConnState) {
	c, ok := nc.(*conn)
	if !ok || !c.local {
		return
	}
	switch state {
	case http.StateNew:
		s.conns.Add(1)
	case http.StateClosed, http.StateHijacked:
		for _, offer := range s.offers.ended(c) {
			s.backend.Release(offer)
		}
		s.conns.Done()
	}
}

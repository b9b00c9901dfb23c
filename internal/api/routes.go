package api

import (
	"context"
	"errors"
	"net/http"
	"os"
	"time"

	"turnpost"
)

// endpoint is one row of the table of routes.
type endpoint struct {
	path   string
	policy policy
	waits  bool // answers with what it has when the hub stops
	serve  func(*Server, *http.Request) (any, error)
}

// The sizes of a request's body, in bytes. An item's body may be 256 KiB of
// text, which JSON makes longer.
const (
	maxRequest = 2 << 20
	maxEvent   = 256 << 10
	maxMounted = 1 << 20
)

// endpoints is the table of all routes. A new method of turnpost.Hub is a line
// here and a line in api/client.
func endpoints() []endpoint {
	return []endpoint{
		route("/v1/post", turnpost.Hub.Post),
		route("/v1/inbox", turnpost.Hub.Inbox),
		route("/v1/wait", turnpost.Hub.Wait).waiting(),
		own("/v1/listen", policy{maxBody: maxRequest, local: true}, (*Server).listen).waiting(),
		route("/v1/read", turnpost.Hub.Read),
		route("/v1/ack", turnpost.Hub.Ack),
		route("/v1/pass", turnpost.Hub.Pass),
		route("/v1/claim", turnpost.Hub.Claim),
		route("/v1/resolve", turnpost.Hub.Resolve),
		route("/v1/open", turnpost.Hub.Open),
		route("/v1/timeline", turnpost.Hub.Timeline),
		route("/v1/agents", turnpost.Hub.Agents),
		route("/v1/channels", turnpost.Hub.Channels),
		route("/v1/channel", turnpost.Hub.Channel),
		route("/v1/whoami", turnpost.Hub.Whoami),
		route("/v1/name", turnpost.Hub.Name),
		route("/v1/presence", turnpost.Hub.Presence),
		route("/v1/pause", turnpost.Hub.Pause),
		route("/v1/link", turnpost.Hub.Link),
		route("/v1/notes", turnpost.Hub.Notes),
		route("/v1/handoff", turnpost.Hub.Handoff),
		route("/v1/run/start", turnpost.Hub.StartRun),
		route("/v1/run", turnpost.Hub.Run),
		route("/v1/runs", turnpost.Hub.Runs),
		route("/v1/run/journal", turnpost.Hub.Journal).waiting(),
		route("/v1/run/change", turnpost.Hub.ChangeRun),
		route("/v1/run/ask", turnpost.Hub.AskEffect),
		route("/v1/run/take", turnpost.Hub.TakeEffects),
		route("/v1/run/post", turnpost.Hub.PostEffect),
		route("/v1/board", turnpost.Hub.Board),
		route("/v1/clear", turnpost.Hub.Clear),
		route("/v1/changes", turnpost.Hub.Changes).waiting(),
		route("/v1/backup", turnpost.Hub.Backup),

		own("/v1/event", policy{maxBody: maxEvent}, (*Server).event),
		own("/v1/shown", policy{maxBody: maxEvent}, (*Server).shown),
		own("/v1/login", policy{maxBody: maxEvent, local: true}, (*Server).login),
		own("/v1/stop", policy{maxBody: maxEvent, local: true}, (*Server).stop),
		{path: "/healthz", policy: policy{methods: []string{http.MethodGet}, person: true}, serve: (*Server).health},
	}
}

// route makes the row of a Hub method, called on behalf of the caller.
func route[Req, Res any](path string, call func(turnpost.Hub, context.Context, Req) (Res, error)) endpoint {
	return own(path, policy{maxBody: maxRequest, person: true}, func(s *Server, r *http.Request, req Req) (any, error) {
		return call(s.backend.As(CallerFrom(r.Context())), r.Context(), req)
	})
}

// own makes the row of a request that the server itself answers.
func own[Req any](path string, p policy, call func(*Server, *http.Request, Req) (any, error)) endpoint {
	decode := decoder[Req]()
	p.methods = []string{http.MethodPost}
	return endpoint{path: path, policy: p, serve: func(s *Server, r *http.Request) (any, error) {
		req, err := decode(r.Body)
		if err != nil {
			return nil, err
		}
		return call(s, r, req)
	}}
}

func (e endpoint) waiting() endpoint {
	e.waits = true
	return e
}

// event is what a hook calls. Over the socket the offer in the answer lives as
// long as the connection, unless the hook confirms it.
func (s *Server) event(r *http.Request, event turnpost.Event) (any, error) {
	answer, err := s.backend.Handle(r.Context(), event)
	return s.held(r, answer, err)
}

// listen waits for an offer, which lives as long as that of an event: over the
// port nothing would ever free one that nobody confirms.
func (s *Server) listen(r *http.Request, q turnpost.ListenQuery) (any, error) {
	answer, err := s.backend.As(CallerFrom(r.Context())).Listen(r.Context(), q)
	return s.held(r, answer, err)
}

func (s *Server) held(r *http.Request, answer turnpost.HookAnswer, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	if c := local(r.Context()); c != nil && answer.Offer != "" {
		s.offers.bind(answer.Offer, c)
	}
	return answer, nil
}

// shown confirms an offer. The hook writes it and exits without waiting, so it
// counts although its connection is gone.
func (s *Server) shown(r *http.Request, receipt turnpost.Receipt) (any, error) {
	if receipt.Offer == "" {
		return nil, turnpost.Invalidf("offer", "is missing")
	}
	const limit = 5 * time.Second
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), limit)
	defer cancel()
	held := s.offers.take(receipt.Offer)
	answer, err := s.backend.Shown(ctx, receipt)
	if err != nil && held {
		s.backend.Release(receipt.Offer) // better shown twice than never
	}
	return answer, err
}

// loginAnswer is a link that signs one browser in.
type loginAnswer struct {
	URL   string    `json:"url"`
	Until time.Time `json:"until"`
}

// login makes a link to the page. An agent is not given one: the page speaks
// for the user.
func (s *Server) login(r *http.Request, _ turnpost.Nothing) (any, error) {
	if s.tcp == nil {
		return nil, turnpost.Errorf(turnpost.Unavailable, "this hub has no page: it listens on the socket only")
	}
	who, err := s.backend.As(CallerFrom(r.Context())).Whoami(r.Context(), turnpost.Nothing{})
	if err != nil {
		return nil, err
	}
	if !who.Human {
		return nil, turnpost.Errorf(turnpost.Forbidden, "the page is for the user; this is %s", who.Handle).
			WithHint("run it in a terminal outside the agent")
	}
	code, until := s.guard.pages.newCode(time.Now().UTC())
	return loginAnswer{URL: "http://" + s.TCP() + "/login?code=" + code, Until: until}, nil
}

// stop ends Serve once this request is answered.
func (s *Server) stop(_ *http.Request, _ turnpost.Nothing) (any, error) {
	s.stopping()
	return turnpost.Nothing{}, nil
}

// healthAnswer tells a client whom it found.
type healthAnswer struct {
	OK       bool   `json:"ok"`
	Protocol int    `json:"protocol"`
	Pid      int    `json:"pid"`
	Version  string `json:"version"`
}

func (s *Server) health(*http.Request) (any, error) {
	return healthAnswer{OK: true, Protocol: s.protocol, Pid: os.Getpid(), Version: s.version}, nil
}

// mux builds the routes and the mounts, and the policies of the guard.
func (s *Server) mux(mounts map[string]Mount) (*http.ServeMux, map[string]policy, error) {
	mux, policies := http.NewServeMux(), map[string]policy{}
	add := func(pattern string, p policy, h http.Handler) error {
		if _, taken := policies[pattern]; taken {
			return errors.New("mount " + pattern + ": the pattern is taken")
		}
		policies[pattern] = p
		mux.Handle(pattern, h)
		return nil
	}
	for _, e := range endpoints() {
		if err := add(e.path, e.policy, s.endpoint(e)); err != nil {
			return nil, nil, err
		}
	}
	if err := add("/login", policy{methods: []string{http.MethodGet}, open: true, person: true}, http.HandlerFunc(s.signIn)); err != nil {
		return nil, nil, err
	}
	// A route that does not exist is no page either.
	if err := add("/v1/", policy{person: true}, http.NotFoundHandler()); err != nil {
		return nil, nil, err
	}
	for pattern, m := range mounts {
		p := policy{
			methods: []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodDelete},
			types:   m.Types, maxBody: m.MaxBody, person: m.Person, page: m.Person,
		}
		if p.maxBody == 0 {
			p.maxBody = maxMounted
		}
		if err := add(pattern, p, s.mounted(m.Handler)); err != nil {
			return nil, nil, err
		}
	}
	return mux, policies, nil
}

func (s *Server) endpoint(e endpoint) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if e.waits {
			ctx, cancel := s.untilStop(r.Context())
			defer cancel()
			r = r.WithContext(ctx)
		}
		answer, err := e.serve(s, r)
		if err == nil {
			err = send(w, http.StatusOK, answer)
		}
		if err != nil {
			s.guard.fail(w, r, err)
		}
	})
}

// mounted ends the streams of a mounted handler when the hub stops.
func (s *Server) mounted(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			ctx, cancel := s.untilStop(r.Context())
			defer cancel()
			r = r.WithContext(ctx)
		}
		h.ServeHTTP(w, r)
	})
}

// untilStop is ctx, cancelled at once when the hub is told to stop; other
// requests have the grace time to finish.
func (s *Server) untilStop(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	unhook := context.AfterFunc(s.stopped, cancel)
	return ctx, func() { unhook(); cancel() }
}

package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"turnpost"
)

// SessionHeader carries the secret that session.start announced to an agent.
const SessionHeader = "Turnpost-Session"

// NativeHeader carries which session of its process a tool call came from, in
// the harness's own words. It counts over the socket only.
const NativeHeader = "Turnpost-Native"

const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
	"img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// policy is what the guard asks of the requests to one pattern. The zero policy
// is the strictest: a token, no method, no body.
type policy struct {
	methods []string
	types   []string // content types of a body besides JSON
	maxBody int64
	open    bool // no credential: the login link is one itself
	local   bool // over the socket only
	person  bool // the token and the page's cookie speak for the user
	page    bool // and nobody else comes here
}

// guard stands in front of every route and mount. Over TCP it lets a request
// in when its Host is one of ours, no other site sent it, and it carries the
// user's token or the page's cookie. Over the socket the kernel has told who
// the peer is, and no browser gets there.
type guard struct {
	next     *http.ServeMux
	policies map[string]policy // by pattern
	origins  map[string]string // Host → the origin of its pages
	token    [sha256.Size]byte
	pages    *pages
	limits   *limiter
	log      *slog.Logger
}

type (
	callerKey struct{}
	connKey   struct{}
)

// CallerFrom returns who makes the request that ctx belongs to, as a mounted
// handler may pass it to Backend.As.
func CallerFrom(ctx context.Context) turnpost.Caller {
	caller, _ := ctx.Value(callerKey{}).(turnpost.Caller)
	return caller
}

// local returns the socket connection of a request, nil over TCP.
func local(ctx context.Context) *conn {
	c, _ := ctx.Value(connKey{}).(*conn)
	return c
}

func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a := &answer{ResponseWriter: w}
	defer func() {
		if cause := recover(); cause != nil {
			g.recovered(a, r, cause)
		}
	}()
	h := w.Header()
	h.Set("Content-Security-Policy", contentPolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")

	_, pattern := g.next.Handler(r)
	p := g.policies[pattern]
	caller, err := g.admit(r, p)
	if err == nil {
		err = checkForm(r, p)
	}
	if err == nil {
		err = takeBody(w, r, p.maxBody)
	}
	if err != nil {
		g.fail(a, r, err)
		return
	}
	g.next.ServeHTTP(a, r.WithContext(context.WithValue(r.Context(), callerKey{}, caller)))
	if !a.begun {
		a.WriteHeader(http.StatusOK) // as net/http would, but past our look at the headers
	}
}

// admit decides who asks, and whether they may ask here at all.
func (g *guard) admit(r *http.Request, p policy) (turnpost.Caller, error) {
	if err := g.checkSite(r); err != nil {
		return turnpost.Caller{}, err
	}
	session, err := oneValue(r, SessionHeader, 200)
	if err != nil {
		return turnpost.Caller{}, err
	}
	native, err := oneValue(r, NativeHeader, 128)
	if err != nil {
		return turnpost.Caller{}, err
	}
	c := local(r.Context())
	if p.page && (c != nil || session != "") {
		return turnpost.Caller{}, turnpost.Errorf(turnpost.Forbidden, "the page is for the user").WithHint("run: turnpost open")
	}
	if c != nil {
		return turnpost.Caller{Pid: c.peer.pid, HookSession: session, Native: native}, nil
	}
	proof, denied := g.credential(r, p)
	if denied == nil {
		proof += "\x00" + session // an agent that floods does not stop its user
	}
	if wait := g.limits.take(proof, time.Now()); wait > 0 {
		return turnpost.Caller{}, &refusal{
			coded:  turnpost.Errorf(turnpost.Unavailable, "too many requests").WithHint("wait %d s", seconds(wait)),
			status: http.StatusTooManyRequests,
			header: http.Header{"Retry-After": {strconv.Itoa(seconds(wait))}},
		}
	}
	switch {
	case denied != nil:
		return turnpost.Caller{}, denied
	case p.local:
		return turnpost.Caller{}, turnpost.Errorf(turnpost.Forbidden, "this is possible over the local socket only").
			WithHint("use the turnpost command")
	}
	return turnpost.Caller{HookSession: session, Human: p.person && session == ""}, nil
}

// checkSite refuses what a page of another site, or a name that resolves to
// this machine, can send.
func (g *guard) checkSite(r *http.Request) error {
	own := "" // no page is served over the socket, so no origin is its own
	if local(r.Context()) == nil {
		ok := false
		own, ok = g.origins[strings.ToLower(r.Host)]
		if !ok || r.URL.Host != "" { // a target with a host in it overrides the header
			return turnpost.Errorf(turnpost.Forbidden, "the Host of this request is not the hub's")
		}
	}
	if origin, ok := r.Header["Origin"]; ok && (len(origin) != 1 || own == "" || !strings.EqualFold(origin[0], own)) {
		return turnpost.Errorf(turnpost.Forbidden, "a page of another origin sent this request")
	}
	for _, site := range r.Header["Sec-Fetch-Site"] {
		if site != "same-origin" && site != "none" { // same-site is any port of this machine
			return turnpost.Errorf(turnpost.Forbidden, "a page of another site sent this request")
		}
	}
	return nil
}

// credential returns what the request proves itself with, as a key for the
// rate limit, and the error when that is nothing.
func (g *guard) credential(r *http.Request, p policy) (proof string, err error) {
	if headers, ok := r.Header["Authorization"]; ok {
		scheme, token, _ := strings.Cut(headers[0], " ")
		sum := sha256.Sum256([]byte(token))
		if len(headers) == 1 && strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(sum[:], g.token[:]) == 1 {
			return "token", nil
		}
	} else if p.open {
		return "", nil
	} else if p.person && g.pages.signedIn(r, time.Now()) {
		return "cookie", nil
	}
	denied := turnpost.Errorf(turnpost.Unauthorized, "this request proves nobody")
	if p.person && plain(r) {
		denied = turnpost.Errorf(turnpost.Unauthorized, "this browser is not signed in").WithHint("run: turnpost open")
	} else {
		denied = denied.WithHint("send the user's token: Authorization: Bearer ...")
	}
	return "", &refusal{coded: denied, status: http.StatusUnauthorized, header: http.Header{"Www-Authenticate": {`Bearer realm="turnpost"`}}}
}

// oneValue is the value of a header of ours, "" where the request has none.
func oneValue(r *http.Request, header string, longest int) (string, error) {
	values := r.Header[header]
	if len(values) == 0 {
		return "", nil
	}
	if len(values) > 1 || values[0] == "" || len(values[0]) > longest {
		return "", turnpost.Invalidf(header, "has to be one value of at most %d bytes", longest)
	}
	return values[0], nil
}

// checkForm holds a request to its pattern's methods and content types.
func checkForm(r *http.Request, p policy) error {
	if !slices.Contains(p.methods, r.Method) {
		if len(p.methods) == 0 {
			return noRoute()
		}
		return &refusal{
			coded:  turnpost.Errorf(turnpost.Invalid, "this route does not take the method").WithHint("use %s", strings.Join(p.methods, " or ")),
			status: http.StatusMethodNotAllowed,
			header: http.Header{"Allow": {strings.Join(p.methods, ", ")}},
		}
	}
	if r.Method != http.MethodPost || local(r.Context()) != nil {
		return nil
	}
	media, params, err := mime.ParseMediaType(strings.Join(r.Header["Content-Type"], ","))
	charset, has := params["charset"]
	switch {
	case err == nil && media == "application/json" && (!has || strings.EqualFold(charset, "utf-8")):
		return nil
	case err == nil && slices.Contains(p.types, media):
		// A form is what another site can send too: it has to say that it is ours.
		if r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") == "same-origin" {
			return nil
		}
		return turnpost.Errorf(turnpost.Forbidden, "a form has to say which page it comes from")
	}
	return &refusal{
		coded:  turnpost.Invalidf("Content-Type", "is not one that this route takes").WithHint("send application/json"),
		status: http.StatusUnsupportedMediaType,
	}
}

// takeBody reads the whole body, so that no handler waits for a slow client:
// net/http's read timeout covers it, and ends with it.
func takeBody(w http.ResponseWriter, r *http.Request, limit int64) error {
	tooLarge := turnpost.Errorf(turnpost.TooLarge, "the request is larger than %d KiB", limit>>10)
	if r.ContentLength > limit {
		return tooLarge
	}
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if err != nil {
		var over *http.MaxBytesError
		if errors.As(err, &over) {
			return tooLarge
		}
		return &refusal{
			coded:  turnpost.Invalidf("body", "did not arrive whole"),
			status: http.StatusBadRequest,
			header: http.Header{"Connection": {"close"}},
		}
	}
	r.Body = io.NopCloser(bytes.NewReader(data))
	return nil
}

func noRoute() error { return turnpost.Errorf(turnpost.NotFound, "there is no such route") }

func seconds(d time.Duration) int { return max(1, int((d+time.Second-1)/time.Second)) }

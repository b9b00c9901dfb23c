package realtest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// DefaultReply is what the model says when no step fits.
const DefaultReply = "FAKE-REPLY"

// API is a scripted model API on loopback that speaks every dialect. It keeps
// every request and answers it by the first step that fits, which is then used
// up. Requests outside the client's main loop (they offer no tools, or the
// program knows them) take no steps. Give every client its own API unless the
// test is about telling them apart.
type API struct {
	t       testing.TB
	server  *httptest.Server
	closing chan struct{}
	changed pulse

	mu         sync.Mutex
	steps      []Step
	background []func(Request) bool // of the programs that it serves
	requests   []Request
	others     []Request
	strays     []string // calls of what no dialect knows
	answers    int
}

// NewAPI starts an API whose model answers with the steps in their order, then
// with DefaultReply. When the test fails, the log gets all requests, trimmed.
func NewAPI(t testing.TB, steps ...Step) *API {
	a := &API{t: t, steps: steps, closing: make(chan struct{})}
	a.server = httptest.NewServer(http.HandlerFunc(a.serve))
	t.Cleanup(func() {
		close(a.closing)
		a.server.CloseClientConnections()
		a.server.Close()
		if t.Failed() {
			t.Logf("requests of the model API:\n%s", a.dump())
		}
	})
	return a
}

// In lets a part of the test, a subtest, own what fails until it ends.
func (a *API) In(t testing.TB) {
	outer := a.t
	a.t = t
	t.Cleanup(func() { a.t = outer })
}

// URL is the base URL, without a path.
func (a *API) URL() string { return a.server.URL }

// Script adds steps behind those that are still to be taken.
func (a *API) Script(steps ...Step) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.steps = append(a.steps, steps...)
}

// Wait returns the n-th (from 1) main-loop request that fits every match,
// waiting for it where it has not come yet.
func (a *API) Wait(n int, match ...Match) Request {
	a.t.Helper()
	var found []Request
	await(a.t, fmt.Sprintf("request %d that fits", n), &a.changed, func() (bool, error) {
		found = a.Requests(match...)
		return len(found) >= n, nil
	})
	return found[n-1]
}

// Count says how many main-loop requests fit every match so far.
func (a *API) Count(match ...Match) int { return len(a.Requests(match...)) }

// Requests returns the main-loop requests that fit every match, in the order of
// their arrival.
func (a *API) Requests(match ...Match) []Request {
	a.mu.Lock()
	defer a.mu.Unlock()
	var found []Request
	for _, r := range a.requests {
		if !slices.ContainsFunc(match, func(m Match) bool { return !m(r) }) {
			found = append(found, r)
		}
	}
	return found
}

// Others returns the requests outside the main loop, such as those for titles.
func (a *API) Others() []Request {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.others)
}

// serves lets the program tell which of its requests are not of its main loop.
func (a *API) serves(p Program) {
	if b, ok := p.(backgrounder); ok {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.background = append(a.background, b.background)
	}
}

func (a *API) serve(w http.ResponseWriter, req *http.Request) {
	if req.Method == http.MethodGet && strings.HasSuffix(req.URL.Path, "/models") {
		listModels(w)
		return
	}
	dialect := dialectOf(req)
	if dialect == nil {
		a.mu.Lock()
		a.strays = append(a.strays, req.Method+" "+req.URL.Path)
		a.mu.Unlock()
		writeJSON(w, http.StatusNotFound, object{"error": object{"message": "not part of this API"}})
		return
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return // the client has gone
	}
	r, err := dialect.read(req, body)
	if err != nil {
		dialect.refuse(w, http.StatusBadRequest, "invalid_request_error", err.Error())
		return
	}
	r.At, r.Body = time.Now(), body
	step, id := a.take(r)
	if step.delay > 0 {
		select {
		case <-time.After(step.delay):
		case <-req.Context().Done():
		case <-a.closing:
		}
	}
	if step.gate != nil {
		select {
		case <-step.gate.opened():
		case <-req.Context().Done():
		case <-a.closing:
		}
	}
	if step.think != nil {
		step = step.thought(r)
	}
	switch {
	case step.drop:
		panic(http.ErrAbortHandler) // closes the connection, logs nothing
	case step.status != 0:
		dialect.refuse(w, step.status, step.kind, step.text)
	default:
		dialect.answer(w, r, id, step)
	}
}

// take keeps the request and picks its step.
func (a *API) take(r Request) (Step, int) {
	a.mu.Lock()
	defer a.changed.beat()
	defer a.mu.Unlock()
	a.answers++
	step := Say(DefaultReply)
	inBackground := func(is func(Request) bool) bool { return is(r) }
	if len(r.Tools) == 0 || slices.ContainsFunc(a.background, inBackground) {
		a.others = append(a.others, r)
		return step, a.answers
	}
	a.requests = append(a.requests, r)
	for i, s := range a.steps {
		if s.when == nil || s.when(r) {
			a.steps = slices.Delete(slices.Clone(a.steps), i, i+1)
			return s, a.answers
		}
	}
	return step, a.answers
}

func (s Step) thought(r Request) Step {
	made := s.think(r)
	if made.tokens == 0 {
		made.tokens = s.tokens
	}
	return made
}

// dump tells a reader of a failed test what the model was asked: per request
// what was new in it, long messages cut in the middle.
func (a *API) dump() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var b strings.Builder
	for i, r := range a.requests {
		fmt.Fprintf(&b, "%d. %s session %s, %d messages, new:\n",
			i+1, r.At.Format("15:04:05.000"), r.Session, len(r.Messages))
		for _, m := range r.fresh() {
			fmt.Fprintf(&b, "    [%s] %s\n", m.Role, trim(m.Text, 1500))
		}
	}
	fmt.Fprintf(&b, "outside the main loop: %d, other calls: %v, steps not taken: %d\n",
		len(a.others), a.strays, len(a.steps))
	return b.String()
}

func trim(s string, limit int) string {
	if len(s) > limit {
		s = strings.ToValidUTF8(s[:limit/2]+" ... "+s[len(s)-limit/2:], "")
	}
	return strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n    ")
}

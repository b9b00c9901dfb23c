package work_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"turnpost"
	"turnpost/internal/api/client"
)

// fakeHub has one run. It speaks as the real one does, so that a worker in
// another process can be its client.
type fakeHub struct {
	URL    string
	closed chan struct{}

	mu      sync.Mutex
	changed chan struct{} // closed and made anew with each entry
	run     turnpost.Run
	events  []turnpost.RunEvent
	posts   map[string][]turnpost.EffectPost
	posting func(turnpost.EffectPost) error // before a post counts
	lose    int                             // answers to takes that get lost
}

const runID = "r-1"

func newHub(t *testing.T) *fakeHub {
	h := &fakeHub{
		run: turnpost.Run{ID: runID, State: turnpost.RunWaiting}, posts: map[string][]turnpost.EffectPost{},
		changed: make(chan struct{}), closed: make(chan struct{}),
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/v1/run", serve(func(r *http.Request, _ turnpost.RunQuery) (turnpost.Run, error) {
		h.mu.Lock()
		defer h.mu.Unlock()
		run := h.run
		run.Effects = slices.Clone(run.Effects)
		return run, nil
	}))
	mux.HandleFunc("/v1/run/journal", serve(h.journal))
	mux.HandleFunc("/v1/run/take", serve(h.take))
	mux.HandleFunc("/v1/run/post", serve(h.post))
	server := httptest.NewServer(mux)
	h.URL = server.URL
	t.Cleanup(func() { close(h.closed); server.Close() })
	return h
}

func (h *fakeHub) client() *client.Client { return client.New(client.Address{URL: h.URL}) }

func serve[Q, A any](answer func(*http.Request, Q) (A, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var in Q
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		out, err := answer(r, in)
		if err != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
			_ = json.NewEncoder(w).Encode(map[string]error{"error": err})
			return
		}
		_ = json.NewEncoder(w).Encode(out)
	}
}

// ask asks for commands.
func (h *fakeHub) ask(commands ...turnpost.Command) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, command := range commands {
		id := fmt.Sprintf("e-%d", len(h.run.Effects)+1)
		h.run.Effects = append(h.run.Effects, turnpost.Effect{
			ID: id, Kind: turnpost.EffectCommand, State: turnpost.EffectPending, Trusted: true, Command: &command,
		})
		h.enter(turnpost.RunEvent{Kind: turnpost.EffectAsked})
	}
}

// set ends the run, or resumes it.
func (h *fakeHub) set(state turnpost.RunState) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.run.State = state
	kind := turnpost.RunResumed
	if state.Ended() {
		kind = turnpost.RunEnded
	}
	h.enter(turnpost.RunEvent{Kind: kind})
}

// enter adds to the journal; the caller holds the lock.
func (h *fakeHub) enter(e turnpost.RunEvent) {
	e.Seq = int64(len(h.events)) + 1
	h.events, h.run.Seq = append(h.events, e), e.Seq
	close(h.changed)
	h.changed = make(chan struct{})
}

func (h *fakeHub) journal(r *http.Request, in turnpost.JournalQuery) (turnpost.Journal, error) {
	limit := time.After(time.Duration(in.Seconds) * time.Second)
	for {
		h.mu.Lock()
		out := turnpost.Journal{ID: runID, Events: slices.Clone(h.events[in.After:]), Ended: h.run.State.Ended()}
		changed := h.changed
		h.mu.Unlock()
		if len(out.Events) > 0 || out.Ended {
			return out, nil
		}
		select {
		case <-changed:
		case <-limit:
			return out, nil
		case <-h.closed:
			return out, nil
		case <-r.Context().Done():
			return out, nil
		}
	}
}

// going is an error once the run has ended; the caller holds the lock.
func (h *fakeHub) going() error {
	if h.run.State.Ended() {
		return turnpost.Errorf(turnpost.Conflict, "r-1 is %s", h.run.State)
	}
	return nil
}

func (h *fakeHub) take(_ *http.Request, in turnpost.EffectTake) (turnpost.Taken, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.going(); err != nil {
		return turnpost.Taken{}, err
	}
	out := turnpost.Taken{Run: h.run}
	out.Run.Effects = nil
	for i := range h.run.Effects {
		e := &h.run.Effects[i]
		if e.State == turnpost.EffectPending && !e.Trusted && !in.All {
			out.Left++
		}
		mine := e.State == turnpost.EffectRunning && e.Worker == in.Worker
		if mine {
			out.Effects = append(out.Effects, *e)
		}
	}
	for i := range h.run.Effects {
		e := &h.run.Effects[i]
		if len(out.Effects) < in.Limit && e.State == turnpost.EffectPending && (e.Trusted || in.All) {
			e.State, e.Worker = turnpost.EffectRunning, in.Worker
			out.Effects = append(out.Effects, *e)
			h.enter(turnpost.RunEvent{Kind: turnpost.EffectTaken, Task: e.ID})
		}
	}
	if h.lose > 0 {
		h.lose--
		return turnpost.Taken{}, turnpost.Errorf(turnpost.Unavailable, "gone")
	}
	return out, nil
}

func (h *fakeHub) post(_ *http.Request, in turnpost.EffectPost) (turnpost.EffectDone, error) {
	h.mu.Lock()
	posting := h.posting
	h.mu.Unlock()
	if posting != nil {
		if err := posting(in); err != nil {
			return turnpost.EffectDone{}, err
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.going(); err != nil {
		return turnpost.EffectDone{}, err
	}
	for i := range h.run.Effects {
		if e := &h.run.Effects[i]; e.ID == in.Effect {
			e.State, e.Value = in.Status, in.Value
			h.posts[e.ID] = append(h.posts[e.ID], in)
			h.enter(turnpost.RunEvent{Kind: turnpost.EffectPosted, Task: e.ID})
			return turnpost.EffectDone{Run: runID, Effect: *e}, nil
		}
	}
	return turnpost.EffectDone{}, turnpost.Errorf(turnpost.NotFound, "no effect %s", in.Effect)
}

// onPost sets what happens before a post counts.
func (h *fakeHub) onPost(f func(turnpost.EffectPost) error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.posting = f
}

// posted is the one result of an effect.
func (h *fakeHub) posted(t *testing.T, effect string) turnpost.EffectPost {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	if n := len(h.posts[effect]); n != 1 {
		t.Fatalf("%s was posted %d times: %v", effect, n, h.posts[effect])
	}
	return h.posts[effect][0]
}

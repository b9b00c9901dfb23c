package web

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"turnpost"
)

// policy is what the guard in front of the page answers with.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
	"img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// guarded stands in for the guard: its headers, and its look at the origin.
func guarded(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Referrer-Policy", "no-referrer")
		w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
		if origin := r.Header.Get("Origin"); r.Method == http.MethodPost && origin != "http://"+r.Host {
			http.Error(w, "a form of origin "+origin, http.StatusForbidden)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// fakeHub is a hub of plain structs. The embedded nil Hub makes a call that the
// page must not make a panic.
type fakeHub struct {
	turnpost.Hub

	mu      sync.Mutex
	rev     int64
	changed chan struct{} // closed at the next change
	down    error         // what every method answers while it is set

	boardNow turnpost.Board
	inbox    turnpost.Inbox
	items    []turnpost.Item // all, oldest first
	agents   []turnpost.Agent
	channels []turnpost.Channel
	classes  map[string]turnpost.Expect // by handle; others are nobody
	posts    []turnpost.Draft
	links    []turnpost.LinkRequest
	polls    int // running Changes calls

	runs     []turnpost.Run // oldest first
	journals map[string][]turnpost.RunEvent
	steered  []turnpost.RunRequest
	noted    map[string]turnpost.Notes // by handle
	keepOff  error                     // what Notes says instead
}

var _ turnpost.Hub = (*fakeHub)(nil)

func newFake() *fakeHub {
	return &fakeHub{
		rev: 1, changed: make(chan struct{}), boardNow: turnpost.Board{Human: "@anna"},
		journals: map[string][]turnpost.RunEvent{}, noted: map[string]turnpost.Notes{},
	}
}

// change edits the hub and tells everybody who waits.
func (h *fakeHub) change(edit func(*fakeHub)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	edit(h)
	h.bump()
}

func (h *fakeHub) bump() {
	h.rev++
	close(h.changed)
	h.changed = make(chan struct{})
}

func (h *fakeHub) lock() (unlock func(), err error) {
	h.mu.Lock()
	if h.down != nil {
		defer h.mu.Unlock()
		return func() {}, h.down
	}
	return h.mu.Unlock, nil
}

func (h *fakeHub) Board(context.Context, turnpost.BoardQuery) (turnpost.Board, error) {
	unlock, err := h.lock()
	defer unlock()
	b := h.boardNow
	b.Rev = h.rev
	b.Sessions = slices.Clone(b.Sessions)
	b.Notices = slices.Clone(b.Notices)
	b.Runs = h.briefs()
	return b, err
}

func (h *fakeHub) Changes(ctx context.Context, q turnpost.ChangesQuery) (turnpost.Changes, error) {
	unlock, err := h.lock()
	if err != nil {
		return turnpost.Changes{}, err
	}
	rev, changed := h.rev, h.changed
	h.polls++
	unlock()
	defer func() { h.mu.Lock(); h.polls--; h.mu.Unlock() }()
	if rev != q.After {
		return turnpost.Changes{Rev: rev}, nil
	}
	timer := time.NewTimer(time.Duration(q.Seconds) * time.Second)
	defer timer.Stop()
	select {
	case <-changed:
	case <-timer.C:
	case <-ctx.Done():
		return turnpost.Changes{}, ctx.Err()
	}
	unlock, err = h.lock()
	defer unlock()
	return turnpost.Changes{Rev: h.rev}, err
}

func (h *fakeHub) Whoami(context.Context, turnpost.Nothing) (turnpost.Identity, error) {
	unlock, err := h.lock()
	defer unlock()
	return turnpost.Identity{Handle: h.boardNow.Human, Human: true}, err
}

func (h *fakeHub) Agents(context.Context, turnpost.AgentQuery) (turnpost.Agents, error) {
	unlock, err := h.lock()
	defer unlock()
	return turnpost.Agents{Agents: slices.Clone(h.agents)}, err
}

func (h *fakeHub) Channels(context.Context, turnpost.ChannelQuery) (turnpost.Channels, error) {
	unlock, err := h.lock()
	defer unlock()
	return turnpost.Channels{Channels: slices.Clone(h.channels)}, err
}

func (h *fakeHub) Inbox(_ context.Context, q turnpost.InboxQuery) (turnpost.Inbox, error) {
	if !q.Peek {
		panic("the page must not count its own looking as shown")
	}
	unlock, err := h.lock()
	defer unlock()
	in := h.inbox
	in.Handle, in.Entries, in.Unread = h.boardNow.Human, slices.Clone(in.Entries), len(in.Entries)
	return in, err
}

func (h *fakeHub) Open(context.Context, turnpost.OpenQuery) (turnpost.Items, error) {
	unlock, err := h.lock()
	defer unlock()
	var out []turnpost.Item
	for _, it := range h.items {
		if asks(it) {
			out = append(out, it)
		}
	}
	return turnpost.Items{Items: out}, err
}

func (h *fakeHub) Timeline(_ context.Context, q turnpost.TimelineQuery) (turnpost.Items, error) {
	unlock, err := h.lock()
	defer unlock()
	var out []turnpost.Item
	skip := q.Before != ""
	for _, it := range slices.Backward(h.items) {
		switch {
		case skip:
			skip = it.ID != q.Before
		case q.Channel == "" || it.Channel == q.Channel:
			out = append(out, it)
		}
		if len(out) == q.Limit {
			break
		}
	}
	return turnpost.Items{Items: out}, err
}

func (h *fakeHub) Read(_ context.Context, q turnpost.ReadQuery) (turnpost.Items, error) {
	unlock, err := h.lock()
	defer unlock()
	if err != nil {
		return turnpost.Items{}, err
	}
	at := slices.IndexFunc(h.items, func(it turnpost.Item) bool { return it.ID == q.IDs[0] })
	if at < 0 {
		return turnpost.Items{}, turnpost.Errorf(turnpost.NotFound, "no item %s", q.IDs[0])
	}
	root := h.items[at].Thread
	if root == "" {
		root = h.items[at].ID
	}
	var out []turnpost.Item
	for _, it := range h.items {
		if it.ID == root || it.Thread == root {
			out = append(out, it)
		}
	}
	return turnpost.Items{Items: out}, nil
}

func (h *fakeHub) Post(_ context.Context, d turnpost.Draft) (turnpost.Posted, error) {
	unlock, err := h.lock()
	defer unlock()
	if err != nil {
		return turnpost.Posted{}, err
	}
	if len(d.Summary) > turnpost.MaxSummary {
		return turnpost.Posted{}, turnpost.Invalidf("summary", "is longer than %d bytes", turnpost.MaxSummary)
	}
	it := turnpost.Item{
		ID: fmt.Sprintf("%s-%d", d.Kind.Letter(), 100+len(h.items)), Kind: d.Kind, Channel: d.Channel, Author: h.boardNow.Human,
		Human: true, To: d.To, ReplyTo: d.ReplyTo, Thread: d.ReplyTo, Urgent: d.Urgent, Summary: d.Summary, Body: d.Body,
		At: h.boardNow.Now, State: turnpost.ItemDone,
	}
	if d.Kind.NeedsAction() {
		it.State = turnpost.ItemOpen
	}
	if d.ReplyTo != "" {
		for i := range h.items {
			if h.items[i].ID == d.ReplyTo {
				it.To = []string{h.items[i].Author}
				if d.Kind == turnpost.Answer {
					h.close(i, turnpost.ItemAnswered, "")
					h.settle(d.ReplyTo, d.Summary)
				}
			}
		}
	}
	posted := turnpost.Posted{Item: it}
	for _, to := range it.To {
		if !slices.ContainsFunc(h.agents, func(a turnpost.Agent) bool { return a.Handle == to }) {
			return turnpost.Posted{}, turnpost.Invalidf("to", "no handle %s", to).WithHint("known: @api/auth, @web")
		}
		e, ok := h.classes[to]
		if !ok {
			e = turnpost.Expect{Class: turnpost.ClassNobody, Until: h.boardNow.Now.Add(5 * time.Minute)}
		}
		e.Handle = to
		posted.Expect = append(posted.Expect, e)
	}
	h.items = append(h.items, it)
	h.posts = append(h.posts, d)
	h.bump()
	return posted, nil
}

func (h *fakeHub) close(i int, state turnpost.ItemState, result string) {
	it := &h.items[i]
	it.State, it.ClosedBy, it.ClosedAt, it.Result = state, h.boardNow.Human, h.boardNow.Now, result
	h.drop(it.ID)
}

func (h *fakeHub) drop(id string) {
	h.inbox.Entries = slices.DeleteFunc(h.inbox.Entries, func(e turnpost.Entry) bool { return e.Item.ID == id })
}

func (h *fakeHub) Resolve(_ context.Context, q turnpost.ResolveRequest) (turnpost.Item, error) {
	unlock, err := h.lock()
	defer unlock()
	if err != nil {
		return turnpost.Item{}, err
	}
	for i := range h.items {
		if h.items[i].ID == q.ID {
			h.close(i, turnpost.ItemResolved, q.Result)
			h.bump()
			return h.items[i], nil
		}
	}
	return turnpost.Item{}, turnpost.Errorf(turnpost.NotFound, "no item %s", q.ID)
}

func (h *fakeHub) Ack(_ context.Context, q turnpost.AckRequest) (turnpost.AckDone, error) {
	unlock, err := h.lock()
	defer unlock()
	if err != nil {
		return turnpost.AckDone{}, err
	}
	for _, id := range q.IDs {
		h.drop(id)
	}
	h.bump()
	return turnpost.AckDone{Closed: len(q.IDs), Unread: len(h.inbox.Entries)}, nil
}

func (h *fakeHub) Clear(_ context.Context, q turnpost.ClearRequest) (turnpost.Nothing, error) {
	unlock, err := h.lock()
	defer unlock()
	h.boardNow.Notices = slices.DeleteFunc(h.boardNow.Notices, func(n turnpost.Notice) bool { return n.ID == q.Notice })
	h.bump()
	return turnpost.Nothing{}, err
}

func (h *fakeHub) Link(_ context.Context, q turnpost.LinkRequest) (turnpost.Session, error) {
	unlock, err := h.lock()
	defer unlock()
	if err != nil {
		return turnpost.Session{}, err
	}
	h.links = append(h.links, q)
	for i := range h.boardNow.Sessions {
		if s := &h.boardNow.Sessions[i]; s.ID == q.Session {
			s.Handle, s.Unlinked = q.Handle, ""
			h.bump()
			return *s, nil
		}
	}
	return turnpost.Session{}, turnpost.Errorf(turnpost.NotFound, "no session %s", q.Session)
}

// fakeSetup is an Integrations of plain structs.
type fakeSetup struct {
	mu   sync.Mutex
	list []Integration
	did  []string
	down error // what List says instead
}

func (f *fakeSetup) List(context.Context) ([]Integration, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.list), f.down
}

func (f *fakeSetup) find(name string) (*Integration, error) {
	for i := range f.list {
		if f.list[i].Name == name {
			return &f.list[i], nil
		}
	}
	return nil, turnpost.Errorf(turnpost.NotFound, "no harness %s", name)
}

func (f *fakeSetup) Apply(_ context.Context, name, hash string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	in, err := f.find(name)
	if err != nil {
		return err
	}
	if in.Plan.Hash != hash {
		return turnpost.Errorf(turnpost.Conflict, "the plan is not the one that you saw").WithHint("look at it again: the settings changed meanwhile")
	}
	f.did = append(f.did, "apply "+name+" "+hash)
	in.Removal = Plan{Hash: "sha256:undo", Lines: in.Plan.Lines, Diff: in.Plan.Diff}
	in.Applied, in.Plan = true, Plan{}
	return nil
}

func (f *fakeSetup) Remove(_ context.Context, name, hash string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	in, err := f.find(name)
	if err != nil {
		return err
	}
	if in.Removal.Hash != hash {
		return turnpost.Errorf(turnpost.Conflict, "the plan is not the one that you saw")
	}
	f.did = append(f.did, "remove "+name+" "+hash)
	in.Plan = Plan{Hash: "sha256:redo", Lines: in.Removal.Lines, Diff: in.Removal.Diff}
	in.Applied, in.Removal = false, Plan{}
	return nil
}

func (f *fakeSetup) Check(_ context.Context, name string) ([]Check, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, err := f.find(name); err != nil {
		return nil, err
	}
	f.did = append(f.did, "check "+name)
	return []Check{
		{Name: "registered", Result: CheckOK, Detail: "14 of 14 entries in settings.json"},
		{Name: "runs", Result: CheckOK, Detail: "the registered line answered in 4 ms"},
		{Name: "trusted", Result: CheckOK, Detail: "user settings need no trust"},
		{Name: "heard", Result: CheckOK, Detail: "last event 12 s ago"},
		{Name: "bell", Result: CheckUnknown, Detail: "no idle session to ring: start one, or wait for a turn to end"},
	}, nil
}

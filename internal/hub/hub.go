// Package hub holds the rules: whose handle a session has, what may interrupt
// whom, which items an answer carries, when a bell rings, what a session's
// status is and when the human is told. It declares the Store, Waker, Prober,
// Outlet, Installs and Keeper that it needs and imports nothing but the words and
// the journal of runs.
//
// Delivery is at least once: an item is shown again, labelled, when nothing
// proves that its text arrived. It is never shown in two answers at a time, and
// an acknowledged write is on disk.
package hub

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	"turnpost"
)

// Waker rings sessions.
type Waker interface {
	// Knows tells whether the method is one that Ring can use.
	Knows(method string) bool
	// Says is what people call the method: "bell", "its queue".
	Says(method string) string
	// Announced tells whether the session behind wake was told of its bell,
	// though perhaps while no hub was up.
	Announced(wake turnpost.Wake) bool
	// Patience is how long after a ring by that method it has surely been heard.
	Patience(method string) time.Duration
	// Ring pokes the session of that harness behind wake, without text. It
	// returns at once.
	Ring(harness string, wake turnpost.Wake) error
	// Forget takes away what is kept for a session whose process is gone.
	Forget(wake turnpost.Wake) error
}

// Prober looks at processes of this machine.
type Prober interface {
	Alive(turnpost.Process) bool
	// Ancestors lists the process and its parents, nearest first.
	Ancestors(pid int) []int
	// Live reads a harness's own registry file; ok is false when it says nothing.
	Live(harness, registry string) (live turnpost.Live, ok bool)
}

// Outlet tells the person something outside the page.
type Outlet interface {
	Notify(turnpost.Notice)
}

// Installs looks at what setup wrote.
type Installs interface {
	// Missing lists what is gone, one for each harness and file. It is asked in
	// the background and may read files.
	Missing() []turnpost.Missing
}

// Keeper keeps agents' notes as files that people can read. Writes come one at
// a time; an error that the caller can mend is an *turnpost.Error.
type Keeper interface {
	// Read returns the notes of a handle; none are no error.
	Read(handle string) (turnpost.Notes, error)
	// Write replaces now.md, about the place where its author works.
	Write(handle string, place turnpost.Place, text string) error
	Append(handle string, place turnpost.Place, text string) error
	// Log adds a decision.
	Log(handle string, place turnpost.Place, d turnpost.NotedDecision) error
	// Clear puts now.md away.
	Clear(handle string) error
	// Stub writes now.md, marked as ours, only where it is missing or blank, or
	// still the stub of before.
	Stub(handle string, place turnpost.Place, text string) error
	// Rename moves the notes of a handle that takes another name.
	Rename(from, to string) error
	// At is when now.md was written; zero: there is none, or a stub.
	At(handle string) time.Time
	// Recall is the framed text that gives a session its handle's notes back, ""
	// when there are none that are fresh and about its place.
	Recall(handle string, s turnpost.Session, compacted bool) string
	// Remember puts down whose notes a session has, for when no hub is there to
	// ask; Forget takes that away.
	Remember(handle string, s turnpost.Session) error
	Forget(s turnpost.Session) error
}

// Config is how the user wants the hub to behave. Zero values mean defaults.
type Config struct {
	Human     string                                  // the person's handle, "@anna"
	Escalate  time.Duration                           // questions and tasks not shown by then: the human is told; default 5 min
	Handles   map[string]string                       // resolved path → handle
	Interrupt map[string]turnpost.InterruptLevel      // handle → level
	Act       map[string]bool                         // handle → items may be acted on
	Failures  map[turnpost.FailureClass]FailurePolicy // overrides of the table in failure.go
	Retention time.Duration                           // of activity and cleared notices; default 14 days
	OnError   func(error)                             // of background work; nil: ignored

	// Ritual says what an agent does first in a place, where mail waits or its
	// notes are given back; news is what the person should know of a file there.
	// nil: nothing.
	Ritual func(turnpost.Place) (text, news string)
}

// The times that the rules are made of.
const (
	lease       = 10 * time.Minute // a shown item is not offered again before
	maxAttempts = 3                // first showing and two more, then the human is told
	maxChain    = 5                // continuations in a row; harnesses cut at 8
	maxRings    = 3                // unheard, then the human is told
	afterEsc    = 30 * time.Second // no ring so soon after an unexplained end of activity
	quietAfter  = 3 * time.Minute
	probeEvery  = 3 * time.Second
	driftEvery  = 15 * time.Second
	sweepEvery  = 5 * time.Second
	pruneEvery  = time.Hour
	sameEvent   = 100 * time.Millisecond // one event registered twice arrives within; the next turn end takes longer
	lateAnswer  = 250 * time.Millisecond // hook clients wait 300 ms: one that goes after so long was not interrupted
	coalesce    = 5 * time.Second        // activity rows of one session
	maxOffer    = 10                     // items in one answer
	maxHelpers  = 1000                   // sub-agents of one session
	maxWait     = 50 * time.Second
)

// Hub is the running hub. Its methods are safe for concurrent use.
type Hub struct {
	cfg      Config
	store    Store
	waker    Waker
	prober   Prober
	outlet   Outlet
	installs Installs // nil: nobody looks
	keeper   Keeper   // nil: no notes are kept

	create sync.Mutex     // one new session at a time gets a handle
	beside sync.WaitGroup // what goes on after an answer

	mu       sync.Mutex
	sessions map[sessionKey]*session
	offers   map[string]*offer
	mail     map[string]*mailbox
	runs     map[string]*liveRun // by id
	atWork   map[string]*liveRun // those that have not ended, by handle
	kin      map[int]kin
	drifts   []drift
	compared bool // drifts was compared with the notices that an earlier hub left
	rev      int64
	revised  chan struct{} // closed and replaced at each revision
	dropped  int64

	redact *redactor
}

type sessionKey struct{ harness, native string }

// New returns a hub over a store, with what the store remembers. Run has to be
// running for rings to be repeated, statuses to decay and the human to be told.
// installs and keeper may be nil.
func New(ctx context.Context, cfg Config, store Store, waker Waker, prober Prober, outlet Outlet, installs Installs, keeper Keeper) (*Hub, error) {
	if cfg.Escalate <= 0 {
		cfg.Escalate = 5 * time.Minute
	}
	if cfg.Retention <= 0 {
		cfg.Retention = 14 * 24 * time.Hour
	}
	if cfg.OnError == nil {
		cfg.OnError = func(error) {}
	}
	h := &Hub{
		cfg: cfg, store: store, waker: waker, prober: prober, outlet: outlet, installs: installs, keeper: keeper,
		sessions: map[sessionKey]*session{},
		offers:   map[string]*offer{},
		mail:     map[string]*mailbox{},
		runs:     map[string]*liveRun{},
		atWork:   map[string]*liveRun{},
		kin:      map[int]kin{},
		revised:  make(chan struct{}),
		redact:   newRedactor(),
	}
	if err := h.load(ctx); err != nil {
		return nil, fmt.Errorf("load state: %w", err)
	}
	return h, nil
}

// load reads the sessions, frees what an earlier hub held and makes sure that
// the person and the first channel exist.
func (h *Hub) load(ctx context.Context) error {
	now := time.Now().UTC()
	return h.store.Update(ctx, func(tx Tx) error {
		if err := tx.ReleaseHeld(); err != nil {
			return err
		}
		rows, err := tx.Sessions(now.Add(-24 * time.Hour))
		if err != nil {
			return err
		}
		h.mu.Lock()
		for _, row := range rows {
			s := &session{Session: row.Session, secretHash: row.Secret, owes: row.Secret == "", restored: true}
			h.sessions[s.key()] = s
		}
		h.mu.Unlock()
		if err := h.loadRuns(tx, now); err != nil {
			return err
		}
		if _, err := tx.Agent(h.cfg.Human); errors.Is(err, ErrNoRow) {
			human := newAgent(h.cfg.Human, now)
			human.Human = true
			if err := tx.SaveAgent(human); err != nil {
				return err
			}
		} else if err != nil {
			return err
		}
		if _, err := tx.Channel(general); errors.Is(err, ErrNoRow) {
			return tx.SaveChannel(turnpost.Channel{Name: general, CreatedBy: h.cfg.Human, CreatedAt: now})
		} else if err != nil {
			return err
		}
		return nil
	})
}

// general is the channel that always exists.
const general = "#general"

func newAgent(handle string, now time.Time) turnpost.Agent {
	return turnpost.Agent{
		Handle: handle, Presence: turnpost.Available,
		Interrupt: turnpost.InterruptNeedsAction, CreatedAt: now,
	}
}

// Run does what happens without anybody asking, until ctx ends. It flushes what
// is in memory only before it returns.
func (h *Hub) Run(ctx context.Context) {
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	var probed, drifted, swept, pruned time.Time
	for {
		select {
		case <-ctx.Done():
			h.beside.Wait()
			h.flush()
			return
		case <-tick.C:
		}
		now := time.Now()
		h.repeatRings(now)
		if now.Sub(probed) >= probeEvery {
			probed = now
			h.probe(now)
		}
		h.tendRuns(ctx, now)
		if h.installs != nil && now.Sub(drifted) >= driftEvery {
			drifted = now
			h.noticeDrift(h.installs.Missing(), now)
		}
		if now.Sub(swept) >= sweepEvery {
			swept = now
			h.report(h.tellOverdue(ctx))
			h.reconcileRuns(ctx)
		}
		if now.Sub(pruned) >= pruneEvery {
			pruned = now
			before := now.UTC().Add(-h.cfg.Retention)
			h.store.Later(func(tx Tx) error { return tx.Prune(before) })
			h.forget(now)
		}
		h.flush()
	}
}

func (h *Hub) report(err error) {
	if err != nil {
		h.cfg.OnError(err)
	}
}

// changed tells everyone who waits on Changes. Callers hold mu.
func (h *Hub) changed() {
	h.rev++
	close(h.revised)
	h.revised = make(chan struct{})
}

// mailbox is what memory knows of one inbox: whether it is known to be empty,
// so that a boundary with nothing unread asks no store, and who waits for it.
type mailbox struct {
	gen     int64 // grows with every new delivery
	empty   bool  // as of the newest gen
	arrived chan struct{}
}

// box returns a handle's mailbox. Callers hold mu.
func (h *Hub) box(handle string) *mailbox {
	m := h.mail[handle]
	if m == nil {
		m = &mailbox{arrived: make(chan struct{})}
		h.mail[handle] = m
	}
	return m
}

// filled notes that something new may be offered to the handle. Callers hold mu.
func (h *Hub) filled(handle string) {
	m := h.box(handle)
	m.gen++
	m.empty = false
	close(m.arrived)
	m.arrived = make(chan struct{})
}

// newSecret returns 128 random bits in hex.
func newSecret() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // documented never to fail
	return hex.EncodeToString(b[:])
}

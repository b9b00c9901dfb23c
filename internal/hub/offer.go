package hub

import (
	"context"
	"crypto/rand"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"turnpost"
)

// moment is a point at which an answer can carry items.
type moment int

const (
	never   moment = iota
	start          // session.start
	prompt         // a person's prompt
	mid            // between tools
	turnEnd        // the answer continues the turn
	rung           // the answer starts a turn
)

// level is how much an item may disturb.
type level int

const (
	rideAlong level = iota // with the next prompt, start or delivery
	atTurnEnd              // continues a turn at its end, rings a closed one
	midTurn                // between tools too
)

// levelOf ranks an entry under its handle's setting.
func levelOf(e turnpost.Entry, set turnpost.InterruptLevel) level {
	d := e.Delivery
	l := rideAlong
	switch {
	case d.Urgent, d.Addressed && d.Kind == turnpost.Answer:
		l = midTurn
	case d.Addressed && d.Kind.NeedsAction():
		l = atTurnEnd
	}
	switch set {
	case turnpost.InterruptAll:
		return max(l, atTurnEnd)
	case turnpost.InterruptUrgent:
		if !d.Urgent {
			return rideAlong
		}
	case turnpost.InterruptNone:
		return rideAlong
	}
	return l
}

// question is what an event asks the inbox.
type question struct {
	when     moment
	handle   string
	session  string
	process  turnpost.Process
	kind     turnpost.Kind
	offer    string // id of what the answer carries
	mail     bool   // something may wait
	along    bool   // the answer comes anyway: mail goes with it
	chain    int    // continuations before this one
	ringable bool   // a ring can bring what this moment leaves
	at       time.Time

	ends     bool       // a turn of the session itself has ended
	soon     bool       // its answer is lost where it is held back for long
	tokens   int64      // that it took
	run      string     // that works in the session
	row      SessionRow // the session as it is stored with its turn
	deciding *session   // no ring until the answer is known
}

// question decides what an event's answer may carry. Callers hold mu.
func (h *Hub) question(s *session, ev turnpost.Event, at time.Time) question {
	q := question{
		handle: s.Handle, session: s.ID, process: s.Process, kind: ev.Kind,
		chain: s.chain, ringable: h.ringable(s), at: at.UTC(),
	}
	if s.Handle == "" || ev.Subagent != "" {
		return q
	}
	q.mail = !h.box(s.Handle).empty
	q.ends, q.soon, q.tokens = ev.Kind == turnpost.TurnEnd, ev.Accepts.Soon, ev.Tokens
	full := ev.Accepts.Row > 0 && s.row >= ev.Accepts.Row-1 // a ring begins a new row
	switch {
	case ev.Kind == turnpost.SessionStart && ev.Accepts.Context && ev.Source != turnpost.SourceCompact:
		q.when = start
	case ev.Kind == turnpost.Prompt && ev.Accepts.Context && !ev.Machine:
		q.when = prompt
	case ev.Kind == turnpost.ToolAfter && ev.Accepts.Context:
		q.when = mid
	case ev.Kind == turnpost.TurnEnd && ev.Accepts.Continue && !full:
		q.when = turnEnd
	case ev.Kind == turnpost.Bell && ev.Accepts.Continue:
		q.when = rung
	}
	h.workAt(s, &q)
	if q.ends || q.when == rung {
		s.deciding, q.deciding = true, s
	}
	return q
}

// choose picks what the moment may carry out of what is offerable, or nothing.
func (q question) choose(entries []turnpost.Entry, a turnpost.Agent) []turnpost.Entry {
	set := a.Interrupt
	if q.at.Before(a.PausedUntil) {
		set = turnpost.InterruptNone
	}
	if q.when == turnEnd && q.chain >= maxChain && !q.along {
		return nil
	}
	var out []turnpost.Entry
	trigger := q.when == start || q.when == prompt || q.along && set != turnpost.InterruptNone
	fresh := false
	for _, e := range entries {
		d, l := e.Delivery, levelOf(e, set)
		again := d.Attempt > 0
		if d.Attempt >= 2 && q.at.Sub(d.OfferedAt) < lease {
			continue // twice in ten minutes is enough
		}
		switch q.when {
		case start:
			if l >= atTurnEnd && q.ringable {
				continue // a ring brings it
			}
		case prompt:
			if again && !d.Urgent || l == atTurnEnd && q.ringable {
				continue
			}
		case mid:
			if again || l == atTurnEnd {
				continue
			}
			trigger = trigger || l == midTurn
		case turnEnd, rung:
			trigger = trigger || l >= atTurnEnd
		}
		if l >= atTurnEnd && !again {
			fresh = true
		}
		out = append(out, e)
	}
	if !trigger || q.when == turnEnd && q.chain > 0 && !fresh && !q.along {
		return nil
	}
	return out
}

// offer is what one answer carries, from the moment it is held: items, and what
// a run has to say.
type offer struct {
	id      string
	handle  string
	process turnpost.Process
	session string
	kind    turnpost.Kind
	items   []turnpost.Delivery
	text    string
	run     string        // whose text it carries
	delay   time.Duration // before the client prints it
	at      time.Time
	shown   bool
	pushed  bool // by a listener: nothing tells that the harness took it

	heldAfter time.Duration // from the event until the offer was ready
}

// reaches tells whether the text of the offer arrives in a session: its own, or
// the one that took its process over.
func (o *offer) reaches(handle, session string, process turnpost.Process) bool {
	return o.handle == handle && (o.session == session || !process.Shared && sameProcess(o.process, process))
}

// decision is the offer in the form that its moment takes.
func (o *offer) decision() turnpost.Decision {
	if o.kind == turnpost.TurnEnd || o.kind == turnpost.Bell {
		return turnpost.Decision{Continue: o.text}
	}
	return turnpost.Decision{Context: o.text}
}

// empty is an offer without items.
func (q question) empty() *offer {
	return &offer{id: q.offer, handle: q.handle, process: q.process, session: q.session, kind: q.kind, at: q.at}
}

// hold chooses items for a moment and holds them in the same transaction, so
// that no other answer carries them; nil when there is nothing to say.
func (h *Hub) hold(ctx context.Context, q question) (*offer, error) {
	h.mu.Lock()
	gen := h.box(q.handle).gen
	h.mu.Unlock()
	worth, open := false, 0
	err := h.store.View(ctx, func(tx Tx) error {
		agent, chosen, err := h.look(tx, q)
		if err != nil {
			return err
		}
		worth = len(chosen) > 0
		if !worth {
			open, err = tx.UnreadOf(agent.Handle)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if !worth {
		h.mu.Lock()
		if m := h.box(q.handle); open == 0 && m.gen == gen {
			m.empty = true
		}
		h.mu.Unlock()
		return nil, nil
	}

	var o *offer
	err = h.store.Update(ctx, func(tx Tx) error {
		o = nil
		agent, chosen, err := h.look(tx, q)
		if err != nil || len(chosen) == 0 {
			return err
		}
		next, when := q.empty(), q.when
		if q.along {
			when = turnEnd // there is more to handle
		}
		next.text, chosen = frame(next.id, agent, when, chosen)
		for _, e := range chosen {
			d := e.Delivery
			d.State, d.Offer, d.Session = turnpost.Held, next.id, q.session
			d.Attempt++
			d.OfferedAt = q.at
			if err := tx.SaveDelivery(d); err != nil {
				return err
			}
			next.items = append(next.items, d)
		}
		o = next
		return nil
	})
	if err != nil {
		return nil, err
	}
	return o, nil
}

// offered notes that an answer carries an offer.
func (h *Hub) offered(o *offer, q question) {
	h.mu.Lock()
	defer h.mu.Unlock()
	o.heldAfter = time.Since(q.at)
	h.offers[o.id] = o
	if s := h.byID(q.session); s != nil {
		switch q.when {
		case turnEnd:
			s.row++
			if o.run == "" {
				s.chain++
			} else {
				o.delay = s.pace(time.Now(), q.soon)
			}
			s.TurnOpen = true
			s.Status.State, s.Status.Since = turnpost.StateWorking, q.at
			s.Status.Evidence += ", continued by Turnpost"
		case rung:
			s.wentOn, s.tooled = time.Now(), false
			s.TurnOpen = true // its turn starts with our text
			s.Woken, s.WokenAt = o.text, q.at
			s.Status = turnpost.Status{State: turnpost.StateWorking, Since: q.at, Evidence: "rung " + q.at.Local().Format("15:04:05")}
		}
		h.touch(s)
	}
}

// look reads what is offerable and chooses.
func (h *Hub) look(tx Tx, q question) (turnpost.Agent, []turnpost.Entry, error) {
	agent, err := h.agent(tx, q.handle)
	if err != nil {
		return agent, nil, err
	}
	entries, err := tx.Offerable(q.handle, q.at, maxAttempts-1, 5*maxOffer)
	if err != nil {
		return agent, nil, err
	}
	return agent, q.choose(entries, agent), nil
}

// agent reads an agent with what the user's config says of it.
func (h *Hub) agent(tx Tx, handle string) (turnpost.Agent, error) {
	agent, err := tx.Agent(handle)
	return h.configure(agent), err
}

func (h *Hub) configure(a turnpost.Agent) turnpost.Agent {
	if set, ok := h.cfg.Interrupt[a.Handle]; ok {
		a.Interrupt = set
	}
	a.Act = a.Act || h.cfg.Act[a.Handle]
	return a
}

// byID finds a session by our id. Callers hold mu.
func (h *Hub) byID(id string) *session {
	for _, s := range h.sessions {
		if s.ID == id {
			return s
		}
	}
	return nil
}

func newOfferID() string {
	return "of-" + strings.ToLower(ulid.MustNew(ulid.Now(), rand.Reader).String())
}

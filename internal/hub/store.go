package hub

import (
	"context"
	"errors"
	"time"

	"turnpost"
)

// Store keeps what must survive the hub. internal/store implements it; the
// suite in internal/hub/hubtest holds every implementation to it.
type Store interface {
	// Update runs fn in a write transaction and returns when it is committed and
	// synced. Updates of concurrent callers share one commit; each is atomic on
	// its own: an error of one fn undoes that fn only. fn may run more than once
	// and has no effect but through tx.
	Update(ctx context.Context, fn func(tx Tx) error) error
	// View runs fn in a read transaction that sees every returned Update.
	View(ctx context.Context, fn func(tx Tx) error) error
	// Later queues fn for the next commit, in order, and does not wait. It is
	// for what may be lost in a crash: session rows, activity, shown marks.
	Later(fn func(tx Tx) error)
	// Backup writes a consistent copy to a new file while others go on.
	Backup(ctx context.Context, path string) (size int64, err error)
	// Close waits for what was queued.
	Close() error
}

// Breakable is a store that can stop writing for good, after the disk failed
// it. What it holds can still be read.
type Breakable interface {
	// Broken says why nothing is written any more, nil while all is well.
	Broken() error
}

// ErrNoRow is returned by the getters of Tx for what does not exist.
var ErrNoRow = errors.New("no such row")

// Tx is one transaction. Getters return ErrNoRow; lists are never nil errors
// for "none".
type Tx interface {
	Agent(handle string) (turnpost.Agent, error)
	Agents() ([]turnpost.Agent, error) // all handles, by name
	SaveAgent(turnpost.Agent) error    // insert or replace; never lowers LastSeq
	RenameAgent(from, to string) error // with its inbox, memberships, what it wrote and what it claimed

	SessionByNative(harness, native string) (SessionRow, error)
	Sessions(endedAfter time.Time) ([]SessionRow, error) // live ones, and those that ended after it
	SaveSession(SessionRow) error

	Channel(name string) (turnpost.Channel, error) // with Members
	Channels(archived bool) ([]turnpost.Channel, error)
	SaveChannel(turnpost.Channel) error // not its members; never lowers LastSeq
	Join(channel, handle string) error
	Leave(channel, handle string) error

	// AddItem gives the item its id (letter of its kind, "-", the next number)
	// and, in a channel, the channel's next seq.
	AddItem(turnpost.Item) (turnpost.Item, error)
	SaveItem(turnpost.Item) error // addressees, state, claim, session, closing, result
	Item(id string) (turnpost.Item, error)
	Thread(id string) ([]turnpost.Item, error)                            // the first item and all that name it, oldest first
	OpenItems(kind turnpost.ItemKind, limit int) ([]turnpost.Item, error) // oldest first; "" = questions and tasks
	Timeline(TimelineFilter) ([]turnpost.Item, error)                     // newest first, without bodies

	// AddDelivery gives the delivery the next seq of its handle's inbox.
	AddDelivery(turnpost.Delivery) (turnpost.Delivery, error)
	SaveDelivery(turnpost.Delivery) error
	Delivery(handle, item string) (turnpost.Delivery, error)
	DeliveriesOf(item string) ([]turnpost.Delivery, error)
	// Offerable lists what may be offered at now: stored, or shown with the
	// lease over and at most maxAttempt offers so far. Urgent first, then
	// answers, then questions and tasks, then the rest; by seq within these.
	Offerable(handle string, now time.Time, maxAttempt, limit int) ([]turnpost.Entry, error)
	// OfOffer lists the deliveries that an offer carries.
	OfOffer(offer string) ([]turnpost.Delivery, error)
	// OpenInbox lists open deliveries by seq; with addressed not those that came
	// only by a channel that the handle joined.
	OpenInbox(handle string, addressed bool, limit int) ([]turnpost.Entry, error)
	Archive(handle string, addressed bool, before int64, limit int) ([]turnpost.Entry, error) // open and closed, newest first; before 0 = from the end
	Unread() (map[string]int, error)                                                          // open deliveries by handle, without zeros
	UnreadOf(handle string) (int, error)
	Cursor(handle string) (int64, error) // everything up to it is closed
	// Overdue lists open deliveries that nobody was told about: stored before
	// the time and never shown, of a kind that needs action or urgent; or shown
	// maxAttempt times with the lease over at now.
	Overdue(before, now time.Time, maxAttempt, limit int) ([]turnpost.Delivery, error)
	// ReleaseHeld makes every held delivery stored again: a hub that starts has
	// no connection that could still confirm one.
	ReleaseHeld() error

	Key(author, key string) (KeyRow, error)
	SaveKey(KeyRow) error

	// AddRun gives the run its id, "r-" and the next number. An idempotency key
	// that is not empty is used by one run of its starter only.
	AddRun(RunRow) (RunRow, error)
	SaveRun(RunRow) error                                      // state, handle, seq, updated and ended
	RunRow(id string) (RunRow, error)                          // ErrNoRow
	RunByKey(startedBy, key string) (RunRow, error)            // ErrNoRow
	RunRows(RunFilter) ([]RunRow, error)                       // newest first
	AddRunEvents(run string, events []turnpost.RunEvent) error // seqs follow the last one, else an error
	RunEvents(run string, after int64, limit int) ([]turnpost.RunEvent, error)

	AddNotice(turnpost.Notice) (turnpost.Notice, error) // gives it its id
	SaveNotice(turnpost.Notice) error
	Notices() ([]turnpost.Notice, error) // not cleared, newest first

	AddActivity(turnpost.Activity) error
	Activities(limit int) ([]turnpost.Activity, error) // newest first

	// Prune deletes activity, cleared notices and idempotency keys older than
	// the time, and ended sessions that ended before it. Items stay.
	Prune(before time.Time) error
}

// SessionRow is a session with what only the hub may know of it.
type SessionRow struct {
	turnpost.Session
	Secret string // sha-256 of hook_session, hex
}

// KeyRow remembers which item an idempotency key made.
type KeyRow struct {
	Author string
	Key    string
	Digest string // of the draft
	Item   string
	At     time.Time
}

// RunRow is a run as lists need it; its journal has the rest.
type RunRow struct {
	turnpost.Run        // without effects, steps, plan, scores
	Key          string // idempotency key of its start
}

// RunFilter narrows a list of runs.
type RunFilter struct {
	Handle     string    // empty: all
	EndedAfter time.Time // those that have not ended, and those that ended after it
	Limit      int
}

// TimelineFilter narrows a timeline.
type TimelineFilter struct {
	Channel string
	Handle  string // from or to it
	Viewer  string // only channels and what is from or to it; empty: everything
	Before  string // item id: only older ones
	Limit   int
}

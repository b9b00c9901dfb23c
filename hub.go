package turnpost

import (
	"context"
	"time"
)

// Hub is what every client of the hub can ask for, on behalf of one caller:
// the rules of internal/hub behind a caller, and api/client at the other end of
// a socket. Every method has the same shape, so that a route, a client method
// and a test case are one line each.
//
// A method returns an *Error for everything that the caller can mend. A
// successful answer to a method that writes means: committed and on disk.
type Hub interface {
	Post(context.Context, Draft) (Posted, error)
	Inbox(context.Context, InboxQuery) (Inbox, error)
	Wait(context.Context, WaitQuery) (Inbox, error)
	Listen(context.Context, ListenQuery) (HookAnswer, error)
	Read(context.Context, ReadQuery) (Items, error)
	Ack(context.Context, AckRequest) (AckDone, error)
	Pass(context.Context, PassRequest) (Item, error)
	Claim(context.Context, ClaimRequest) (Item, error)
	Resolve(context.Context, ResolveRequest) (Item, error)
	Open(context.Context, OpenQuery) (Items, error)
	Timeline(context.Context, TimelineQuery) (Items, error)

	Agents(context.Context, AgentQuery) (Agents, error)
	Channels(context.Context, ChannelQuery) (Channels, error)
	Channel(context.Context, ChannelRequest) (Channel, error)

	Whoami(context.Context, Nothing) (Identity, error)
	Name(context.Context, NameRequest) (Identity, error)
	Presence(context.Context, PresenceRequest) (Agent, error)
	Pause(context.Context, PauseRequest) (Agent, error)
	Link(context.Context, LinkRequest) (Session, error)

	Notes(context.Context, NotesRequest) (Notes, error)
	Handoff(context.Context, HandoffRequest) (Posted, error)

	StartRun(context.Context, RunStart) (Run, error)
	Run(context.Context, RunQuery) (Run, error)
	Runs(context.Context, RunsQuery) (Runs, error)
	Journal(context.Context, JournalQuery) (Journal, error)
	ChangeRun(context.Context, RunRequest) (Run, error)
	AskEffect(context.Context, EffectDraft) (EffectDone, error)
	TakeEffects(context.Context, EffectTake) (Taken, error)
	PostEffect(context.Context, EffectPost) (EffectDone, error)

	Board(context.Context, BoardQuery) (Board, error)
	Clear(context.Context, ClearRequest) (Nothing, error)
	Changes(context.Context, ChangesQuery) (Changes, error)
	Backup(context.Context, BackupRequest) (BackupDone, error)
}

// HookHub is what a hook call asks of the hub: one Handle, and one Shown once
// the answer is printed. A held offer whose connection closes without Shown is
// free again at once.
type HookHub interface {
	Handle(context.Context, Event) (HookAnswer, error)
	Shown(context.Context, Receipt) (Nothing, error)
}

// Caller is how a request proves who makes it. Nothing in it is an argument of
// the request: api fills it from the connection.
type Caller struct {
	Pid         int    // of the socket's peer; 0 over TCP
	HookSession string // the secret that session.start announced
	Native      string // which of the sessions of its process, in the harness's own words: a harness says so with a tool call
	Human       bool   // proved to be the user: the page's cookie or the user's token
}

// Nothing is an empty request or answer.
type Nothing struct{}

// HookAnswer is the hub's answer to an event.
type HookAnswer struct {
	Handle   string   `json:"handle,omitempty"`
	Decision Decision `json:"decision,omitzero"`
	Offer    string   `json:"offer,omitempty"`    // set when the decision carries held items, or a run's text: confirm with Shown
	Delay    int      `json:"delay_ms,omitempty"` // the client waits so long, at most 5,000 ms, before it prints: a run's turns follow each other too fast
}

// Receipt confirms that an answer was printed and flushed.
type Receipt struct {
	Offer string `json:"offer"`
}

// Draft is an item to be posted.
type Draft struct {
	Kind    ItemKind `json:"kind"`
	Channel string   `json:"channel,omitempty"`  // "#general"; empty: direct to To
	To      []string `json:"to,omitempty"`       // handles
	ReplyTo string   `json:"reply_to,omitempty"` // item id; an answer answers it, and goes to its author
	Urgent  bool     `json:"urgent,omitempty"`
	Summary string   `json:"summary"`        // at most MaxSummary bytes; empty: the first line of Body
	Body    string   `json:"body,omitempty"` // at most MaxBody bytes
	Key     string   `json:"key,omitempty"`  // idempotency key, at most 200 bytes, kept for 24 h at least
}

// Posted tells what became of a draft.
type Posted struct {
	Item   Item     `json:"item"`
	Expect []Expect `json:"expect,omitempty"` // one an addressee
	Again  bool     `json:"again,omitempty"`  // the idempotency key was seen before
}

// InboxQuery asks for the caller's inbox.
type InboxQuery struct {
	Handle    string `json:"handle,omitempty"`    // of somebody else: people only
	Addressed bool   `json:"addressed,omitempty"` // only what is addressed to the handle, not what its channels carry
	All       bool   `json:"all,omitempty"`       // the archive too, newest first
	Limit     int    `json:"limit,omitempty"`     // default 50, at most 500
	Before    int64  `json:"before,omitempty"`    // seq, for the next page of All
	Peek      bool   `json:"peek,omitempty"`      // do not count as shown
}

// Inbox is what waits for a handle.
type Inbox struct {
	Handle  string   `json:"handle"`
	Entries []Entry  `json:"entries"`
	Unread  int      `json:"unread"`            // open deliveries in all
	Notices []Notice `json:"notices,omitempty"` // people only
}

// Entry is one delivery with its item, without the body.
type Entry struct {
	Delivery Delivery `json:"delivery"`
	Item     Item     `json:"item"`
}

// WaitQuery waits until the caller's inbox holds something not shown yet.
type WaitQuery struct {
	Seconds int `json:"seconds,omitempty"` // default and at most 50
}

// ListenQuery waits until something may start a turn of the caller's session,
// and holds it like the answer to an event: confirm with Shown. Who listens can
// put a text into the session while it is idle; it is rung that way.
type ListenQuery struct {
	Seconds int `json:"seconds,omitempty"` // default and at most 50
}

// ReadQuery asks for whole items.
type ReadQuery struct {
	IDs    []string `json:"ids"`              // at most 50
	Thread bool     `json:"thread,omitempty"` // the whole threads they are in
}

// Items is a list of items.
type Items struct {
	Items []Item `json:"items"`
}

// AckRequest closes deliveries: the named items, or everything that was shown
// up to a position of the caller's inbox.
type AckRequest struct {
	IDs     []string `json:"ids,omitempty"`
	Through int64    `json:"through,omitempty"` // inbox seq; above the highest shown one is refused
}

// AckDone tells what an ack closed.
type AckDone struct {
	Closed int   `json:"closed"`
	Cursor int64 `json:"cursor"` // everything up to it is closed
	Unread int   `json:"unread"`
}

// PassRequest hands an item to the human.
type PassRequest struct {
	ID     string `json:"id"`
	Reason string `json:"reason,omitempty"` // at most MaxSummary bytes
}

// ClaimRequest takes a task, and binds it to a session.
type ClaimRequest struct {
	ID          string `json:"id"`
	HookSession string `json:"hook_session,omitempty"` // empty: the caller's own live session, if there is just one
}

// ResolveRequest closes a question or a task.
type ResolveRequest struct {
	ID     string `json:"id"`
	Result string `json:"result,omitempty"` // at most MaxBody bytes
}

// OpenQuery asks for open questions and tasks.
type OpenQuery struct {
	Kind  ItemKind `json:"kind,omitempty"` // question, task or both
	Mine  bool     `json:"mine,omitempty"` // addressed to, or claimed by, the caller
	Limit int      `json:"limit,omitempty"`
}

// TimelineQuery asks for items newest first, as far as the caller may see them.
type TimelineQuery struct {
	Channel string `json:"channel,omitempty"`
	Handle  string `json:"handle,omitempty"` // from or to it
	Before  string `json:"before,omitempty"` // item id, for the next page
	Limit   int    `json:"limit,omitempty"`  // default 50, at most 500
}

// AgentQuery asks for handles.
type AgentQuery struct {
	All bool `json:"all,omitempty"` // those without a live session too
}

// Agents is a list of handles.
type Agents struct {
	Agents []Agent `json:"agents"`
}

// ChannelQuery asks for channels.
type ChannelQuery struct {
	All bool `json:"all,omitempty"` // archived ones too
}

// Channels is a list of channels.
type Channels struct {
	Channels []Channel `json:"channels"`
}

// ChannelRequest changes a channel.
type ChannelRequest struct {
	Name string `json:"name"`
	Do   string `json:"do"` // create, join, leave, archive
}

// Identity is who the caller is.
type Identity struct {
	Handle  string   `json:"handle"`
	Human   bool     `json:"human,omitempty"`
	How     string   `json:"how"` // what proved it
	Session *Session `json:"session,omitempty"`
	Unread  int      `json:"unread"`
}

// NameRequest renames the caller's handle, or for a person any.
type NameRequest struct {
	Handle string `json:"handle,omitempty"` // people: whose
	Name   string `json:"name"`
}

// PresenceRequest sets the caller's presence.
type PresenceRequest struct {
	Presence Presence `json:"presence"`
}

// PauseRequest keeps a handle from being interrupted for a while.
type PauseRequest struct {
	Handle  string `json:"handle,omitempty"` // empty: the caller's
	Seconds int    `json:"seconds"`          // 0 ends the pause; at most 7 days
}

// LinkRequest binds an unlinked session to a handle.
type LinkRequest struct {
	Session string `json:"session"` // id
	Handle  string `json:"handle"`
}

// BoardQuery asks for everything that the page shows.
type BoardQuery struct {
	Ended bool `json:"ended,omitempty"` // sessions that ended within a day too
}

// Board is what a person sees at a glance.
type Board struct {
	Rev       int64      `json:"rev"` // for Changes
	Now       time.Time  `json:"now"`
	Human     string     `json:"human"` // the person's handle
	Sessions  []Session  `json:"sessions"`
	Notices   []Notice   `json:"notices"`           // not cleared
	Unclaimed []Agent    `json:"unclaimed"`         // handles with mail and no live session
	Activity  []Activity `json:"activity"`          // newest first, at most 50
	Runs      []Run      `json:"runs,omitempty"`    // not ended, or ended within an hour; as in Runs
	Dropped   int64      `json:"dropped,omitempty"` // events that clients could not deliver
}

// ClearRequest clears a notice.
type ClearRequest struct {
	Notice int64 `json:"notice"`
}

// ChangesQuery waits until something changed after Rev.
type ChangesQuery struct {
	After   int64 `json:"after"`
	Seconds int   `json:"seconds,omitempty"` // default 25, at most 50
}

// Changes tells the newest revision; equal to After when the time ran out.
type Changes struct {
	Rev int64 `json:"rev"`
}

// BackupRequest copies the store while it is in use.
type BackupRequest struct {
	Path string `json:"path"` // absolute, must not exist
}

// BackupDone tells how large the copy is.
type BackupDone struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
}

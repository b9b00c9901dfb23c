package turnpost

import "time"

// Session is one conversation in a harness.
type Session struct {
	ID       string  `json:"id"` // ours, stable
	Harness  string  `json:"harness"`
	Version  string  `json:"version,omitempty"`
	Native   string  `json:"native"`
	Handle   string  `json:"handle,omitempty"` // empty: nobody can write to it
	Cwd      string  `json:"cwd,omitempty"`
	Place    Place   `json:"place,omitzero"`
	Process  Process `json:"process,omitzero"`
	Attended bool    `json:"attended"`
	Registry string  `json:"registry,omitempty"`
	Wake     Wake    `json:"wake,omitzero"`
	Unlinked string  `json:"unlinked,omitempty"` // why no handle is bound to it
	Reports  bool    `json:"reports,omitempty"`  // its program only reports: it takes no mail, and no handle

	Status     Status    `json:"status"`
	TurnOpen   bool      `json:"turn_open"`
	StartedAt  time.Time `json:"started_at"`
	ActivityAt time.Time `json:"activity_at"`       // last event heard
	EndedAt    time.Time `json:"ended_at,omitzero"` // zero: live
	Last       string    `json:"last,omitempty"`    // start of the last assistant message
	Woken      string    `json:"woken,omitempty"`   // the text that last rang it awake: its terminal does not show it
	WokenAt    time.Time `json:"woken_at,omitzero"`
	NotesAt    time.Time `json:"notes_at,omitzero"` // when the notes of its handle were written; zero: there are none
	Run        string    `json:"run,omitempty"`     // the run that it works at
	Can        string    `json:"can,omitempty"`     // what it can receive now, for people
	Unread     int       `json:"unread,omitempty"`  // open deliveries of its handle
}

// Live tells whether the session has not ended.
func (s Session) Live() bool { return s.EndedAt.IsZero() }

// State is what a session does.
type State string

// The states.
const (
	StateWorking State = "working"
	StateWaiting State = "waiting"
	StateIdle    State = "idle"
	StateWedged  State = "wedged"
	StateQuiet   State = "quiet"   // open turn, no event for 3 minutes, no tool running
	StateUnheard State = "unheard" // alive, but its hooks went missing
	StateEnded   State = "ended"
)

// Status is a session's state with its evidence.
type Status struct {
	State      State     `json:"state"`
	Tool       string    `json:"tool,omitempty"`  // working: the tool that runs
	Wants      Want      `json:"wants,omitempty"` // waiting
	Failure    Failure   `json:"failure,omitzero"`
	Background int       `json:"background,omitempty"` // tasks that run on although the turn has ended
	Since      time.Time `json:"since"`
	Evidence   string    `json:"evidence"` // what we know it from: "turn.end 12:04:11, process alive"
}

// Presence is what a handle says, or a failure says for it, about being there.
type Presence string

// The presences.
const (
	Available Presence = "available"
	Away      Presence = "away"
	Offline   Presence = "offline"
)

// InterruptLevel is what may interrupt the agent behind a handle.
type InterruptLevel string

// The levels; the default is needs-action.
const (
	InterruptAll         InterruptLevel = "all"
	InterruptNeedsAction InterruptLevel = "needs-action"
	InterruptUrgent      InterruptLevel = "urgent"
	InterruptNone        InterruptLevel = "none"
)

// Agent is the owner of a handle: an agent or a person.
type Agent struct {
	Handle      string         `json:"handle"`
	Human       bool           `json:"human,omitempty"`
	Place       Place          `json:"place,omitzero"` // what the handle is bound to
	Presence    Presence       `json:"presence"`
	Interrupt   InterruptLevel `json:"interrupt"`
	Act         bool           `json:"act,omitempty"` // policy = "act": items may be acted on
	PausedUntil time.Time      `json:"paused_until,omitzero"`
	CreatedAt   time.Time      `json:"created_at"`
	LastSeq     int64          `json:"last_seq,omitempty"` // of its inbox

	Session *Session `json:"session,omitempty"` // its live session, where asked for
	Unread  int      `json:"unread,omitempty"`
}

// Channel is a named place for items.
type Channel struct {
	Name       string    `json:"name"` // with "#"
	CreatedBy  string    `json:"created_by"`
	CreatedAt  time.Time `json:"created_at"`
	ArchivedAt time.Time `json:"archived_at,omitzero"`
	LastSeq    int64     `json:"last_seq"`
	Members    []string  `json:"members,omitempty"`
}

// Loudness is how a notice reaches the person.
type Loudness string

// The loudnesses.
const (
	LoudSilent Loudness = "silent" // page only
	LoudNotice Loudness = "notice" // page, status, status line, inbox
	LoudUrgent Loudness = "urgent" // and a desktop notification at once
)

// Notice is something that the person should know.
type Notice struct {
	ID      int64     `json:"id"`
	Class   string    `json:"class"` // "wedge", "undelivered", "deaf", "passed", "ignored", "drift", ...
	Loud    Loudness  `json:"loud"`
	Handle  string    `json:"handle,omitempty"`
	Session string    `json:"session,omitempty"`
	Item    string    `json:"item,omitempty"`
	Text    string    `json:"text"`
	At      time.Time `json:"at"`
	Cleared time.Time `json:"cleared,omitzero"`
}

// Missing is something that setup wrote and that is gone: a client rewrote its
// settings, or an update replaced them.
type Missing struct {
	Harness string `json:"harness"`
	File    string `json:"file"` // absolute
	What    string `json:"what"` // "every hook", "part of the hooks (3 of 9)"; "": the file itself
}

// Activity is one stored event of a session, for the page. Activity is
// coalesced to one a session in 5 s; changes of state are never delayed.
type Activity struct {
	Seq     int64     `json:"seq"`
	Session string    `json:"session"`
	Handle  string    `json:"handle,omitempty"`
	Kind    Kind      `json:"kind"`
	State   State     `json:"state"`
	Text    string    `json:"text,omitempty"`
	At      time.Time `json:"at"`
}

// Live is what a harness's own registry says of one of its processes.
type Live struct {
	Native string    // the session it is in now
	State  State     // working, waiting or idle
	Wants  Want      // waiting
	Since  time.Time // when that began; zero when not said
}

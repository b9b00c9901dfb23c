package turnpost

import "time"

// ItemKind is what a message is. A direct message is an item without a
// channel, of any kind.
type ItemKind string

// The kinds of item.
const (
	Question ItemKind = "question"
	Answer   ItemKind = "answer"
	Task     ItemKind = "task"
	Choice   ItemKind = "decision" // something was decided
	Report   ItemKind = "status"
	Note     ItemKind = "note"
)

// ItemKinds lists the kinds in the order in which people meet them.
func ItemKinds() []ItemKind {
	return []ItemKind{Question, Answer, Task, Choice, Report, Note}
}

// Letter starts the ids of the kind: "q-41" is a question.
func (k ItemKind) Letter() string {
	if k == "" {
		return ""
	}
	return string(k[0])
}

// NeedsAction tells whether an item of the kind stays open until its
// addressee answers, resolves or passes it.
func (k ItemKind) NeedsAction() bool { return k == Question || k == Task }

// Sizes of an item, in bytes.
const (
	MaxSummary = 1 << 10
	MaxBody    = 256 << 10
	MaxTo      = 50 // addressees
)

// ItemState is where an item as a whole stands.
type ItemState string

// Only questions and tasks are open; everything else is done when stored.
const (
	ItemOpen      ItemState = "open"
	ItemAnswered  ItemState = "answered"
	ItemResolved  ItemState = "resolved"
	ItemWithdrawn ItemState = "withdrawn"
	ItemDone      ItemState = "done"
)

// Item is one message.
type Item struct {
	ID        string    `json:"id"` // stable: kind letter, "-", number
	Kind      ItemKind  `json:"kind"`
	Channel   string    `json:"channel,omitempty"` // "#general"; empty = direct
	Seq       int64     `json:"seq,omitempty"`     // position in the channel, for display
	Author    string    `json:"author"`
	Human     bool      `json:"human,omitempty"`    // the author is a person
	To        []string  `json:"to,omitempty"`       // handles it is addressed to, mentions included
	Thread    string    `json:"thread,omitempty"`   // id of the thread's first item
	ReplyTo   string    `json:"reply_to,omitempty"` // id of the item it replies to
	Urgent    bool      `json:"urgent,omitempty"`
	Summary   string    `json:"summary"`
	Body      string    `json:"body,omitempty"`
	At        time.Time `json:"at"`
	State     ItemState `json:"state"`
	ClaimedBy string    `json:"claimed_by,omitempty"` // task: the handle that works on it
	Session   string    `json:"session,omitempty"`    // task: the session it is bound to
	ClosedBy  string    `json:"closed_by,omitempty"`
	ClosedAt  time.Time `json:"closed_at,omitzero"`
	Result    string    `json:"result,omitempty"` // what resolve said

	Deliveries []Delivery `json:"deliveries,omitempty"` // receipts, where asked for
}

// DeliveryState is where an item stands for one addressee.
type DeliveryState string

// stored, held and shown are open; the rest is closed.
const (
	Stored    DeliveryState = "stored"
	Held      DeliveryState = "held" // part of an answer that is being printed
	Shown     DeliveryState = "shown"
	Acked     DeliveryState = "acked"
	Answered  DeliveryState = "answered"
	Passed    DeliveryState = "passed"
	Expired   DeliveryState = "expired"
	Withdrawn DeliveryState = "withdrawn"
)

// Open tells whether the addressee still has to see or handle the item.
func (s DeliveryState) Open() bool { return s == Stored || s == Held || s == Shown }

// Delivery is one item in one inbox.
type Delivery struct {
	Handle    string        `json:"handle"`
	Seq       int64         `json:"seq"` // position in the inbox, the only position ack takes
	Item      string        `json:"item"`
	Kind      ItemKind      `json:"kind"`
	Addressed bool          `json:"addressed"` // to you, as against a channel you joined
	Urgent    bool          `json:"urgent,omitempty"`
	State     DeliveryState `json:"state"`
	Offer     string        `json:"offer,omitempty"`   // the answer that last carried it
	Session   string        `json:"session,omitempty"` // the session that answer went to
	Attempt   int           `json:"attempt,omitempty"` // how often it was offered
	OfferedAt time.Time     `json:"offered_at,omitzero"`
	Lease     time.Time     `json:"lease,omitzero"` // shown: not offered again before
	At        time.Time     `json:"at"`             // when it was stored
	ClosedAt  time.Time     `json:"closed_at,omitzero"`
	Told      bool          `json:"told,omitempty"` // the human was told that it does not get through
}

// DeliveryClass tells a sender at once when an addressee will see the item.
type DeliveryClass string

// The classes, quickest first; the text is what people read.
const (
	ClassRunning  DeliveryClass = "in its running turn"
	ClassTurnEnd  DeliveryClass = "at its turn end"
	ClassRung     DeliveryClass = "idle: rung"
	ClassPrompt   DeliveryClass = "with its next prompt"
	ClassStart    DeliveryClass = "at its next start"
	ClassWedged   DeliveryClass = "wedged: your user is told"
	ClassNobody   DeliveryClass = "nobody there: your user will be told at" // + Until
	ClassPaused   DeliveryClass = "paused until"                            // + Until
	ClassTheHuman DeliveryClass = "on your user's page"
)

// Expect is what a sender is told about one addressee.
type Expect struct {
	Handle string        `json:"handle"`
	Class  DeliveryClass `json:"class"`
	Until  time.Time     `json:"until,omitzero"` // for the classes that name a time
}

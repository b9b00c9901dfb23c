// Package hubtest holds the rules of the hub as stories, and everything that
// plays a part in them: stand-in agents, a bell that notes who was rung,
// processes that die on demand. Every way to reach a hub and every store runs
// the same stories.
package hubtest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"turnpost"
	"turnpost/internal/hub"
	"turnpost/internal/keep"
	"turnpost/internal/statedir"
)

// Rig is one hub under test.
type Rig struct {
	Hook    turnpost.HookHub
	As      func(turnpost.Caller) turnpost.Hub
	Release func(offer string)
	Bells   *Bells
	Machine *Machine
	Desktop *Desktop
	// Installs is what went missing of what setup wrote.
	Installs *Installs
	// Keeper keeps notes, in stories about them.
	Keeper hub.Keeper
	// News is what the ritual has to tell the person, once.
	News string

	t      *testing.T
	open   Open
	cfg    hub.Config
	nextID int
}

// Open starts a hub with the parts of a rig and returns its other ends; the
// story's end stops it.
type Open func(t *testing.T, cfg hub.Config, r *Rig) (turnpost.HookHub, func(turnpost.Caller) turnpost.Hub, func(string))

func newRig(t *testing.T, open Open, cfg hub.Config, keeps bool) *Rig {
	t.Helper()
	r := &Rig{
		t: t, open: open, cfg: cfg,
		Bells: &Bells{}, Machine: NewMachine(), Desktop: &Desktop{}, Installs: &Installs{},
	}
	if keeps {
		r.Keeper = keep.Open(statedir.Dir(t.TempDir()), 24*time.Hour, time.Now)
	}
	cfg.Human = "@anna"
	r.Hook, r.As, r.Release = open(t, cfg, r)
	return r
}

// Agent is a stand-in session.
type Agent struct {
	r        *Rig
	Native   string
	Pid      int
	Root     string
	Name     string // TURNPOST_AGENT
	Attended bool
	Reports  bool   // its harness takes no mail
	Shared   bool   // its process hosts others too
	Secret   string // learned from the start line
	Handle   string // learned from the answers
	Dropped  string // why the last answer dropped its prompt
	Queued   bool   // rings are prompts put into its queue
	Delay    int    // of the last answer
	Offer    string // of the last answer
	digest   int
	deaf     bool
	soon     bool // its turn ends wait for no answer
	silent   bool // does not confirm what it prints
}

// Agent returns an attended session in a repository of that name.
func (r *Rig) Agent(repo string) *Agent {
	r.nextID++
	return &Agent{r: r, Native: fmt.Sprintf("native-%d", r.nextID), Pid: 100 + r.nextID, Root: "/src/" + repo, Attended: true}
}

// Event is an event of the agent with what a full harness accepts at it.
func (a *Agent) Event(kind turnpost.Kind) turnpost.Event {
	a.digest++
	ev := turnpost.Event{
		Kind: kind, Harness: "standin", Native: a.Native, Digest: fmt.Sprint(a.Native, a.digest),
		Cwd: a.Root, Place: turnpost.Place{Root: a.Root, Main: a.Root},
		Process: turnpost.Process{Pid: a.Pid, Start: "boot", Shared: a.Shared}, Attended: a.Attended, Reports: a.Reports, Agent: a.Name,
		Registry: fmt.Sprint("registry-", a.Pid),
		Wake:     turnpost.Wake{Method: "bell", Key: a.Bell()},
	}
	if a.Queued {
		ev.Wake = turnpost.Wake{Method: "command", Key: a.Bell(), Armed: true}
	}
	if a.Reports || !a.Attended && a.Name == "" {
		return ev
	}
	switch kind {
	case turnpost.SessionStart:
		ev.Source = turnpost.SourceStartup
		ev.Accepts = turnpost.Accepts{Context: true, Watch: a.Attended}
		ev.Wake.Armed = a.Queued || a.Attended && !a.deaf
	case turnpost.CwdChanged:
		ev.Accepts.Watch = a.Attended
		ev.Wake.Armed = a.Queued || a.Attended && !a.deaf
	case turnpost.Prompt, turnpost.ToolAfter:
		ev.Accepts.Context = true
	case turnpost.TurnEnd:
		ev.Accepts.Continue, ev.Accepts.Soon = true, a.soon
	case turnpost.Bell:
		ev.Accepts.Continue, ev.Accepts.Deny = true, a.Queued
	}
	return ev
}

// Bell is the key of the agent's bell.
func (a *Agent) Bell() string {
	if a.Shared {
		return "bell-" + a.Native
	}
	return fmt.Sprint("bell-", a.Pid)
}

// Send sends an event, confirms the answer as a hook client does, and returns
// the text for the model.
func (a *Agent) Send(ev turnpost.Event) string {
	a.r.t.Helper()
	answer, err := a.r.Hook.Handle(context.Background(), ev)
	if err != nil {
		a.r.t.Fatalf("%s of %s: %v", ev.Kind, a.Native, err)
	}
	a.Handle, a.Dropped, a.Delay, a.Offer = answer.Handle, "", answer.Delay, answer.Offer
	if answer.Decision.Permission == turnpost.Deny {
		a.Dropped = answer.Decision.Reason
	}
	if answer.Offer != "" && !a.silent {
		if _, err := a.r.Hook.Shown(context.Background(), turnpost.Receipt{Offer: answer.Offer}); err != nil {
			a.r.t.Fatalf("confirm: %v", err)
		}
	}
	text := answer.Decision.Continue + answer.Decision.Context
	if _, rest, ok := strings.Cut(text, "hook_session "); ok {
		a.Secret, _, _ = strings.Cut(rest, ")")
	}
	return text
}

// Start starts the session and returns its context.
func (a *Agent) Start() string { a.r.t.Helper(); return a.Send(a.Event(turnpost.SessionStart)) }

// Prompt is a person's prompt.
func (a *Agent) Prompt() string { a.r.t.Helper(); return a.Send(a.Event(turnpost.Prompt)) }

// Tool is a tool that has run.
func (a *Agent) Tool() string { a.r.t.Helper(); return a.Send(a.Event(turnpost.ToolAfter)) }

// TurnEnd ends the turn; text continues it.
func (a *Agent) TurnEnd() string { a.r.t.Helper(); return a.Send(a.Event(turnpost.TurnEnd)) }

// Hear answers a ring; text starts a turn, whose machine prompt follows unless
// the ring was one.
func (a *Agent) Hear() string {
	a.r.t.Helper()
	text := a.Send(a.Event(turnpost.Bell))
	if text != "" && !a.Queued {
		a.Echo(text)
	}
	return text
}

// Echo is our own text that comes back as a prompt.
func (a *Agent) Echo(text string) string {
	a.r.t.Helper()
	ev := a.Event(turnpost.Prompt)
	ev.Machine, ev.Offers = true, []string{offerIn(text)}
	return a.Send(ev)
}

func offerIn(text string) string {
	_, rest, ok := strings.Cut(text, "<turnpost ")
	if !ok {
		_, rest, _ = strings.Cut(text, "<turnpost-run ")
	}
	id, _, _ := strings.Cut(rest, ">")
	return id
}

// Idle brings the agent to the end of a first turn.
func (a *Agent) Idle() *Agent {
	a.r.t.Helper()
	a.Start()
	a.Prompt()
	if text := a.TurnEnd(); text != "" {
		a.r.t.Fatalf("%s was continued: %s", a.Handle, text)
	}
	return a
}

// Hub is the hub as the agent sees it.
func (a *Agent) Hub() turnpost.Hub {
	return a.r.As(turnpost.Caller{HookSession: a.Secret})
}

// Human is the hub as the person sees it.
func (r *Rig) Human() turnpost.Hub { return r.As(turnpost.Caller{Human: true}) }

// Post posts on behalf of somebody and fails the story when that is refused.
func (r *Rig) Post(from turnpost.Hub, draft turnpost.Draft) turnpost.Posted {
	r.t.Helper()
	posted, err := from.Post(context.Background(), draft)
	if err != nil {
		r.t.Fatalf("post %q: %v", draft.Summary, err)
	}
	return posted
}

// Ask posts a question to a handle.
func (r *Rig) Ask(from turnpost.Hub, to, summary string) turnpost.Posted {
	r.t.Helper()
	return r.Post(from, turnpost.Draft{Kind: turnpost.Question, To: []string{to}, Summary: summary})
}

// settle waits until everything that was queued is stored: a write that is
// acknowledged comes after it.
func (r *Rig) settle() {
	r.t.Helper()
	if _, err := r.Human().Presence(context.Background(), turnpost.PresenceRequest{Presence: turnpost.Available}); err != nil {
		r.t.Fatal(err)
	}
}

// Session is the session of an agent on the person's board.
func (r *Rig) Session(a *Agent) turnpost.Session {
	r.t.Helper()
	r.settle()
	board, err := r.Human().Board(context.Background(), turnpost.BoardQuery{Ended: true})
	if err != nil {
		r.t.Fatal(err)
	}
	for _, s := range board.Sessions {
		if s.Native == a.Native {
			return s
		}
	}
	r.t.Fatalf("%s is not on the board", a.Native)
	return turnpost.Session{}
}

// Notices are the open notices of a class.
func (r *Rig) Notices(class string) []turnpost.Notice {
	r.t.Helper()
	r.settle()
	board, err := r.Human().Board(context.Background(), turnpost.BoardQuery{})
	if err != nil {
		r.t.Fatal(err)
	}
	var out []turnpost.Notice
	for _, n := range board.Notices {
		if n.Class == class {
			out = append(out, n)
		}
	}
	return out
}

// Unread is how many open deliveries a handle has.
func (r *Rig) Unread(handle string) int {
	r.t.Helper()
	r.settle()
	box, err := r.Human().Inbox(context.Background(), turnpost.InboxQuery{Handle: handle, Peek: true})
	if err != nil {
		r.t.Fatal(err)
	}
	return box.Unread
}

// pass lets fake time pass.
func pass(d time.Duration) { time.Sleep(d) }

// Package run holds the rules of runs: what a journal means, and which entries a
// command adds to it. It is pure: no clock, no disk, no chance; the caller brings
// the time and the proof, and stores what comes back.
//
// A State is the fold of its journal and nothing else: replaying the entries gives
// the same state. Commands look at the state and return entries, unnumbered and
// not applied; the caller stores them and then applies them in order. A refused
// command returns a coded error and no entries, and a command that is repeated
// (by an idempotency key, a result that is there already) returns none and no
// error.
package run

import (
	"time"

	"turnpost"
)

// Who gives a command.
type Who struct {
	Handle  string
	Human   bool
	Session string // ours; empty for people
}

// State is a run as its journal made it.
type State struct {
	turnpost.Run
	proof string
	defs  []turnpost.StepDef
}

// Replay folds a whole journal.
func Replay(events []turnpost.RunEvent) (*State, error) { panic("not built yet") }

// Apply folds one entry, whose Seq follows the last one's.
func (s *State) Apply(e turnpost.RunEvent) error { panic("not built yet") }

// View is a copy of the run for people and agents, with what is missing to
// completion, that shares nothing with the state.
func (s *State) View() turnpost.Run { panic("not built yet") }

// Start returns the first entries of a run: its start, its first iteration, and
// what its process asks for at once. id is the run's, proof its nonce.
func Start(id string, in turnpost.RunStart, by Who, proof string, now time.Time) ([]turnpost.RunEvent, error) {
	panic("not built yet")
}

// Change is every verb of a turnpost.RunRequest.
func (s *State) Change(in turnpost.RunRequest, by Who, now time.Time) ([]turnpost.RunEvent, error) {
	panic("not built yet")
}

// Ask asks for an effect and returns its id, also when it is there already.
func (s *State) Ask(in turnpost.EffectDraft, by Who, now time.Time) (id string, events []turnpost.RunEvent, err error) {
	panic("not built yet")
}

// Take gives a worker pending commands, oldest first, until limit of its own are
// running. untrusted says whether to give it also those that an agent asked for
// of its own; its own agent's worker gets these anyway.
func (s *State) Take(worker string, limit int, untrusted bool, by Who, now time.Time) ([]turnpost.RunEvent, error) {
	panic("not built yet")
}

// Post posts a result.
func (s *State) Post(in turnpost.EffectPost, by Who, now time.Time) ([]turnpost.RunEvent, error) {
	panic("not built yet")
}

// Link notes the item that carries an agent's effect or a breakpoint.
func (s *State) Link(effect, item string, now time.Time) []turnpost.RunEvent { panic("not built yet") }

// Unlinked lists the open effects of kind agent and breakpoint that no item
// carries yet; Linked those that one does.
func (s *State) Unlinked() []turnpost.Effect { panic("not built yet") }

// Linked lists the open effects that an item carries.
func (s *State) Linked() []turnpost.Effect { panic("not built yet") }

// Bind makes a session the one that works at the run.
func (s *State) Bind(session string, now time.Time) []turnpost.RunEvent { panic("not built yet") }

// Pause notes that a person took the word from the run's agent: nothing starts
// until Resume, which a person's next prompt is too.
func (s *State) Pause(now time.Time) []turnpost.RunEvent { panic("not built yet") }

// Resume ends a pause of a run that has not ended.
func (s *State) Resume(now time.Time) []turnpost.RunEvent { panic("not built yet") }

// TurnEnd notes the end of a turn of the run's session, ends the run where a
// limit says so, and tells whether the next turn follows at once. tokens are
// those of the turn.
func (s *State) TurnEnd(tokens int64, now time.Time) (events []turnpost.RunEvent, goOn bool) {
	panic("not built yet")
}

// Continue notes that the run starts a turn: behind a turn end, or by a ring. It
// starts the next iteration unless the agent did so itself since the last one.
func (s *State) Continue(now time.Time) []turnpost.RunEvent { panic("not built yet") }

// Wants tells whether the run would start a turn of its idle agent now: it is
// running and not paused.
func (s *State) Wants() bool { panic("not built yet") }

// Due returns what is to be noted because of the time alone: sleeps that are over
// and a deadline.
func (s *State) Due(now time.Time) []turnpost.RunEvent { panic("not built yet") }

// NextDue is when Due has something to say next; zero: never.
func (s *State) NextDue() time.Time { panic("not built yet") }

// Text is what the agent is told when the run starts a turn: goal, where it
// stands, what there is to do now, what came back since the last turn, how to
// report, and the proof once nothing is missing. At most MaxText runes, foreign
// text escaped within one frame with nonce in its tags.
func (s *State) Text(nonce string) string { panic("not built yet") }

// Reminder is one line about the run for the start of a session, with how it goes
// on; at most 400 runes.
func (s *State) Reminder() string { panic("not built yet") }

// MaxText bounds Text, in runes.
const MaxText = 3000

// CheckProcess tells what is wrong with a process: ids, unknown needs, cycles,
// steps without what their kind asks for. The Field of the error is the place in
// it, "steps[2].needs".
func CheckProcess(p turnpost.RunProcess) error { panic("not built yet") }

package run

import (
	"fmt"
	"time"

	"turnpost"
)

const deadlinePassed = "its deadline passed"

func usedIterations(n int) string { return fmt.Sprintf("it used its %s", count(n, "iteration")) }
func usedTurns(n int) string      { return fmt.Sprintf("it used its %s", count(n, "turn")) }
func usedTokens(n int64) string   { return fmt.Sprintf("it used its %d tokens", n) }

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Bind makes a session the one that works at the run.
func (s *State) Bind(session string, now time.Time) []turnpost.RunEvent {
	if session == s.Session {
		return nil
	}
	return s.note(turnpost.RunEvent{Kind: turnpost.RunBound, Session: session}, now)
}

// Pause notes that a person took the word from the run's agent: nothing starts
// until Resume, which a person's next prompt is too.
func (s *State) Pause(now time.Time) []turnpost.RunEvent {
	if s.paused {
		return nil
	}
	return s.note(turnpost.RunEvent{Kind: turnpost.RunPaused}, now)
}

// Resume ends a pause of a run that has not ended.
func (s *State) Resume(now time.Time) []turnpost.RunEvent {
	if !s.paused {
		return nil
	}
	return s.note(turnpost.RunEvent{Kind: turnpost.RunResumed}, now)
}

// note is one entry of the hub's about a run that has not ended.
func (s *State) note(e turnpost.RunEvent, now time.Time) []turnpost.RunEvent {
	if s.Run.State.Ended() {
		return nil
	}
	d := s.draft(Who{}, now)
	d.add(e)
	return d.rest()
}

// TurnEnd notes the end of a turn of the run's session, ends the iteration unless
// the agent did so itself or the run waits, ends the run where a limit says so,
// and tells whether the next turn follows at once. A turn whose agent knew nothing
// of the run is none of it. tokens are those of the turn.
func (s *State) TurnEnd(tokens int64, now time.Time) (events []turnpost.RunEvent, goOn bool) {
	if s.Run.State.Ended() {
		return nil, false
	}
	if !s.heard {
		return nil, s.Wants()
	}
	own := s.own
	d := s.draft(Who{}, now)
	d.add(turnpost.RunEvent{Kind: turnpost.TurnEnded, Tokens: max(tokens, 0)})
	if d.state.Wants() && !d.budgets() && !d.stalled() {
		if !own && !d.state.over {
			d.add(turnpost.RunEvent{Kind: turnpost.IterationEnd})
		}
		if d.state.over && !d.iterate() {
			d.end(turnpost.RunHalted, usedIterations(d.state.Limits.Iterations))
		}
	}
	return d.rest(), d.state.Wants()
}

// iterate begins the next iteration, if there may be one more.
func (d *draft) iterate() bool {
	s := d.state
	if most := s.Limits.Iterations; most > 0 && s.Iteration >= most {
		return false
	}
	d.add(turnpost.RunEvent{Kind: turnpost.IterationStart, Iteration: s.Iteration + 1})
	return true
}

// budgets ends the run when it used up its turns or tokens.
func (d *draft) budgets() bool {
	s, l := d.state, d.state.Limits
	switch {
	case l.Turns > 0 && s.Turns >= l.Turns:
		d.end(turnpost.RunHalted, usedTurns(l.Turns))
	case l.Tokens > 0 && s.Tokens >= l.Tokens:
		d.end(turnpost.RunHalted, usedTokens(l.Tokens))
	default:
		return false
	}
	return true
}

// stalled ends the run when its agent does not get on.
func (d *draft) stalled() bool {
	most := d.state.Limits.Stall
	if most == 0 {
		most = defaultStall
	}
	if d.state.Stalled < most {
		return false
	}
	d.end(turnpost.RunHalted, fmt.Sprintf("%s in a row left nothing in its journal", count(most, "turn")))
	return true
}

// Continue notes that the run starts a turn: behind a turn end, or by a ring. The
// turn belongs to the iteration that TurnEnd or the agent began, and after a wait
// to the one before it. A run that wants no turn starts none.
func (s *State) Continue(now time.Time) []turnpost.RunEvent {
	if !s.Wants() {
		return nil
	}
	return s.note(turnpost.RunEvent{Kind: turnpost.TurnContinued}, now)
}

// Wants tells whether the run would start a turn of its idle agent now: it is
// running and not paused.
func (s *State) Wants() bool { return s.Run.State == turnpost.RunRunning && !s.paused }

// Due returns what is to be noted because of the time alone: sleeps that are over
// and a deadline.
func (s *State) Due(now time.Time) []turnpost.RunEvent {
	next := s.NextDue()
	if next.IsZero() || now.Before(next) {
		return nil
	}
	d := s.draft(Who{}, now)
	if deadline := s.Deadline; !deadline.IsZero() && !now.Before(deadline) {
		d.end(turnpost.RunHalted, deadlinePassed)
		return d.rest()
	}
	for _, at := range s.open {
		if e := s.effect(at); e.Kind == turnpost.EffectSleep && !now.Before(e.Until) {
			d.add(turnpost.RunEvent{Kind: turnpost.EffectPosted, Task: e.ID, Result: turnpost.EffectOK})
		}
	}
	return d.rest()
}

// NextDue is when Due has something to say next; zero: never.
func (s *State) NextDue() time.Time {
	if s.Run.State.Ended() {
		return time.Time{}
	}
	next := s.Deadline
	for _, at := range s.open {
		e := s.effect(at)
		if e.Kind == turnpost.EffectSleep && (next.IsZero() || e.Until.Before(next)) {
			next = e.Until
		}
	}
	return next
}

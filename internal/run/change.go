package run

import (
	"crypto/subtle"
	"math"
	"strings"
	"time"

	"turnpost"
)

// Change is every verb of a turnpost.RunRequest.
func (s *State) Change(in turnpost.RunRequest, by Who, now time.Time) ([]turnpost.RunEvent, error) {
	if err := s.allowed(by); err != nil {
		return nil, err
	}
	if in.Do == turnpost.RunResume {
		return s.resume(in, by, now)
	}
	if err := s.going(); err != nil {
		return nil, err
	}
	if in.Limits != (turnpost.Limits{}) {
		return nil, turnpost.Invalidf("limits", "go with resume only")
	}
	d := s.draft(by, now)
	if err := d.change(in); err != nil {
		return nil, err
	}
	return d.done()
}

func (d *draft) change(in turnpost.RunRequest) error {
	s, most := d.state, turnpost.MaxRunText
	if in.Do == turnpost.RunPlan {
		most = turnpost.MaxPlan
	}
	text := clean(strings.TrimSpace(in.Text))
	if len(text) > most {
		return tooLarge("text", len(text), most)
	}
	switch in.Do {
	case turnpost.RunPlan:
		if text == "" {
			return turnpost.Invalidf("text", "is missing").WithHint("say how you will get to the goal")
		}
		if text != s.Plan {
			d.say(turnpost.RunEvent{Kind: turnpost.RunPlanned, Text: text})
		}
	case turnpost.RunIterate:
		if s.over {
			return turnpost.Errorf(turnpost.Conflict, "iteration %d was the last one", s.Iteration).
				WithHint("complete the run in this turn, or fail it; %s halts when the turn ends", s.ID)
		}
		d.say(turnpost.RunEvent{Kind: turnpost.IterationEnd, Own: true, Text: text})
		d.iterate()
	case turnpost.RunDispatch:
		if len(s.Steps) == 0 {
			return turnpost.Errorf(turnpost.Conflict, "%s follows no process", s.ID).
				WithHint("ask for an effect of your own: turnpost run task start")
		}
	case turnpost.RunScore:
		if in.Score == nil {
			return turnpost.Invalidf("score", "is missing")
		}
		if math.IsNaN(*in.Score) || math.IsInf(*in.Score, 0) {
			return turnpost.Invalidf("score", "is not a number")
		}
		d.say(turnpost.RunEvent{Kind: turnpost.RunScored, Score: clonePointer(in.Score), Text: text})
	case turnpost.RunComplete:
		if err := s.provable(in.Proof); err != nil {
			return err
		}
		d.say(turnpost.RunEvent{Kind: turnpost.RunEnded, State: turnpost.RunCompleted, Text: text})
	case turnpost.RunFail:
		if text == "" {
			return turnpost.Invalidf("text", "is missing").WithHint("say why the goal cannot be met")
		}
		d.say(turnpost.RunEvent{Kind: turnpost.RunEnded, State: turnpost.RunFailed, Text: text})
	case turnpost.RunHalt:
		reason := "halted by " + d.by
		if text != "" {
			reason += ": " + text
		}
		d.say(turnpost.RunEvent{Kind: turnpost.RunEnded, State: turnpost.RunHalted, Text: reason})
	default:
		return turnpost.Invalidf("do", "%.40q is not a verb", string(in.Do)).
			WithHint("use plan, iterate, dispatch, score, complete, fail, resume or halt")
	}
	return nil
}

// provable tells why the run cannot be completed with this proof.
func (s *State) provable(proof string) error {
	if missing := s.missing(); len(missing) > 0 {
		return turnpost.Errorf(turnpost.Conflict, "%s is not complete: %s", s.ID, strings.Join(missing, "; ")).
			WithHint("its text tells the proof once nothing is missing")
	}
	if proof == "" {
		return turnpost.Invalidf("proof", "is missing").WithHint("it is in the text with which the run started your turn")
	}
	if subtle.ConstantTimeCompare([]byte(proof), []byte(s.proof)) == 0 {
		return turnpost.Errorf(turnpost.Conflict, "this is not the proof of %s", s.ID).
			WithHint("it is in the text with which the run started your turn; it cannot be guessed")
	}
	return nil
}

// resume is the verb. A person's ends a pause or revives a run that ended; an
// agent's only makes its session the one that works at the run.
func (s *State) resume(in turnpost.RunRequest, by Who, now time.Time) ([]turnpost.RunEvent, error) {
	if s.Run.State == turnpost.RunCompleted {
		return nil, s.going()
	}
	d := s.draft(by, now)
	if !by.Human && !by.hub() {
		if err := s.going(); err != nil {
			return nil, err
		}
		if s.paused || in.Limits != (turnpost.Limits{}) {
			return nil, turnpost.Errorf(turnpost.Forbidden, "only a person may lift a pause or a limit of %s", s.ID).
				WithHint("ask your user: turnpost run resume %s", s.ID)
		}
		if by.Session != "" && by.Session != s.Session {
			d.add(turnpost.RunEvent{Kind: turnpost.RunBound, Session: by.Session})
		}
		return d.done()
	}
	if err := checkLimits(in.Limits); err != nil {
		return nil, err
	}
	e := turnpost.RunEvent{Kind: turnpost.RunResumed, Text: clean(strings.TrimSpace(in.Text))}
	if in.Limits != (turnpost.Limits{}) {
		e.Start = &turnpost.RunStart{Limits: in.Limits}
	}
	d.say(e)
	if err := d.state.exhausted(d.now); err != nil {
		return nil, err
	}
	if d.state.over {
		d.iterate()
	}
	return d.done()
}

// exhausted tells which limit would end the run at once if it went on.
func (s *State) exhausted(now time.Time) error {
	l := s.Limits
	what, flag := "", ""
	switch {
	case l.Iterations > 0 && (s.Iteration > l.Iterations || s.Iteration == l.Iterations && s.over):
		what, flag = usedIterations(l.Iterations), "--max-iterations"
	case l.Turns > 0 && s.Turns >= l.Turns:
		what, flag = usedTurns(l.Turns), "--budget-turns"
	case l.Tokens > 0 && s.Tokens >= l.Tokens:
		what, flag = usedTokens(l.Tokens), "--budget-tokens"
	case !s.Deadline.IsZero() && !now.Before(s.Deadline):
		what, flag = deadlinePassed, "--timeout"
	default:
		return nil
	}
	return turnpost.Errorf(turnpost.Conflict, "%s cannot go on: %s", s.ID, what).
		WithHint("give it more: turnpost run resume %s %s …", s.ID, flag)
}

// allowed tells why a caller may not steer the run.
func (s *State) allowed(by Who) error {
	if by.Human || by.hub() || by.Handle == s.Handle {
		return nil
	}
	return turnpost.Errorf(turnpost.Forbidden, "%s is a run of %s", s.ID, s.Handle)
}

// going is an error once the run has ended.
func (s *State) going() error {
	if !s.Run.State.Ended() {
		return nil
	}
	err := turnpost.Errorf(turnpost.Conflict, "%s is %s", s.ID, s.Run.State)
	if s.Run.State == turnpost.RunCompleted {
		return err
	}
	return err.WithHint("a person may resume it: turnpost run resume %s", s.ID)
}

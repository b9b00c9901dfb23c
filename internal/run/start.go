package run

import (
	"strings"
	"time"

	"turnpost"
)

// Start returns the first entries of a run: its start, the session that it binds
// to when that one started it, its first iteration, and what its process asks for
// at once. id is the run's, proof its nonce. Whether a person trusted the process
// is the caller's to check.
func Start(id string, in turnpost.RunStart, by Who, proof string, now time.Time) ([]turnpost.RunEvent, error) {
	if id == "" || proof == "" {
		return nil, turnpost.Errorf(turnpost.Internal, "a run needs an id and a proof")
	}
	in.Goal = clean(strings.TrimSpace(in.Goal))
	if err := checkStart(&in, by); err != nil {
		return nil, err
	}
	d := new(State).draft(by, now)
	d.say(turnpost.RunEvent{Kind: turnpost.RunStarted, Start: &in, ID: id, Human: by.Human, Proof: proof})
	if !by.Human && by.Session != "" {
		d.add(turnpost.RunEvent{Kind: turnpost.RunBound, Session: by.Session})
	}
	d.add(turnpost.RunEvent{Kind: turnpost.IterationStart, Iteration: 1})
	return d.done()
}

func checkStart(in *turnpost.RunStart, by Who) error {
	switch {
	case in.Goal == "":
		return turnpost.Invalidf("goal", "is missing").WithHint("say what has to be true when the run is done")
	case len(in.Goal) > turnpost.MaxGoal:
		return tooLarge("goal", len(in.Goal), turnpost.MaxGoal)
	case in.Handle == "" && by.Human:
		return turnpost.Invalidf("handle", "is missing").WithHint("name the agent whose turns the run continues: @name")
	case in.Handle == "":
		in.Handle = by.Handle
	case !by.Human && !by.hub() && in.Handle != by.Handle:
		return turnpost.Errorf(turnpost.Forbidden, "an agent starts a run for itself only").
			WithHint("send %s a task, or ask your user: turnpost run start --agent %s", in.Handle, in.Handle)
	}
	if err := checkHandle("handle", in.Handle); err != nil {
		return err
	}
	if err := checkLimits(in.Limits); err != nil {
		return err
	}
	if in.Process == nil {
		return nil
	}
	if !by.Human {
		return turnpost.Errorf(turnpost.Forbidden, "only people start a process").
			WithHint("ask your user: turnpost run start --process %s", in.Process.Name)
	}
	return CheckProcess(*in.Process)
}

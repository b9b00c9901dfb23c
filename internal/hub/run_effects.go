package hub

import (
	"context"
	"errors"
	"time"

	"turnpost"
	"turnpost/internal/run"
)

// AskEffect asks for an effect.
func (v *view) AskEffect(ctx context.Context, in turnpost.EffectDraft) (turnpost.EffectDone, error) {
	h := v.Hub
	in.Label, in.Question, in.Text = h.clean(in.Label), h.clean(in.Question), h.clean(in.Text)
	if in.Kind == turnpost.EffectAgent && in.To != "" {
		to, err := ParseHandle("to", in.To)
		if err != nil {
			return turnpost.EffectDone{}, err
		}
		in.To = to
		err = h.store.View(ctx, func(tx Tx) error {
			_, err := tx.Agent(to)
			return err
		})
		if errors.Is(err, ErrNoRow) {
			return turnpost.EffectDone{}, turnpost.Invalidf("to", "there is no %s", to).WithHint("turnpost agents --all lists the handles")
		} else if err != nil {
			return turnpost.EffectDone{}, err
		}
	}
	now := time.Now()
	var out turnpost.EffectDone
	id := ""
	err := v.command(ctx, in.Run, func(s *run.State) { out.Run, out.Effect = s.ID, effectOf(s, id) }, nil,
		func(s *run.State, by run.Who) (events []turnpost.RunEvent, err error) {
			id, events, err = s.Ask(in, by, now)
			out.Again = err == nil && len(events) == 0
			return events, err
		})
	return out, err
}

// effectOf is one effect of a run.
func effectOf(s *run.State, id string) turnpost.Effect {
	for _, e := range s.Effects {
		if e.ID == id {
			return e
		}
	}
	return turnpost.Effect{}
}

// PostEffect posts a result.
func (v *view) PostEffect(ctx context.Context, in turnpost.EffectPost) (turnpost.EffectDone, error) {
	in.Value = v.clean(in.Value)
	now := time.Now()
	var out turnpost.EffectDone
	err := v.command(ctx, in.Run, func(s *run.State) { out.Run, out.Effect = s.ID, effectOf(s, in.Effect) }, nil,
		func(s *run.State, by run.Who) (events []turnpost.RunEvent, err error) {
			events, err = s.Post(in, by, now)
			out.Again = err == nil && len(events) == 0
			return events, err
		})
	return out, err
}

// TakeEffects takes pending commands for a worker. What an agent asked for by
// itself is given to its own worker, or to one that a person told to take all.
func (v *view) TakeEffects(ctx context.Context, in turnpost.EffectTake) (turnpost.Taken, error) {
	now := time.Now()
	out := turnpost.Taken{Effects: []turnpost.Effect{}}
	var caller run.Who
	err := v.command(ctx, in.Run, func(s *run.State) {
		out.Run = rowOf(s).Run
		own := !caller.Human && caller.Handle == s.Handle
		for _, e := range s.Effects {
			switch {
			case e.Kind != turnpost.EffectCommand:
			case e.State == turnpost.EffectRunning && e.Worker == in.Worker:
				out.Effects = append(out.Effects, e)
			case e.State == turnpost.EffectPending && !e.Trusted && !in.All && !own:
				out.Left++
			}
		}
	}, nil, func(s *run.State, by run.Who) ([]turnpost.RunEvent, error) {
		caller = by
		if in.All && !by.Human {
			return nil, turnpost.Errorf(turnpost.Forbidden, "only a person lets a worker take all commands")
		}
		return s.Take(in.Worker, in.Limit, in.All, by, now)
	})
	return out, err
}

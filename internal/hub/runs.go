package hub

import (
	"context"

	"turnpost"
)

// StartRun starts a run.
func (v *view) StartRun(context.Context, turnpost.RunStart) (turnpost.Run, error) {
	return turnpost.Run{}, turnpost.Errorf(turnpost.Internal, "not built yet")
}

// Run returns one run.
func (v *view) Run(context.Context, turnpost.RunQuery) (turnpost.Run, error) {
	return turnpost.Run{}, turnpost.Errorf(turnpost.Internal, "not built yet")
}

// Runs lists runs.
func (v *view) Runs(context.Context, turnpost.RunsQuery) (turnpost.Runs, error) {
	return turnpost.Runs{}, turnpost.Errorf(turnpost.Internal, "not built yet")
}

// Journal lists entries of a journal.
func (v *view) Journal(context.Context, turnpost.JournalQuery) (turnpost.Journal, error) {
	return turnpost.Journal{}, turnpost.Errorf(turnpost.Internal, "not built yet")
}

// ChangeRun reports on a run, or steers it.
func (v *view) ChangeRun(context.Context, turnpost.RunRequest) (turnpost.Run, error) {
	return turnpost.Run{}, turnpost.Errorf(turnpost.Internal, "not built yet")
}

// AskEffect asks for an effect.
func (v *view) AskEffect(context.Context, turnpost.EffectDraft) (turnpost.EffectDone, error) {
	return turnpost.EffectDone{}, turnpost.Errorf(turnpost.Internal, "not built yet")
}

// TakeEffects takes pending commands for a worker.
func (v *view) TakeEffects(context.Context, turnpost.EffectTake) (turnpost.Taken, error) {
	return turnpost.Taken{}, turnpost.Errorf(turnpost.Internal, "not built yet")
}

// PostEffect posts a result.
func (v *view) PostEffect(context.Context, turnpost.EffectPost) (turnpost.EffectDone, error) {
	return turnpost.EffectDone{}, turnpost.Errorf(turnpost.Internal, "not built yet")
}

package hub

import (
	"context"

	"turnpost"
)

// Notes reads or changes an agent's notes.
func (v *view) Notes(context.Context, turnpost.NotesRequest) (turnpost.Notes, error) {
	return turnpost.Notes{}, turnpost.Errorf(turnpost.Internal, "not built yet")
}

// Handoff passes an agent's work to another.
func (v *view) Handoff(context.Context, turnpost.HandoffRequest) (turnpost.Posted, error) {
	return turnpost.Posted{}, turnpost.Errorf(turnpost.Internal, "not built yet")
}

package hook

import (
	"context"
	"errors"
	"fmt"
	"io"

	"turnpost"
	"turnpost/internal/harness"
)

// Local is a hook call inside the hub, for harnesses that are set up to send
// their events over HTTP. It reports the session's status; the bell needs a
// process that the harness itself started, so nothing is watched. An event that
// the harness's adapter ignores is silence.
//
// Errors of Decode and of the hub come back as they are; the caller answers the
// harness, and must do so right away: what was held counts as shown.
func Local(ctx context.Context, h harness.Harness, env harness.Env, hub turnpost.HookHub, body io.Reader) (harness.Output, error) {
	event, err := h.Decode(body, env)
	if errors.Is(err, harness.ErrIgnore) {
		return harness.Output{}, nil
	}
	if err != nil {
		return harness.Output{}, err
	}
	event.Place = findPlace(event.Cwd)
	event.Accepts.Watch, event.Wake = false, turnpost.Wake{}
	answer, err := hub.Handle(ctx, event)
	if err != nil {
		return harness.Output{}, fmt.Errorf("handle hook event: %w", err)
	}
	out := h.Encode(event, answer.Decision)
	if answer.Offer != "" && carries(event, answer.Decision) {
		if _, err := hub.Shown(ctx, turnpost.Receipt{Offer: answer.Offer}); err != nil {
			return harness.Output{}, fmt.Errorf("confirm offer: %w", err)
		}
	}
	return out, nil
}

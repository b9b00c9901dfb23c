package hook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"turnpost"
	"turnpost/internal/harness"
)

// releaser is a hub that takes an offer back; over a connection, its end says
// so.
type releaser interface{ Release(offer string) }

// hold waits, unless the harness goes before.
func hold(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Local is a hook call inside the hub, for harnesses that are set up to send
// their events over HTTP. It reports the session's status; the bell needs a
// process that the harness itself started, so nothing is watched. An event that
// the harness's adapter ignores is silence.
//
// Errors of Decode and of the hub come back as they are; the caller answers the
// harness, and must do so right away: what was held counts as shown. A harness
// that went while its answer was held back is an error too.
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
	if err := hold(ctx, delay(event, answer)); err != nil {
		if hub, ok := hub.(releaser); ok && answer.Offer != "" {
			hub.Release(answer.Offer)
		}
		return harness.Output{}, fmt.Errorf("hold hook answer back: %w", err)
	}
	if answer.Offer != "" && carries(event, answer.Decision) {
		if _, err := hub.Shown(ctx, turnpost.Receipt{Offer: answer.Offer}); err != nil {
			return harness.Output{}, fmt.Errorf("confirm offer: %w", err)
		}
	}
	return out, nil
}

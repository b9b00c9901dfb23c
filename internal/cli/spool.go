package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"turnpost"
	"turnpost/internal/statedir"
)

// replayer takes what was spooled.
type replayer interface {
	Replay(ctx context.Context, spooled []turnpost.Spooled, dropped int) error
}

const (
	drainEvery = 10 * time.Second
	// spoolGrace is how long a hook that opened the spool may take to write into
	// it; a hook call as a whole lasts no longer than that.
	spoolGrace = 300 * time.Millisecond
)

// drainSpool brings the spool into the hub at once and from time to time, until
// ctx ends.
func drainSpool(ctx context.Context, dir statedir.Dir, hub replayer, report func(error)) {
	tick := time.NewTicker(drainEvery)
	defer tick.Stop()
	for {
		if err := drain(ctx, dir, hub); err != nil && ctx.Err() == nil {
			report(fmt.Errorf("drain spool: %w", err))
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// drain takes the spool aside, so that hooks start a new one, and replays it. A
// spool that an earlier hub took aside and did not finish comes first.
func drain(ctx context.Context, dir statedir.Dir, hub replayer) error {
	aside := dir.Spool() + ".taken"
	if _, err := os.Stat(aside); errors.Is(err, fs.ErrNotExist) {
		err := os.Rename(dir.Spool(), aside)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(spoolGrace):
		}
	} else if err != nil {
		return err
	}
	data, err := os.ReadFile(aside)
	if err != nil {
		return err
	}
	spooled, dropped := parseSpool(data)
	if err := hub.Replay(ctx, spooled, dropped); err != nil {
		return err
	}
	return os.Remove(aside)
}

// parseSpool reads the lines of a spool. One that is empty, cut off or nothing
// we know is an event that was lost.
func parseSpool(data []byte) (spooled []turnpost.Spooled, dropped int) {
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, len(data)+1)
	for lines.Scan() {
		var one turnpost.Spooled
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil || one.Event.Kind == "" {
			dropped++
			continue
		}
		spooled = append(spooled, one)
	}
	return spooled, dropped
}

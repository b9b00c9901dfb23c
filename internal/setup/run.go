package setup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

const (
	runLimit    = 5 * time.Second // for a registered line that is checked
	outputLimit = 4 << 10         // bytes of its stderr that are shown
)

// lineResult is how a line ended.
type lineResult struct {
	status int
	stderr string // trimmed
	took   time.Duration
	err    error // it could not be started, or did not end in time
}

// runLine runs a command line under sh, as harnesses do, in a process group of
// its own, which is killed when the time is over.
func runLine(ctx context.Context, line string, env []string, stdin []byte) lineResult {
	ctx, cancel := context.WithTimeout(ctx, runLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.Env = env
	cmd.Stdin = bytes.NewReader(stdin)
	stderr := &capped{limit: outputLimit}
	cmd.Stderr = stderr
	cmd.WaitDelay = time.Second // for pipes that a grandchild keeps open
	ownGroup(cmd)
	start := time.Now()
	err := cmd.Run()
	result := lineResult{stderr: strings.TrimSpace(stderr.String()), took: time.Since(start)}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		result.err = fmt.Errorf("it did not end within %s", runLimit)
	case errors.As(err, &exit):
		result.status = exit.ExitCode()
	case err != nil:
		result.err = err
	}
	return result
}

// capped keeps the start of what is written to it.
type capped struct {
	bytes.Buffer
	limit int
}

func (c *capped) Write(p []byte) (int, error) {
	if room := c.limit - c.Len(); room > 0 {
		c.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

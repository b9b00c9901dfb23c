package mcp

import (
	"context"
	"fmt"

	"turnpost"
)

type waitArgs struct {
	Seconds int `json:"seconds,omitempty" jsonschema:"at most 50, the default"`
	asker
}

// maxWait is in seconds; clients give a tool up after 60.
const maxWait = 50

func wait() tool {
	return define("wait", "Wait for something new, when you cannot go on without it.", reads,
		func(ctx context.Context, hub turnpost.Hub, in waitArgs) (string, error) {
			if in.Seconds < 0 || in.Seconds > maxWait {
				return "", turnpost.Invalidf("seconds", "out of range").WithHint("give 1 to %d; call again to wait longer", maxWait)
			}
			if in.Seconds == 0 {
				in.Seconds = maxWait
			}
			answer, err := hub.Wait(ctx, turnpost.WaitQuery{Seconds: in.Seconds})
			if err != nil {
				return "", err
			}
			return inboxText(answer, fmt.Sprintf("Nothing new within %d s.", in.Seconds)), nil
		})
}

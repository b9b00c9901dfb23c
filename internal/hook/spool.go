package hook

import (
	"os"
	"time"

	"turnpost"
	"turnpost/internal/statedir"
)

// The spool holds what a dead hub has missed. A line goes out in one write of
// at most maxLine bytes, which appends whole lines from many processes.
const (
	maxLine  = 4 << 10
	maxSpool = 1 << 20
)

// spool keeps a lifecycle event for the next hub and leaves an empty line for
// any other, so that it can at least be counted.
func spool(dir statedir.Dir, event turnpost.Event, at time.Time) {
	line := []byte("\n")
	if lifecycle(event.Kind) {
		event.Last = "" // only shown, and long
		event.Failure.Detail = ""
		if data := encodeSpooled(at, event); len(data) < maxLine {
			line = append(data, '\n')
		}
	}
	file, err := os.OpenFile(dir.Spool(), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() && info.Size()+int64(len(line)) <= maxSpool {
		_, _ = file.Write(line)
	}
}

// lifecycle events change what is true of a session for good; the others are
// soon followed by one that says the same.
func lifecycle(kind turnpost.Kind) bool {
	switch kind {
	case turnpost.SessionStart, turnpost.Prompt, turnpost.TurnEnd, turnpost.TurnFailed, turnpost.SessionEnd:
		return true
	}
	return false
}

// Package notify tells the person something outside the page: a desktop
// notification where there is one. It is best effort and never waits; whatever
// it tells is on the page too.
package notify

import (
	"context"
	"os/exec"
	"runtime"
	"time"

	"turnpost"
)

// Desktop notifies by the desktop's own program.
type Desktop struct {
	program string
	queue   chan turnpost.Notice
}

// New returns the outlet of this desktop; without one it does nothing. It ends
// with ctx.
func New(ctx context.Context, getenv func(string) string) *Desktop {
	d := &Desktop{queue: make(chan turnpost.Notice, 16)}
	switch {
	case runtime.GOOS == "darwin":
		d.program, _ = exec.LookPath("osascript")
	case getenv("DISPLAY") != "" || getenv("WAYLAND_DISPLAY") != "":
		d.program, _ = exec.LookPath("notify-send")
	}
	go d.run(ctx)
	return d
}

// Notify queues the notice; when more wait than anybody would read, it is left
// to the page.
func (d *Desktop) Notify(n turnpost.Notice) {
	select {
	case d.queue <- n:
	default:
	}
}

func (d *Desktop) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case n := <-d.queue:
			if d.program == "" {
				continue
			}
			bounded, cancel := context.WithTimeout(ctx, 5*time.Second)
			// A notification that fails is on the page all the same.
			_ = exec.CommandContext(bounded, d.program, Arguments(runtime.GOOS, n)...).Run()
			cancel()
		}
	}
}

// Arguments is the notification's command line. It holds words of ours and
// handles only: no text that an agent, a tool or a model service wrote.
func Arguments(goos string, n turnpost.Notice) []string {
	text := Sentence(n)
	if goos == "darwin" {
		return []string{"-e", `on run argv`, "-e", `display notification (item 1 of argv) with title "Turnpost"`, "-e", `end run`, "--", text}
	}
	return []string{"--app-name=Turnpost", "--urgency=normal", "--", "Turnpost", text}
}

// Sentence says what a notice is about in fixed words.
func Sentence(n turnpost.Notice) string {
	who := n.Handle
	if who == "" {
		who = "A session"
	}
	switch n.Class {
	case "wedge":
		return who + " is wedged and needs you."
	case "undelivered":
		return n.Item + " does not reach " + who + "."
	case "ignored":
		return n.Item + " was shown to " + who + " several times and is still open."
	case "deaf":
		return who + " does not hear its bell."
	case "mail":
		return "There is an urgent item for you: " + n.Item + "."
	case "passed":
		return who + " passed " + n.Item + " to you."
	}
	return "There is something for you on the page."
}

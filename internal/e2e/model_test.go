//go:build unix

package e2e

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"turnpost/internal/realtest"
)

// object is a JSON object.
type object = map[string]any

// frame is a delivery as the model sees it. In a text that wakes, Claude Code
// escapes closing tags; in one that continues a turn, Codex escapes all.
var frame = regexp.MustCompile(`(?s)(?:<|&lt;)turnpost of-[0-9a-z]+(?:>|&gt;)\n(.*?)\n(?:<|&lt;)/turnpost of-`)

// again marks an item in brings that was shown before.
const again = " again"

// brings lists the items that Turnpost told the model of, request by request,
// in one word an item: "" is a request of the client's own.
func brings(requests []realtest.Request) []string {
	out := make([]string, len(requests))
	for i, r := range requests {
		out[i] = strings.Join(itemsIn(r), ", ")
	}
	return out
}

// itemsIn lists the ids of the items that a request brings.
func itemsIn(r realtest.Request) []string {
	var ids []string
	for _, match := range frame.FindAllStringSubmatch(r.Fresh(), -1) {
		for row := range strings.Lines(match[1]) {
			id, rest, _ := strings.Cut(row, " · ")
			if strings.Contains(rest, " · shown before · ") {
				id += again
			}
			ids = append(ids, id)
		}
	}
	return ids
}

// wantRequests holds that the model was asked exactly as often as want is long,
// and told of exactly these items.
func wantRequests(t testing.TB, requests []realtest.Request, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, brings(requests)); diff != "" {
		t.Errorf("what the requests bring (-want +got):\n%s", diff)
	}
}

// meanwhile does something while the model thinks about its answer.
func meanwhile(do func(), step realtest.Step) realtest.Step {
	return realtest.Think(func(realtest.Request) realtest.Step {
		do()
		return step
	})
}

// startLines counts the start lines that the requests bring.
func startLines(requests []realtest.Request) int {
	n := 0
	for _, r := range requests {
		n += strings.Count(r.Fresh(), "Turnpost: you are @")
	}
	return n
}

// bash is a tool call of the client's own.
func bash(command string) realtest.Step {
	return realtest.Call("Bash", object{"command": command, "description": "work"})
}

// tool calls one of Turnpost's tools about the item that has just come.
func tool(name string, input func(id string) object) realtest.Step {
	return realtest.Think(func(r realtest.Request) realtest.Step {
		ids := itemsIn(r)
		if len(ids) == 0 {
			return realtest.Say("no item came")
		}
		id, _ := strings.CutSuffix(ids[0], again)
		return realtest.Call("mcp__turnpost__"+name, input(id))
	})
}

// reply answers the question that has just come.
func reply(text string) realtest.Step {
	return tool("reply", func(id string) object { return object{"id": id, "summary": text} })
}

// ack closes the item that has just come.
func ack() realtest.Step {
	return tool("ack", func(id string) object { return object{"ids": []string{id}} })
}

// client is the real client on this machine; args are for its command line.
func (w *world) client(api *realtest.API, args ...string) realtest.Client {
	return realtest.Client{Program: w.runs, Home: w.home, API: api, Args: args}
}

// tui is a client on a terminal that may run shell commands.
func (w *world) tui(api *realtest.API, args ...string) *realtest.TUI {
	w.t.Helper()
	return w.client(api, append([]string{"--allowedTools", "Bash"}, args...)...).TUI(w.t)
}

// tuiIn is a client in another directory, which may do nothing without asking.
func (w *world) tuiIn(dir string, api *realtest.API) *realtest.TUI {
	w.t.Helper()
	client := w.client(api)
	client.Dir = dir
	return client.TUI(w.t)
}

// turn is one whole turn: a prompt, and its last reply.
func turn(tui *realtest.TUI, prompt, reply string) {
	tui.Type(prompt)
	settle(tui, reply)
}

// settle waits for the last reply of a turn, and until the client is idle and
// shows it.
func settle(tui *realtest.TUI, reply string) {
	tui.WaitScreen(reply)
	tui.WaitIdle()
}

// wantQuiet holds that a terminal shows nothing of hooks and nothing of us but
// what is allowed.
func wantQuiet(t testing.TB, tui *realtest.TUI, allowed ...string) {
	t.Helper()
	screen := tui.Screen()
	for _, text := range allowed {
		screen = strings.ReplaceAll(screen, text, "")
	}
	screen = strings.ToLower(screen)
	for _, word := range []string{"hook", "turnpost", "error", "failed", "settings"} {
		if strings.Contains(screen, word) {
			t.Errorf("%q is on the screen:\n%s", word, tui.Screen())
		}
	}
}

// quantile is the smallest of the durations that so large a part is not above.
func quantile(t testing.TB, of []time.Duration, part float64) time.Duration {
	t.Helper()
	if len(of) == 0 {
		t.Fatal("nothing was measured")
	}
	sorted := slices.Sorted(slices.Values(of))
	return sorted[max(int(math.Ceil(part*float64(len(sorted))))-1, 0)]
}

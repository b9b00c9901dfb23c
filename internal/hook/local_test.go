package hook_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"turnpost"
	"turnpost/internal/harness"
	"turnpost/internal/hook"
)

// memoryHub is a HookHub that answers one thing.
type memoryHub struct {
	answer turnpost.HookAnswer
	err    error
	lost   error
	events []turnpost.Event
	shown  []string
}

func (m *memoryHub) Handle(_ context.Context, e turnpost.Event) (turnpost.HookAnswer, error) {
	m.events = append(m.events, e)
	return m.answer, m.err
}

func (m *memoryHub) Shown(_ context.Context, r turnpost.Receipt) (turnpost.Nothing, error) {
	m.shown = append(m.shown, r.Offer)
	return turnpost.Nothing{}, m.lost
}

func TestLocal(t *testing.T) {
	h, ok := harness.Find("claude-code")
	if !ok {
		t.Fatal("no claude-code")
	}
	env := func(vars map[string]string) harness.Env {
		return harness.Env{
			Getenv:       func(key string) string { return vars[key] },
			BellPath:     func(key string) string { return "/state/bells/" + key },
			ProcessStart: func(int) string { return "x" },
		}
	}
	attended := map[string]string{"CLAUDE_CODE_SESSION_ATTENDED": "1", "AI_AGENT": "claude-code_2-1-332_harness"}
	offer := turnpost.HookAnswer{Offer: "of-1", Decision: turnpost.Decision{Continue: "mail", Watch: []string{"/w"}}}
	broken := errors.New("broken")

	for name, c := range map[string]struct {
		vars  map[string]string
		in    string
		hub   memoryHub
		want  string
		err   error
		code  turnpost.Code
		heard int
		shown []string
	}{
		"status only":     {in: input("Stop"), hub: memoryHub{answer: offer}, heard: 1},
		"answered":        {vars: attended, in: input("Stop"), hub: memoryHub{answer: offer}, want: `{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"mail"}}` + "\n", heard: 1, shown: []string{"of-1"}},
		"never watches":   {vars: attended, in: input("SessionStart"), hub: memoryHub{answer: offer}, heard: 1},
		"ignored":         {in: input("Setup")},
		"not an event":    {in: `{"hook_event_name":"Stop","session_id":"../x"}`, code: turnpost.Invalid},
		"not JSON":        {in: `{"hook_event_name":`, code: turnpost.Invalid},
		"the hub refuses": {in: input("Stop"), hub: memoryHub{err: broken}, err: broken, heard: 1},
		"the hub forgot":  {vars: attended, in: input("Stop"), hub: memoryHub{answer: offer, lost: broken}, err: broken, heard: 1, shown: []string{"of-1"}},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := hook.Local(t.Context(), h, env(c.vars), &c.hub, strings.NewReader(c.in))
			if c.code == "" && !errors.Is(err, c.err) || c.code != "" && turnpost.CodeOf(err) != c.code {
				t.Errorf("error %v", err)
			}
			if string(out.Stdout) != c.want || len(out.Stderr) > 0 || out.Wake {
				t.Errorf("%q %q", out.Stdout, out.Stderr)
			}
			if diff := cmp.Diff(c.shown, c.hub.shown); diff != "" || len(c.hub.events) != c.heard {
				t.Errorf("heard %d, shown %s", len(c.hub.events), diff)
			}
			for _, e := range c.hub.events {
				if e.Accepts.Watch || e.Wake != (turnpost.Wake{}) || e.Place.Root == "" {
					t.Errorf("%+v", e)
				}
			}
		})
	}
}

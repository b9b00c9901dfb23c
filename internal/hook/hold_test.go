package hook_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"turnpost"
	"turnpost/internal/harness"
	"turnpost/internal/hook"
)

// freeingHub takes offers back, as the hub does.
type freeingHub struct {
	memoryHub
	freed []string
}

func (f *freeingHub) Release(offer string) { f.freed = append(f.freed, offer) }

// A harness that sends its events over HTTP waits for an answer that is held
// back, five seconds at most; one that goes meanwhile was told nothing.
func TestLocalHoldsAnswersBack(t *testing.T) {
	h, ok := harness.Find("claude-code")
	if !ok {
		t.Fatal("no claude-code")
	}
	env := harness.Env{
		Getenv:       func(key string) string { return map[string]string{"CLAUDE_CODE_SESSION_ATTENDED": "1"}[key] },
		BellPath:     func(key string) string { return "/state/bells/" + key },
		ProcessStart: func(int) string { return "x" },
	}
	for name, c := range map[string]struct {
		delay  int
		leaves time.Duration // the harness, 0: it stays
		text   string
		want   time.Duration
	}{
		"at once":          {text: "mail"},
		"a while":          {delay: 1500, text: "mail", want: 1500 * time.Millisecond},
		"five seconds":     {delay: 60000, text: "mail", want: 5 * time.Second},
		"less than none":   {delay: -1, text: "mail"},
		"nothing to say":   {delay: 1500},
		"it goes too soon": {delay: 4000, leaves: time.Second, text: "mail", want: time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if c.leaves > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, c.leaves)
					defer cancel()
				}
				hub := &freeingHub{memoryHub: memoryHub{answer: turnpost.HookAnswer{
					Offer: "of-1", Delay: c.delay, Decision: turnpost.Decision{Continue: c.text},
				}}}
				begin := time.Now()
				out, err := hook.Local(ctx, h, env, hub, strings.NewReader(input("Stop")))
				if took := time.Since(begin); took != c.want {
					t.Errorf("took %s, want %s", took, c.want)
				}
				shown, freed := strings.Join(hub.shown, " "), strings.Join(hub.freed, " ")
				switch {
				case c.leaves > 0:
					if !errors.Is(err, context.DeadlineExceeded) || len(out.Stdout) > 0 || shown != "" || freed != "of-1" {
						t.Errorf("%v, %q, shown %q, freed %q", err, out.Stdout, shown, freed)
					}
				case c.text == "":
					if err != nil || len(out.Stdout) > 0 || shown != "" {
						t.Errorf("%v, %q, shown %q", err, out.Stdout, shown)
					}
				case err != nil || !strings.Contains(string(out.Stdout), "mail") || shown != "of-1" || freed != "":
					t.Errorf("%v, %q, shown %q, freed %q", err, out.Stdout, shown, freed)
				}
			})
		})
	}
}

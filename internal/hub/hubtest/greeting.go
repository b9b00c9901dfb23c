package hubtest

import (
	"strings"
	"testing"
	"time"

	"turnpost"
)

// greetingStories are of the start line, which some harnesses cannot carry at a
// start.
func greetingStories() []story {
	told := func(text string) bool { return strings.Contains(text, "Turnpost: you are @") }
	return []story{
		{name: "a session first heard of by a prompt is told who it is with that prompt, once", tell: func(t *testing.T, r *Rig) {
			a := r.Agent("api")
			if text := a.Prompt(); !strings.HasPrefix(text, "Turnpost: you are @api (hook_session ") || strings.Contains(text, "\n") {
				t.Errorf("the first prompt said %q", text)
			}
			q := r.Ask(a.Hub(), "@anna", "the secret is good?")
			if q.Item.Author != "@api" {
				t.Errorf("it speaks as %s", q.Item.Author)
			}
			for _, text := range []string{a.Tool(), a.TurnEnd(), a.Prompt()} {
				if text != "" {
					t.Errorf("then said %q", text)
				}
			}
		}},
		{name: "what waits rides along behind the start line", tell: func(t *testing.T, r *Rig) {
			a, b := r.Agent("api").Idle(), r.Agent("web").Idle()
			a.Send(a.Event(turnpost.SessionEnd))
			r.Post(b.Hub(), turnpost.Draft{To: []string{"@api"}, Summary: "we moved to port 8080"})
			next := r.Agent("api")
			if text := next.Prompt(); !told(text) || !strings.Contains(text, "port 8080") || strings.Contains(text, "by itself") {
				t.Errorf("the first prompt said %q", text)
			}
		}},
		{name: "a start that can carry nothing leaves the line to the prompt", tell: func(t *testing.T, r *Rig) {
			a := r.Agent("api")
			ev := a.Event(turnpost.SessionStart)
			ev.Accepts = turnpost.Accepts{}
			if text := a.Send(ev); text != "" {
				t.Errorf("the start said %q", text)
			}
			a.Tool()
			sub := a.Event(turnpost.Prompt)
			sub.Subagent = "sub-1"
			if text := a.Send(sub); text != "" {
				t.Errorf("the sub-agent was told %q", text)
			}
			dull := a.Event(turnpost.Prompt)
			dull.Accepts = turnpost.Accepts{}
			if text := a.Send(dull); text != "" {
				t.Errorf("a prompt that carries nothing said %q", text)
			}
			if text := a.Prompt() + a.Prompt(); strings.Count(text, "Turnpost: you are @api") != 1 {
				t.Errorf("two prompts said %q", text)
			}
			resumed := a.Event(turnpost.SessionStart)
			resumed.Accepts, resumed.Source = turnpost.Accepts{}, turnpost.SourceResume
			if text := a.Send(resumed) + a.Prompt(); text != "" {
				t.Errorf("resumed, it has the line in its past, but was told %q", text)
			}
		}},
		{name: "after a compaction that no start follows the next prompt tells it again", tell: func(t *testing.T, r *Rig) {
			for name, kinds := range map[string][]turnpost.Kind{
				"before":       {turnpost.CompactBefore},
				"after":        {turnpost.CompactAfter},
				"before,after": {turnpost.CompactBefore, turnpost.CompactAfter},
			} {
				a := r.Agent("api").Idle()
				for range 2 {
					for _, kind := range kinds {
						if text := a.Send(a.Event(kind)); text != "" {
							t.Errorf("%s: %s said %q", name, kind, text)
						}
					}
					machine := a.Event(turnpost.Prompt)
					machine.Machine = true
					if text := a.Send(machine); !strings.HasPrefix(text, "Turnpost: you are "+a.Handle+" ") || strings.Contains(text, "\n") {
						t.Errorf("%s: the prompt said %q", name, text)
					}
					if text := a.TurnEnd() + a.Prompt(); text != "" {
						t.Errorf("%s: then said %q", name, text)
					}
				}
				a.Send(a.Event(turnpost.SessionEnd))
			}
		}},
		{name: "a prompt in the middle of a compaction does not count: its context may be gone", tell: func(t *testing.T, r *Rig) {
			a := r.Agent("api").Idle()
			a.Send(a.Event(turnpost.CompactBefore))
			if text := a.Prompt(); !told(text) {
				t.Errorf("said %q", text)
			}
			a.Send(a.Event(turnpost.CompactAfter))
			if text := a.Prompt(); !told(text) {
				t.Errorf("after it said %q", text)
			}
			if text := a.Prompt(); text != "" {
				t.Errorf("and again %q", text)
			}
		}},
		{name: "a harness that starts anew after a compaction tells it once, whatever the order", tell: func(t *testing.T, r *Rig) {
			for _, order := range [][]turnpost.Kind{
				{turnpost.CompactBefore, turnpost.SessionStart, turnpost.CompactAfter},
				{turnpost.CompactBefore, turnpost.CompactAfter, turnpost.SessionStart},
				{turnpost.CompactAfter, turnpost.SessionStart},
				{turnpost.SessionStart},
			} {
				a := r.Agent("api").Idle()
				for range 3 {
					said := ""
					for _, kind := range order {
						ev := a.Event(kind)
						if kind == turnpost.SessionStart {
							ev.Source = turnpost.SourceCompact
						}
						said += a.Send(ev)
					}
					said += a.Prompt()
					if n := strings.Count(said, "Turnpost: you are @"); n != 1 {
						t.Errorf("%v: told %d times: %q", order, n, said)
					}
				}
				a.Send(a.Event(turnpost.SessionEnd))
			}
		}},
		{name: "a sub-agent's compaction is its own", tell: func(t *testing.T, r *Rig) {
			a := r.Agent("api").Idle()
			ev := a.Event(turnpost.CompactBefore)
			ev.Subagent = "sub-1"
			a.Send(ev)
			if text := a.Prompt(); text != "" {
				t.Errorf("said %q", text)
			}
		}},
		{name: "an unattended session without a handle is told nothing, also later", tell: func(t *testing.T, r *Rig) {
			one := r.Agent("api")
			one.Attended = false
			prompt := one.Event(turnpost.Prompt)
			prompt.Accepts.Context = true
			one.Send(one.Event(turnpost.CompactBefore))
			if text := one.Send(prompt); text != "" {
				t.Errorf("said %q", text)
			}
		}},
		{name: "mail that waits at a late greeting is neither announced nor rung for: the turn end brings it", timed: true, tell: func(t *testing.T, r *Rig) {
			a, b := r.Agent("api").Idle(), r.Agent("web").Idle()
			a.Send(a.Event(turnpost.SessionEnd))
			r.Ask(b.Hub(), "@api", "while you were out")
			next := r.Agent("api")
			r.Bells.Announce(next.Bell())
			if text := next.Prompt(); !told(text) || strings.Contains(text, "wait") {
				t.Errorf("said %q", text)
			}
			pass(5 * time.Second)
			if n := r.Bells.Count(next.Bell()); n != 0 {
				t.Errorf("rang %d times in an open turn", n)
			}
			if text := next.TurnEnd(); !strings.Contains(text, "while you were out") {
				t.Errorf("the turn end said %q", text)
			}
		}},
	}
}

package harness

import "turnpost"

// Profile says what was seen with 0.171.0.
func (codex) Profile() Profile {
	p := Profile{
		Title:      "Codex CLI",
		Proof:      Real,
		Tested:     codexTested.String(),
		Minimum:    codexHooks.String(),
		Delivery:   "turn end, between tools, prompt, start; while idle by its queue",
		Continue:   "Stop: a block with a reason",
		Wake:       "its command queue puts in a prompt, from " + codexQueue.String() + ": at once in its daemon, within 10 s elsewhere",
		Context:    "SessionStart: additionalContext, with the first turn",
		Compaction: "SessionStart comes again (source compact), before the next turn",
		Notes:      "with the first turn after start, resume, /clear and a compaction: SessionStart",
		Commands:   "$turnpost-watch, $turnpost-handoff: skills, for it has no commands of one's own",
		Tools:      "its own command registers turnpost mcp; a call is known by the thread that it names",
		Reload:     "after /clear",
		Limits: []string{
			"hooks that nobody has reviewed do not run, in codex exec without a word",
			"a session is known from its first turn on, not when it opens",
			"after Esc it takes nothing from its queue before the next turn",
			"a ring whose mail was delivered meanwhile shows as blocked by a hook: no model is asked",
			"its daemon runs a session for a minute after its terminal was closed, and would be woken unseen",
			"in its daemon, TURNPOST_AGENT names no session",
			"what drives codex app-server counts as a person; codex exec receives nothing unless TURNPOST_AGENT is set",
			"a failed turn is told from the texts of its errors; with stream_max_retries below 5 some show late, as quiet",
		},
	}
	for _, row := range codexEvents {
		p.Events = append(p.Events, EventProfile{row.name, row.kind, row.carries})
		switch row.kind {
		case turnpost.Prompt:
			bell := turnpost.Event{Kind: turnpost.Bell, Attended: true}
			p.Events = append(p.Events, EventProfile{row.name, bell.Kind, codexAccepts(bell)})
		case turnpost.TurnFailed:
			p.Events = append(p.Events, EventProfile{row.name, turnpost.Retry, turnpost.Accepts{}})
		}
	}
	return p
}

package harness

import "turnpost"

// Profile says what was seen with 2.1.328 and 2.1.332.
func (claudeCode) Profile() Profile {
	p := Profile{
		Title:      "Claude Code",
		Proof:      Real,
		Tested:     standinVersion.String(),
		Minimum:    "1.0.85",
		Delivery:   "turn end, between tools, prompt, start; the bell while idle",
		Continue:   "Stop: additionalContext from " + claudeStopContext.String() + ", before that a block",
		Wake:       "the bell, a file that it watches itself, from " + claudeBell.String(),
		Context:    "SessionStart: additionalContext",
		Compaction: "SessionStart comes again (source compact)",
		Notes:      "start, resume, /clear and after a compaction: SessionStart",
		Commands:   "/turnpost:watch, /turnpost:handoff",
		Tools:      "its own command registers turnpost mcp; a call is known by its process",
		Reload:     "at its next turn end",
		Limits: []string{
			"the text that wakes it does not show in its terminal: the page and turnpost watch have it",
			"claude -p receives nothing unless TURNPOST_AGENT is set",
		},
	}
	for _, row := range claudeEvents {
		e := turnpost.Event{Kind: row.kind, Attended: true}
		p.Events = append(p.Events, EventProfile{row.name, row.kind, claudeAccepts(e, version{})})
	}
	return p
}

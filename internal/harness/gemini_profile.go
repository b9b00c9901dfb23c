package harness

import "turnpost"

// Profile says what was seen with 0.61.0.
func (gemini) Profile() Profile {
	p := Profile{
		Title:      "Gemini CLI",
		Proof:      Real,
		Tested:     geminiTested.String(),
		Minimum:    geminiTested.String(),
		Delivery:   "turn end, after a tool, prompt, start",
		Continue:   "AfterAgent: deny, whose reason is the next prompt",
		Wake:       "keys in its tmux pane, opt-in; there is no way of its own",
		Context:    "SessionStart: additionalContext",
		Compaction: "nothing tells of one; the start line is lost with it",
		Notes:      "start, resume and /clear: SessionStart; not after a compaction, before which nothing is put down either",
		Commands:   "/turnpost:watch, /turnpost:handoff",
		Tools:      "its own command registers turnpost mcp; a call is known by its process",
		Limits: []string{
			"in folders that are not trusted it runs no hooks of the settings: turnpost setup --check says so for this one",
			"a turn that failed looks like one that was cancelled: idle, not wedged",
			"a dialog that is left with Esc goes unheard: the session looks waiting until its next prompt",
			"its terminal calls mail at a turn's end a blocked execution and says that a request failed: none did",
			"mail that comes to a turn which Esc ends after its first words counts as shown: questions and tasks come again after ten minutes",
			"gemini -p receives nothing unless TURNPOST_AGENT is set, gemini --acp nothing at all",
		},
	}
	for _, row := range geminiEvents {
		p.Events = append(p.Events, EventProfile{row.name, row.kind, row.carries})
		for _, kind := range row.others {
			e := turnpost.Event{Kind: kind, Name: row.name, Attended: true}
			p.Events = append(p.Events, EventProfile{row.name, kind, geminiAccepts(e)})
		}
	}
	return p
}

package harness

import "turnpost"

// Profile says what was seen with 0.24.4.
func (qwen) Profile() Profile {
	p := Profile{
		Title:      "Qwen Code",
		Proof:      Real,
		Tested:     qwenTested.String(),
		Minimum:    qwenTested.String(),
		Delivery:   "turn end, after tools, prompt, start; its inbox while idle",
		Continue:   "Stop: a block, whose reason is the next prompt",
		Wake:       "the inbox of the session, by the key that it gives its hooks; else the file of --input-file",
		Context:    "SessionStart: additionalContext",
		Compaction: "SessionStart comes again (source compact); the model hears of it one request later",
		Notes:      "start, resume, /clear and after a compaction: SessionStart",
		Commands:   "/turnpost:watch, /turnpost:handoff",
		Tools:      "its own command registers turnpost mcp; a call is known by its process",
		Limits: []string{
			"agents.crossSessionMessaging false, or crossSessionInbound hold or refuse: no wake",
			"without a terminal a turn that failed goes unheard",
			"qwen -p and qwen PROMPT receive nothing unless TURNPOST_AGENT is set, qwen --acp nothing at all",
			"the model finds our tools through its tool search, by their names",
		},
	}
	for _, row := range qwenEvents {
		p.Events = append(p.Events, EventProfile{row.name, row.kind, row.carries})
		for _, kind := range row.others {
			e := turnpost.Event{Kind: kind, Name: row.name, Attended: true}
			p.Events = append(p.Events, EventProfile{row.name, kind, qwenAccepts(e)})
		}
	}
	return p
}

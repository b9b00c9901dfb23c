package harness

// Channel is Claude Code's research preview, there from 2.1.80 on. It takes such
// texts over an older revision of MCP only (its own program, 2.1.332), from
// servers that a flag of the session names, and only where a switch of its
// maker's is on. It is not known here to work: no account, no switch.
func (claudeCode) Channel() Channel {
	return Channel{Host: "claude-code", Capability: "claude/channel", Method: "notifications/claude/channel"}
}

var _ Channeler = claudeCode{}

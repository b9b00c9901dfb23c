package web

import (
	"strings"
	"time"
)

// sampleSetup is a machine with most of fifteen harnesses, one in each standing,
// in an order that is not the one of the page.
func sampleSetup(now time.Time) *fakeSetup {
	const (
		run       = "'/home/anna/.local/bin/turnpost-hook' claude-code || exit 0"
		contract  = "by its documentation, not run against the program"
		status    = "status only, by its documentation"
		moments   = "turn end, between tools, prompt, start; the bell while idle"
		ourBell   = "the bell, a file that our extension watches; its text is sent as a prompt"
		scripts   = "a script receives nothing unless TURNPOST_AGENT is set"
		claudeMCP = `claude mcp add-json --scope user turnpost '{"type":"stdio","command":"/home/anna/.local/bin/turnpost","args":["mcp"],"alwaysLoad":true}'`
	)
	file := func(do, path string) []Line {
		return []Line{{Do: do, Count: 1, Kind: "file", File: path, What: "428 lines", Why: "a plugin: hears every event, delivers, wakes"}}
	}
	list := []Integration{
		{Name: "cursor", Title: "Cursor", Proof: contract, Mail: "turn end", Detected: true, Limits: []string{"it submits five follow-ups in a row at most"}, Plan: Plan{Hash: "sha256:c0ffee", Lines: []Line{{Do: "add", Count: 6, Kind: "hook", File: "~/.cursor/hooks.json", What: run, Why: "sessionStart, stop"}}}},
		{
			Name: "claude-code", Title: "Claude Code", Version: "2.1.332", Mail: moments, Wake: "the bell, a file that it watches itself, from 2.1.83", Detected: true,
			Limits: []string{"the text that wakes it does not show in its terminal: the page and turnpost watch have it", scripts},
			Plan: Plan{Hash: "sha256:9b1f4c22d07ae611f3", Diff: sampleDiff, Lines: []Line{
				{Do: "add", Count: 15, Kind: "hook", File: "~/.claude/settings.json", What: run, Why: "SessionStart, UserPromptSubmit, PreToolUse, PostToolUse, PostToolUseFailure, PermissionRequest, Notification, Stop, StopFailure, SubagentStart, SubagentStop, PreCompact, PostCompact, SessionEnd, CwdChanged"},
				{Do: "add", Count: 1, Kind: "hook", File: "~/.claude/settings.json", What: "'/home/anna/.local/bin/turnpost-hook' claude-code; test $? -ne 86 || exit 2; exit 0", Why: "FileChanged"},
				{Do: "keep", Count: 1, Kind: "permission", File: "~/.claude/settings.json", What: "allow: mcp__turnpost__*", Why: "its tools need no question"},
			}},
			Steps: []Step{{What: "The tools that agents reply with: register them once, with its own command:", Code: claudeMCP}},
		},
		{
			Name: "codex", Title: "Codex CLI", Version: "0.171.0", Mail: "turn end, between tools, prompt, start; while idle by its queue", Wake: "its command queue puts in a prompt, from 0.150.0: at once in its daemon, within 10 s elsewhere",
			Detected: true, Applied: true, Review: true, CheckedAt: now.Add(-4 * time.Minute),
			Limits:  []string{"hooks that nobody has reviewed do not run, in codex exec without a word", "a session is known from its first turn on, not when it opens", scripts},
			Removal: Plan{Hash: "sha256:77e0aa41c9", Lines: []Line{{Do: "remove", Count: 13, Kind: "hook", File: "~/.codex/hooks.json", What: run, Why: "SessionStart, Stop"}}, Diff: "--- a\n+++ b\n@@ -1,2 +1 @@\n model = \"gpt\"\n-notify = [\"turnpost-hook\"]\n"},
			Steps: []Step{
				{What: "It runs hooks only after a review: start codex in a terminal, and trust them when it says that hooks need review, or later with /hooks. Or let setup record it:", Code: "turnpost setup --harness codex --trust"},
				{What: "The tools that agents reply with: register them once, with its own command:", Code: "codex mcp add turnpost -- '/home/anna/.local/bin/turnpost' mcp"},
			},
			Checks: []Check{
				{Name: "registered", Result: CheckOK, Detail: "13 entries: in ~/.codex/hooks.json"},
				{Name: "runs", Result: CheckOK, Detail: "1 line: in 4 ms"},
				{Name: "trusted", Result: CheckFailed, Detail: "~/.codex/config.toml: all hooks are registered, not trusted: they do not run"},
				{Name: "heard", Result: CheckUnknown, Detail: "the hub has not heard an event yet"},
			},
		},
		{Name: "gemini", Title: "Gemini CLI", Version: "0.61.0", Mail: "turn end, after a tool, prompt, start", Wake: "keys in its tmux pane, opt-in; there is no way of its own", Detected: true, Limits: []string{scripts}, Package: "~/.gemini/extensions/turnpost/gemini-extension.json"},
		{Name: "hermes", Title: "Hermes", Proof: contract, Mail: "prompt; the end of a turn that edited code", Detected: true, Limits: []string{"setup does not edit YAML: the lines are for you to add"}, Steps: []Step{{What: "By hand, in ~/.hermes/config.yaml:", Code: "hooks:\n" + strings.TrimSuffix(strings.Repeat("  stop:\n    - command: x\n", 12), "\n")}}},
		{Name: "opencode", Title: "opencode", Version: "1.18.33", Mail: "turn end, behind a tool's result, prompt; the bell while idle", Wake: "the bell, a file that its plugin watches; from the first prompt on", Detected: true, Limits: []string{"opencode run ends with its turn: nothing keeps it going"}, Plan: Plan{
			Hash: "sha256:0546a2822631f9bf", Lines: file("add", "~/.config/opencode/plugins/turnpost.js"), Diff: "+++ plugins/turnpost.js\n@@ -0,0 +1 @@\n+export default 1\n",
			Warnings: []string{"with any plugin, opencode waits at its start until it has fetched its own package @opencode-ai/plugin into the configuration directory, once; without a network each start takes over a minute"},
		}},
		{Name: "pi", Title: "Pi", Version: "1.6.0", Mail: moments, Wake: ourBell, Detected: true, Limits: []string{scripts}, Plan: Plan{Hash: "sha256:ad8a3d", Lines: file("add", "~/.pi/agent/extensions/turnpost.js")}, Removal: Plan{Hash: "sha256:a84a1b", Lines: file("remove", "~/.pi/agent/extensions/turnpost.js")}},
		{Name: "copilot", Title: "Copilot CLI", Version: "1.0.102", Mail: moments, Wake: ourBell, Detected: true, Applied: true, Limits: []string{scripts}, Removal: Plan{Hash: "sha256:c94bbb772d", Lines: file("remove", "~/.copilot/extensions/turnpost/extension.mjs")}},
		{Name: "qwen", Title: "Qwen Code", Version: "0.24.4", Mail: moments, Wake: "the inbox of the session, by the key that it gives its hooks; else the file of --input-file", Detected: true, Limits: []string{scripts}, Problem: "~/.qwen/settings.json: line 12, column 4: unexpected }", Hint: "mend the file; it is never rewritten while it cannot be read"},
	}
	for _, title := range []string{"Factory Droid", "OpenClaw", "Antigravity"} {
		list = append(list, Integration{Name: strings.ToLower(title), Title: title, Proof: contract, Mail: "turn end", Plan: Plan{Hash: "sha256:none"}})
	}
	for _, title := range []string{"Kiro", "Windsurf", "Amp"} {
		list = append(list, Integration{Name: strings.ToLower(title), Title: title, Proof: status})
	}
	return &fakeSetup{list: list}
}

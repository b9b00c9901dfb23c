package harness

import "turnpost"

var _ Packaged = claudeCode{}

// claudePlugin is the plugin's name with its marketplace's.
const claudePlugin = "turnpost@turnpost"

// Package is a marketplace in the root of the repository with one plugin. Its
// static matchers are not watched (anthropics/claude-code#63148); ours has none,
// and the answers to its hooks name the bell.
func (h claudeCode) Package() []PackageFile {
	const dir = "plugins/claude-code/"
	hooks := packageHooks(h.Install(Target{Scope: "user", Mode: "command", Version: standinVersion.String()}))
	hooks["description"] = packageWhat
	return []PackageFile{
		{Path: ".claude-plugin/marketplace.json", JSON: map[string]any{
			"name": "turnpost", "owner": packageOwner{"Turnpost"}, "metadata": map[string]string{"description": packageWhat},
			"plugins": []any{map[string]string{
				"name": "turnpost", "source": "./plugins/claude-code", "description": packageWhat, "version": packageVersion,
			}},
		}},
		{Path: dir + ".claude-plugin/plugin.json", JSON: map[string]any{
			"name": "turnpost", "version": packageVersion, "description": packageWhat,
			"author": packageOwner{"Turnpost"}, "license": "Apache-2.0",
		}},
		{Path: dir + "hooks/hooks.json", JSON: hooks},
		{Path: dir + ".mcp.json", JSON: map[string]any{"mcpServers": map[string]any{"turnpost": claudeServer{packageServer(), true}}}},
		{Path: dir + "skills/turnpost/SKILL.md", Text: packageSkill()},
		{Path: dir + "commands/watch.md", Text: claudeWatch()},
	}
}

type claudeServer struct {
	mcpServer
	AlwaysLoad bool `json:"alwaysLoad"` // else the tools hide behind a search
}

// claudeWatch is /turnpost:watch.
func claudeWatch() string {
	return `---
description: Wait for Turnpost items and handle them one by one, until you say stop
argument-hint: "[how long, or until what]"
---

Wait for items with the tool ` + "`wait`" + ` of the MCP server turnpost, handle what comes, and wait again: $ARGUMENTS

` + turnpost.ProtocolTrust + ` For each item: a question, ` + turnpost.Protocol(turnpost.Question) + `; a task, ` +
		turnpost.Protocol(turnpost.Task) + `; an answer, ` + turnpost.Protocol(turnpost.Answer) + `; all else, ` + turnpost.Protocol(turnpost.Note) + `.

` + turnpost.ProtocolLimit + `

Nothing new is no reason to stop: wait again, and say nothing. Stop when your user says so, or when what was asked for above has happened.
`
}

// PackageSigns: seen with 2.1.332.
func (claudeCode) PackageSigns(getenv func(string) string) []Entry {
	return []Entry{{
		File: claudeSettings(Target{Home: claudeCode{}.Home(getenv)}), Dialect: "json",
		Pointer: "/enabledPlugins", Key: claudePlugin, Value: true,
	}}
}

func (claudeCode) PackageInstall() string {
	return "claude plugin marketplace add ./ && claude plugin install " + claudePlugin
}

func (claudeCode) PackageRemove() string {
	return "claude plugin uninstall " + claudePlugin + " && claude plugin marketplace remove turnpost"
}

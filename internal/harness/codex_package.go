package harness

import "path/filepath"

var _ Packaged = codex{}

// Package is a marketplace in the root of the repository with one plugin, which
// Codex copies. It asks for a review of its hooks after every change of the
// plugin; those in hooks.json keep theirs.
func (h codex) Package() []PackageFile {
	const dir = "plugins/codex/"
	files := []PackageFile{
		{Path: ".agents/plugins/marketplace.json", JSON: map[string]any{
			"name": "turnpost", "plugins": []any{map[string]any{
				"name": "turnpost", "source": map[string]string{"source": "local", "path": "./plugins/codex"},
			}},
		}},
		{Path: dir + ".codex-plugin/plugin.json", JSON: map[string]any{
			"name": "turnpost", "version": packageVersion, "description": packageWhat,
			"author": packageOwner{"Turnpost"}, "license": "Apache-2.0", "mcpServers": "./.mcp.json", "skills": "./skills/",
		}},
		{Path: dir + "hooks/hooks.json", JSON: packageHooks(h.Install(Target{Scope: "user", Mode: "command", Version: h.Profile().Tested}))},
		{Path: dir + ".mcp.json", JSON: map[string]any{"mcpServers": map[string]any{"turnpost": packageServer()}}},
		{Path: dir + "skills/turnpost/SKILL.md", Text: packageSkill()},
	}
	files = append(files, codexCommands("").files(dir+"skills/")...)
	return append(files, codexPolicy("").files(dir+"skills/")...)
}

func (h codex) PackageSigns(getenv func(string) string) []Entry {
	return []Entry{{
		File: filepath.Join(h.Home(getenv), "config.toml"), Dialect: "toml",
		Pointer: "/plugins", Key: "turnpost@turnpost", Value: map[string]bool{"enabled": true},
	}}
}

func (codex) PackageInstall() string {
	return "codex plugin marketplace add . && codex plugin add turnpost@turnpost"
}

func (codex) PackageRemove() string {
	return "codex plugin remove turnpost@turnpost && codex plugin marketplace remove turnpost"
}

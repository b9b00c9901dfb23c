package harness

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
	return append([]PackageFile{
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
	}, claudeCommands().files(dir+"commands/")...)
}

type claudeServer struct {
	mcpServer
	AlwaysLoad bool `json:"alwaysLoad"` // else the tools hide behind a search
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

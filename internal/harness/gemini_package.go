package harness

import "path/filepath"

var _ Packaged = gemini{}

// Package is an extension. Its hooks run in untrusted folders too, where those
// of settings do not.
func (h gemini) Package() []PackageFile {
	const dir = "plugins/gemini/"
	return append([]PackageFile{
		{Path: dir + "gemini-extension.json", JSON: map[string]any{
			"name": "turnpost", "version": packageVersion, "description": packageWhat,
			"mcpServers": map[string]any{"turnpost": packageServer()},
		}},
		{Path: dir + "hooks/hooks.json", JSON: packageHooks(h.Install(Target{Scope: "user", Mode: "command", Version: h.Profile().Tested}))},
	}, geminiCommands().files(dir+"commands/turnpost/")...)
}

func (h gemini) PackageSigns(getenv func(string) string) []Entry {
	return []Entry{{File: filepath.Join(h.Home(getenv), "extensions", "turnpost", "gemini-extension.json"), Dialect: "file"}}
}

func (gemini) PackageInstall() string { return "gemini extensions install ./plugins/gemini" }

func (gemini) PackageRemove() string { return "gemini extensions uninstall turnpost" }

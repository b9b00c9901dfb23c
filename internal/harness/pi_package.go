package harness

var _ Packaged = pi{}

// Package is a directory that pi install takes as it is.
func (h pi) Package() []PackageFile {
	const dir = "plugins/pi/"
	return append([]PackageFile{
		{Path: dir + "package.json", JSON: map[string]any{
			"name": "turnpost-pi", "version": packageVersion, "description": packageWhat, "license": "Apache-2.0",
			"type": "module", "keywords": []string{"pi-package"},
			"pi": map[string]any{"extensions": []string{"./turnpost.js"}, "skills": []string{"./skills"}, "prompts": []string{"./prompts"}},
		}},
		{Path: dir + "turnpost.js", Text: packagePlugin(h.Name(), piExtension)},
		{Path: dir + "skills/turnpost/SKILL.md", Text: packageSkill()},
	}, piCommands().files(dir+"prompts/")...)
}

// PackageSigns has none: the settings name the directory wherever it lies.
func (pi) PackageSigns(func(string) string) []Entry { return nil }

func (pi) PackageInstall() string { return "pi install ./plugins/pi" }

func (pi) PackageRemove() string { return "pi remove ./plugins/pi" }

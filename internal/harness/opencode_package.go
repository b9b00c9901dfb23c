package harness

var _ Packaged = opencode{}

// Package is a package for the list plugin of opencode.json, which takes a name
// or, as here, a file.
func (h opencode) Package() []PackageFile {
	const dir = "plugins/opencode/"
	return []PackageFile{
		{Path: dir + "package.json", JSON: map[string]any{
			"name": "turnpost-opencode", "version": packageVersion, "description": packageWhat, "license": "Apache-2.0",
			"type": "module", "main": "./turnpost.js", "files": []string{"turnpost.js"},
		}},
		{Path: dir + "turnpost.js", Text: packagePlugin(h.Name(), opencodeOwn())},
	}
}

// PackageSigns has none: the list names the file wherever it lies. Of two
// instances of the plugin one works.
func (opencode) PackageSigns(func(string) string) []Entry { return nil }

func (opencode) PackageInstall() string {
	return `opencode plugin "file://$PWD/plugins/opencode" --global`
}

func (opencode) PackageRemove() string { return "" }

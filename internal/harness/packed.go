package harness

import "path/filepath"

// Packed is a harness that is a script of an npm package. Its version is read
// there: asked for it, Gemini CLI 0.61.0 starts twice, takes four seconds and
// leaves files in the directory of its settings.
type Packed interface {
	// PackageOf is the package.json of a program, whose path has no links any
	// more, and the name of the package.
	PackageOf(program string) (file, name string)
}

var _ Packed = gemini{}

// PackageOf: the script is in a directory of the package.
func (gemini) PackageOf(program string) (file, name string) {
	return filepath.Join(filepath.Dir(filepath.Dir(program)), "package.json"), "@google/gemini-cli"
}

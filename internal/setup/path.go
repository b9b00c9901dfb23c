package setup

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"turnpost"
)

// versioned matches a path element that an upgrade changes: "1.2.3", "v1.2",
// "turnpost-1.2.3", "turnpost@1.2", or the hash of a Nix store path.
var versioned = regexp.MustCompile(`^v?\d+(\.\d+)+([-+_].*)?$|[-_@]v?\d+(\.\d+)+([-+_].*)?$|^[0-9a-df-np-sv-z]{32}-`)

// StablePath chooses what to write into other programs' settings for the
// program exe, an absolute path: a path that survives upgrades. Where exe lies
// in a versioned directory it is the link on PATH that leads to exe, such as
// that of Homebrew; without one exe itself, with a warning. It is never a path
// under a temporary directory or in Go's build cache: that is an error.
func StablePath(exe string, getenv func(string) string) (path, warning string, err error) {
	if !filepath.IsAbs(exe) {
		return "", "", turnpost.Invalidf("program", "%q is not an absolute path", exe)
	}
	exe = filepath.Clean(exe)
	real, err := filepath.EvalSymlinks(exe)
	if err != nil {
		return "", "", fmt.Errorf("resolve program: %w", err)
	}
	if temporary(real, getenv) {
		return "", "", turnpost.Invalidf("program", "%s is temporary: it will be gone when the settings still name it", exe).
			WithHint("install it first: make up")
	}
	passing := func(path string) bool { return isVersioned(path) || temporary(path, getenv) }
	if !passing(exe) {
		return exe, "", nil
	}
	for _, dir := range filepath.SplitList(getenv("PATH")) {
		link := filepath.Join(dir, filepath.Base(exe))
		if !filepath.IsAbs(dir) || passing(link) {
			continue
		}
		if target, err := filepath.EvalSymlinks(link); err == nil && target == real {
			return link, "", nil
		}
	}
	if !passing(real) {
		return real, "", nil
	}
	return real, fmt.Sprintf("%s has a version in its path: after an upgrade run setup again, or put a link to it on PATH", real), nil
}

func isVersioned(path string) bool {
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(path), "/"), versioned.MatchString)
}

// temporary tells of a path that something cleans away. A home inside a
// temporary directory, as tests have it, is not temporary for what is in it.
func temporary(path string, getenv func(string) string) bool {
	for _, element := range strings.Split(filepath.ToSlash(path), "/") {
		if rest, ok := strings.CutPrefix(element, "go-build"); ok && strings.Trim(rest, "0123456789") == "" {
			return true
		}
	}
	if home := getenv("HOME"); filepath.IsAbs(home) && home != "/" && under(path, home) {
		return false
	}
	for _, dir := range []string{getenv("TMPDIR"), getenv("TEMP"), getenv("TMP"), "/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/var/folders", "/private/var/folders"} {
		if filepath.IsAbs(dir) && under(path, dir) {
			return true
		}
	}
	return false
}

// under tells whether path is below dir, also when links lead there.
func under(path, dir string) bool {
	below := func(path, dir string) bool {
		return strings.HasPrefix(path, strings.TrimSuffix(filepath.Clean(dir), "/")+"/")
	}
	if below(path, dir) {
		return true
	}
	real, err := filepath.EvalSymlinks(dir)
	return err == nil && below(path, real)
}

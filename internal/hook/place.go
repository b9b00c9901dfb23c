package hook

import (
	"os"
	"path/filepath"
	"strings"

	"turnpost"
)

// findPlace says in which repository and work tree a directory lies, with a few
// looks at the file system and without git. Links are resolved, so that one
// place has one name.
func findPlace(cwd string) turnpost.Place {
	if cwd == "" {
		return turnpost.Place{}
	}
	start, err := filepath.EvalSymlinks(cwd)
	if err != nil {
		start = filepath.Clean(cwd)
	}
	for root := start; ; root = filepath.Dir(root) {
		git := filepath.Join(root, ".git")
		if info, err := os.Lstat(git); err == nil {
			place := turnpost.Place{Root: root, Main: root}
			if info.Mode().IsRegular() {
				if main, name, ok := linkedWorktree(root, git); ok {
					place.Main, place.Worktree = main, name
				}
			}
			return place
		}
		if root == filepath.Dir(root) {
			return turnpost.Place{Root: start, Main: start}
		}
	}
}

// linkedWorktree follows the .git file of a work tree that `git worktree add`
// made to the main one (gitrepository-layout(5)). The link must be mutual: a
// .git file that only claims to belong to another repository, as one out of an
// unpacked archive, would take that repository's name.
func linkedWorktree(root, git string) (main, name string, ok bool) {
	target, ok := strings.CutPrefix(firstLine(git), "gitdir: ")
	if !ok {
		return "", "", false
	}
	dir := resolve(root, target) // MAIN/.git/worktrees/NAME
	if filepath.Base(filepath.Dir(dir)) != "worktrees" {
		return "", "", false // a submodule
	}
	back := firstLine(filepath.Join(dir, "gitdir"))
	if back == "" || filepath.Dir(resolve(dir, back)) != root {
		return "", "", false
	}
	common := filepath.Dir(filepath.Dir(dir))
	if filepath.Base(common) == ".git" {
		common = filepath.Dir(common)
	}
	return common, filepath.Base(dir), true // of a bare repository: the repository
}

// resolve makes a path that is relative to dir absolute and free of links. The
// last element may be missing.
func resolve(dir, path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}

// firstLine returns the first line of a small file, "" when there is none.
func firstLine(path string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	buf := make([]byte, 4096)
	n, _ := file.Read(buf) // what there is counts
	line, _, _ := strings.Cut(string(buf[:n]), "\n")
	return strings.TrimSuffix(line, "\r")
}

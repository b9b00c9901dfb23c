package turnpost_test

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"testing"
)

// TestReadme holds the length that people read, and that it has what a stranger
// looks for.
func TestReadme(t *testing.T) {
	text := string(read(t, "README.md"))
	if words := len(strings.Fields(text)); words < 600 || words > 900 {
		t.Errorf("README.md has %d words, not 600 to 900", words)
	}
	for _, want := range []string{
		"\n## What it does\n", "\n## What it adds to Claude Code's own session messages\n", "\n## Install\n",
		"\n## The first ten minutes\n", "\n## What it changes on your machine\n",
		"make up", "turnpost demo", "turnpost setup --apply", "turnpost uninstall --purge",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("README.md lacks %q", want)
		}
	}
}

// TestRepository holds that what people and programs look for is there.
func TestRepository(t *testing.T) {
	for file, want := range map[string]string{
		"LICENSE":                  "Apache License",
		"SECURITY.md":              "Report a vulnerability",
		"CHANGELOG.md":             "## Unreleased",
		"CONTRIBUTING.md":          "make test",
		"AGENTS.md":                "DESIGN.md",
		"DESIGN.md":                "## Where a new thing goes",
		"docs/README.md":           "decisions",
		".ci/run":                  "make",
		".github/workflows/ci.yml": ".ci/run",
	} {
		if !strings.Contains(string(read(t, file)), want) {
			t.Errorf("%s does not speak of %q", file, want)
		}
	}
	license := string(read(t, "LICENSE"))
	for _, want := range []string{"Version 2.0, January 2004", "END OF TERMS AND CONDITIONS", "9. Accepting Warranty or Additional Liability"} {
		if !strings.Contains(license, want) {
			t.Errorf("LICENSE is not whole: it lacks %q", want)
		}
	}
}

// TestDecisions holds that the decisions are numbered without a gap, listed,
// and of one form.
func TestDecisions(t *testing.T) {
	index := string(read(t, "docs/decisions/README.md"))
	count := 0
	for _, file := range sources(t) {
		name, ok := strings.CutPrefix(file, "docs/decisions/")
		if !ok || name == "README.md" {
			continue
		}
		count++
		number := fmt.Sprintf("%04d", count)
		text := string(read(t, file))
		if !strings.HasPrefix(name, number+"-") || !strings.HasPrefix(text, "# "+number+": ") {
			t.Errorf("%s: this is number %s", file, number)
		}
		if !strings.Contains(index, "["+number+"]("+name+")") {
			t.Errorf("%s is not in docs/decisions/README.md", file)
		}
		for _, part := range []string{"**Status:** ", "\n## Goal\n", "\n## Decision\n", "\n## Why not the others\n", "\n## Risks\n"} {
			if !strings.Contains(text, part) {
				t.Errorf("%s lacks %q", file, strings.TrimSpace(part))
			}
		}
	}
	if count < 7 {
		t.Errorf("there are %d decisions", count)
	}
}

// TestLinks holds that links between our own texts lead somewhere.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	known := map[string]bool{}
	for _, file := range sources(t) {
		for ; file != "."; file = path.Dir(file) {
			known[file] = true
		}
	}
	checked := 0
	for _, file := range sources(t) {
		if !strings.HasSuffix(file, ".md") || strings.Contains(file, "/testdata/") {
			continue
		}
		for _, found := range link.FindAllStringSubmatch(string(read(t, file)), -1) {
			target, fragment, _ := strings.Cut(found[1], "#")
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			checked++
			where := file
			if target != "" {
				where = path.Join(path.Dir(file), target)
			}
			if !known[where] {
				t.Errorf("%s links to %s, which is not there", file, found[1])
				continue
			}
			if fragment != "" && !headings(string(read(t, where)))[fragment] {
				t.Errorf("%s links to %s: no such heading", file, found[1])
			}
		}
	}
	if checked < 20 {
		t.Errorf("found only %d links", checked)
	}
}

// headings returns the anchors that Markdown headings get on a forge.
func headings(text string) map[string]bool {
	anchors := map[string]bool{}
	for _, found := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(text, -1) {
		anchor := strings.Map(func(r rune) rune {
			switch {
			case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_':
				return r
			case r == ' ':
				return '-'
			}
			return -1
		}, strings.ToLower(found[1]))
		anchors[anchor] = true
	}
	return anchors
}

// TestNothingOfOneMachine holds that no file names the paths of a developer's
// machine or the hosts of package registries, which are the reader's choice.
func TestNothingOfOneMachine(t *testing.T) {
	// In two halves, or this file would be the first finding.
	var banned []string
	for _, halves := range [][2]string{
		{"registry.", "npmjs.org"},
		{"proxy.", "golang.org"},
		{"pypi", ".org"},
		{"deb.", "debian.org"},
		{"/ro", "ot/"},
		{"/work", "/main"},
		{"/work", "/shared"},
		{"/tmp/", "turnpost/"},
		{"~/.cache/", "go-build"},
	} {
		banned = append(banned, halves[0]+halves[1])
	}
	for _, file := range sources(t) {
		text := string(read(t, file))
		for _, word := range banned {
			if i := strings.Index(text, word); i >= 0 {
				t.Errorf("%s:%d names %s", file, 1+strings.Count(text[:i], "\n"), word)
			}
		}
	}
}

// TestLeftovers holds that nothing is left to be done in a comment.
func TestLeftovers(t *testing.T) {
	leftover := regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X)\b`)
	for _, file := range sources(t) {
		if strings.HasSuffix(file, ".min.js") || strings.Contains(file, "/testdata/") {
			continue
		}
		if at := leftover.FindIndex(read(t, file)); at != nil {
			t.Errorf("%s:%d: a leftover", file, 1+strings.Count(string(read(t, file)[:at[0]]), "\n"))
		}
	}
}

package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"turnpost/internal/setup"
)

// limitColumn is where limits begin, below the checks.
const limitColumn = len("  warning  ")

// sayCheck prints what was found of one harness, and its limits.
func (a *app) sayCheck(p *printer, r checkReport) {
	p.line("%s", p.named(r.Name, r.Version, r.Proof))
	a.sayFindings(p, "  ", r.Findings)
	for _, limit := range r.Limits {
		mark := "know"
		for _, part := range p.wrap(limit, limitColumn) {
			p.line("  %s%s", p.pad(p.paint(dim, mark), limitColumn-2), p.paint(dim, part))
			mark = ""
		}
	}
}

// sayFindings prints the results of checks, those that belong together as one.
func (a *app) sayFindings(p *printer, indent string, findings []setup.Finding) {
	t := table{whole: true}
	for _, g := range groupFindings(findings) {
		t.row(p.pad(p.verdict(g.State), limitColumn-4), g.Check, a.shortPaths(g.text()))
		if g.Hint != "" && g.State != setup.OK {
			t.note("→ " + g.Hint)
		}
	}
	p.table(indent, t)
}

// shortPaths writes the user's home as ~ where a path begins a word. A path in
// quotes is part of a command, and stays.
func (a *app) shortPaths(text string) string {
	words := strings.Split(text, " ")
	for i, word := range words {
		words[i] = a.tilde(word)
	}
	return strings.Join(words, " ")
}

func (p *printer) verdict(s setup.State) styled {
	switch s {
	case setup.OK:
		return p.paint(good, "ok")
	case setup.Failed:
		return p.paint(bad, "failed")
	case setup.Warning:
		return p.paint(warn, "warning")
	}
	return p.paint(dim, "unknown")
}

// failures counts failed checks as they are printed.
func failures(findings []setup.Finding) int {
	n := 0
	for _, g := range groupFindings(findings) {
		if g.State == setup.Failed {
			n++
		}
	}
	return n
}

// findingGroup is results that a person reads as one.
type findingGroup struct {
	setup.Finding // the first of them
	count         int
	whats         []string // of all, none twice
	details       []string // likewise
}

// groupFindings puts together what went well in one check, and entries of which
// the same is wrong. All else stays by itself.
func groupFindings(findings []setup.Finding) []*findingGroup {
	var out []*findingGroup
	for i, f := range findings {
		at := slices.IndexFunc(out, func(g *findingGroup) bool {
			same := g.Check == f.Check && g.State == f.State
			if f.State == setup.OK {
				return same
			}
			return same && f.Check == setup.CheckRegistered && g.Detail == f.Detail && g.Hint == f.Hint
		})
		if at < 0 {
			at = len(out)
			out = append(out, &findingGroup{Finding: findings[i]})
		}
		out[at].add(f)
	}
	return out
}

func (g *findingGroup) add(f setup.Finding) {
	g.count++
	if f.What != "" && !slices.Contains(g.whats, f.What) {
		g.whats = append(g.whats, f.What)
	}
	if f.Detail != "" && !slices.Contains(g.details, f.Detail) {
		g.details = append(g.details, f.Detail)
	}
}

// text says what was found of all of them. Of paths there are few, and they are
// short; of entries and lines that are well, how many is enough.
func (g *findingGroup) text() string {
	paths := !slices.ContainsFunc(g.whats, func(what string) bool { return !filepath.IsAbs(what) })
	what := strings.Join(g.whats, ", ")
	switch {
	case paths:
	case g.State == setup.OK && g.Check == setup.CheckRuns:
		what = plural(g.count, "line")
	case g.count == 1:
	case g.Check == setup.CheckRegistered:
		what = fmt.Sprintf("%d entries", g.count)
	default:
		what = plural(g.count, "line")
	}
	return joinText(what, strings.Join(g.details, ", "))
}

func joinText(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + ": " + b
}

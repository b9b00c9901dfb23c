// Command harnessdocs prints docs/harnesses.md: what each harness can, as its
// adapter says it. What stands between the marks of the matrix is taken over
// from the file as it is: the tests with the real programs write that.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"turnpost"
	"turnpost/internal/harness"
)

// file is where the page is, from the root of the repository.
const file = "docs/harnesses.md"

func main() {
	old, err := os.ReadFile(file)
	if err != nil {
		fmt.Fprintln(os.Stderr, "harnessdocs: error: read the page:", err)
		os.Exit(1)
	}
	fmt.Print(page(old))
}

const intro = `# Harnesses

Generated from the adapters in ` + "`internal/harness`" + ` by ` + "`make gen`" + `.

How far what is said here was proved:

- *real program*: the tests run the program itself, in the version given.
- *by its documentation*: not run against the real program. The adapter follows what is published; where that is doubtful it promises nothing.
- *status only*: as before, and the harness only reports what its sessions do. Nothing is delivered.

When mail reaches an agent:

`

// page writes the whole page. It panics on nothing and needs nothing of old but
// the matrix.
func page(old []byte) string {
	var b strings.Builder
	b.WriteString(intro)
	overview(&b)
	b.WriteString("\nMail waits for the next of these moments, and its sender is told which that is.\n")
	b.WriteString("\n## Tests with the real programs\n\n")
	b.WriteString(matrix(old))
	for _, h := range harness.All() {
		section(&b, h)
	}
	return b.String()
}

// matrix is the part of the page that is not ours, with its marks.
func matrix(old []byte) string {
	const start, end = "<!-- matrix -->", "<!-- /matrix -->"
	_, rest, found := bytes.Cut(old, []byte(start))
	inside, _, closed := bytes.Cut(rest, []byte(end))
	if !found || !closed {
		inside = []byte("\n")
	}
	return start + string(inside) + end + "\n"
}

// moments are when an agent can be told something.
func moments() []struct{ title, mark string } {
	return []struct{ title, mark string }{
		{"start", "session.start"}, {"prompt", "prompt"}, {"between tools", "tool.after"}, {"turn end", "turn.end"}, {"idle", ""},
	}
}

func overview(b *strings.Builder) {
	b.WriteString("| harness | proof | version, or source | first version |")
	line := "|---|---|---|---|"
	for _, m := range moments() {
		b.WriteString(" " + m.title + " |")
		line += "---|"
	}
	b.WriteString("\n" + line + "\n")
	for _, h := range harness.All() {
		p := h.Profile()
		fmt.Fprintf(b, "| [%s](#%s) | %s | %s | %s |", p.Title, anchor(p.Title), proof(p.Proof), cell(p.Tested), cell(p.Minimum))
		for _, m := range moments() {
			told := p.Wake != ""
			if m.mark != "" {
				told = slices.ContainsFunc(p.Events, func(e harness.EventProfile) bool {
					return string(e.Kind) == m.mark && (e.Carries.Context || e.Carries.Continue)
				})
			}
			mark := ""
			if told {
				mark = "yes"
			}
			fmt.Fprintf(b, " %s |", mark)
		}
		b.WriteString("\n")
	}
}

func proof(p harness.Proof) string {
	switch p {
	case harness.Real:
		return "real program"
	case harness.Contract:
		return "by its documentation"
	case harness.Status:
		return "status only"
	}
	return string(p)
}

func section(b *strings.Builder, h harness.Harness) {
	p := h.Profile()
	fmt.Fprintf(b, "\n## %s\n\n`turnpost setup --harness %s`", p.Title, h.Name())
	switch p.Proof {
	case harness.Contract:
		b.WriteString(" · not run against the real program")
	case harness.Status:
		b.WriteString(" · status only, not run against the real program")
	}
	b.WriteString("\n\n")
	for _, row := range [][2]string{
		{"Delivery", p.Delivery},
		{"Continuation", p.Continue},
		{"Waking", p.Wake},
		{"Start line", p.Context},
		{"Compaction", p.Compaction},
		{"Notes", p.Notes},
		{"Tools", p.Tools},
		{"Commands", p.Commands},
		{"Tokens", tokens(p)},
		{"Open sessions", "hear of setup " + p.Open()},
	} {
		if row[1] != "" {
			fmt.Fprintf(b, "- %s: %s\n", row[0], row[1])
		}
	}
	if p.Delivery != "" {
		b.WriteString("\n")
	}
	b.WriteString("| its event | is | the answer can carry |\n|---|---|---|\n")
	for _, e := range p.Events {
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", e.Name, e.Kind, carries(e.Carries))
	}
	if len(p.Limits) > 0 {
		b.WriteString("\nGood to know:\n\n")
		for _, limit := range p.Limits {
			b.WriteString("- " + limit + "\n")
		}
	}
	byHand(b, h)
}

// tokens says what counts for the budget of a run, of harnesses that can have one.
func tokens(p harness.Profile) string {
	if p.Tokens == "" && p.Continue != "" {
		return "it does not say what a turn took: a run's budget of tokens has nothing to count"
	}
	return p.Tokens
}

func carries(a turnpost.Accepts) string {
	var words []string
	goes := "text that keeps it going"
	if a.Row > 0 {
		goes += fmt.Sprintf(", %d times in a row", a.Row)
	}
	for _, one := range []struct {
		set  bool
		word string
	}{
		{a.Context, "text"}, {a.Continue, goes}, {a.Deny, "a refusal"}, {a.Watch, "the bell to watch"},
	} {
		if one.set {
			words = append(words, one.word)
		}
	}
	return strings.Join(words, ", ")
}

// byHand shows what setup leaves to a person, for one whose home is home.
func byHand(b *strings.Builder, h harness.Harness) {
	const home = "/home/you"
	hand, ok := h.(harness.ByHand)
	program, found := h.(harness.Program)
	if !ok || !found {
		return
	}
	bin := filepath.ToSlash(filepath.Join(home, ".local", "bin"))
	into, text := hand.ByHand(harness.Target{
		Home:  program.Home(func(name string) string { return map[string]string{"HOME": home}[name] }),
		Scope: "user", Mode: "command", Hook: bin + "/turnpost-hook", Program: bin + "/turnpost",
	})
	switch {
	case text == "":
		return
	case into == "":
		b.WriteString("\nWhat setup leaves to you:\n\n```sh\n")
	default:
		fmt.Fprintf(b, "\nWhat setup leaves to you, in `%s`:\n\n```\n", strings.Replace(filepath.ToSlash(into), home, "~", 1))
	}
	b.WriteString(strings.TrimSuffix(text, "\n") + "\n```\n")
}

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// anchor is what a forge makes of a heading.
func anchor(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-':
			return r
		case r == ' ':
			return '-'
		}
		return -1
	}, strings.ToLower(title))
}

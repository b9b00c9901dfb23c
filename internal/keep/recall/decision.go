package recall

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"turnpost"
)

// Decision is one file of decisions/.
type Decision struct {
	turnpost.NotedDecision
	Place string // root of the place that it is about, "" when that is not known
}

// why is the heading that parts a decision from its reason.
const why = "## Why"

// Markdown is the file of a decision.
func (d Decision) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "---\nat: %s\nauthor: %s\nplace: %s\n---\n\n%s\n",
		d.At.UTC().Format(time.RFC3339), d.Author, quoteOdd(d.Place), part(d.Text))
	if d.Why != "" {
		fmt.Fprintf(&b, "\n%s\n\n%s\n", why, part(d.Why))
	}
	return b.String()
}

// part keeps our heading out of a part of the file.
func part(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		if strings.TrimSpace(line) == why {
			lines[i] = "#" + strings.TrimSpace(line)
		}
	}
	return strings.Join(lines, "\n")
}

// quoteOdd keeps a path on its line.
func quoteOdd(path string) string {
	if q := strconv.Quote(path); q != `"`+path+`"` {
		return q
	}
	return path
}

// parse reads the file of a decision. One that a person wrote without our
// header is all text.
func parse(text string) Decision {
	var d Decision
	if header, body, ok := strings.Cut(strings.TrimPrefix(text, "---\n"), "\n---\n"); ok && strings.HasPrefix(text, "---\n") {
		text = body
		for line := range strings.SplitSeq(header, "\n") {
			key, value, _ := strings.Cut(line, ": ")
			switch key {
			case "at":
				d.At, _ = time.Parse(time.RFC3339, value) // zero where somebody changed it
			case "author":
				d.Author = value
			case "place":
				d.Place = value
				if unquoted, err := strconv.Unquote(value); err == nil {
					d.Place = unquoted
				}
			}
		}
	}
	d.Text = strings.TrimSpace(text)
	if before, after, ok := strings.Cut(text, "\n"+why+"\n"); ok {
		d.Text, d.Why = strings.TrimSpace(before), strings.TrimSpace(after)
	}
	return d
}

// Decisions lists the newest decisions in a folder and counts the others. What
// is no plain text file is none.
func Decisions(folder string, limit int) (list []Decision, more int, err error) {
	dir := filepath.Join(folder, DecisionsDir)
	if info, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	} else if err != nil {
		return nil, 0, fmt.Errorf("look at decisions: %w", err)
	} else if !info.IsDir() || !ours(info) {
		return nil, 0, fmt.Errorf("list decisions: %s: %w", dir, ErrDoubt)
	}
	entries, err := os.ReadDir(dir) // by name, which starts with the time
	if err != nil {
		return nil, 0, fmt.Errorf("list decisions: %w", err)
	}
	for i := len(entries) - 1; i >= 0; i-- {
		name := entries[i].Name()
		if strings.HasPrefix(name, ".") || !strings.HasSuffix(name, ".md") || !entries[i].Type().IsRegular() {
			continue
		}
		if len(list) == limit {
			more++
			continue
		}
		data, info, err := ReadFile(filepath.Join(dir, name), 4*turnpost.MaxNoteDecision)
		if err != nil {
			continue // taken away meanwhile, or not ours
		}
		d := parse(strings.ToValidUTF8(string(data), "\uFFFD"))
		d.File = name
		if d.At.IsZero() {
			d.At = info.ModTime().UTC()
		}
		list = append(list, d)
	}
	return list, more, nil
}

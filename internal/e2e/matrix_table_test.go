//go:build unix

package e2e

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"turnpost/internal/realtest"
)

var update = flag.Bool("update", false, "rewrite the table in docs/harnesses.md")

// The table stands between these lines.
const (
	tableStart = "<!-- matrix -->"
	tableEnd   = "<!-- /matrix -->"
)

var tableFile = filepath.Join("..", "..", "docs", "harnesses.md")

// table is what came out, row by row.
type table struct {
	rows    []row
	results map[string]map[string]string // by row and case
}

func newTable() *table {
	return &table{rows: rows(), results: map[string]map[string]string{}}
}

// row is where the results of a harness go.
func (t *table) row(r row) map[string]string {
	t.results[r.title()] = map[string]string{}
	return t.results[r.title()]
}

func (t *table) String() string { return strings.Join(t.lines(nil), "\n") }

// lines is the table in Markdown. A row that was not run now is as it was.
func (t *table) lines(old []string) []string {
	head := append([]string{"harness", "version"}, cases()...)
	lines := []string{tableLine(head...), strings.Repeat("|---", len(head)) + "|"}
	for _, r := range t.rows {
		cells := []string{r.title(), realtest.Version(r.program)}
		if results, ran := t.results[r.title()]; ran {
			for _, name := range cases() {
				cells = append(cells, results[name])
			}
			lines = append(lines, tableLine(cells...))
			continue
		}
		for _, line := range old {
			if strings.HasPrefix(line, tableLine(r.title())) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

func tableLine(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |" }

// compare holds the table against the one in the documentation, or writes it
// there.
func (t *table) compare(test *testing.T) {
	test.Helper()
	raw, err := os.ReadFile(tableFile)
	if err != nil {
		test.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(raw), tableStart+"\n")
	old, after, ended := strings.Cut(rest, tableEnd)
	if !ok || !ended {
		test.Fatalf("%s has no place for the table", tableFile)
	}
	oldLines := strings.Split(strings.TrimSpace(old), "\n")
	lines := t.lines(oldLines)
	if !*update {
		if diff := cmp.Diff(oldLines, lines); diff != "" {
			test.Errorf("%s is not what came out; -update writes it (-there +now):\n%s", tableFile, diff)
		}
		return
	}
	text := before + tableStart + "\n" + strings.Join(lines, "\n") + "\n" + tableEnd + after
	if err := os.WriteFile(tableFile, []byte(text), 0o644); err != nil {
		test.Fatal(err)
	}
}

package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"turnpost/internal/harness"
)

var update = flag.Bool("update", false, "write the page")

// The page is what the adapters say now.
func TestPageIsFresh(t *testing.T) {
	path := filepath.Join("..", "..", filepath.FromSlash(file))
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got := page(old)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(old), got); diff != "" {
		t.Errorf("make gen writes another page (-file +now):\n%s", diff)
	}
}

// What the tests with the real programs wrote stays as it is.
func TestMatrixStays(t *testing.T) {
	const table = "<!-- matrix -->\n| a | b |\n<!-- /matrix -->\n"
	got := page([]byte("# Old\n\n" + table + "\nrest\n"))
	if !strings.Contains(got, table) || strings.Contains(got, "# Old") || strings.Contains(got, "rest\n") {
		t.Errorf("%s", got)
	}
	if again := page([]byte(got)); again != got {
		t.Error("the page of the page is another one")
	}
	if empty := page(nil); !strings.Contains(empty, "<!-- matrix -->\n<!-- /matrix -->\n") {
		t.Errorf("%s", empty)
	}
}

// Every harness has its row and its section, and what was not run says so.
func TestPageHasAll(t *testing.T) {
	got := page(nil)
	for _, h := range harness.All() {
		p := h.Profile()
		_, section, found := strings.Cut(got, "\n## "+p.Title+"\n")
		section, _, _ = strings.Cut(section, "\n## ")
		if !found || !strings.Contains(got, "| ["+p.Title+"](#"+anchor(p.Title)+") |") {
			t.Errorf("%s is missing", p.Title)
		}
		if told := strings.Contains(section, "not run against the real program"); told == (p.Proof == harness.Real) {
			t.Errorf("%s: proof %s, and the page says otherwise:\n%s", p.Title, p.Proof, section)
		}
		for _, e := range p.Events {
			if !strings.Contains(section, "| `"+e.Name+"` | "+string(e.Kind)+" |") {
				t.Errorf("%s: no %s", p.Title, e.Name)
			}
		}
	}
}

package turnpost_test

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"turnpost/internal/harness"
)

// layers says what each package may import of this module, beside the root; it
// is the table of DESIGN.md. Tests are free.
func layers() map[string][]string {
	return map[string][]string{
		".": {},

		"internal/document":   {},
		"internal/atomicfile": {},
		"internal/statedir":   {"internal/document"},
		"internal/process":    {},
		"internal/harness":    {"internal/document"},

		"internal/run": {},

		"internal/hook":  {"internal/document", "internal/harness", "internal/keep/recall", "internal/process", "internal/statedir"},
		"internal/setup": {"internal/atomicfile", "internal/harness"},
		"internal/wake":  {"internal/harness", "internal/statedir"},
		"internal/probe": {"internal/harness", "internal/process"},

		"internal/keep":        {"internal/atomicfile", "internal/keep/recall", "internal/statedir", "internal/trust"},
		"internal/keep/recall": {"internal/statedir"},
		"internal/trust":       {"internal/atomicfile"},
		"internal/workflow":    {"internal/run"},
		"internal/work":        {"internal/atomicfile", "internal/process"},

		"internal/hub":        {"internal/run"},
		"internal/store":      {"internal/hub"},
		"internal/api":        {},
		"internal/api/client": {"internal/statedir"},
		"internal/mcp":        {},
		"internal/web":        {},
		"internal/notify":     {},

		"internal/cli": {
			"internal/api", "internal/api/client", "internal/atomicfile", "internal/harness", "internal/hook",
			"internal/hub", "internal/keep", "internal/keep/recall", "internal/mcp", "internal/notify", "internal/probe",
			"internal/process", "internal/run", "internal/setup", "internal/statedir", "internal/store", "internal/trust",
			"internal/wake", "internal/web", "internal/work", "internal/workflow",
		},
		"cmd/turnpost":      {"internal/cli", "internal/hook"},
		"cmd/turnpost-hook": {"internal/hook"},

		"internal/bench":                 {"internal/api/client", "internal/harness", "internal/hub", "internal/statedir", "internal/store"},
		"internal/bench/bare":            {},
		"internal/hub/hubtest":           {"internal/hub", "internal/keep", "internal/statedir"},
		"internal/hub/hubtest/storetest": {"internal/hub"},
		"internal/realtest":              {},
		"scripts/harnessdocs":            {"internal/harness"},
		"scripts/testreport":             {},
	}
}

// standardOnly is the packages that import nothing but this module and the
// standard library.
var standardOnly = []string{
	".", "internal/document", "internal/atomicfile", "internal/statedir", "internal/harness",
	"internal/run", "internal/keep/recall",
	"internal/wake", "internal/probe", "internal/notify", "internal/api/client",
	"cmd/turnpost", "cmd/turnpost-hook", "scripts/harnessdocs", "scripts/testreport",
}

func TestImports(t *testing.T) {
	table := layers()
	for _, file := range goFiles(t) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		dir := path.Dir(file)
		allowed, ok := table[dir]
		if !ok {
			t.Errorf("%s: give %s its row in this test and in DESIGN.md", file, dir)
			continue
		}
		for _, name := range imports(t, file) {
			first, _, _ := strings.Cut(name, "/")
			own, inside := strings.CutPrefix(name, "turnpost/")
			switch {
			case name == "turnpost":
			case inside && !slices.Contains(allowed, own):
				t.Errorf("%s imports %s: %s may import only the root and %v", file, own, dir, allowed)
			case !inside && strings.Contains(first, ".") && slices.Contains(standardOnly, dir):
				t.Errorf("%s imports %s: %s is for the standard library only", file, name, dir)
			}
		}
	}
}

// TestHookClientLinks holds what the hook client links: each package of it is
// initialised at every event of every session.
func TestHookClientLinks(t *testing.T) {
	want := []string{
		"bytes", "cmp", "context", "embed", "errors", "fmt", "hash", "hash/fnv", "io", "io/fs", "iter", "math", "math/bits", "os",
		"path", "path/filepath", "reflect", "runtime", "runtime/debug", "slices", "strconv", "strings", "sync",
		"sync/atomic", "syscall", "time", "unicode", "unicode/utf16", "unicode/utf8", "unsafe",

		"turnpost", "turnpost/cmd/turnpost-hook", "turnpost/internal/document", "turnpost/internal/harness",
		"turnpost/internal/hook", "turnpost/internal/keep/recall", "turnpost/internal/process", "turnpost/internal/statedir",
	}
	slices.Sort(want)
	var got []string
	for _, name := range linked(t, "./cmd/turnpost-hook") {
		if !strings.HasPrefix(name, "internal/") && !strings.Contains(name, "/internal/") || strings.HasPrefix(name, "turnpost") {
			got = append(got, name)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the hook client links something else; if that is worth its time at every event, change the list (-want +got):\n%s", diff)
	}
}

// TestMainProgramLinks keeps out what costs start-up time out of proportion,
// and what is for tests.
func TestMainProgramLinks(t *testing.T) {
	for _, name := range linked(t, "./cmd/turnpost") {
		for _, banned := range []string{
			"testing", "turnpost/internal/realtest", "turnpost/internal/hub/hubtest", "github.com/santhosh-tekuri/",
			"github.com/microcosm-cc/bluemonday", "github.com/mark3labs/mcp-go", "go.opentelemetry.io/", "github.com/prometheus/",
		} {
			if name == strings.TrimSuffix(banned, "/") || strings.HasPrefix(name, strings.TrimSuffix(banned, "/")+"/") {
				t.Errorf("turnpost links %s", name)
			}
		}
	}
}

// linked lists what a program links on Linux, sorted.
func linked(t *testing.T, program string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", program)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list -deps %s: %v", program, err)
	}
	names := strings.Fields(string(out))
	slices.Sort(names)
	return names
}

// TestHarnessNames holds that only adapters know a harness by name. Comments
// may say where a rule comes from. A name that is an ordinary word too is
// looked for as a whole string only.
func TestHarnessNames(t *testing.T) {
	ordinary := []string{"cursor", "droid", "amp", "pi"}
	names := []string{"claude", "codex", "gemini", "opencode", "copilot", "qwen"}
	for _, h := range harness.All() {
		if !slices.Contains(ordinary, h.Name()) {
			names = append(names, h.Name())
		}
	}
	for _, file := range goFiles(t) {
		if strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "internal/harness/") ||
			strings.HasPrefix(file, "internal/realtest/") || strings.HasPrefix(file, "internal/bench/") ||
			strings.HasPrefix(file, "internal/hub/hubtest/") {
			continue
		}
		fset := token.NewFileSet()
		source := read(t, file)
		var s scanner.Scanner
		s.Init(fset.AddFile(file, -1, len(source)), source, nil, 0)
		for {
			pos, tok, text := s.Scan()
			if tok == token.EOF {
				break
			}
			whole := tok == token.STRING && slices.Contains(ordinary, strings.Trim(text, "\"`"))
			for _, name := range names {
				if whole || strings.Contains(strings.ToLower(text), name) {
					t.Errorf("%s: %s: a harness is named outside internal/harness", fset.Position(pos), text)
					break
				}
			}
		}
	}
}

// TestPackageDocs holds that each package says what it is for.
func TestPackageDocs(t *testing.T) {
	documented := map[string]bool{}
	for _, file := range goFiles(t) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		dir := path.Dir(file)
		parsed := parse(t, file, parser.PackageClauseOnly|parser.ParseComments)
		documented[dir] = documented[dir] || parsed.Doc != nil && len(parsed.Doc.Text()) > 40
	}
	for dir, ok := range documented {
		if !ok {
			t.Errorf("%s has no package documentation", dir)
		}
	}
}

// TestNoInit holds that nothing registers itself: the lists are explicit, and
// what a program links costs it no time that nobody sees.
func TestNoInit(t *testing.T) {
	for _, file := range goFiles(t) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, decl := range parse(t, file, parser.SkipObjectResolution).Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s has an init function", file)
			}
		}
	}
}

func TestFileSizes(t *testing.T) {
	for _, file := range goFiles(t) {
		if lines := strings.Count(string(read(t, file)), "\n"); lines > 600 && !strings.HasSuffix(file, "_templ.go") {
			t.Errorf("%s has %d lines: split it (the aim is 400, the limit 600)", file, lines)
		}
	}
}

// goFiles lists the Go files of this module, with slashes.
func goFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	for _, file := range sources(t) {
		if strings.HasSuffix(file, ".go") {
			files = append(files, file)
		}
	}
	if len(files) < 100 {
		t.Fatalf("found %d Go files", len(files))
	}
	return files
}

// sources lists the files of this repository, with slashes: what is there and
// not a product of a build.
func sources(t *testing.T) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(".", func(name string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			switch name {
			case ".git", "bin", ".cache":
				return filepath.SkipDir
			}
			return nil
		}
		product := strings.HasSuffix(name, ".test") || strings.HasSuffix(name, ".out") // as .gitignore has it
		if entry.Type().IsRegular() && !product {
			files = append(files, filepath.ToSlash(name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func imports(t *testing.T, file string) []string {
	t.Helper()
	var names []string
	for _, spec := range parse(t, file, parser.ImportsOnly).Imports {
		names = append(names, strings.Trim(spec.Path.Value, `"`))
	}
	return names
}

func parse(t *testing.T, file string, mode parser.Mode) *ast.File {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, read(t, file), mode)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.FromSlash(file))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestReport runs real tests of a module of its own, so that the events are
// those of this Go release.
func TestReport(t *testing.T) {
	const head = "package p\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nvar _ = os.Exit\n\n"
	for _, test := range []struct {
		name, body string
		good       bool
		want       []string // in the output
		sum        string
	}{
		{
			"good", `func TestA(t *testing.T) { t.Run("x", func(t *testing.T) {}); t.Run("y/z", func(t *testing.T) {}) }
				func TestB(t *testing.T) {}`, true, []string{"ok   p "}, "3 passed, 0 failed, 0 skipped",
		},
		{
			"a subtest fails", `func TestA(t *testing.T) { t.Run("x", func(t *testing.T) { t.Error("why") }); t.Run("y", func(t *testing.T) {}) }`,
			false,
			[]string{"FAILED  p TestA/x", "why", "FAIL p "},
			"1 passed, 1 failed, 0 skipped",
		},
		{
			"a parent fails alone", `func TestA(t *testing.T) { t.Run("x", func(t *testing.T) {}); t.Error("late") }`,
			false,
			[]string{"FAILED  p TestA ", "late"},
			"1 passed, 1 failed, 0 skipped",
		},
		{
			"skipped", `func TestA(t *testing.T) { t.Skip("no moon") }
				func TestB(t *testing.T) {}`, false, []string{"SKIPPED p TestA", "no moon", "skipped: p TestA"}, "1 passed, 0 failed, 1 skipped",
		},
		{
			"panic", `func TestA(t *testing.T) { panic("ouch") }`,
			false,
			[]string{"ouch", "FAIL p "},
			"0 passed, 1 failed, 0 skipped",
		},
		{
			"exit", `func TestA(t *testing.T) {}
				func TestMain(m *testing.M) { m.Run(); os.Exit(3) }`,
			false,
			[]string{"FAIL p "},
			"1 passed, 1 failed, 0 skipped",
		},
		{
			"does not build", `func TestA(t *testing.T) { return 1 }`,
			false,
			[]string{"too many return values", "FAIL p "},
			"0 passed, 1 failed, 0 skipped",
		},
		{"nothing", `func helper(*testing.T) {}`, false, nil, "0 passed, 0 failed, 0 skipped"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "go.mod"), "module p\n\ngo 1.26\n")
			write(t, filepath.Join(dir, "p_test.go"), head+test.body+"\n")
			cmd := exec.CommandContext(t.Context(), "go", "test", "-json", "-count=1", ".")
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
			events, err := cmd.Output()
			if failed := err != nil; failed && len(events) == 0 {
				t.Fatal(err)
			}
			var out strings.Builder
			r := newReport(&out)
			if err := r.read(strings.NewReader("== part\n" + string(events))); err != nil {
				t.Fatal(err)
			}
			if good := r.finish(); good != test.good {
				t.Errorf("good is %v", good)
			}
			for _, want := range append(test.want, "== part\n", "\n"+test.sum+"\n") {
				if !strings.Contains(out.String(), want) {
					t.Errorf("the report lacks %q", want)
				}
			}
			if t.Failed() {
				t.Logf("the report:\n%s", out.String())
			}
		})
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

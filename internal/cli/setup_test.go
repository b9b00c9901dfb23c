package cli

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"turnpost/internal/harness"
	"turnpost/internal/setup"
)

// TestAllHarnessesInOnePlan is a machine with the files of every harness that we
// know: one plan with one hash, applied, found in place by the check, and removed
// to the byte, files and directories of ours gone.
func TestAllHarnessesInOnePlan(t *testing.T) {
	p := newPlace(t)
	p.install()
	before := p.furnish()

	var plain setupReport
	if err := json.Unmarshal([]byte(p.run("", "setup", "--json")), &plain); err != nil {
		t.Fatal(err)
	}
	if len(plain.Unproved) == 0 || len(plain.Harnesses)+len(plain.Unproved) != len(harness.All()) {
		t.Errorf("%d harnesses planned, left out %q", len(plain.Harnesses), plain.Unproved)
	}
	for _, h := range plain.Harnesses {
		if h.Proof != harness.Real {
			t.Errorf("%s is planned, though nobody named it", h.Name)
		}
	}
	names := strings.ReplaceAll(harnessNames(), " ", "")

	var plan setupReport
	if err := json.Unmarshal([]byte(p.run("", "setup", "--harness", names, "--trust", "--json")), &plan); err != nil {
		t.Fatal(err)
	}
	if len(plan.Blocked) > 0 || len(plan.Harnesses) != len(harness.All()) {
		t.Fatalf("%d of %d harnesses planned, %+v", len(plan.Harnesses), len(harness.All()), plan.Blocked)
	}
	if out := p.run("", "setup", "--harness", names, "--trust"); strings.Count(out, "--expect") != 1 {
		t.Errorf("not one plan:\n%s", out)
	}
	p.run("", "setup", "--harness", names, "--apply", "--trust", "--expect", plan.Plan.Hash)
	for _, args := range [][]string{{"setup"}, {"setup", "--trust"}} {
		if out := p.run("", args...); !strings.Contains(out, "Nothing to change: everything is in place.") {
			t.Errorf("%v is not at rest:\n%s", args, out)
		}
	}

	cmd := p.command("setup", "--check", "--json")
	out, err := cmd.Output() // ends with 1: tools are left to commands of the harnesses
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	var reports []checkReport
	if err := json.Unmarshal(out, &reports); err != nil {
		t.Fatal(err)
	}
	for _, r := range reports {
		for _, f := range r.Findings {
			if f.State == setup.Failed && f.Check != setup.CheckMCP {
				t.Errorf("%s: %+v", r.Name, f)
			}
		}
	}

	p.run("", "setup", "--remove")
	if diff := cmp.Diff(before, p.files()); diff != "" {
		t.Errorf("what is left (-before +after):\n%s", diff)
	}
}

// install puts our programs where make up does, and others beside them.
func (p *place) install(others ...string) {
	p.t.Helper()
	bin := filepath.Join(p.home, ".local", "bin")
	p.env = append(p.env, "PATH="+bin+":/usr/bin:/bin")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		p.t.Fatal(err)
	}
	for _, name := range append(others, "turnpost", hookName) {
		path, err := exec.LookPath(name)
		if err == nil {
			err = os.Link(path, filepath.Join(bin, name))
		}
		if err != nil {
			p.t.Fatal(err)
		}
	}
}

// furnish makes the directory of every harness, with a file of the person's
// wherever setup would write into one.
func (p *place) furnish() map[string]string {
	p.t.Helper()
	getenv := func(name string) string { return map[string]string{"HOME": p.home}[name] }
	content := map[string]string{
		"json":  "{\"theme\": \"dark\"}",
		"jsonc": "{\n\t// mine\n\t\"theme\": \"dark\",\n}\n",
		"toml":  "# mine\ntheme = \"dark\"",
	}
	for _, h := range harness.All() {
		program, ok := h.(harness.Program)
		if !ok {
			p.t.Fatalf("%s has no program", h.Name())
		}
		home := program.Home(getenv)
		if err := os.MkdirAll(home, 0o755); err != nil {
			p.t.Fatal(err)
		}
		at := harness.Target{Home: home, Scope: "user", Mode: "command", Hook: "/x/turnpost-hook", Program: "/x/turnpost", Allow: true}
		for _, entry := range h.Install(at) {
			text, shared := content[entry.Dialect]
			if !shared {
				continue
			}
			if err := errors.Join(os.MkdirAll(filepath.Dir(entry.File), 0o755), os.WriteFile(entry.File, []byte(text), 0o600)); err != nil {
				p.t.Fatal(err)
			}
		}
	}
	return p.files()
}

// files is every file of the home but Turnpost's own; a directory is "/".
func (p *place) files() map[string]string {
	p.t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(p.home, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(p.home, name)
		if rel == ".local" {
			return filepath.SkipDir
		}
		if err != nil || entry.IsDir() {
			files[rel] = "/"
			return err
		}
		data, err := os.ReadFile(name)
		files[rel] = string(data)
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return files
}

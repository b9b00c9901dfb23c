package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"turnpost"
	"turnpost/internal/harness"
	"turnpost/internal/setup"
	"turnpost/internal/web"
)

// TestThePageSetsUpEveryHarness is a machine with the files of every harness:
// the page's own data says of each what it can and how far that was proved, its
// plans are written under their hashes and under no other, and what it takes
// away leaves every byte as it was.
func TestThePageSetsUpEveryHarness(t *testing.T) {
	p := newPlace(t)
	p.install()
	before := p.furnish()
	i := p.integrations()
	list := func() map[string]web.Integration {
		t.Helper()
		all, err := i.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		byName := map[string]web.Integration{}
		for _, in := range all {
			byName[in.Name] = in
		}
		if len(byName) != len(harness.All()) {
			t.Fatalf("%d harnesses, want %d", len(byName), len(harness.All()))
		}
		return byName
	}

	plans := list()
	written := 0
	for _, h := range harness.All() {
		in, profile := plans[h.Name()], h.Profile()
		if !in.Detected || in.Applied || in.Problem != "" || in.Title != profile.Title || in.Mail != profile.Delivery {
			t.Errorf("%s: %+v", h.Name(), in)
		}
		if (in.Proof == "") != (profile.Proof == harness.Real) {
			t.Errorf("%s: proof %s is shown as %q", h.Name(), profile.Proof, in.Proof)
		}
		if in.Plan.Hash == "" {
			if len(in.Steps) == 0 {
				t.Errorf("%s: nothing to write and nothing to do by hand", h.Name())
			}
			continue
		}
		if len(in.Plan.Lines) > 6 {
			t.Errorf("%s: %d lines for a person to read", h.Name(), len(in.Plan.Lines))
		}
		if profile.Caution != "" && !strings.Contains(strings.Join(in.Plan.Warnings, "\n"), profile.Caution) {
			t.Errorf("%s: the plan does not say %q", h.Name(), profile.Caution)
		}
		if err := i.Apply(t.Context(), in.Name, strings.Repeat("0", len(in.Plan.Hash))); turnpost.CodeOf(err) != turnpost.Conflict {
			t.Errorf("%s: applied under another hash: %v", h.Name(), err)
		}
		if err := i.Apply(t.Context(), in.Name, in.Plan.Hash); err != nil {
			t.Errorf("%s: %v", h.Name(), err)
		}
		written++
	}
	if written < 10 {
		t.Errorf("only %d were set up", written)
	}

	for name, in := range list() {
		if plans[name].Plan.Hash == "" {
			continue
		}
		h, _ := harness.Find(name)
		_, reviewed := h.(harness.Reviewer)
		if !in.Applied || in.Plan.Hash != "" || in.Removal.Hash == "" || in.Review != reviewed {
			t.Errorf("%s was applied: %+v", name, in)
		}
		if err := i.Remove(t.Context(), name, in.Removal.Hash); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if diff := cmp.Diff(before, p.files()); diff != "" {
		t.Errorf("what is left (-before +after):\n%s", diff)
	}
}

// TestWhatThePageSays of harnesses that are not as they should be.
func TestWhatThePageSays(t *testing.T) {
	p := newPlace(t)
	p.install()
	for path, text := range map[string]string{
		".claude/settings.json": `{"enabledPlugins": {"turnpost@turnpost": true}}`,
		".gemini/settings.json": "{\n,",
		".qwen/settings.json":   "{}",
		".local/bin/codex":      "#!/bin/sh\necho 'codex-cli 0.99.0'\n",
	} {
		path = filepath.Join(p.home, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o700)); err != nil {
			t.Fatal(err)
		}
	}
	all, err := p.integrations().List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range all {
		switch in.Name {
		case "claude-code":
			if in.Package != "~/.claude/settings.json" || in.Plan.Hash != "" || in.Applied {
				t.Errorf("a package: %+v", in)
			}
		case "gemini":
			if !strings.HasPrefix(in.Problem, "~/.gemini/settings.json: line 2, column 1") || in.Plan.Hash != "" {
				t.Errorf("a broken file: %+v", in)
			}
		case "codex":
			if in.Version != "0.99.0" || !strings.HasPrefix(in.Problem, "version 0.99.0 is too old") || in.Plan.Hash != "" {
				t.Errorf("an old version: %+v", in)
			}
		case "qwen":
			if !in.Detected || in.Problem != "" || in.Plan.Hash == "" {
				t.Errorf("a usual one: %+v", in)
			}
		default:
			if in.Detected || in.Applied || in.Removal.Hash != "" {
				t.Errorf("not on this machine: %+v", in)
			}
		}
	}
}

// TestThePageChecksNoFolder: the directory in which the hub runs is nobody's
// repository, so that whether it is trusted says nothing.
func TestThePageChecksNoFolder(t *testing.T) {
	p := newPlace(t)
	p.install()
	p.furnish()
	i := p.integrations()
	i.hub = deaf{}
	for _, h := range harness.All() {
		foldered, ok := h.(harness.UserFoldered)
		if !ok || !foldered.UserHooksNeedTrust() {
			continue
		}
		checks, err := i.Check(t.Context(), h.Name())
		if err != nil || len(checks) == 0 {
			t.Fatalf("%s: %v, %v", h.Name(), checks, err)
		}
		for _, c := range checks {
			if c.Name == setup.CheckTrusted {
				t.Errorf("%s: %+v", h.Name(), c)
			}
		}
		return
	}
	t.Fatal("no harness asks whether a folder is trusted")
}

// deaf is a hub that has heard of no session.
type deaf struct{ turnpost.Hub }

func (deaf) Board(context.Context, turnpost.BoardQuery) (turnpost.Board, error) {
	return turnpost.Board{}, nil
}

// integrations is what the page has of this place, without a hub.
func (p *place) integrations() *integrations {
	env := map[string]string{}
	for _, entry := range p.env {
		name, value, _ := strings.Cut(entry, "=")
		env[name] = value
	}
	p.t.Setenv("PATH", env["PATH"])
	return &integrations{app: &app{env: Env{
		Getenv: func(name string) string { return env[name] }, Environ: p.env, Home: p.home, Dir: p.home, Now: time.Now, UID: os.Getuid(),
		Program: filepath.Join(p.home, ".local", "bin", "turnpost"), Version: "0.1.0",
	}}, checks: map[string]checked{}}
}

package setup

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLinksStay(t *testing.T) {
	f := newFixture(t)
	dotfiles := filepath.Join(f.home, "dotfiles")
	target := filepath.Join(dotfiles, "claude.json")
	if err := errors.Join(os.Mkdir(dotfiles, 0o755), os.WriteFile(target, []byte(plainSettings), 0o644),
		os.Mkdir(filepath.Dir(f.settings), 0o755), os.Symlink("../dotfiles/claude.json", f.settings)); err != nil {
		t.Fatal(err)
	}
	plan := f.plan(f.setup.PlanInstall(f.place()))
	if plan.Files[0].Path != f.settings || plan.Files[0].Target != target {
		t.Errorf("path %s, target %s", plan.Files[0].Path, plan.Files[0].Target)
	}
	f.apply(plan, nil)
	if link, err := os.Readlink(f.settings); err != nil || link != "../dotfiles/claude.json" {
		t.Errorf("link %q, %v", link, err)
	}
	if info, err := os.Stat(target); err != nil || info.Mode() != 0o644 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	f.apply(f.setup.PlanRemove(f.place()))
	f.wantSettings(plainSettings)
}

// People move their settings into a dotfiles repository after setup.
func TestFileBecameALinkAfterInstall(t *testing.T) {
	f := newFixture(t).withSettings(plainSettings)
	f.apply(f.setup.PlanInstall(f.place()))
	moved := filepath.Join(f.home, "moved.json")
	if err := errors.Join(os.Rename(f.settings, moved), os.Symlink(moved, f.settings)); err != nil {
		t.Fatal(err)
	}
	if !f.plan(f.setup.PlanInstall(f.place())).Empty() {
		t.Error("moving the file made work")
	}
	f.apply(f.setup.PlanRemove(f.place()))
	f.wantSettings(plainSettings)
	if _, err := os.Readlink(f.settings); err != nil {
		t.Error(err)
	}
}

// A link whose file does not exist yet: the file is made where the link leads,
// and the link is as it was afterwards.
func TestDanglingLink(t *testing.T) {
	f := newFixture(t)
	target := filepath.Join(f.home, "dotfiles", "deep", "claude.json")
	if err := errors.Join(os.Mkdir(filepath.Dir(f.settings), 0o755), os.Symlink("../dotfiles/deep/claude.json", f.settings)); err != nil {
		t.Fatal(err)
	}
	f.apply(f.setup.PlanInstall(f.place()))
	if _, err := os.Stat(target); err != nil {
		t.Error(err)
	}
	f.apply(f.setup.PlanRemove(f.place()))
	f.wantNoFile(filepath.Join(f.home, "dotfiles"))
	if link, err := os.Readlink(f.settings); err != nil || link != "../dotfiles/deep/claude.json" {
		t.Errorf("link %q, %v", link, err)
	}
}

// The link leads to another file since: the old one is cleaned, the new one
// gets the entries.
func TestLinkLeadsElsewhere(t *testing.T) {
	f := newFixture(t)
	one, two := filepath.Join(f.home, "one.json"), filepath.Join(f.home, "two.json")
	if err := errors.Join(os.Mkdir(filepath.Dir(f.settings), 0o755), os.WriteFile(one, []byte(plainSettings), 0o600),
		os.WriteFile(two, []byte("{}"), 0o600), os.Symlink(one, f.settings)); err != nil {
		t.Fatal(err)
	}
	f.apply(f.setup.PlanInstall(f.place()))
	if err := errors.Join(os.Remove(f.settings), os.Symlink(two, f.settings)); err != nil {
		t.Fatal(err)
	}
	f.apply(f.setup.PlanInstall(f.place()))
	if data, err := os.ReadFile(one); err != nil || string(data) != plainSettings {
		t.Errorf("the old file: %s, %v", data, err)
	}
	if !strings.Contains(f.read(), "claude-code") {
		t.Errorf("the new file: %s", f.read())
	}
	f.apply(f.setup.PlanUninstall())
	f.wantSettings("{}")
}

func TestHardLinksAreAnnounced(t *testing.T) {
	f := newFixture(t).withSettings(plainSettings)
	if err := os.Link(f.settings, filepath.Join(f.home, "second name")); err != nil {
		t.Fatal(err)
	}
	plan := f.plan(f.setup.PlanInstall(f.place()))
	if len(plan.Warnings) != 1 || !strings.Contains(plan.Warnings[0], "2 hard links") {
		t.Errorf("warnings %q", plan.Warnings)
	}
}

package setup

import (
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"turnpost"
)

var update = flag.Bool("update", false, "rewrite golden files")

func TestServiceFiles(t *testing.T) {
	hostile := ServiceSpec{
		Home: "/home/o'brien $(id) <&>", Program: `/home/o'brien $(id) <&> 100% \"名/turnpost`,
		State: "/home/o'brien $(id) <&>/.local/state/turnpost", Path: `/100%:/a "b" <c>`, Log: "/l<o>g",
	}
	plain := ServiceSpec{Home: "/home/u", Program: "/home/u/.local/bin/turnpost", State: "/home/u/.local/state/turnpost", Path: "/home/u/.local/bin:/usr/bin", Log: "/home/u/.local/state/turnpost/hub.log", Notify: true}
	tests := []struct {
		name string
		os   string
		spec ServiceSpec
		file string
	}{
		{"systemd", "linux", plain, "/home/u/.config/systemd/user/turnpost.service"},
		{"systemd-hostile", "linux", hostile, "/home/o'brien $(id) <&>/.config/systemd/user/turnpost.service"},
		{"launchd", "darwin", plain, "/home/u/Library/LaunchAgents/turnpost.hub.plist"},
		{"launchd-hostile", "darwin", hostile, "/home/o'brien $(id) <&>/Library/LaunchAgents/turnpost.hub.plist"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.spec.OS = tt.os
			service, err := NewService(tt.spec)
			if err != nil {
				t.Fatal(err)
			}
			entry := service.Place.Entries[0]
			if entry.File != tt.file {
				t.Errorf("file %s, want %s", entry.File, tt.file)
			}
			got := entry.Value.(string)
			golden := filepath.Join("testdata", "service", tt.name+".golden")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if tt.os == "darwin" {
				wantPlist(t, got, tt.spec.Program)
			}
		})
	}
}

// wantPlist reads the file as XML and looks for the program as it is.
func wantPlist(t *testing.T, plist, program string) {
	t.Helper()
	decoder := xml.NewDecoder(strings.NewReader(plist))
	found := false
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if data, ok := token.(xml.CharData); ok && string(data) == program {
			found = true
		}
	}
	if !found {
		t.Errorf("the program is not in it:\n%s", plist)
	}
}

func TestServiceRefuses(t *testing.T) {
	good := ServiceSpec{OS: "linux", Home: "/h", Program: "/p", State: "/s"}
	bad := []ServiceSpec{good, good, good}
	bad[0].OS, bad[1].Program, bad[2].State = "plan9", "p", "/s\nExecStart=/bin/evil"
	for _, spec := range bad {
		_, err := NewService(spec)
		wantCode(t, err, turnpost.Invalid)
	}
}

// Where systemd is at hand it judges the unit itself.
func TestSystemdAcceptsTheUnit(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Log("no systemd here; the golden files hold the unit")
		return
	}
	for _, name := range []string{"plain", "With Space $(id) 100% 名", `o'brien "b\\s`} {
		dir := t.TempDir()
		program := filepath.Join(dir, name, "turnpost")
		if err := errors.Join(os.MkdirAll(filepath.Dir(program), 0o755), os.WriteFile(program, []byte("#!/bin/sh\n"), 0o755)); err != nil {
			t.Fatal(err)
		}
		service, err := NewService(ServiceSpec{OS: "linux", Home: dir, Program: program, State: filepath.Dir(program), Notify: true})
		if err != nil {
			t.Fatal(err)
		}
		unit := filepath.Join(dir, "turnpost.service")
		if err := os.WriteFile(unit, []byte(service.Place.Entries[0].Value.(string)), 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(analyze, "--user", "verify", unit)
		cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+dir)
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("systemd-analyze of %s: %v\n%s", program, err, out)
		}
	}
}

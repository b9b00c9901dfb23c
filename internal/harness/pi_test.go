package harness_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"turnpost/internal/harness"
)

func piHarness(t *testing.T) harness.Harness {
	t.Helper()
	h, ok := harness.Find("pi")
	if !ok {
		t.Fatal("no pi")
	}
	return h
}

// What setup writes, but for the extension's code.
func TestPiInstall(t *testing.T) {
	target := harness.Target{
		Home: "/home/dev/.pi/agent", Scope: "user", Mode: "command", Version: "1.6.0",
		Hook: "/home/dev/.local/bin/turnpost-hook", Program: "/home/dev/.local/bin/turnpost",
	}
	got, err := json.MarshalIndent(withoutCode(piHarness(t).Install(target)), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	compare(t, filepath.Join("testdata", "install"), "pi-user.json", append(got, '\n'))
	for _, other := range []harness.Target{
		{Home: "/h", Scope: "project", Mode: "command"}, {Home: "/h", Scope: "local", Mode: "command"}, {Home: "/h", Scope: "user", Mode: "http"},
	} {
		if entries := piHarness(t).Install(other); len(entries) > 0 {
			t.Errorf("%+v: %v", other, entries)
		}
	}
}

func TestPiProgram(t *testing.T) {
	p := piHarness(t).(harness.Program)
	for output, want := range map[string]string{"1.6.0\n": "1.6.0", "0.73.1\n": "0.73.1", "": "", "pi 1.6.0": "", "3.14": ""} {
		if got := p.Version(output); got != want {
			t.Errorf("%q: %q, want %q", output, got, want)
		}
	}
	for _, c := range []struct{ own, home, want string }{
		{"", "/home/dev", "/home/dev/.pi/agent"}, {"/srv/pi/", "/home/dev", "/srv/pi"}, {"relative", "/home/dev", "/home/dev/.pi/agent"}, {"", "", ""},
	} {
		env := testEnv(map[string]string{"PI_CODING_AGENT_DIR": c.own, "HOME": c.home})
		if got := p.Home(env.Getenv); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"turnpost"
	"turnpost/internal/harness"
)

// TestWhatWentMissing: a client rewrites its settings without our hooks. Its
// session shows as unheard, and status, doctor and the page's own data say which
// file it is and what to do. Nothing is put back by itself.
func TestWhatWentMissing(t *testing.T) {
	t.Parallel() // doctor waits for a bell that nobody hears
	p := newPlace(t)
	bin := filepath.Join(p.home, ".local", "bin")
	p.env = append(p.env, "PATH="+bin+":"+os.Getenv("PATH"))
	settings := filepath.Join(p.home, ".claude", "settings.json")
	for _, dir := range []string{bin, filepath.Dir(settings), filepath.Join(p.home, "api", ".git")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"turnpost", hookName, "claude"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Link(path, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) string {
		t.Helper()
		cmd := p.command(args...)
		cmd.Path = filepath.Join(bin, "turnpost")
		out, err := cmd.Output()
		if err != nil && args[0] != "doctor" { // which finds what it looks for
			t.Fatalf("turnpost %q: %v", args, err)
		}
		return string(out)
	}
	const own = "{\n  \"model\": \"opus\"\n}\n"
	rewrite := func() {
		t.Helper()
		if err := os.WriteFile(settings, []byte(own), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rewrite()
	run("setup", "--apply")
	run("up", "-d")
	p.session(bin, "api")
	if out := run("status"); !strings.Contains(out, "idle") {
		t.Fatalf("status:\n%s", out)
	}

	// A hub looks when it starts, then every few seconds.
	rewrite()
	run("up", "-d", "--restart")
	p.until(run, true, "is missing from "+settings, "status")
	out := run("status")
	for _, want := range []string{"unheard", "every hook is missing from " + settings, "turnpost setup shows what to put back"} {
		if !strings.Contains(out, want) {
			t.Errorf("status does not say %q:\n%s", want, out)
		}
	}
	out = run("doctor")
	for _, want := range []string{"alive, unheard since", "17 entries: gone from " + settings + " (written 20", "where setup had put it"} {
		if !strings.Contains(out, want) {
			t.Errorf("doctor does not say %q:\n%s", want, out)
		}
	}
	if got, err := os.ReadFile(settings); err != nil || string(got) != own {
		t.Errorf("settings changed by themselves: %s, %v", got, err)
	}

	// The person puts it back.
	run("setup", "--apply")
	run("up", "-d", "--restart")
	p.until(run, false, "is missing from", "status", "--json")
	if out := run("status"); strings.Contains(out, "unheard") {
		t.Errorf("status:\n%s", out)
	}
}

// session starts a session of a stand-in that lives until the test ends and is
// nobody's parent.
func (p *place) session(bin, repo string) {
	p.t.Helper()
	client := exec.CommandContext(p.t.Context(), "sleep", "600")
	if err := client.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = client.Process.Kill(); _ = client.Wait() })
	m, ok := harness.All()[0].(harness.Standin).Moment(turnpost.SessionStart, harness.StandinSession{
		Native: "standin-" + repo, Pid: client.Process.Pid, Cwd: filepath.Join(p.home, repo), Hook: filepath.Join(bin, hookName),
	})
	if !ok {
		p.t.Fatal("no such moment")
	}
	hook := exec.CommandContext(p.t.Context(), "sh", "-c", m.Line)
	hook.Env, hook.Dir, hook.Stdin = append(p.env, m.Env...), filepath.Join(p.home, repo), strings.NewReader(string(m.Stdin))
	if out, err := hook.CombinedOutput(); err != nil {
		p.t.Fatalf("%v: %s", err, out)
	}
}

// until runs a command until it says a text, or says it no more.
func (p *place) until(run func(...string) string, says bool, text string, args ...string) {
	p.t.Helper()
	for limit := time.Now().Add(20 * time.Second); strings.Contains(run(args...), text) != says; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(limit) {
			p.t.Fatalf("turnpost %q: %q said is not %v:\n%s", args, text, says, run(args...))
		}
	}
}

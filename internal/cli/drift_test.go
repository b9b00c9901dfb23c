package cli

import (
	"errors"
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
	p.install("claude")
	settings := filepath.Join(p.home, ".claude", "settings.json")
	for _, dir := range []string{filepath.Dir(settings), filepath.Join(p.home, "api", ".git")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) string { t.Helper(); return p.run("", args...) }
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
	p.session("api")
	if out := run("status"); !strings.Contains(out, "idle") {
		t.Fatalf("status:\n%s", out)
	}

	// A hub looks when it starts, then every few seconds.
	rewrite()
	run("up", "-d", "--restart")
	p.until(true, "turnpost setup shows what to put back", "status") // the notice is stored a moment later
	out := run("status")
	for _, want := range []string{"unheard", "every hook is missing from ~/.claude/settings.json", "turnpost setup shows what to put back"} {
		if !strings.Contains(out, want) {
			t.Errorf("status does not say %q:\n%s", want, out)
		}
	}
	doctor, err := p.command("doctor").Output() // ends with 1
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		t.Fatalf("doctor: %v", err)
	}
	out = string(doctor)
	for _, want := range []string{"alive, unheard since", "17 entries: gone from ~/.claude/settings.json (written 20", "where setup had put it"} {
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
	p.until(false, "is missing from", "status", "--json")
	if out := run("status"); strings.Contains(out, "unheard") {
		t.Errorf("status:\n%s", out)
	}
}

// session starts a session of a stand-in that lives until the test ends and is
// nobody's parent.
func (p *place) session(repo string) {
	p.t.Helper()
	client := exec.CommandContext(p.t.Context(), "sleep", "600")
	if err := client.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = client.Process.Kill(); _ = client.Wait() })
	m, ok := harness.All()[0].(harness.Standin).Moment(turnpost.SessionStart, harness.StandinSession{
		Native: "standin-" + repo, Pid: client.Process.Pid, Cwd: filepath.Join(p.home, repo),
		Hook: filepath.Join(p.home, ".local", "bin", hookName),
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
func (p *place) until(says bool, text string, args ...string) {
	p.t.Helper()
	for limit := time.Now().Add(20 * time.Second); strings.Contains(p.run("", args...), text) != says; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(limit) {
			p.t.Fatalf("turnpost %q: %q said is not %v:\n%s", args, text, says, p.run("", args...))
		}
	}
}

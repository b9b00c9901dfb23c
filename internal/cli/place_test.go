package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"turnpost"
	"turnpost/internal/statedir"
)

// place is a home with a hub in it, for tests that no script can tell.
type place struct {
	t    *testing.T
	home string
	env  []string
}

func newPlace(t *testing.T) *place {
	t.Helper()
	home := t.TempDir()
	p := &place{t: t, home: home, env: []string{
		"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TURNPOST_LISTEN=127.0.0.1:0", "USER=anna",
	}}
	t.Cleanup(func() {
		if hub, err := p.state().ReadHub(); err == nil {
			_ = syscall.Kill(hub.Pid, syscall.SIGKILL) // started by this test
		}
	})
	return p
}

func (p *place) state() statedir.Dir {
	return statedir.Dir(filepath.Join(p.home, ".local", "state", "turnpost"))
}

func (p *place) command(args ...string) *exec.Cmd {
	path := filepath.Join(p.home, ".local", "bin", "turnpost")
	if _, err := os.Stat(path); err != nil { // nothing was installed
		if path, err = exec.LookPath("turnpost"); err != nil {
			p.t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(p.t.Context(), path, args...)
	cmd.Env, cmd.Dir = p.env, p.home
	return cmd
}

// run runs a command that has to succeed.
func (p *place) run(stdin string, args ...string) string {
	p.t.Helper()
	cmd := p.command(args...)
	var out, said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &said
	if err := cmd.Run(); err != nil {
		p.t.Fatalf("turnpost %q: %v\n%s", args, err, said.String())
	}
	return out.String()
}

// TestPayloadsThroughTheHub posts every payload as an item and looks at all
// that prints items.
func TestPayloadsThroughTheHub(t *testing.T) {
	p := newPlace(t)
	p.run("", "up", "-d")
	me := strings.Fields(p.run("", "whoami"))[0]
	me = strings.TrimSuffix(me, ",")
	var ids []string
	for i, payload := range payloads() {
		text := fmt.Sprintf("n%d %s\n%s", i, strings.ReplaceAll(payload, "\n", " "), payload)
		var posted turnpost.Posted
		if err := json.Unmarshal([]byte(p.run(text, "post", me, "-", "--json", "--kind", "question")), &posted); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, posted.Item.ID)
	}
	for _, args := range [][]string{
		{"inbox", "--limit", "500"},
		{"inbox", "--json", "--limit", "500"},
		{"inbox", "--all"},
		{"tasks", "--limit", "500"},
		{"tasks", "--json"},
		{"wait"},
		{"status"},
		append([]string{"read"}, ids[:50]...),
		append([]string{"read"}, ids[50:100]...),
		append([]string{"read"}, ids[100:]...),
		append([]string{"read", "--json"}, ids[:50]...),
	} {
		out := p.run("", args...)
		if bad := unquiet(out); bad != "" {
			t.Errorf("turnpost %v: %s", args, bad)
		}
		if len(out) < 40 {
			t.Errorf("turnpost %v says only %q", args, out)
		}
	}
	for _, payload := range payloads() {
		if strings.ContainsRune(payload, 0) { // no argument holds that
			continue
		}
		var said bytes.Buffer
		cmd := p.command("read", payload)
		cmd.Stderr = &said
		if err := cmd.Run(); err == nil {
			t.Errorf("read %q succeeded", payload)
		}
		if bad := unquiet(said.String()); bad != "" {
			t.Errorf("the error for %q: %s", payload, bad)
		}
	}
}

// TestParallelPosts is report BR-15: 8 processes at a time, none lost, none
// refused.
func TestParallelPosts(t *testing.T) {
	p := newPlace(t)
	p.run("", "up", "-d")
	const processes, each = 8, 12
	var wg sync.WaitGroup
	for i := range processes {
		wg.Go(func() {
			for j := range each {
				cmd := p.command("post", "-c", "general", fmt.Sprintf("item %d-%d", i, j))
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("post %d-%d: %v: %s", i, j, err, out)
				}
			}
		})
	}
	wg.Wait()
	var channels turnpost.Channels
	if err := json.Unmarshal([]byte(p.run("", "channels", "--json")), &channels); err != nil {
		t.Fatal(err)
	}
	if got := channels.Channels[0].LastSeq; got != processes*each {
		t.Errorf("%d items of %d are there", got, processes*each)
	}
}

// TestManyHealOneHub: many clients find the hub dead at once, and all of them
// get on with the one that comes.
func TestManyHealOneHub(t *testing.T) {
	p := newPlace(t)
	p.run("", "up", "-d")
	hub, err := p.state().ReadHub()
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(hub.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	waitFree(t, p.state())
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			if out, err := p.command("whoami").CombinedOutput(); err != nil {
				t.Errorf("whoami: %v: %s", err, out)
			}
		})
	}
	wg.Wait()
	after, err := p.state().ReadHub()
	if err != nil || after.Pid == hub.Pid || after.TCP == "" {
		t.Errorf("the hub file names %+v, %v", after, err)
	}
	if after.Heal == "" {
		t.Error("the healed hub does not heal")
	}
}

// TestEndedFromOutside: a hub that stays up by itself and is ended by a signal,
// as at the end of a login, is started by the next command.
func TestEndedFromOutside(t *testing.T) {
	p := newPlace(t)
	p.run("", "up", "-d")
	hub, err := p.state().ReadHub()
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(hub.Pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	waitFree(t, p.state())
	p.run("", "whoami")
}

func waitFree(t *testing.T, dir statedir.Dir) {
	t.Helper()
	for limit := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		busy, err := locked(dir)
		if err != nil {
			t.Fatal(err)
		}
		if !busy {
			return
		}
		if time.Now().After(limit) {
			t.Fatal("the hub does not end")
		}
	}
}

// TestTheHubsEnvironmentHoldsNoSecrets: a hub that an agent's command starts
// gets none of the agent's own variables.
func TestTheHubsEnvironmentHoldsNoSecrets(t *testing.T) {
	p := newPlace(t)
	p.env = append(p.env, "SOME_API_KEY=sk-secret-000", "XDG_RUNTIME_DIR="+p.home)
	p.run("", "up", "-d")
	hub, err := p.state().ReadHub()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", hub.Pid))
	if errors.Is(err, os.ErrNotExist) {
		return // another system than Linux does not tell
	}
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(data, []byte("sk-secret")) || !bytes.Contains(data, []byte("XDG_RUNTIME_DIR=")) {
		t.Errorf("the hub's environment is %q", data)
	}
}

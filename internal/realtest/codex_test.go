//go:build unix

package realtest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestCodex(t *testing.T) { testProgram(t, Codex{}) }

// A hook that the person has not seen yet is reviewed when the terminal opens.
// It tells the session, to which the program's own command then adds a prompt.
func TestCodexHooksAndQueue(t *testing.T) {
	for name, program := range map[string]Codex{"its own": {}, "daemon": {Daemon: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := NewHome(t, 1, program)
			script := filepath.Join(home.Dir, "hook")
			home.Write("hook", []byte(`cat >"$HOME/event.new"; mv "$HOME/event.new" "$HOME/event"`+"\n"+answer("SessionStart", "additionalContext", `"THREE UNREAD"`)))
			home.WriteJSON(codexFile("hooks.json"), object{"hooks": object{"SessionStart": []object{
				{"hooks": []object{{"type": "command", "command": "/bin/sh " + script, "timeout": 10}}},
			}}})
			api := NewAPI(t, Say("first reply"), Say("second reply"))
			tui := Client{Program: program, Home: home, API: api}.TUI(t)

			tui.Type("hello")
			tui.WaitScreen("first reply")
			tui.WaitIdle()
			if first := api.Wait(1); !strings.Contains(first.Text(), "THREE UNREAD") {
				t.Errorf("first request without the hook's context: %s", first.Text())
			}
			if _, err := os.Stat(filepath.Join(home.Dir, codexFile("app-server-control"))); (err == nil) != program.Daemon {
				t.Errorf("the daemon: %v", err)
			}
			queue(t, home, "FROM THE QUEUE")
			tui.WaitScreen("second reply")
			tui.WaitIdle()
			if n := api.Count(Fresh("FROM THE QUEUE")); n != 1 || api.Count() != 2 {
				t.Errorf("%d of %d requests bring the queued prompt, want 1 of 2", n, api.Count())
			}
			if code := tui.Exit(); code != 0 {
				t.Errorf("exit status %d", code)
			}
		})
	}
}

// queue adds a prompt to the session that the hook has told of.
func queue(t *testing.T, home *Home, prompt string) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(home.Dir, "event"))
	var event struct {
		Session string `json:"session_id"`
	}
	if err == nil {
		err = json.Unmarshal(raw, &event)
	}
	if err != nil {
		t.Fatalf("what the hook was told: %v", err)
	}
	cmd := exec.CommandContext(t.Context(), home.executable(Codex{}), "queue", "--thread", event.Session, "--message", prompt)
	cmd.Env, cmd.Dir = home.Env(), home.Dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("codex queue: %v\n%s", err, out)
	}
}

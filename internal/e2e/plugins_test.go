//go:build unix

package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"turnpost/internal/realtest"
)

// onlyNode is a machine with Node and no harness program: for plugins of ours
// in harnesses that are known from their documentation.
type onlyNode struct{ realtest.Program }

func (onlyNode) Pin() string { return "node" }

func (onlyNode) Executable() string {
	arch := runtime.GOARCH
	if arch == "amd64" {
		arch = "x64"
	}
	return "node-" + runtime.GOOS + "-" + arch + "/bin/node"
}

func (onlyNode) Command() string              { return "node" }
func (onlyNode) Furnish(*realtest.Home)       {}
func (onlyNode) Trust(*realtest.Home, string) {}

// playedHost loads a plugin as its harness does, if there is one, calls the
// hooks that it is told to, and prints what they return. The hook "run" is a
// registered line with its standard input: what it prints, if it ends with 0.
const playedHost = `
import { spawnSync } from "node:child_process"
import { createInterface } from "node:readline"
const run = (line, input) => {
  const { status, stdout } = spawnSync("/bin/sh", ["-c", line], { input, encoding: "utf8" })
  return status === 0 ? stdout : "status " + status
}
const hooks = { run }
const api = { on: (name, hook) => (hooks[name] = hook) }
const plugin = process.argv[2] && (await import(process.argv[2])).default
if (plugin?.register) plugin.register(api)
else plugin?.(api)
for await (const line of createInterface({ input: process.stdin })) {
  const { name, args } = JSON.parse(line)
  console.log(JSON.stringify((await hooks[name](...(args ?? []))) ?? null))
}
`

// played is a harness that a script plays.
type played struct {
	t   testing.TB
	in  io.WriteCloser
	out *bufio.Scanner
}

// play starts the script, around the plugin that setup wrote.
func (w *world) play(plugin ...string) *played {
	w.t.Helper()
	script := filepath.Join(w.home.Dir, "host.mjs")
	if err := os.WriteFile(script, []byte(playedHost), 0o600); err != nil {
		w.t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(w.home.Dir, ".local", "bin", "node"), script)
	if len(plugin) > 0 {
		cmd.Args = append(cmd.Args, filepath.Join(append([]string{w.home.Dir}, plugin...)...))
	}
	cmd.Dir, cmd.Env, cmd.Stderr = w.home.Repo, w.home.Env(), os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil { // nothing of the plugin keeps it alive
			w.t.Errorf("the host: %v", err)
		}
	})
	return &played{t: w.t, in: in, out: bufio.NewScanner(out)}
}

// hook calls one, and returns what it returned as JSON.
func (p *played) hook(name string, args ...any) string {
	p.t.Helper()
	line, err := json.Marshal(map[string]any{"name": name, "args": args})
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := fmt.Fprintf(p.in, "%s\n", line); err != nil {
		p.t.Fatal(err)
	}
	if !p.out.Scan() {
		p.t.Fatalf("%s: the host ended: %v", name, p.out.Err())
	}
	return p.out.Text()
}

type fields map[string]any

// The plugin for OpenClaw, in the shapes of its documentation: the start line
// with the first prompt, one more pass for unread mail, and nothing otherwise.
func TestPluginOfOpenClaw(t *testing.T) {
	w := newWorldOf(t, 1, onlyNode{})
	w.turnpost("setup", "--harness", "openclaw", "--apply")
	host := w.play(".openclaw", "extensions", "turnpost", "index.js")

	main := fields{"sessionId": "0b1c2d3e-0000-4000-8000-000000000001", "sessionKey": "agent:main:main", "workspaceDir": w.home.Repo, "trigger": "user"}
	group := fields{"sessionId": "0b1c2d3e-0000-4000-8000-000000000002", "sessionKey": "agent:main:telegram:group:-1", "workspaceDir": w.home.Repo, "trigger": "user"}
	done := fields{"sessionId": main["sessionId"], "stopHookActive": false, "lastAssistantMessage": "Done."}

	answer := host.hook("before_prompt_build", fields{"prompt": "hello", "messages": []any{}}, main)
	if !strings.Contains(answer, `{"prependContext":"`) || !strings.Contains(answer, "@repo") {
		t.Errorf("the first prompt got %s", answer)
	}
	for _, silent := range []string{
		host.hook("before_agent_finalize", done, main),
		host.hook("before_prompt_build", fields{"prompt": "more", "messages": []any{}}, main),
		host.hook("after_tool_call", fields{"toolName": "exec", "params": fields{}}, main),
	} {
		if silent != "null" {
			t.Errorf("with nothing unread it says %s", silent)
		}
	}
	w.turnpost("ask", "@repo", "Does it work?")
	if answer := host.hook("before_agent_finalize", done, group); answer != "null" {
		t.Errorf("a group got %s", answer)
	}
	answer = host.hook("before_agent_finalize", done, main)
	if !strings.HasPrefix(answer, `{"action":"revise","reason":"Turnpost: `) || !strings.Contains(answer, "Does it work?") {
		t.Errorf("the turn's end got %s", answer)
	}
	host.hook("agent_end", fields{"success": false, "error": "429"}, group)
	w.awaitStatus(`"detail": "429"`)

	w.turnpost("down")
	if answer := host.hook("before_agent_finalize", done, main); answer != "null" {
		t.Errorf("without a hub it says %s", answer)
	}
	back := w.hide("turnpost-hook")
	if answer := host.hook("before_prompt_build", fields{"prompt": "x"}, main); answer != "null" {
		t.Errorf("without its program it says %s", answer)
	}
	back()
	if answer := host.hook("before_prompt_build", nil, nil); answer != "null" {
		t.Errorf("an event without anything: %s", answer)
	}
	w.turnpost("setup", "--harness", "openclaw", "--remove")
	if _, err := os.Stat(filepath.Join(w.home.Dir, ".openclaw")); !os.IsNotExist(err) {
		t.Errorf("after remove: %v", err)
	}
}

// The plugin for Amp tells what a thread does and answers nothing.
func TestPluginOfAmp(t *testing.T) {
	w := newWorldOf(t, 1, onlyNode{})
	w.turnpost("setup", "--harness", "amp", "--apply")
	host := w.play(".config", "amp", "plugins", "turnpost.ts")

	thread := func(more fields) fields {
		more["thread"] = fields{"id": "T-7d2f1c0e-0000-4000-8000-000000000001"}
		return more
	}
	for _, call := range []struct {
		name, returns, state string
		event                fields
	}{
		{"session.start", "null", `"state": "idle"`, fields{}},
		{"agent.start", "{}", `"state": "working"`, fields{"message": "hello"}},
		{"tool.result", "null", `"state": "working"`, fields{"tool": "Bash", "status": "done"}},
		{"agent.end", "null", `"state": "idle"`, fields{"status": "done"}},
		{"agent.end", "null", `"state": "wedged"`, fields{"status": "error"}},
	} {
		if got := host.hook(call.name, thread(call.event)); got != call.returns {
			t.Errorf("%s returned %s", call.name, got)
		}
		w.awaitStatus(call.state)
	}
	if got := host.hook("agent.end"); got != "null" {
		t.Errorf("an event without anything: %s", got)
	}
}

// awaitStatus waits until the board says something.
func (w *world) awaitStatus(words string) {
	w.t.Helper()
	realtest.Until(w.t, "the board says "+words, func() bool { return strings.Contains(w.turnpost("status", "--json"), words) })
}

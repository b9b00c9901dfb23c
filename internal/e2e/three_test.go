//go:build unix

package e2e

import (
	"fmt"
	"path/filepath"
	"testing"

	"turnpost"
	"turnpost/internal/realtest"
)

// TestThreeHarnessesTalk is a conversation across harnesses: Claude Code asks
// Codex, which is idle, is woken and answers; the answer wakes Claude Code, which
// decides; and opencode, which works meanwhile, hears of it at its turn end.
func TestThreeHarnessesTalk(t *testing.T) {
	w := newWorldOf(t, 3, realtest.Claude{}, realtest.Codex{Daemon: true}, realtest.Opencode{})
	webDir, serverDir, docsDir := w.home.Project("web"), w.home.Project("server"), w.home.Project("docs")
	w.turnpost("down") // the hub reads its configuration when it starts
	w.home.Write(filepath.Join(".config", "turnpost", "config.toml"), fmt.Appendf(nil, "[handles]\n%q = \"@codex-agent\"\n", serverDir))
	w.up()
	for _, line := range w.setupAs() {
		w.sh(line)
	}

	var claudeIsIdle, decided realtest.Gate
	claudeAPI := realtest.NewAPI(t,
		realtest.Call("mcp__turnpost__post", object{"kind": "question", "to": []string{"@codex-agent"}, "summary": "Does /login still return 302?"}),
		realtest.Say("asked"),
		realtest.Call("mcp__turnpost__post", object{"kind": "decision", "to": []string{"@docs"}, "urgent": true, "summary": "/login stays 302"}),
		realtest.Say("decided"),
	)
	codexAPI := realtest.NewAPI(t,
		realtest.Say("ready"),
		tool("reply", func(id string) object { return object{"id": id, "summary": "302, as before"} }).Behind(&claudeIsIdle),
		realtest.Say("told them"),
	)
	opencodeAPI := realtest.NewAPI(t, realtest.Say("written").Behind(&decided), realtest.Say("302 it is"))
	start := func(p realtest.Program, dir string, api *realtest.API) *realtest.TUI {
		return realtest.Client{Program: p, Home: w.home, API: api, Dir: dir}.TUI(t)
	}
	codex := start(realtest.Codex{Daemon: true}, serverDir, codexAPI)
	opencode := start(realtest.Opencode{}, docsDir, opencodeAPI)
	claude := start(realtest.Claude{}, webDir, claudeAPI)

	turn(codex, "wait for questions", "ready")
	opencode.Type("write the manual")
	opencodeAPI.Wait(1)
	turn(claude, "ask the server", "asked")
	w.is(claude, turnpost.StateIdle)
	claudeIsIdle.Open()
	settle(codex, "told them")
	settle(claude, "decided")
	decided.Open()
	settle(opencode, "302 it is")

	wantRequests(t, claudeAPI.Requests(), "", "", "a-2", "")
	wantRequests(t, codexAPI.Requests(), "", "q-1", "")
	wantRequests(t, opencodeAPI.Requests(), "", "d-3")
	q, a, d := w.item("q-1"), w.item("a-2"), w.item("d-3")
	if q.Author != "@web" || q.State != turnpost.ItemAnswered || q.ClosedBy != "@codex-agent" {
		t.Errorf("the question: %+v", q)
	}
	if a.Author != "@codex-agent" || a.ReplyTo != q.ID || a.Summary != "302, as before" {
		t.Errorf("the answer: %+v", a)
	}
	if d.Author != "@web" || d.Kind != turnpost.Choice {
		t.Errorf("the decision: %+v", d)
	}
}

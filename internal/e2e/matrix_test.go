//go:build unix

package e2e

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"testing"

	"turnpost"
	"turnpost/internal/realtest"
)

// A row is one harness in the matrix: what differs between harnesses in the
// cases, and nothing else. Each has a small file of its own, as matrix_claude_test.go,
// and a line in rows. go test -run TestMatrix/NAME runs one, and with -update
// writes its line of the table.
type row struct {
	harness string // as setup calls it
	name    string // in the table, where the harness has more than one row
	program realtest.Program
	// settings writes what the person has in the harness's files before Turnpost
	// comes, in a layout that no machine would write.
	settings func(home *realtest.Home)
	// args are added to the command line of its sessions.
	args func(home *realtest.Home) []string
	// mentions are what the harness itself shows its model of our tools, where
	// setup registers them: silence means nothing besides.
	mentions []*regexp.Regexp
	// gone is what the harness itself shows a person of the server of our tools,
	// where setup registers it and the program is not there.
	gone *regexp.Regexp
	// rewrites: its own command, which registers our tools, writes the file that
	// setup writes too, anew in its own layout. The old bytes are gone then, so
	// they are looked at before.
	rewrites bool
	// call is how its model calls a tool of ours, where it is not offered like any
	// other.
	call func(r realtest.Request, name string, input any) realtest.Step
	// cannot says for which cases there is no way in this harness, and why.
	cannot map[string]string
}

func (r row) title() string { return cmp.Or(r.name, r.harness) }

// rows are the harnesses, in the order of the table.
func rows() []row {
	return []row{
		claudeRow(),
		codexRow(),
		geminiRow(),
		opencodeRow(),
		piRow(),
		piOldRow(),
		copilotRow(),
		qwenRow(),
	}
}

// The cases, in the order of the table.
const (
	caseContext  = "start context"
	caseTurnEnd  = "turn end"
	caseSilence  = "silence"
	caseTool     = "MCP tool"
	caseWake     = "idle wake"
	caseHubDead  = "hub dead"
	caseGone     = "programs gone"
	caseRemove   = "remove"
	handleOfRepo = "@repo"
)

func cases() []string {
	return []string{caseContext, caseTurnEnd, caseSilence, caseTool, caseWake, caseHubDead, caseGone, caseRemove}
}

// TestMatrix runs every case with every harness, and holds that the table in
// docs/harnesses.md says what came out.
func TestMatrix(t *testing.T) {
	table := newTable()
	for _, r := range rows() {
		t.Run(r.title(), func(t *testing.T) {
			m := &matrix{row: r, t: t, results: table.row(r)}
			m.run()
		})
	}
	t.Logf("the matrix:\n%s", table)
	table.compare(t)
}

// matrix is one row while it runs.
type matrix struct {
	row
	t       *testing.T
	w       *world
	api     *realtest.API
	tui     *realtest.TUI // the session that is open now
	results map[string]string
}

// run has four sessions: one without tools, which is told, left alone, loses
// its hub and gets mail; one whose hooks lead nowhere; one with tools; and then
// the removal.
func (m *matrix) run() {
	m.w = newWorldOf(m.t, 1, m.program)
	if m.settings != nil {
		m.settings(m.w.home)
	}
	m.api = realtest.NewAPI(m.t)
	before := m.w.files()
	register := m.w.setupAs("--harness", m.harness)
	wrote := before.changed(m.w.files())

	m.open()
	m.are(
		scene{caseContext, m.startContext},
		scene{caseSilence, m.silence},
		scene{caseHubDead, m.hubDead},
		scene{caseTurnEnd, m.turnEnd},
		scene{caseWake, m.wake},
	)
	m.tui.Exit()
	m.are(scene{caseGone, m.programsGone})
	remove := scene{caseRemove, func() { m.remove(before, wrote) }}
	if m.rewrites {
		m.are(remove)
		register = m.w.setupAs("--harness", m.harness)
	}
	for _, line := range register {
		m.w.sh(line)
	}
	m.open()
	m.are(scene{caseTool, m.tool})
	m.tui.Exit()
	if !m.rewrites {
		m.are(remove)
	}
}

// scene is one case as it is played.
type scene struct {
	name string
	play func()
}

// are plays scenes, each as a subtest. One that fails ends the row: what comes
// after it would only fail too.
func (m *matrix) are(scenes ...scene) {
	for _, s := range scenes {
		if reason, ok := m.cannot[s.name]; ok {
			m.results[s.name] = reason
			continue
		}
		passed := m.t.Run(s.name, func(t *testing.T) {
			m.w.in(t)
			m.api.In(t)
			if m.tui != nil {
				m.tui.In(t)
			}
			s.play()
		})
		if !passed {
			m.results[s.name] = "failed"
			m.t.Fatalf("%s failed", s.name)
		}
		m.results[s.name] = "yes"
	}
}

// open starts a session in the repository.
func (m *matrix) open() {
	m.t.Helper()
	m.tui = m.client(m.w, m.api).TUI(m.t)
}

// client is the harness as its person starts it.
func (r row) client(w *world, api *realtest.API) realtest.Client {
	var args []string
	if r.args != nil {
		args = r.args(w.home)
	}
	return w.client(api, args...)
}

// anyStartLine is all that a model hears of Turnpost where nothing is unread.
var anyStartLine = regexp.MustCompile(`Turnpost: you are ` + handleOfRepo + ` \(hook_session [0-9a-f]{32}\)\.( Keep notes of your work: [^.]*\.)?`)

// startContext has the first turn of a session.
func (m *matrix) startContext() {
	m.api.Script(realtest.Say("one done"))
	turn(m.tui, "do one", "one done")
	first := m.api.Wait(1)
	text := first.System + "\n" + first.Text()
	if n := len(anyStartLine.FindAllString(text, -1)); n != 1 {
		m.w.t.Errorf("the first request has %d start lines, want 1: %s", n, text)
	}
}

// silence has another turn, and looks at all that the model has been told.
func (m *matrix) silence() {
	m.api.Script(realtest.Say("two done"))
	turn(m.tui, "do two", "two done")
	wantRequests(m.w.t, m.api.Requests(), "", "")
	wantQuiet(m.w.t, m.tui)
	for i, r := range m.api.Requests() {
		text := anyStartLine.ReplaceAllString(r.System+"\n"+r.Text(), "")
		for _, mention := range m.mentions {
			text = mention.ReplaceAllString(text, "")
		}
		if strings.Contains(strings.ToLower(text), "turnpost") {
			m.w.t.Errorf("request %d tells more than the start line: %s", i+1, text)
		}
	}
}

// hubDead kills the hub and takes its program away, so that nothing can start
// it again.
func (m *matrix) hubDead() {
	m.api.Script(realtest.Say("three done"))
	asked := m.api.Count()
	back := m.w.hide("turnpost")
	m.w.killHub()
	turn(m.tui, "do three", "three done")
	back()
	wantRequests(m.w.t, m.api.Requests()[asked:], "")
	wantQuiet(m.w.t, m.tui)
	if text := m.api.Wait(asked + 1).Fresh(); strings.Contains(text, "urnpost") {
		m.w.t.Errorf("the model is told: %s", text)
	}
	m.w.up()
}

// turnEnd asks a question while the agent works.
func (m *matrix) turnEnd() {
	var q turnpost.Item
	asked := m.api.Count()
	m.api.Script(
		meanwhile(func() { q = m.w.ask(handleOfRepo, "Does /login still return 302?", turnpost.ClassTurnEnd) }, realtest.Say("four done")),
		realtest.Say("it does"),
	)
	turn(m.tui, "do four", "it does")
	wantRequests(m.w.t, m.api.Requests()[asked:], "", q.ID)
	m.w.resolve(q.ID)
}

// wake warns the agent while it is idle.
func (m *matrix) wake() {
	m.idle()
	asked := m.api.Count()
	m.api.Script(realtest.Say("woken"))
	var item turnpost.Item
	took := postToRequest(m.api, "The disk is full", func() {
		item = m.w.warn(handleOfRepo, "The disk is full", turnpost.ClassRung)
	})
	settle(m.tui, "woken")
	wantRequests(m.w.t, m.api.Requests()[asked:], item.ID)
	m.w.t.Logf("post to request: %s", took)
}

// idle waits until the hub has heard that the turn is over: a screen may say so
// before the hook at its end is answered.
func (m *matrix) idle() {
	m.w.board("the session is idle", func(b turnpost.Board) bool {
		return slices.ContainsFunc(b.Sessions, func(s turnpost.Session) bool {
			return s.Handle == handleOfRepo && s.Status.State == turnpost.StateIdle
		})
	})
}

// programsGone starts a session while neither of our programs is there, and no
// hub, as on another machine with the same dotfiles.
func (m *matrix) programsGone() {
	m.w.turnpost("down")
	back := m.w.hide(programNames...)
	m.tui = nil
	asked := m.api.Count()
	tui := m.client(m.w, m.api).TUI(m.w.t)
	m.api.Script(realtest.Say("five done"))
	turn(tui, "do five", "five done")
	wantRequests(m.w.t, m.api.Requests()[asked:], "")
	var allowed []string
	if m.gone != nil {
		allowed = m.gone.FindAllString(tui.Screen(), -1)
	}
	wantQuiet(m.w.t, tui, allowed...)
	if text := m.api.Wait(asked + 1).Text(); strings.Contains(text, "urnpost") {
		m.w.t.Errorf("the model is told: %s", text)
	}
	tui.Exit()
	back()
	m.w.up()
}

// tool lets the agent answer a question by its own tool call.
func (m *matrix) tool() {
	var q turnpost.Item
	asked := m.api.Count()
	m.api.Script(
		meanwhile(func() { q = m.w.ask(handleOfRepo, "Does /logout still return 302?", turnpost.ClassTurnEnd) }, realtest.Say("six done")),
		realtest.Think(func(r realtest.Request) realtest.Step {
			input := object{"id": q.ID, "summary": "No, 303"}
			if m.call != nil {
				return m.call(r, "reply", input)
			}
			return realtest.Call(ourTool(m.w.t, r, "reply"), input)
		}),
		realtest.Say("answered"),
	)
	turn(m.tui, "do six", "answered")
	wantRequests(m.w.t, m.api.Requests()[asked:], "", q.ID, "")
	if item := m.w.item(q.ID); item.State != turnpost.ItemAnswered || item.ClosedBy != handleOfRepo {
		m.w.t.Errorf("the question is %s by %q", item.State, item.ClosedBy)
	}
}

// ourTool is a tool of ours as the harness names it to its model.
func ourTool(t testing.TB, r realtest.Request, name string) string {
	for _, tool := range r.Tools {
		if strings.Contains(tool, "turnpost") && strings.HasSuffix(tool, name) {
			return tool
		}
	}
	t.Errorf("no tool of ours that is called %s: %v", name, r.Tools)
	return name
}

// remove takes out what setup wrote, after all that has happened since.
func (m *matrix) remove(before, wrote files) {
	if len(wrote) == 0 {
		m.w.t.Fatal("setup wrote nothing")
	}
	m.w.turnpost("setup", "--harness", m.harness, "--remove")
	wantUndone(m.w.t, before, wrote, m.w.files())
}

package realtest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Claude is Claude Code.
type Claude struct{}

var _ registrar = Claude{}

// fakeKey is short enough for the client to remember it whole as approved.
const fakeKey = "sk-ant-fake-000"

func (Claude) Pin() string     { return "claude-code" }
func (Claude) Command() string { return "claude" }

func (Claude) Executable() string {
	return "@anthropic-ai/claude-code-" + npmPlatform() + "/claude"
}

func (Claude) Furnish(h *Home) {
	h.WriteJSON(".claude.json", object{
		"hasCompletedOnboarding": true,
		"theme":                  "dark",
		"customApiKeyResponses":  object{"approved": []string{fakeKey}, "rejected": []string{}},
		"projects":               object{},
	})
}

func (Claude) Trust(h *Home, dir string) {
	raw, err := os.ReadFile(filepath.Join(h.Dir, ".claude.json"))
	config := object{}
	if err == nil {
		err = json.Unmarshal(raw, &config)
	}
	if err != nil {
		h.t.Fatalf("trust a project: %v", err)
	}
	projects, _ := config["projects"].(object)
	projects[dir] = object{"hasTrustDialogAccepted": true}
	h.WriteJSON(".claude.json", config)
}

func (Claude) Env(_ *Home, url string) []string {
	return []string{
		"ANTHROPIC_BASE_URL=" + url,
		"ANTHROPIC_API_KEY=" + fakeKey,
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"DISABLE_AUTOUPDATER=1",
		"DISABLE_TELEMETRY=1",
		"DISABLE_ERROR_REPORTING=1",
	}
}

func (Claude) OneShot(prompt string) []string { return []string{"-p", prompt} }

// Interactive asks for the permission mode "default": the client's own choice,
// "auto", asks a server for each tool.
func (Claude) Interactive() []string { return []string{"--permission-mode", "default"} }

func (Claude) Interrupt() []string { return []string{keyEsc} }
func (Claude) Quit() string        { return "/exit" }

// Look knows the screen of 2.1.332. The home says that its projects are
// trusted, but a client that starts while another one writes that file may ask
// all the same. Right after it appears the dialog takes no answer and goes back
// to its first line, so each line that is new is answered anew.
func (Claude) Look(screen string) View {
	const trust = "Yes, I trust this folder"
	var v View
	switch {
	case strings.Contains(screen, "❯ "+trust):
		v.Answer = keyEnter
	case strings.Contains(screen, trust):
		v.Answer = keyDown
	}
	v.Input, v.Ready = claudeInput(screen)
	v.Busy = strings.Contains(screen, "esc to interrupt")
	return v
}

// claudeHints stand in an empty input line after an API error; the screen does
// not tell them from typed text.
var claudeHints = []string{"Resend your message to try again", "Once fixed, resend your message"}

// claudeInput finds the text behind the last prompt sign at the left edge, up
// to the rule below it. There is none while a dialog is open.
func claudeInput(screen string) (string, bool) {
	const sign = "\n❯"
	start := strings.LastIndex(screen, sign)
	if start < 0 {
		return "", false
	}
	text, _, ok := strings.Cut(screen[start+len(sign):], "\n───")
	if text = strings.TrimSpace(text); slices.Contains(claudeHints, text) {
		text = ""
	}
	return text, ok
}

// registered reads the client's own entry in its registry of sessions, an
// undocumented file of 2.1.332. The client writes it in place: what cannot be
// read whole is nothing.
func (Claude) registered(h *Home, pid int) (session, status string) {
	raw, err := os.ReadFile(filepath.Join(h.Dir, ".claude", "sessions", strconv.Itoa(pid)+".json"))
	var entry struct {
		SessionID string `json:"sessionId"`
		Status    string `json:"status"`
	}
	if err != nil || json.Unmarshal(raw, &entry) != nil {
		return "", ""
	}
	return entry.SessionID, entry.Status
}

package realtest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Copilot is GitHub's Copilot CLI.
type Copilot struct{}

func (Copilot) Pin() string     { return "copilot" }
func (Copilot) Command() string { return "copilot" }

func (Copilot) Executable() string { return "@github/copilot-" + npmPlatform() + "/copilot" }

// Furnish lets all homes share what the program unpacks at its first start,
// 235 MB, beside its pin.
func (c Copilot) Furnish(h *Home) {
	pin, err := pinDir(c.Pin())
	shared := filepath.Join(pin, "unpacked")
	if err == nil {
		err = os.MkdirAll(shared, 0o755)
	}
	if err != nil {
		h.t.Fatalf("furnish the home: %v", err)
	}
	cache := ".cache"
	if runtime.GOOS == "darwin" {
		cache = filepath.Join("Library", "Caches")
	}
	h.link(filepath.Join(h.Dir, cache, "copilot", "pkg"), shared)
	h.WriteJSON(copilotFile("settings.json"), object{"banner": "never", "showTipsOnStartup": false})
	h.WriteJSON(copilotFile("config.json"), object{"firstLaunchAt": "2026-01-01T00:00:00.000Z", "appTipShown": true})
}

func (Copilot) Trust(h *Home, dir string) {
	raw, err := os.ReadFile(filepath.Join(h.Dir, copilotFile("config.json")))
	config := object{}
	if err == nil {
		err = json.Unmarshal(raw, &config)
	}
	if err != nil {
		h.t.Fatalf("trust a project: %v", err)
	}
	folders, _ := config["trustedFolders"].([]any)
	config["trustedFolders"] = append(folders, dir)
	h.WriteJSON(copilotFile("config.json"), config)
}

func copilotFile(name string) string { return filepath.Join(".copilot", name) }

func (Copilot) Env(_ *Home, url string) []string {
	return []string{
		"COPILOT_OFFLINE=true",
		"COPILOT_AUTO_UPDATE=false",
		"COPILOT_PROVIDER_BASE_URL=" + url + "/v1",
		"COPILOT_PROVIDER_API_KEY=fake",
		"COPILOT_MODEL=" + Model,
		"COPILOT_PROVIDER_MAX_PROMPT_TOKENS=200000",
		"COPILOT_PROVIDER_MAX_OUTPUT_TOKENS=8000",
	}
}

func (Copilot) OneShot(prompt string) []string { return []string{"--allow-all-tools", "-p", prompt} }
func (Copilot) Interactive() []string          { return nil }

// Interrupt: Ctrl-C. Esc asks for a second one, and then edits the prompt.
func (Copilot) Interrupt() []string { return []string{"\x03"} }
func (Copilot) Quit() string        { return "/exit" }

// Look knows the screen of 1.0.102: what is typed stands behind a sign at the
// left edge, between two rules; dialogs have frames. The row below says what
// runs.
func (Copilot) Look(screen string) View {
	const sign = "❯"
	rows := strings.Split(screen, "\n")
	lower := lastRule(rows)
	upper := lastRule(rows[:max(lower, 0)])
	if upper < 0 || !strings.HasPrefix(rows[upper+1], sign) {
		return View{}
	}
	input := strings.TrimPrefix(strings.Join(rows[upper+1:lower], "\n"), sign)
	if strings.HasPrefix(strings.TrimSpace(input), "/") {
		input, _, _ = strings.Cut(input, "[") // a hint at what the command takes
	}
	below := strings.Join(rows[lower:], "\n")
	return View{
		Ready: true,
		Input: strings.TrimSpace(input),
		Busy:  strings.Contains(below, "Working") || strings.Contains(below, "Loading"),
	}
}

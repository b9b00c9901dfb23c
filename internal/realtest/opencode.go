package realtest

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
)

// Opencode is opencode.
type Opencode struct{}

func (Opencode) Pin() string     { return "opencode" }
func (Opencode) Command() string { return "opencode" }

func (Opencode) Executable() string { return "opencode-" + npmPlatform() + "/bin/opencode" }

// Furnish: opencode installs its own plugin package into its directory, and
// waits for that where there is any plugin. These two say that it is there.
func (Opencode) Furnish(h *Home) {
	dir := filepath.Join(".config", "opencode")
	h.mkdir(filepath.Join(dir, "node_modules"))
	h.WriteJSON(filepath.Join(dir, "package-lock.json"), object{
		"packages": object{"": object{"dependencies": object{"@opencode-ai/plugin": "*"}}},
	})
}

// Trust: it asks about no directory.
func (Opencode) Trust(*Home, string) {}

// Env holds the whole configuration, which is merged over the files.
func (Opencode) Env(_ *Home, url string) []string {
	config, err := json.Marshal(object{
		"model": "fake/fake-1", "small_model": "fake/fake-1", "enabled_providers": []string{"fake"},
		"autoupdate": false, "share": "disabled",
		"provider": object{"fake": object{
			"npm": "@ai-sdk/openai-compatible", "name": "Fake",
			"options": object{"baseURL": url + "/v1", "apiKey": "fake"},
			"models":  object{"fake-1": object{"name": "Fake 1", "tool_call": true, "limit": object{"context": 200000, "output": 8000}}},
		}},
	})
	if err != nil {
		panic("realtest: configuration of opencode: " + err.Error()) // maps of strings, numbers and flags
	}
	return []string{
		"OPENCODE_CONFIG_CONTENT=" + string(config),
		"OPENCODE_DISABLE_MODELS_FETCH=1",
		"OPENCODE_DISABLE_AUTOUPDATE=1",
		"OPENCODE_DISABLE_LSP_DOWNLOAD=1",
	}
}

func (Opencode) OneShot(prompt string) []string { return []string{"run", prompt} }
func (Opencode) Interactive() []string          { return nil }

// Interrupt: the second press ends the turn.
func (Opencode) Interrupt() []string { return []string{keyEsc, keyEsc} }
func (Opencode) Quit() string        { return "/exit" }

// Look knows the screen of 1.18.33.
func (Opencode) Look(screen string) View {
	var v View
	v.Input, v.Ready = opencodeInput(screen)
	v.Again = strings.Contains(screen, "esc again to interrupt")
	v.Busy = v.Again || strings.Contains(screen, "esc interrupt")
	return v
}

// opencodeInput reads the box at the bottom: what is typed, an empty row, the
// name of the model, and an edge that nothing else has. A dialog has no edge;
// suggestions above what is typed have a second side.
func opencodeInput(screen string) (string, bool) {
	const side, edge, hint = "┃", "╹▀▀▀", "Ask anything"
	rows := strings.Split(screen, "\n")
	bottom := len(rows) - 1
	for bottom >= 0 && !strings.HasPrefix(strings.TrimSpace(rows[bottom]), edge) {
		bottom--
	}
	var box []string
	for row := bottom - 1; row >= 0; row-- {
		text, inside := strings.CutPrefix(strings.TrimSpace(rows[row]), side)
		if !inside || strings.HasSuffix(text, side) {
			break
		}
		box = append(box, strings.TrimSpace(text))
	}
	if len(box) < 3 || box[0] == "" {
		return "", false
	}
	slices.Reverse(box)
	text := strings.TrimSpace(strings.Join(box[:len(box)-1], "\n"))
	if strings.HasPrefix(text, hint) {
		text = ""
	}
	return text, true
}

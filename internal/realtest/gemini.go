package realtest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

// Gemini is Google's Gemini CLI.
type Gemini struct{}

func (Gemini) Pin() string        { return "gemini" }
func (Gemini) Command() string    { return "gemini" }
func (Gemini) Executable() string { return "@google/gemini-cli/bundle/gemini.js" }

func (Gemini) Furnish(h *Home) {
	h.WriteJSON(geminiFile("settings.json"), object{
		"security": object{"auth": object{"selectedType": "gemini-api-key"}},
		"general":  object{"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
		"privacy":  object{"usageStatisticsEnabled": false},
	})
	h.WriteJSON(geminiFile("trustedFolders.json"), object{})
}

func (Gemini) Trust(h *Home, dir string) {
	name := geminiFile("trustedFolders.json")
	raw, err := os.ReadFile(filepath.Join(h.Dir, name))
	folders := object{}
	if err == nil {
		err = json.Unmarshal(raw, &folders)
	}
	if err != nil {
		h.t.Fatalf("trust a project: %v", err)
	}
	folders[dir] = "TRUST_FOLDER"
	h.WriteJSON(name, folders)
}

func geminiFile(name string) string { return filepath.Join(".gemini", name) }

// Env keeps the program from starting itself a second time for more memory.
func (Gemini) Env(_ *Home, url string) []string {
	return []string{
		"GOOGLE_GEMINI_BASE_URL=" + url,
		"GEMINI_API_KEY=fake",
		"GEMINI_CLI_NO_RELAUNCH=true",
		"COLORTERM=truecolor", // it warns without
	}
}

// geminiModel is one that it knows: without a name it asks another model which
// to take.
const geminiModel = "gemini-2.5-flash"

func (Gemini) OneShot(prompt string) []string {
	return []string{"--model", geminiModel, "--yolo", "--prompt", prompt}
}
func (Gemini) Interactive() []string { return []string{"--model", geminiModel} }
func (Gemini) Interrupt() []string   { return []string{keyEsc} }
func (Gemini) Quit() string          { return "/quit" }

// Look knows the screen of 0.61.0: what is typed stands between a row of half
// blocks and another, above the footer; so do old prompts, further up. Hooks that
// run are shown for a second even when they are over.
func (Gemini) Look(screen string) View {
	var v View
	if strings.Contains(screen, "● 1. Trust folder") {
		v.Answer = keyEnter
	}
	top := strings.LastIndex(screen, "\n▄▄▄▄")
	if top < 0 {
		return v
	}
	_, box, _ := strings.Cut(screen[top+1:], "\n")
	input, below, ok := strings.Cut(box, "\n▀▀▀▀")
	v.Ready = ok && strings.Contains(below, "(/directory)")
	input = strings.TrimLeft(strings.TrimSpace(input), ">*")
	if v.Input = strings.TrimSpace(input); v.Input == "Type your message or @path/to/file" {
		v.Input = ""
	}
	status := screen[strings.LastIndex(screen[:top], "\n▀▀▀▀")+1 : top]
	v.Busy = strings.Contains(status, "esc to cancel") || strings.Contains(status, "Executing Hook")
	return v
}

package realtest

import (
	"path/filepath"
	"strings"
)

// Qwen is Alibaba's Qwen Code.
type Qwen struct{}

func (Qwen) Pin() string        { return "qwen" }
func (Qwen) Command() string    { return "qwen" }
func (Qwen) Executable() string { return "@qwen-code/qwen-code/cli-entry.js" }

// Furnish switches off what asks the model beside the turns: memories, skills, and
// what it would type next.
func (Qwen) Furnish(h *Home) { h.WriteJSON(filepath.Join(".qwen", "settings.json"), qwenSettings()) }

func qwenSettings() object {
	return object{
		"$version": 4, // else it writes the file anew
		"security": object{"auth": object{"selectedType": "openai"}},
		"model":    object{"name": Model},
		"general":  object{"enableAutoUpdate": false},
		"privacy":  object{"usageStatisticsEnabled": false},
		"ui":       object{"autoModeAcknowledged": true, "enableFollowupSuggestions": false, "hideTips": true, "hideBanner": true},
		"memory":   object{"enableManagedAutoMemory": false, "enableManagedAutoDream": false, "enableAutoSkill": false},
		"tools":    object{"useRipgrep": false},
	}
}

// Trust: it asks only where folder trust is switched on.
func (Qwen) Trust(*Home, string) {}

func (Qwen) Env(_ *Home, url string) []string {
	return []string{"OPENAI_API_KEY=fake", "OPENAI_BASE_URL=" + url + "/v1", "OPENAI_MODEL=" + Model}
}

func (Qwen) OneShot(prompt string) []string { return []string{"--yolo", "--prompt", prompt} }

// Interactive asks for the mode "default": the program's own choice, "auto", asks
// a model for each tool.
func (Qwen) Interactive() []string { return []string{"--approval-mode", "default"} }

func (Qwen) Interrupt() []string { return []string{keyEsc} }
func (Qwen) Quit() string        { return "/quit" }

// Look knows the screen of 0.24.4: what is typed stands behind a sign at the left
// edge, between two rules; dialogs take their place.
func (Qwen) Look(screen string) View {
	rows := strings.Split(screen, "\n")
	lower := lastRule(rows)
	upper := lastRule(rows[:max(lower, 0)])
	if upper < 0 || !strings.HasPrefix(rows[upper+1], ">") && !strings.HasPrefix(rows[upper+1], "*") {
		return View{}
	}
	v := View{Ready: true, Input: strings.TrimSpace(strings.Join(rows[upper+1:lower], "\n")[1:])}
	if v.Input == "Type your message or @path/to/file" {
		v.Input = ""
	}
	for _, row := range rows[max(0, upper-3):upper] {
		v.Busy = v.Busy || strings.Contains(row, "esc to cancel")
	}
	return v
}

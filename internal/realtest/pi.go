package realtest

import (
	"path/filepath"
	"strings"
)

// Pi is the Pi coding agent, and the package that it was before it had another
// name.
type Pi struct {
	Old bool // 0.73.1
}

func (p Pi) Pin() string {
	if p.Old {
		return "pi-old"
	}
	return "pi"
}

func (Pi) Command() string { return "pi" }

func (p Pi) Executable() string {
	if p.Old {
		return "@mariozechner/pi-coding-agent/dist/cli.js"
	}
	return "@earendil-works/pi-coding-agent/dist/bundle/cli.js"
}

// Furnish: a header would name the extensions that there are. Requests that fail
// are not tried again, and short sessions can be compacted.
func (Pi) Furnish(h *Home) {
	h.WriteJSON(piFile("settings.json"), object{
		"defaultProvider": "fake", "defaultModel": Model, "quietStartup": true,
		"retry": object{"enabled": false}, "compaction": object{"keepRecentTokens": 1},
	})
}

// Trust: it asks only about a directory that holds settings of its own.
func (Pi) Trust(*Home, string) {}

// Env writes the model into a file: there is no other way.
func (Pi) Env(h *Home, url string) []string {
	h.WriteJSON(piFile("models.json"), object{"providers": object{"fake": object{
		"baseUrl": url + "/v1", "api": "openai-completions", "apiKey": "fake",
		"models": []object{{"id": Model, "contextWindow": 200_000, "maxTokens": 8_000}},
	}}})
	return []string{"PI_OFFLINE=1", "PI_TELEMETRY=0", "PI_SKIP_VERSION_CHECK=1"}
}

func piFile(name string) string { return filepath.Join(".pi", "agent", name) }

func (Pi) OneShot(prompt string) []string { return []string{"-p", prompt} }
func (Pi) Interactive() []string          { return nil }

func (Pi) Interrupt() []string { return []string{keyEsc} }
func (Pi) Quit() string        { return "/quit" }

// Look knows the screens of 1.6.0 and 0.73.1: what is typed stands between two
// rules. A running turn says so in the upper one, or before 1.0 in a line above.
func (Pi) Look(screen string) View {
	rows := strings.Split(screen, "\n")
	lower := lastRule(rows)
	upper := lastRule(rows[:max(lower, 0)])
	if upper < 0 {
		return View{}
	}
	v := View{Ready: true, Input: strings.TrimSpace(strings.Join(rows[upper+1:lower], "\n"))}
	above := upper - 1
	for above > 0 && strings.TrimSpace(rows[above]) == "" {
		above--
	}
	for _, row := range []string{rows[upper], rows[max(above, 0)]} {
		words := strings.Fields(row)
		for i, word := range words[:max(len(words)-1, 0)] {
			spinner := strings.ContainsAny(word, "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")
			v.Busy = v.Busy || spinner && (strings.HasPrefix(words[i+1], "Working") || strings.HasPrefix(words[i+1], "Compacting"))
		}
	}
	return v
}

// lastRule finds the last row that starts with a line across the terminal.
func lastRule(rows []string) int {
	for i := len(rows) - 1; i >= 0; i-- {
		if strings.HasPrefix(rows[i], "──") {
			return i
		}
	}
	return -1
}

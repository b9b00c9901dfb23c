package harness

import (
	"path/filepath"
)

// geminiGroup is one element of the array of an event in a settings file. It
// has no matcher, which is every tool and every source. Entries that are not in
// a group are dropped.
type geminiGroup struct {
	Hooks []geminiHook `json:"hooks"`
}

type geminiHook struct {
	Name    string `json:"name"` // what the terminal shows, and what hooksConfig.disabled goes by
	Type    string `json:"type"` // command
	Command string `json:"command"`
	Timeout int    `json:"timeout"` // milliseconds
}

// Install registers every event in settings.json, which may hold comments.
func (h gemini) Install(t Target) []Entry {
	if t.Mode == "http" || t.Scope == "local" {
		return nil // it has neither
	}
	file := filepath.Join(t.Home, "settings.json")
	if t.Scope == "project" {
		file = filepath.Join(t.Project, ".gemini", "settings.json")
	}
	var entries []Entry
	for _, row := range geminiEvents {
		limit := row.timeout
		if limit == 0 {
			limit = hookTimeout
		}
		entries = append(entries, Entry{
			File:    file,
			Dialect: "jsonc",
			Pointer: "/hooks/" + row.name,
			Value: geminiGroup{Hooks: []geminiHook{{
				Name: "turnpost", Type: "command", Command: t.quietLine(h.Name()), Timeout: int(limit / h.TimeoutUnit()),
			}}},
			Why: "hear " + row.name,
		})
	}
	return append(entries, geminiCommands().entries(filepath.Join(filepath.Dir(file), "commands", "turnpost"))...)
}

// geminiCommands: a directory below commands is the first part of the name.
func geminiCommands() commandForm {
	return commandForm{
		typed: "/turnpost:",
		file:  func(c command) string { return c.name + ".toml" },
		text:  command.toml,
	}
}

// quietLine is a registered line that ends with 0 and without a word whatever
// becomes of the program: missing, not executable, broken, crashed, and also what
// the shell says of that, go nowhere.
func (t Target) quietLine(name string) string {
	if t.Hook == "" { // it looks for the program itself
		return "{ " + t.run(name) + " || true; } 2>/dev/null"
	}
	return "if [ -x " + shellQuote(t.Hook) + " ]; then " + t.run(name) + " || true; fi 2>/dev/null"
}

// MCPCommand was run on 0.61.0: it writes the entry into settings.json and keeps
// the comments there. Without trust every call asks, and without a terminal the
// tools are left out.
func (gemini) MCPCommand(turnpost string) string {
	return "gemini mcp add --scope user --trust turnpost " + shellQuote(turnpost) + " mcp"
}

func (gemini) MCPRemove() string { return "gemini mcp remove --scope user turnpost" }

func (h gemini) MCPEntry(getenv func(string) string) (file, dialect, pointer string) {
	return filepath.Join(h.Home(getenv), "settings.json"), "jsonc", "/mcpServers/turnpost"
}

// FolderTrust: the question can be switched off; else the answers are in a file
// of their own, for a directory and all below it, or for its parent. Without one
// not even the hooks of the user's own settings run.
func (h gemini) FolderTrust(getenv func(string) string, dir string) []Entry {
	settings, dialect, _ := h.MCPEntry(getenv)
	entries := []Entry{{File: settings, Dialect: dialect, Pointer: "/security/folderTrust", Key: "enabled", Value: false}}
	file := getenv("GEMINI_CLI_TRUSTED_FOLDERS_PATH")
	if !filepath.IsAbs(file) {
		file = filepath.Join(h.Home(getenv), "trustedFolders.json")
	}
	answer := func(dir, level string) {
		entries = append(entries, Entry{File: file, Dialect: dialect, Key: dir, Value: level})
	}
	answer(dir, "TRUST_PARENT")
	for {
		answer(dir, "TRUST_FOLDER")
		if dir == filepath.Dir(dir) {
			return entries
		}
		dir = filepath.Dir(dir)
	}
}

// UserHooksNeedTrust: a folder without an answer is not trusted.
func (gemini) UserHooksNeedTrust() bool { return true }

package harness

import (
	"path/filepath"
	"time"
)

// qwenGroup is one element of the array of an event in a settings file. It has
// no matcher, which is every tool and every source.
type qwenGroup struct {
	Hooks []qwenHook `json:"hooks"`
}

type qwenHook struct {
	Name    string `json:"name"`
	Type    string `json:"type"` // command
	Command string `json:"command"`
	Timeout int    `json:"timeout"` // below 1000 seconds, else milliseconds
	Async   bool   `json:"async,omitempty"`
}

// qwenTimeout is ten seconds for every version: earlier ones counted
// milliseconds, 0.24.4 reads a number from 1000 on as these.
const qwenTimeout = int(hookTimeout / time.Millisecond)

// Install registers every event in settings.json, which may hold comments.
func (h qwen) Install(t Target) []Entry {
	if t.Mode == "http" || t.Scope == "local" {
		return nil // hooks over HTTP bring neither process nor inbox; a local file there is not
	}
	file := filepath.Join(t.Home, "settings.json")
	if t.Scope == "project" {
		file = filepath.Join(t.Project, ".qwen", "settings.json")
	}
	var entries []Entry
	for _, row := range qwenEvents {
		entries = append(entries, Entry{
			File:    file,
			Dialect: "jsonc",
			Pointer: "/hooks/" + row.name,
			Value: qwenGroup{Hooks: []qwenHook{{
				Name: "turnpost", Type: "command", Command: t.quietLine(h.Name()), Timeout: qwenTimeout, Async: row.async,
			}}},
			Why: "hear " + row.name,
		})
	}
	return append(entries, qwenCommands().entries(filepath.Join(filepath.Dir(file), "commands", "turnpost"))...)
}

// qwenCommands: a directory below commands is the first part of the name.
func qwenCommands() commandForm {
	return commandForm{
		typed: "/turnpost:",
		file:  func(c command) string { return c.name + ".md" },
		text:  func(c command) string { return c.markdown("{{args}}", byPeople) },
	}
}

// MCPCommand was run on 0.24.4: it writes the entry into settings.json. Without
// trust every call asks.
func (qwen) MCPCommand(turnpost string) string {
	return "qwen mcp add --scope user --trust turnpost " + shellQuote(turnpost) + " mcp"
}

func (qwen) MCPRemove() string { return "qwen mcp remove --scope user turnpost" }

func (h qwen) MCPEntry(getenv func(string) string) (file, dialect, pointer string) {
	return filepath.Join(h.Home(getenv), "settings.json"), "jsonc", "/mcpServers/turnpost"
}

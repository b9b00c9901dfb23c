package harness

import (
	"path/filepath"
	"strconv"

	"turnpost"
	"turnpost/internal/document"
)

// claudeGroup is one element of the array of an event in a settings file. It
// has no matcher, which is every tool, every source, and for FileChanged every
// file that the session watches.
type claudeGroup struct {
	Hooks []claudeHandler `json:"hooks"`
}

type claudeHandler struct {
	Type           string            `json:"type"` // command, http
	Command        string            `json:"command,omitempty"`
	URL            string            `json:"url,omitempty"`
	Headers        map[string]string `json:"headers,omitempty"`
	AllowedEnvVars []string          `json:"allowedEnvVars,omitempty"`
	Timeout        int               `json:"timeout"` // seconds
	Async          bool              `json:"async,omitempty"`
	AsyncRewake    bool              `json:"asyncRewake,omitempty"`
	RewakeSummary  string            `json:"rewakeSummary,omitempty"` // the only line that the terminal shows
	RewakeMessage  string            `json:"rewakeMessage,omitempty"` // stands before the text
}

// Install registers every event that the installed version knows. A version
// that is not known counts as the first that has a bell; clients update
// themselves.
func (h claudeCode) Install(t Target) []Entry {
	v := parseVersion(t.Version, ".")
	if !v.known() {
		v = claudeBell
	}
	file := claudeSettings(t)
	var entries []Entry
	for _, row := range claudeEvents {
		if v.before(row.since) || !h.wanted(row, t.Mode, v) {
			continue
		}
		entries = append(entries, Entry{
			File:    file,
			Dialect: "json",
			Pointer: "/hooks/" + row.name,
			Value:   claudeGroup{Hooks: []claudeHandler{h.handler(row, t)}},
			Why:     "hear " + row.name,
		})
	}
	if t.Scope != "local" { // its directory is the repository's, for all who work in it
		entries = append(entries, claudeCommands().entries(filepath.Join(filepath.Dir(file), "commands", "turnpost"))...)
	}
	if t.Allow {
		entries = append(entries, Entry{
			File:    file,
			Dialect: "json",
			Pointer: "/permissions/allow",
			Value:   "mcp__turnpost__*",
			Why:     "let agents use Turnpost's tools without asking each time",
		})
	}
	return entries
}

// wanted leaves out what this target cannot use, and of the two events that
// follow a tool the one that costs more: a batch runs one hook for all its
// tools.
func (claudeCode) wanted(row claudeEvent, mode string, v version) bool {
	if row.name == "PostToolUse" && !v.before(claudeBatch) {
		return false
	}
	if mode == "http" {
		return !row.local && !v.before(claudeHTTPHooks)
	}
	return true
}

// claudeCommands: a directory below commands is the first part of the name, as a
// plugin's name is (2.1.332).
func claudeCommands() commandForm {
	return commandForm{
		typed: "/turnpost:",
		file:  func(c command) string { return c.name + ".md" },
		text:  func(c command) string { return c.markdown("$ARGUMENTS", c.hinted(), byPeople) },
	}
}

func claudeSettings(t Target) string {
	switch t.Scope {
	case "project":
		return filepath.Join(t.Project, ".claude", "settings.json")
	case "local":
		return filepath.Join(t.Project, ".claude", "settings.local.json")
	}
	return filepath.Join(t.Home, "settings.json")
}

func (h claudeCode) handler(row claudeEvent, t Target) claudeHandler {
	timeout := int(hookTimeout / h.TimeoutUnit())
	if t.Mode == "http" {
		return claudeHandler{
			Type:           "http",
			URL:            t.HubURL + "/hooks/" + h.Name(),
			Headers:        map[string]string{"Authorization": "Bearer ${TURNPOST_TOKEN}"},
			AllowedEnvVars: []string{"TURNPOST_TOKEN"},
			Timeout:        timeout,
		}
	}
	run := t.run(h.Name())
	if row.kind == turnpost.Bell {
		return claudeHandler{
			Type: "command",
			// Only our own status becomes the 2 that wakes: a Go program that
			// crashes ends with 2 as well.
			Command:       run + "; test $? -ne " + strconv.Itoa(WakeStatus) + " || exit 2; exit 0",
			Timeout:       timeout,
			AsyncRewake:   true,
			RewakeSummary: "turnpost: new mail",
			RewakeMessage: "Mail that Turnpost delivers:",
		}
	}
	return claudeHandler{
		Type: "command",
		// Whatever happens to the program, also when it is gone or cannot run,
		// the harness sees a quiet success.
		Command: run + " || exit 0",
		Timeout: timeout,
		Async:   row.async,
	}
}

// MCPCommand was run on 2.1.332: it writes the entry, alwaysLoad included, and
// fails when there is one already.
func (claudeCode) MCPCommand(turnpost string) string {
	var server document.Writer
	server.Open("")
	server.Text("type", "stdio")
	server.Text("command", turnpost)
	server.Texts("args", []string{"mcp"})
	server.Flag("alwaysLoad", true) // else the tools hide behind a search
	server.Close()
	return "claude mcp add-json --scope user turnpost " + shellQuote(string(server.Bytes()))
}

func (claudeCode) MCPRemove() string { return "claude mcp remove --scope user turnpost" }

// MCPEntry is in ~/.claude.json, with CLAUDE_CONFIG_DIR in that directory.
func (claudeCode) MCPEntry(getenv func(string) string) (file, dialect, pointer string) {
	dir := getenv("HOME")
	if config := getenv("CLAUDE_CONFIG_DIR"); config != "" {
		dir = config
	}
	return filepath.Join(dir, ".claude.json"), "json", "/mcpServers/turnpost"
}

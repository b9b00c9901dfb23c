package harness

import (
	"path/filepath"
	"strconv"

	"turnpost/internal/document"
)

// codexGroup is one element of the array of an event in hooks.json. Ours has no
// matcher, which is every tool and every source.
type codexGroup struct {
	Matcher string         `json:"matcher,omitempty"`
	Hooks   []codexHandler `json:"hooks"`
}

// codexHandler is a command. Ours is the first three; the rest is here because
// a review covers it.
type codexHandler struct {
	Type    string `json:"type"` // command
	Command string `json:"command"`
	Timeout int    `json:"timeout"` // seconds

	Async         bool   `json:"async,omitempty"`
	StatusMessage string `json:"statusMessage,omitempty"`
	ContextLimit  int    `json:"additionalContextLimit,omitempty"` // tokens
}

// Install registers every event that the installed version knows; one that is
// not known counts as the first that can be rung. There is no file of a project
// for one person, and no handler but a command.
func (h codex) Install(t Target) []Entry {
	dir := t.Home
	switch {
	case t.Mode == "http", t.Scope == "local":
		return nil
	case t.Scope == "project":
		dir = filepath.Join(t.Project, ".codex")
	}
	v := parseVersion(t.Version, ".")
	if !v.known() {
		v = codexQueue
	}
	var entries []Entry
	for _, row := range codexEvents {
		if v.before(row.since) {
			continue
		}
		timeout := hookTimeout
		if row.timeout != 0 {
			timeout = row.timeout
		}
		entries = append(entries, Entry{
			File:    filepath.Join(dir, "hooks.json"),
			Dialect: "json",
			Pointer: "/hooks/" + row.name,
			Value: codexGroup{Hooks: []codexHandler{{
				Type: "command",
				// One line for all events and all times: its text is what the person
				// has reviewed. At Stop, what a shell says of a program that is gone
				// would be shown.
				Command: t.run(h.Name()) + " 2>/dev/null || exit 0",
				Timeout: int(timeout / h.TimeoutUnit()),
			}}},
			Why: "hear " + row.name,
		})
	}
	if t.Scope == "user" {
		entries = append(entries, codexCommands("turnpost-").entries(filepath.Join(dir, "skills"))...)
		entries = append(entries, codexPolicy("turnpost-").entries(filepath.Join(dir, "skills"))...)
	}
	return entries
}

// codexCommands: 0.171.0 has no commands of one's own any more, only skills, typed
// with a dollar sign. What follows the name stays in the prompt.
func codexCommands(before string) commandForm {
	return commandForm{
		typed: "$" + before,
		file:  func(c command) string { return before + c.name + "/SKILL.md" },
		text: func(c command) string {
			return c.markdown("what your user wrote behind the name of this skill", "name: "+before+c.name)
		},
	}
}

// codexPolicy keeps these skills out of what the model is told at every start.
func codexPolicy(before string) commandForm {
	form := codexCommands(before)
	form.file = func(c command) string { return before + c.name + "/agents/openai.yaml" }
	form.text = func(command) string { return "policy:\n  allow_implicit_invocation: false\n" }
	return form
}

func (codex) HowToReview() string {
	return "start codex in a terminal, and trust them when it says that hooks need review, or later with /hooks"
}

// Review: the state of all hooks, of projects too, is in the user's config.toml.
// Its keys name the file as Codex does, which resolves links in CODEX_HOME and
// leaves those of ~/.codex as they are: where that differs, it just asks.
func (codex) Review(t Target, hook Entry, index int, sum func([]byte) [32]byte) (Entry, bool) {
	group, ok := hook.Value.(codexGroup)
	event := filepath.Base(hook.Pointer)
	if _, known := codexRow(event); !ok || !known {
		return Entry{}, false
	}
	const digits = "0123456789abcdef"
	hash := []byte("sha256:")
	for _, b := range sum(codexReviewed(event, group)) {
		hash = append(hash, digits[b>>4], digits[b&15])
	}
	return Entry{
		File:    filepath.Join(t.Home, "config.toml"),
		Dialect: "toml",
		Pointer: "/hooks/state",
		Key:     hook.File + ":" + snakeCase(event) + ":" + strconv.Itoa(index) + ":0",
		Value:   map[string]string{"trusted_hash": string(hash)},
		Why:     "review " + event + " for you",
	}, true
}

// codexReviewed is what Codex hashes: the group as it takes effect, compact, its
// keys sorted. The file that it stands in is not part of it. Timeouts are those
// that count: where there is none, 600, of the events with codexEnding 1, and of
// these never more than 3.
func codexReviewed(event string, group codexGroup) []byte {
	row, _ := codexRow(event)
	var hooks []byte
	for _, hook := range group.Hooks {
		var w document.Writer
		w.Open("")
		w.Number("additionalContextLimit", hook.ContextLimit)
		w.Flag("async", hook.Async)
		w.Text("command", hook.Command)
		w.Text("statusMessage", hook.StatusMessage)
		w.Number("timeout", hook.Timeout)
		w.Text("type", hook.Type)
		w.Close()
		hooks = append(append(hooks, ','), w.Bytes()...)
	}
	hooks[0] = '['
	var w document.Writer
	w.Open("")
	w.Text("event_name", snakeCase(event))
	w.Raw("hooks", append(hooks, ']'))
	if row.matches {
		w.Text("matcher", group.Matcher)
	}
	w.Close()
	return w.Bytes()
}

// snakeCase makes "session_start" of "SessionStart".
func snakeCase(name string) string {
	var out []byte
	for i := range len(name) {
		c := name[i]
		if c >= 'A' && c <= 'Z' {
			if i > 0 {
				out = append(out, '_')
			}
			c += 'a' - 'A'
		}
		out = append(out, c)
	}
	return string(out)
}

// MCPCommand was run on 0.171.0: it writes the entry, also over an older one.
// Nothing has to be allowed: Codex does not ask for tools that say of themselves
// that they destroy nothing and stay at home.
func (codex) MCPCommand(turnpost string) string {
	return "codex mcp add turnpost -- " + shellQuote(turnpost) + " mcp"
}

func (codex) MCPRemove() string { return "codex mcp remove turnpost" }

func (h codex) MCPEntry(getenv func(string) string) (file, dialect, pointer string) {
	return filepath.Join(h.Home(getenv), "config.toml"), "toml", "/mcp_servers/turnpost"
}

package harness

import (
	_ "embed"
	"path/filepath"

	"turnpost/internal/document"
)

// opencodePlugin is the plugin's own part.
//
//go:embed opencode_plugin.js
var opencodePlugin string

// opencodeOwn is that part with the commands, which the plugin puts into the
// configuration: a file for each could not have a name of two parts with a colon.
func opencodeOwn() string {
	var w document.Writer
	w.Open("")
	for _, c := range commands() {
		w.Open("turnpost:" + c.name)
		w.Text("description", c.what)
		w.Text("template", c.saying("$ARGUMENTS"))
		w.Close()
	}
	w.Close()
	return "const turnpostCommands = " + string(w.Bytes()) + "\n" + opencodePlugin
}

// Install writes the plugin, which does all the rest when opencode starts: it
// adds our MCP server to the configuration that opencode has in memory. opencode
// loads plugin/*.js and plugins/*.js of every configuration directory.
func (h opencode) Install(t Target) []Entry {
	if t.Mode == "http" {
		return nil
	}
	dir := t.Home
	if t.Scope != "user" {
		dir = filepath.Join(t.Project, ".opencode")
	}
	return []Entry{{
		File:    filepath.Join(dir, "plugins", "turnpost.js"),
		Dialect: "file",
		Value:   t.pluginFile(h.Name(), opencodeOwn()),
		Why:     "a plugin: hears every event, delivers, wakes, and brings Turnpost's tools",
	}}
}

const opencodeFetches = "with any plugin, opencode waits at its start until it has fetched its own package @opencode-ai/plugin into the configuration directory, once; without a network each start takes over a minute"

// Profile says what was seen with 1.18.33.
func (opencode) Profile() Profile {
	return Profile{
		Title:      "opencode",
		Events:     profileOf(opencodeEvents[:]),
		Proof:      Real,
		Tested:     opencodeTested,
		Minimum:    opencodeMinimum,
		Delivery:   "turn end, behind a tool's result, prompt; the bell while idle",
		Continue:   "its plugin puts the text in as a prompt, after a turn that ended well",
		Wake:       "the bell, a file that its plugin watches; from the first prompt on",
		Context:    "behind the first prompt, hidden in the terminal",
		Compaction: "the start line comes again with the next prompt",
		Notes:      "with the first prompt of a new session, and with the next one after a compaction",
		Tokens:     "all that its requests read and wrote, the cache's too, without sub-agents",
		Commands:   "/turnpost:watch, /turnpost:handoff, brought by its plugin",
		Tools:      "its plugin registers turnpost mcp at every start; a call is known by its process, in a server with several sessions by hook_session",
		Limits: []string{
			opencodeFetches,
			"opencode run ends with its turn: nothing keeps it going, and it receives nothing unless TURNPOST_AGENT is set",
			"in a terminal, what a session does while another one is in front is not seen",
			"in opencode serve, web and acp every session counts as one with a person, and TURNPOST_AGENT says nothing",
		},
		Caution: opencodeFetches,
	}
}

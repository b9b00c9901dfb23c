package harness

import (
	"path/filepath"
	"strings"

	"turnpost"
)

// command is what a person types for the agent in front of them, as
// /turnpost:watch. Its text is the same everywhere; each harness has its own form
// of it, and nothing of it reaches a model before somebody types it.
type command struct {
	name string // "watch"
	what string // one line for the list of commands
	hint string // what may follow the name
	text string // what the agent is told; argumentsHere is what followed
}

const argumentsHere = "ARGUMENTS-HERE"

// commands lists them all. No text has an @ or a quote in it: some harnesses
// would look for a file of that name, or end the text there.
func commands() []command {
	return []command{
		{
			name: "watch",
			what: "Wait for Turnpost items and handle them one by one, until you say stop",
			hint: "[how long, or until what]",
			text: "Wait for Turnpost items, for as long as your user wants, and handle what comes: " + argumentsHere + `

Call the tool ` + "`wait`" + ` of the MCP server turnpost; without it, run ` + "`turnpost wait`" + `. Nothing new is no reason to stop: wait again, and say nothing. Stop when your user says so, or when what stands above has happened.

` + turnpost.ProtocolTrust + ` For each item: a question, ` + turnpost.Protocol(turnpost.Question) + `; a task, ` +
				turnpost.Protocol(turnpost.Task) + `; an answer, ` + turnpost.Protocol(turnpost.Answer) + `; all else, ` + turnpost.Protocol(turnpost.Note) + `.

` + turnpost.ProtocolLimit + "\n",
		},
		{
			name: "handoff",
			what: "Bring the notes up to date, then hand your work over to another agent",
			hint: "[handle]",
			text: "Hand your work over to: " + argumentsHere + `

1. Rewrite your notes with the tool ` + "`context`" + ` of the MCP server turnpost, do=write: the goal, the plan, what is done, what is next, files, decisions and why. Whoever takes over knows nothing else.
2. Call it with do=handoff and to=that handle. Where none is named, list them with ` + "`agents`" + ` and ask your user which.
3. Tell your user what it answered, then stop: what was handed over is not yours any more.

Without these tools, run ` + "`turnpost context write`, `turnpost agents` and `turnpost context handoff HANDLE`" + `.
`,
		},
	}
}

// saying is the text with what the harness, or a person, puts for what followed
// the name.
func (c command) saying(arguments string) string {
	return strings.Replace(c.text, argumentsHere, arguments, 1)
}

// markdown is the text behind a head of more lines, each "key: value". Where the
// harness offers commands to its model too, one of them has to forbid that.
func (c command) markdown(arguments string, more ...string) string {
	head := append([]string{"description: " + c.what}, more...)
	return "---\n" + strings.Join(head, "\n") + "\n---\n\n" + c.saying(arguments)
}

// byPeople keeps a command out of what the model is told at the start of every
// session.
const byPeople = "disable-model-invocation: true"

// hinted is the line with what may follow the name.
func (c command) hinted() string { return `argument-hint: "` + c.hint + `"` }

// toml is the text as Gemini CLI takes it.
func (c command) toml() string {
	return "description = \"" + c.what + "\"\nprompt = \"\"\"\n" + c.saying("{{args}}") + "\"\"\"\n"
}

// commandForm is how a harness keeps commands: one file each.
type commandForm struct {
	typed string               // before the name, as a person types it: "/turnpost:"
	file  func(command) string // below the directory of its commands, with slashes
	text  func(command) string
}

// entries are the files in a directory.
func (f commandForm) entries(dir string) []Entry {
	var entries []Entry
	for _, c := range commands() {
		entries = append(entries, Entry{
			File: filepath.Join(dir, filepath.FromSlash(f.file(c))), Dialect: "file", Value: f.text(c), Words: true,
			Why: "the command " + f.typed + c.name,
		})
	}
	return entries
}

// files are those in a directory of a package, which ends with a slash.
func (f commandForm) files(dir string) []PackageFile {
	var files []PackageFile
	for _, c := range commands() {
		files = append(files, PackageFile{Path: dir + f.file(c), Text: f.text(c)})
	}
	return files
}

package workflow

import (
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2/unstable"

	"turnpost"
)

// step is a step with its table, which knows the places.
type step struct {
	def   turnpost.StepDef
	table *value
}

// stepKeys says which keys a kind of step has, beside id, kind, needs and group,
// which all have; the first ones have to be there.
type stepKeys struct {
	kind  turnpost.StepKind
	needs []string // "a|b": one of them
	may   []string
}

func kindsOfStep() []stepKeys {
	return []stepKeys{
		{turnpost.StepTask, []string{"text"}, []string{"retries", "optional"}},
		{turnpost.StepAgent, []string{"to", "text"}, []string{"retries", "optional"}},
		{turnpost.StepCommand, []string{"run"}, []string{"dir", "timeout", "retries", "optional"}},
		{turnpost.StepBreakpoint, []string{"question|text"}, []string{"files", "retries", "optional"}},
		{turnpost.StepSleep, []string{"duration|seconds"}, nil},
		{turnpost.StepGate, []string{"target"}, []string{"text", "again"}},
	}
}

// common is the keys that all steps have.
func common() []string { return []string{"id", "kind", "needs", "group"} }

// maxRetries is of one step.
const maxRetries = 100

// readStep reads one [[step]].
func (f *file) readStep(table *value) step {
	s := step{def: turnpost.StepDef{Kind: turnpost.StepTask}, table: table}
	f.stepKind(&s)
	for i := range table.entries {
		e := &table.entries[i]
		switch e.key {
		case "id":
			s.def.ID = f.word(e)
		case "kind": // read above
		case "needs":
			s.def.Needs = f.words(e)
		case "group":
			s.def.Group = f.word(e)
		case "text", "question":
			s.def.Text = f.longText(e, turnpost.MaxRunText)
		case "to":
			s.def.To = f.handle(e)
		case "run":
			f.command(&s).Args = f.commandLine(e)
		case "dir":
			f.command(&s).Dir = f.inside(&e.value, e.key)
		case "timeout":
			f.command(&s).Seconds = int(f.duration(e, longestCommand))
		case "seconds":
			s.def.Seconds = f.count(e, 1, int64(longest/time.Second))
		case "duration":
			s.def.Seconds = f.duration(e, longest)
		case "files":
			s.def.Files = f.files(e)
		case "target":
			s.def.Target = f.number(e)
		case "again":
			s.def.Again = f.word(e)
		case "retries":
			s.def.Retries = int(f.count(e, 0, maxRetries))
		case "optional":
			s.def.Optional = f.flag(e)
		}
	}
	f.stepFits(&s)
	return s
}

// command is the step's, which starts in the repository's root.
func (f *file) command(s *step) *turnpost.Command {
	if s.def.Command == nil {
		s.def.Command = &turnpost.Command{Dir: f.root}
	}
	return s.def.Command
}

func (f *file) stepKind(s *step) {
	e := s.table.find("kind")
	if e == nil {
		return
	}
	if !f.is(e, unstable.String) {
		s.def.Kind = ""
		return
	}
	s.def.Kind = turnpost.StepKind(e.value.text)
	var names []string
	for _, k := range kindsOfStep() {
		names = append(names, string(k.kind))
	}
	if !slices.Contains(names, e.value.text) {
		f.wrong(e.value.at, "%.40q is not a kind of step", e.value.text).hint("kinds are %s", strings.Join(names, ", "))
		s.def.Kind = ""
	}
}

// stepFits holds the keys of a step to its kind.
func (f *file) stepFits(s *step) {
	if s.table.find("id") == nil {
		f.wrong(s.table.at, "the step has no id").hint(`name it: id = "build"`)
	}
	var known, fit []string
	for _, k := range kindsOfStep() {
		keys := slices.Concat(common(), strings.Split(strings.Join(k.needs, "|"), "|"), k.may)
		known = append(known, keys...)
		if k.kind != s.def.Kind {
			continue
		}
		fit = keys
		for _, need := range k.needs {
			f.needed(s, strings.Split(need, "|"))
		}
	}
	for _, e := range s.table.entries {
		switch {
		case !slices.Contains(known, e.key):
			slices.Sort(known)
			f.wrong(e.at, "%.40q is not a key of a step", e.key).hint("keys are %s", strings.Join(slices.Compact(known), ", "))
		case fit != nil && !slices.Contains(fit, e.key):
			f.wrong(e.at, "a step of kind %s has no %s", s.def.Kind, e.key).hint("it has %s", strings.Join(fit, ", "))
		}
	}
}

// needed wants just one of some keys.
func (f *file) needed(s *step, keys []string) {
	var there []*entry
	for _, key := range keys {
		if e := s.table.find(key); e != nil {
			there = append(there, e)
		}
	}
	switch {
	case len(there) == 0:
		f.wrong(s.table.at, "the step has no %s, which one of kind %s needs", strings.Join(keys, " or "), s.def.Kind)
	case len(there) > 1:
		f.wrong(there[1].at, "%s cannot be given together with %s", there[1].key, there[0].key)
	}
}

const letters = "abcdefghijklmnopqrstuvwxyz0123456789"

// isName tells whether text is at most most letters and signs, a letter first.
func isName(text, signs string, most int) bool {
	return text != "" && len(text) <= most && strings.Trim(text, letters+signs) == "" && strings.IndexByte(letters, text[0]) >= 0
}

func (f *file) word(e *entry) string { return f.wordOf(&e.value, e.key) }

func (f *file) wordOf(v *value, what string) string {
	if v.kind != unstable.String {
		f.wrong(v.at, "%s has to be a string, not %s", what, kindName(v.kind))
		return ""
	}
	if !isName(v.text, "_-", 64) {
		f.wrong(v.at, "%.80q is not a name", v.text).hint("use small letters, digits, '_' and '-', at most 64, the first a letter or a digit")
		return ""
	}
	return v.text
}

// words reads needs.
func (f *file) words(e *entry) []string {
	if !f.is(e, unstable.Array) {
		return nil
	}
	var out []string
	for i := range e.value.list {
		v := &e.value.list[i]
		word := f.wordOf(v, "each of "+e.key)
		if word != "" && slices.Contains(out, word) {
			f.wrong(v.at, "%q is there twice", word)
		}
		out = append(out, word)
	}
	return out
}

// handle reads @name or @name/name, as the hub takes it.
func (f *file) handle(e *entry) string {
	if !f.is(e, unstable.String) {
		return ""
	}
	handle := strings.TrimPrefix(e.value.text, "@")
	parts := strings.Split(handle, "/")
	wrong := func(part string) bool { return !isName(part, "._-", 30) || strings.TrimRight(part, ".-") != part }
	if len(parts) > 2 || slices.ContainsFunc(parts, wrong) {
		f.wrong(e.value.at, "%.80q is not a handle", e.value.text).hint("write it like @api or @api/auth")
	}
	return "@" + handle
}

// files reads what a breakpoint shows: paths, or tables of path and format.
func (f *file) files(e *entry) []turnpost.RunFile {
	if !f.is(e, unstable.Array) {
		return nil
	}
	var out []turnpost.RunFile
	for i := range e.value.list {
		v := &e.value.list[i]
		if v.kind != unstable.InlineTable {
			out = append(out, turnpost.RunFile{Path: f.inside(v, "each of files")})
			continue
		}
		var shown turnpost.RunFile
		for n := range v.entries {
			in := &v.entries[n]
			switch in.key {
			case "path":
				shown.Path = f.inside(&in.value, "path")
			case "format":
				shown.Format = in.value.text
				if f.is(in, unstable.String) && !slices.Contains([]string{"markdown", "code", "json"}, shown.Format) {
					f.wrong(in.value.at, "%.40q is not a format", shown.Format).hint("formats are markdown, code, json")
				}
			default:
				f.wrong(in.at, "%.40q is not a key of a file", in.key).hint("keys are path, format")
			}
		}
		if v.find("path") == nil {
			f.wrong(v.at, "the file has no path")
		}
		out = append(out, shown)
	}
	return out
}

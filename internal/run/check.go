package run

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"turnpost"
)

// Sizes that only this package needs: of names in bytes, of labels in runes.
const (
	maxName    = 200
	maxLabel   = 200
	maxPath    = 4096
	maxArgs    = 1000
	maxFiles   = 20
	maxCommand = 86400              // seconds
	maxSeconds = 366 * 24 * 60 * 60 // of a run or a sleep
)

func tooLarge(field string, have, most int) *turnpost.Error {
	err := turnpost.Errorf(turnpost.TooLarge, "is %d bytes long, at most %d are allowed", have, most)
	err.Field = field
	return err
}

func checkHandle(field, handle string) error {
	if len(handle) < 2 || handle[0] != '@' || strings.ContainsAny(handle, " \t\r\n") {
		return turnpost.Invalidf(field, "%.80q is not a handle", handle).WithHint("a handle is @name or @name/name")
	}
	if len(handle) > maxName {
		return tooLarge(field, len(handle), maxName)
	}
	return nil
}

func checkLimits(l turnpost.Limits) error {
	for _, n := range []struct {
		field string
		value int64
		most  int64
	}{
		{"limits.iterations", int64(l.Iterations), math.MaxInt32},
		{"limits.seconds", l.Seconds, maxSeconds},
		{"limits.turns", int64(l.Turns), math.MaxInt32},
		{"limits.tokens", l.Tokens, math.MaxInt64},
		{"limits.stall", int64(l.Stall), math.MaxInt32},
	} {
		if n.value < 0 {
			return turnpost.Invalidf(n.field, "is negative").WithHint("leave it out for none")
		}
		if n.value > n.most {
			return turnpost.Invalidf(n.field, "is %d, at most %d are allowed", n.value, n.most)
		}
	}
	if l.Target != nil && !finite(*l.Target) {
		return turnpost.Invalidf("limits.target", "is not a number")
	}
	return nil
}

// clean is text as it comes back from disk.
func clean(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

// checkAsk checks what an agent or a person asks for.
func (s *State) checkAsk(in turnpost.EffectDraft) error {
	switch {
	case len(in.Key) > maxName:
		return tooLarge("key", len(in.Key), maxName)
	case !utf8.ValidString(in.Key):
		return turnpost.Invalidf("key", "is not text")
	case strings.HasPrefix(in.Key, stepKey):
		return turnpost.Invalidf("key", "begins with %q", stepKey).WithHint("these keys are those of a process's steps")
	case len(in.Label) > turnpost.MaxRunText:
		return tooLarge("label", len(in.Label), turnpost.MaxRunText)
	case in.Kind == turnpost.EffectAgent && in.To == s.Handle:
		return turnpost.Invalidf("to", "is the run's own agent").WithHint("use a task")
	}
	return content{
		kind: in.Kind, command: in.Command, files: in.Files, to: in.To, text: in.Text, question: in.Question, asks: "question",
		seconds: in.Seconds,
	}.check("")
}

// content is what an effect and the step that asks for one have in common.
type content struct {
	kind     turnpost.EffectKind
	command  *turnpost.Command
	files    []turnpost.RunFile
	to       string
	text     string
	question string
	asks     string // field of the question
	seconds  int64
}

// check tells what of its kind is missing, wrong or out of place; at stands
// before the fields.
func (c content) check(at string) error {
	type part struct {
		field string
		given bool
		kinds []turnpost.EffectKind // that have it; they need it, but for files
	}
	if !slices.Contains(turnpost.EffectKinds(), c.kind) {
		return turnpost.Invalidf(at+"kind", "%.40q is not a kind of effect", string(c.kind)).
			WithHint("use task, agent, command, breakpoint or sleep")
	}
	for _, p := range []part{
		{"command", c.command != nil, []turnpost.EffectKind{turnpost.EffectCommand}},
		{c.asks, strings.TrimSpace(c.question) != "", []turnpost.EffectKind{turnpost.EffectBreakpoint}},
		{"files", len(c.files) > 0, []turnpost.EffectKind{turnpost.EffectBreakpoint}},
		{"to", c.to != "", []turnpost.EffectKind{turnpost.EffectAgent}},
		{"text", strings.TrimSpace(c.text) != "", []turnpost.EffectKind{turnpost.EffectTask, turnpost.EffectAgent}},
		{"seconds", c.seconds != 0, []turnpost.EffectKind{turnpost.EffectSleep}},
	} {
		has := slices.Contains(p.kinds, c.kind)
		if p.given && !has {
			return turnpost.Invalidf(at+p.field, "does not go with kind %s", c.kind)
		}
		if has && !p.given && p.field != "files" {
			return turnpost.Invalidf(at+p.field, "is missing: kind %s needs it", c.kind)
		}
	}
	switch {
	case len(c.question) > turnpost.MaxRunText:
		return tooLarge(at+c.asks, len(c.question), turnpost.MaxRunText)
	case len(c.text) > turnpost.MaxRunText:
		return tooLarge(at+"text", len(c.text), turnpost.MaxRunText)
	case c.seconds < 0 || c.seconds > maxSeconds:
		return turnpost.Invalidf(at+"seconds", "is %d", c.seconds).WithHint("use 1 to %d", maxSeconds)
	}
	if c.to != "" {
		if err := checkHandle(at+"to", c.to); err != nil {
			return err
		}
	}
	if c.command != nil {
		if err := checkCommand(at+"command.", *c.command); err != nil {
			return err
		}
	}
	return checkFiles(at+"files", c.files)
}

func checkCommand(at string, c turnpost.Command) error {
	size := 0
	for _, arg := range c.Args {
		size += len(arg)
		if strings.ContainsRune(arg, 0) || !utf8.ValidString(arg) {
			return turnpost.Invalidf(at+"args", "hold what is not text")
		}
	}
	switch {
	case len(c.Args) == 0 || c.Args[0] == "":
		return turnpost.Invalidf(at+"args", "name no program").WithHint(`as ["make", "test"]; there is no shell`)
	case len(c.Args) > maxArgs:
		return turnpost.Invalidf(at+"args", "are %d, at most %d are allowed", len(c.Args), maxArgs)
	case size > turnpost.MaxRunText:
		return tooLarge(at+"args", size, turnpost.MaxRunText)
	case !filepath.IsAbs(c.Dir) || strings.ContainsRune(c.Dir, 0) || !utf8.ValidString(c.Dir):
		return turnpost.Invalidf(at+"dir", "%.80q is not an absolute path", c.Dir)
	case len(c.Dir) > maxPath:
		return tooLarge(at+"dir", len(c.Dir), maxPath)
	case c.Seconds < 0 || c.Seconds > maxCommand:
		return turnpost.Invalidf(at+"seconds", "is %d", c.Seconds).WithHint("use 1 to %d, or leave it out for 600", maxCommand)
	}
	return nil
}

func checkFiles(field string, files []turnpost.RunFile) error {
	if len(files) > maxFiles {
		return turnpost.Invalidf(field, "are %d, at most %d are allowed", len(files), maxFiles)
	}
	for _, f := range files {
		switch {
		case f.Path == "":
			return turnpost.Invalidf(field, "name a file without a path")
		case !utf8.ValidString(f.Path):
			return turnpost.Invalidf(field, "hold what is not text")
		case len(f.Path) > maxPath:
			return tooLarge(field, len(f.Path), maxPath)
		}
		switch f.Format {
		case "", "markdown", "code", "json":
		default:
			return turnpost.Invalidf(field, "%.40q is not a format", f.Format).WithHint("use markdown, code or json")
		}
	}
	return nil
}

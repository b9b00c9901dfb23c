package workflow

import (
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2/unstable"

	"turnpost"
)

// topKeys is the keys of a process.
const topKeys = "goal, target, max_iterations, timeout, budget_turns, budget_tokens, stall and [[step]]"

// top reads the whole file.
func (f *file) top(table *value, out *turnpost.RunStart) {
	var limits turnpost.Limits
	for i := range table.entries {
		e := &table.entries[i]
		switch e.key {
		case "goal":
			out.Goal = f.longText(e, turnpost.MaxGoal)
		case "target":
			limits.Target = new(f.number(e))
		case "max_iterations":
			limits.Iterations = int(f.count(e, 1, math.MaxInt32))
		case "timeout":
			limits.Seconds = f.duration(e, longest)
		case "budget_turns":
			limits.Turns = int(f.count(e, 1, math.MaxInt32))
		case "budget_tokens":
			limits.Tokens = f.count(e, 1, math.MaxInt64)
		case "stall":
			limits.Stall = int(f.count(e, 1, math.MaxInt32))
		case "step":
			f.readSteps(e)
		default:
			f.wrong(e.at, "%.40q is not a key of a process", e.key).hint("keys are %s", topKeys)
		}
	}
	out.Limits = limits
	if table.find("goal") == nil {
		f.wrong(0, "goal is missing").hint(`say what is to be reached: goal = "..."`)
	}
	if table.find("step") == nil {
		f.wrong(0, "it has no steps").hint("each step is a [[step]]; without any, start the run without a process")
	}
}

func (f *file) readSteps(e *entry) {
	if e.value.kind != unstable.Array || len(e.value.list) == 0 {
		f.wrong(e.value.at, "step has to be a list of tables, not %s", kindName(e.value.kind)).hint("start each step with [[step]]")
		return
	}
	for i := range e.value.list {
		table := &e.value.list[i]
		switch {
		case i >= turnpost.MaxRunSteps:
			f.wrong(table.at, "it has %d steps, and may have %d", len(e.value.list), turnpost.MaxRunSteps)
			return
		case table.kind != unstable.InlineTable:
			f.wrong(table.at, "a step has to be a table, not %s", kindName(table.kind)).hint("start each step with [[step]]")
		default:
			f.steps = append(f.steps, f.readStep(table))
		}
	}
}

// is holds a value to a kind.
func (f *file) is(e *entry, kinds ...unstable.Kind) bool {
	if slices.Contains(kinds, e.value.kind) {
		return true
	}
	f.wrong(e.value.at, "%s has to be %s, not %s", e.key, kindName(kinds[0]), kindName(e.value.kind))
	return false
}

// text reads a string that is not blank.
func (f *file) text(e *entry) string {
	if !f.is(e, unstable.String) {
		return ""
	}
	if strings.TrimSpace(e.value.text) == "" {
		f.wrong(e.value.at, "%s is empty", e.key)
	}
	return e.value.text
}

func (f *file) longText(e *entry, most int) string {
	text := strings.TrimSpace(f.text(e))
	if len(text) > most {
		f.wrong(e.value.at, "%s has %d bytes, and may have %d", e.key, len(text), most)
	}
	return text
}

func (f *file) flag(e *entry) bool {
	return f.is(e, unstable.Bool) && e.value.text == "true"
}

func (f *file) number(e *entry) float64 {
	if !f.is(e, unstable.Integer, unstable.Float) {
		return 0
	}
	n, err := e.value.number()
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		f.wrong(e.value.at, "%s has to be a finite number", e.key)
		return 0
	}
	return n
}

// count reads a whole number from least to most.
func (f *file) count(e *entry, least, most int64) int64 {
	if !f.is(e, unstable.Integer, unstable.Float) {
		return 0
	}
	n, err := strconv.ParseInt(strings.ReplaceAll(e.value.text, "_", ""), 0, 64)
	switch {
	case e.value.kind == unstable.Float || err != nil:
		f.wrong(e.value.at, "%s has to be a whole number", e.key)
	case n < least:
		f.wrong(e.value.at, "%s has to be at least %d", e.key, least)
	case n > most:
		f.wrong(e.value.at, "%s has to be at most %d", e.key, most)
	}
	return n
}

// The longest times, as the rules of runs have them.
const (
	longest        = 366 * 24 * time.Hour // of a run, a sleep
	longestCommand = 24 * time.Hour
)

// duration reads "90s", "10m", "2h" or "3d", in seconds.
func (f *file) duration(e *entry, most time.Duration) int64 {
	if !f.is(e, unstable.String) {
		return 0
	}
	d, ok := parseDuration(e.value.text)
	switch {
	case !ok:
		f.wrong(e.value.at, "%s has to be a duration like 90s, 10m, 2h or 3d", e.key)
	case d < time.Second:
		f.wrong(e.value.at, "%s has to be at least a second", e.key)
	case d%time.Second != 0:
		f.wrong(e.value.at, "%s has to be whole seconds", e.key)
	case d > most:
		f.wrong(e.value.at, "%s has to be at most %s", e.key, duration(int64(most/time.Second)))
	}
	return int64(d / time.Second)
}

// parseDuration reads Go's form and whole days.
func parseDuration(text string) (time.Duration, bool) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16)
		return time.Duration(n) * 24 * time.Hour, err == nil
	}
	d, err := time.ParseDuration(text)
	return d, err == nil && d >= 0
}

// inside reads a path of the repository, and makes it absolute.
func (f *file) inside(v *value, what string) string {
	switch {
	case v.kind != unstable.String:
		f.wrong(v.at, "%s has to be a string, not %s", what, kindName(v.kind))
	case strings.ContainsRune(v.text, 0) || v.text == "":
		f.wrong(v.at, "%s has to be a path", what)
	case !filepath.IsLocal(filepath.FromSlash(v.text)):
		f.wrong(v.at, "%s has to be a path in the repository, from its root", what)
	}
	return filepath.Join(f.root, filepath.FromSlash(v.text))
}

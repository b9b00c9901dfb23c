// Package workflow reads the processes that runs follow, .turnpost/runs/NAME.toml
// of a repository, says what is wrong with one by line and column, and draws one
// with how far it is.
//
// It does not trust: its caller asks first whether the person trusted the file,
// and gives the bytes that were judged.
package workflow

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"turnpost"
	"turnpost/internal/run"
)

// maxProblems bounds what is said of one file.
const maxProblems = 10

// Problems is everything that is wrong with a process, in the file's order. The
// Field of each is its place, "file:line:column".
type Problems []*turnpost.Error

func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, problem := range p {
		lines[i] = problem.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives programs the first one's code, and people its hint.
func (p Problems) Unwrap() []error {
	out := make([]error, len(p))
	for i, problem := range p {
		out[i] = problem
	}
	return out
}

// Parse reads a process. path is its file, absolute: directories and files in it
// are meant from the root of its repository, or from its own directory where it
// is not in .turnpost/runs. The error is Problems.
func Parse(name, path string, data []byte) (turnpost.RunStart, error) {
	f := &file{path: path, root: rootOf(path), data: data}
	table, err := readTOML(data)
	if err != nil {
		f.syntax(err)
		return turnpost.RunStart{}, f.failure()
	}
	sum := sha256.Sum256(data)
	out := turnpost.RunStart{Process: &turnpost.RunProcess{Name: name, File: path, Hash: hex.EncodeToString(sum[:])}}
	f.top(table, &out)
	if f.checkGraph(); len(f.problems) > 0 {
		return turnpost.RunStart{}, f.failure()
	}
	for _, s := range f.steps {
		out.Process.Steps = append(out.Process.Steps, s.def)
	}
	if err := run.CheckProcess(*out.Process); err != nil {
		f.refused(err)
		return turnpost.RunStart{}, f.failure()
	}
	return out, nil
}

// rootOf is where the paths of a process count from.
func rootOf(path string) string {
	dir := filepath.Dir(path)
	if filepath.Base(dir) == "runs" && filepath.Base(filepath.Dir(dir)) == ".turnpost" {
		return filepath.Dir(filepath.Dir(dir))
	}
	return dir
}

// file is a process that is being read.
type file struct {
	path, root string
	data       []byte
	steps      []step
	problems   []problem
}

type problem struct {
	at  int
	err *turnpost.Error
}

// wrong notes a mistake; its result takes a hint.
func (f *file) wrong(at int, format string, args ...any) *problem {
	f.problems = append(f.problems, problem{at, turnpost.Invalidf(f.place(at), format, args...)})
	return &f.problems[len(f.problems)-1]
}

func (p *problem) hint(format string, args ...any) { p.err = p.err.WithHint(format, args...) }

// failure is all mistakes, the first ones first.
func (f *file) failure() error {
	slices.SortStableFunc(f.problems, func(a, b problem) int { return a.at - b.at })
	var out Problems
	for _, p := range f.problems[:min(len(f.problems), maxProblems)] {
		out = append(out, p.err)
	}
	if more := len(f.problems) - len(out); more > 0 {
		out = append(out, turnpost.Invalidf(f.path, "that is not all: there are %d more", more))
	}
	return out
}

// refused finds the place of what the rules of runs refuse beyond our own checks.
func (f *file) refused(err error) {
	at, text := 0, err.Error()
	var coded *turnpost.Error
	if errors.As(err, &coded) {
		text = coded.Message
		var n int
		field, ok := strings.CutPrefix(coded.Field, "steps[")
		number, field, _ := strings.Cut(field, "]")
		if _, err := fmt.Sscanf(number, "%d", &n); ok && err == nil && n >= 0 && n < len(f.steps) {
			at = f.steps[n].place(strings.TrimPrefix(field, "."))
		}
	}
	p := f.wrong(at, "%s", text)
	if coded != nil && coded.Hint != "" {
		p.hint("%s", coded.Hint)
	}
}

// place finds a field of a turnpost.StepDef in the file: the value of its key,
// or the step's header.
func (s *step) place(field string) int {
	name, index, _ := strings.Cut(field, "[")
	keys := []string{name}
	switch name {
	case "text", "question":
		keys = []string{"text", "question"}
	case "seconds":
		keys = []string{"seconds", "duration"}
	case "command", "command.args":
		keys = []string{"run"}
	case "command.dir":
		keys = []string{"dir"}
	case "command.seconds":
		keys = []string{"timeout"}
	}
	for _, key := range keys {
		e := s.table.find(key)
		if e == nil {
			continue
		}
		var i int
		if _, err := fmt.Sscanf(index, "%d", &i); err == nil && i >= 0 && i < len(e.value.list) {
			return e.value.list[i].at
		}
		return e.value.at
	}
	return s.table.at
}

package setup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"turnpost/internal/harness"
)

// State is how a check ended.
type State string

// The states.
const (
	OK      State = "ok"
	Failed  State = "failed"
	Warning State = "warning"
	Unknown State = "unknown" // could not be found out
)

// The checks. "Registered" and "runs" are two things: a line can be in the
// settings and name a program that is gone.
const (
	CheckRegistered = "registered" // our entry is in the file
	CheckForms      = "forms"      // in the settings and as a package
	CheckRuns       = "runs"       // the registered line itself runs
	CheckPath       = "path"       // its program will be there after an upgrade
	CheckSwitchedOn = "switched on"
	CheckTimeouts   = "timeouts" // of foreign hooks
	CheckOthers     = "others"   // hook lines that are not ours
	CheckTrusted    = "trusted"
	CheckHeard      = "heard"
	CheckBell       = "bell"
	CheckMCP        = "mcp"
)

// Finding is the result of one check. Its texts are safe for a terminal.
type Finding struct {
	Check  string `json:"check"`
	State  State  `json:"state"`
	What   string `json:"what,omitempty"` // the entry, line or file that it is about
	Detail string `json:"detail,omitempty"`
	Hint   string `json:"hint,omitempty"` // what a person can do
}

// Witness knows what only a running hub can tell.
type Witness interface {
	// Heard returns when the hub last heard an event of this harness; ok is false
	// when it never did.
	Heard(ctx context.Context) (when time.Time, ok bool)
	// RingOnce rings one open session and returns when its bell was heard. The
	// error wraps ErrNothingToRing when no session is open that could hear it.
	RingOnce(ctx context.Context) error
}

// ErrNothingToRing is what RingOnce says when there is no session to ring.
var ErrNothingToRing = errors.New("no open session that has a bell")

// CheckRequest says what to check. Nil interfaces leave their checks unknown.
type CheckRequest struct {
	Place    Place
	Harness  harness.Harness // for what its optional interfaces tell; may be nil
	Hook     string          // absolute path of the hook client, as entries name it
	Turnpost string          // that of turnpost itself, for the MCP command too
	Package  string          // file which says that the harness's own package of Turnpost is installed; "": it is not
	Folder   string          // absolute: the repository, for entries that are in it; "": they are the user's
	Getenv   func(string) string
	Env      []string // of the lines that are run, as the harness would have it
	Stdin    []byte   // for these lines: nothing that a hub would act on; empty: "{}\n"
	Witness  Witness
}

// bellWait is how long a ring may take to be heard: three rings of 2 s.
const bellWait = 10 * time.Second

// Check looks at an installation as it is and changes nothing. It runs only
// command lines that are registered and exactly ours. The error is for a check
// that could not be made at all.
func (s *Setup) Check(ctx context.Context, req CheckRequest) ([]Finding, error) {
	r, _, damaged, err := s.loadRecord()
	if err != nil {
		return nil, err
	}
	p := &planner{record: r}
	wanted, err := p.group(req.Place)
	if err != nil {
		return nil, err
	}
	for _, file := range r.of(req.Place.Owner) {
		if _, ok := wanted.entries[file.Path]; !ok {
			wanted.add(file.Path, file.Named)
		}
	}
	c := &checker{req: req, lines: map[string]bool{}, programs: map[string]bool{}}
	if damaged != nil {
		c.add(CheckRegistered, Warning, s.recordPath(), "the record cannot be read: "+damaged.Error(), "apply setup again")
	}
	for _, target := range wanted.order {
		prev, _ := r.file(target)
		mine, _ := split(prev.Entries, req.Place.Owner)
		mine = slices.DeleteFunc(mine, func(e recordEntry) bool { return e.Review }) // "trusted" looks at these
		c.file(target, wanted.entries[target], mine)
	}
	packaged := c.packaged()
	for _, line := range c.order {
		c.run(ctx, line)
	}
	if err := c.trusted(s); err != nil {
		return nil, err
	}
	c.folder()
	c.witness(ctx)
	if !packaged {
		c.mcp()
	}
	return c.findings, nil
}

type checker struct {
	req      CheckRequest
	findings []Finding
	order    []string // registered command lines of ours
	lines    map[string]bool
	programs map[string]bool // that were looked at

	registered bool // something of ours is in a file
}

// packaged takes a package for the entries that are missing, and says when there
// is both. It tells whether the package is all there is.
func (c *checker) packaged() bool {
	if c.req.Package == "" {
		return false
	}
	if !c.registered {
		c.findings = slices.DeleteFunc(c.findings, func(f Finding) bool { return f.Check == CheckRegistered })
		c.add(CheckRegistered, OK, "as a package", "in "+c.req.Package, "")
		return true
	}
	hint := "remove one of them"
	if packaged, ok := c.req.Harness.(harness.Packaged); ok && packaged.PackageRemove() != "" {
		hint = "remove the package: " + packaged.PackageRemove()
	}
	c.add(CheckForms, Warning, "in the settings, and as a package in "+c.req.Package, "nothing comes twice, but each event costs two calls", hint)
	return false
}

func (c *checker) add(check string, state State, what, detail, hint string) {
	c.findings = append(c.findings, Finding{
		Check: check, State: state, What: visibleLine(what), Detail: visibleLine(detail), Hint: visibleLine(hint),
	})
}

// file checks one settings file for what should be in it, and for what an
// earlier version put there.
func (c *checker) file(target string, want, recorded []recordEntry) {
	data, info, err := readSettings(target)
	if err != nil {
		c.add(CheckRegistered, Failed, target, err.Error(), "")
		return
	}
	old := slices.DeleteFunc(slices.Clone(recorded), func(e recordEntry) bool { return slices.ContainsFunc(want, e.same) })
	editor, err := oneEditor(append(slices.Clone(want), old...))
	if err != nil || editor == nil {
		return
	}
	present, err := editor.Find(data, values(want))
	var presentOld []Presence
	if err == nil {
		presentOld, err = editor.Find(data, values(old))
	}
	if err != nil {
		c.add(CheckRegistered, Failed, target, refused(target, err).Error(), "mend the file by hand")
		return
	}
	for i, entry := range want {
		what := lineOf("keep", entry).What
		c.registered = c.registered || present[i] != Absent
		switch present[i] {
		case Exact:
			if !entry.Words {
				c.add(CheckRegistered, OK, what, "in "+target, "")
			}
		case Changed:
			c.add(CheckRegistered, Warning, what, "in "+target+", with settings that were changed by hand", "")
		case Absent:
			detail := "not in " + target
			if slices.ContainsFunc(recorded, entry.same) {
				detail = "gone from " + target + changedAt(info) + ", where setup had put it"
			}
			state := Failed
			if entry.Words {
				state, what = Warning, entry.Why
			}
			c.add(CheckRegistered, state, what, detail, "turnpost setup --apply")
			continue
		}
		c.line(entry)
	}
	for i, entry := range old {
		if presentOld[i] != Absent && !slices.ContainsFunc(want, func(w recordEntry) bool { return replaces(editor, entry, w) }) {
			c.registered = true
			c.add(CheckRegistered, Warning, lineOf("keep", entry).What, "from an earlier setup, in "+target, "turnpost setup --apply")
			c.line(entry)
		}
	}
	if editor, ok := editor.(jsonEditor); ok {
		c.hookSettings(target, data, editor, append(slices.Clone(want), old...))
	}
}

// changedAt says when a file was written last.
func changedAt(info fs.FileInfo) string {
	if info == nil {
		return " (the file is missing)"
	}
	return " (written " + info.ModTime().Format("2006-01-02 15:04") + ")"
}

// line notes the command of a registered entry, to be run once. Of what is not
// a command line, such as a plugin, only the programs that it names are looked at.
func (c *checker) line(entry recordEntry) {
	command := commandOf(entry.Value)
	if command == "" {
		for _, program := range []string{c.req.Hook, c.req.Turnpost} {
			if program != "" && names(entry.Value, program) {
				c.there(program)
			}
		}
		return
	}
	if !c.lines[command] {
		c.lines[command] = true
		c.order = append(c.order, command)
	}
}

// names tells whether a path stands in a value, also inside a text in it.
func names(value json.RawMessage, path string) bool {
	for range 2 {
		quoted, err := encodeValue(path)
		if err != nil {
			return false
		}
		path = string(quoted[1 : len(quoted)-1])
		if bytes.Contains(value, []byte(path)) {
			return true
		}
	}
	return false
}

// there says once of each program whether it can be run.
func (c *checker) there(program string) {
	if c.programs[program] {
		return
	}
	c.programs[program] = true
	if problem, hint := unrunnable(program); problem != "" {
		c.add(CheckRuns, Failed, program, problem, hint)
		return
	}
	c.add(CheckRuns, OK, program, "can be run", "")
	c.path(program)
}

// unrunnable says why a program cannot be run, "" when it can.
func unrunnable(program string) (problem, hint string) {
	info, err := os.Stat(program)
	switch {
	case err != nil:
		return "there is no " + program, "turnpost setup --apply, or install Turnpost again"
	case info.IsDir() || !executable(info):
		return program + " is not executable", "install Turnpost again"
	}
	return "", ""
}

// run runs one registered line as the harness would. Our lines turn every
// failure into a quiet 0, so the program is looked at as well.
func (c *checker) run(ctx context.Context, line string) {
	const cannot = "command does not run: "
	if program := firstProgram(line); program != "" {
		if problem, hint := unrunnable(program); problem != "" {
			c.add(CheckRuns, Failed, line, cannot+problem, hint)
			return
		}
		c.path(program)
	}
	stdin := c.req.Stdin
	if len(stdin) == 0 {
		stdin = []byte("{}\n")
	}
	result := runLine(ctx, line, c.req.Env, stdin)
	switch {
	case result.err != nil:
		c.add(CheckRuns, Failed, line, cannot+result.err.Error(), "")
	case result.status != 0:
		c.add(CheckRuns, Failed, line, fmt.Sprintf("%sit ended with status %d %s", cannot, result.status, result.stderr), "")
	case result.stderr != "":
		c.add(CheckRuns, Failed, line, cannot+result.stderr, "")
	default:
		c.add(CheckRuns, OK, line, fmt.Sprintf("in %d ms", result.took.Milliseconds()), "")
	}
}

// path says once of each program whether its path lasts.
func (c *checker) path(program string) {
	known := slices.ContainsFunc(c.findings, func(f Finding) bool { return f.Check == CheckPath && f.What == visibleLine(program) })
	switch {
	case known || c.req.Getenv == nil:
	case temporary(program, c.req.Getenv):
		c.add(CheckPath, Warning, program, "lies in a temporary directory", "install Turnpost and apply setup again")
	case isVersioned(program):
		c.add(CheckPath, Warning, program, "has a version in its path: an upgrade breaks it", "apply setup again after an upgrade")
	default:
		c.add(CheckPath, OK, program, "", "")
	}
}

// folder says whether the repository is one in which the harness runs hooks.
func (c *checker) folder() {
	foldered, ok := c.req.Harness.(harness.Foldered)
	if !ok || c.req.Folder == "" || c.req.Getenv == nil {
		return
	}
	if file := Holds(foldered.FolderTrust(c.req.Getenv, c.req.Folder)); file != "" {
		c.add(CheckTrusted, OK, c.req.Folder, "trusted, in "+file, "")
		return
	}
	c.add(CheckTrusted, Warning, c.req.Folder, "not trusted yet: no hook runs in it", "start a session there and say that you trust it")
}

func (c *checker) witness(ctx context.Context) {
	if c.req.Witness == nil {
		c.add(CheckHeard, Unknown, "", "no hub to ask", "turnpost up -d")
		c.add(CheckBell, Unknown, "", "no hub to ask", "turnpost up -d")
		return
	}
	if when, ok := c.req.Witness.Heard(ctx); ok {
		c.add(CheckHeard, OK, "", "last event "+when.UTC().Format(time.RFC3339), "")
	} else {
		c.add(CheckHeard, Warning, "", "the hub has not heard an event yet", "start a session, or send a prompt in an open one")
	}
	ctx, cancel := context.WithTimeout(ctx, bellWait)
	defer cancel()
	switch err := c.req.Witness.RingOnce(ctx); {
	case errors.Is(err, ErrNothingToRing):
		c.add(CheckBell, Unknown, "", err.Error(), "start a session and check again")
	case err != nil:
		c.add(CheckBell, Failed, "", "rung, not heard: "+err.Error(), "in that session: /clear, cd or a restart")
	default:
		c.add(CheckBell, OK, "", "rung once and heard", "")
	}
}

// mcp looks whether our server is registered: by the harness's own command, or
// by an entry of ours.
func (c *checker) mcp() {
	client, ok := c.req.Harness.(harness.MCPClient)
	if !ok || c.req.Getenv == nil {
		return
	}
	file, dialect, pointer := client.MCPEntry(c.req.Getenv)
	found, err := Has(file, dialect, pointer)
	switch {
	case err != nil:
		c.add(CheckMCP, Unknown, file, err.Error(), "")
	case !found:
		hint := client.MCPCommand(c.req.Turnpost)
		if hint == "" {
			hint = "turnpost setup --apply"
		}
		c.add(CheckMCP, Failed, file, "the MCP server is not registered", hint)
	default:
		c.add(CheckMCP, OK, file, "the MCP server is registered", "")
	}
}

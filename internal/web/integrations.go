package web

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"

	"turnpost"
)

// Integrations is what the page may do to the settings of harnesses. Apply and
// Remove change files only when the plan still has the hash that the person
// saw; otherwise they return a turnpost.Conflict.
type Integrations interface {
	List(context.Context) ([]Integration, error)
	Apply(ctx context.Context, name, hash string) error
	Remove(ctx context.Context, name, hash string) error
	// Check runs what is registered and tells the steps apart. It may take seconds.
	Check(ctx context.Context, name string) ([]Check, error)
}

// Integration is one harness as setup sees it.
type Integration struct {
	Name      string // "claude-code"
	Title     string // "Claude Code"
	Version   string // installed version; empty: unknown
	Proof     string // how far what is said of it was proved, where no test runs the program itself
	Mail      string // the moments at which mail reaches it; empty: it only reports
	Wake      string // how it is woken; empty: it is not
	Limits    []string
	Detected  bool   // the program, or its settings, are on this machine
	Applied   bool   // everything that setup would write is in its settings
	Review    bool   // it is, and the program waits for a person's review of it
	Package   string // the file which says that it has Turnpost as its own package, and no need of the plan
	Plan      Plan   // what Apply would change; no hash: nothing
	Removal   Plan   // what Remove would change; no hash: nothing
	Problem   string // why there is no plan: "settings.json:12:4: unexpected }"
	Hint      string // what the person can do about Problem
	Notes     []string
	Steps     []Step // what is left for the person
	Checks    []Check
	CheckedAt time.Time // zero: never
}

// Step is something that Turnpost leaves to the person.
type Step struct {
	What string
	Code string // a line for a shell, or the lines for a file that What names
}

// Plan is exactly what would be written.
type Plan struct {
	Hash     string   // over the bytes before and after
	Lines    []Line   // entries, those that do the same together
	Warnings []string // what the person should know before
	Diff     string   // unified
}

// Line is what a plan does in one file, for people.
type Line struct {
	Do    string // add, remove, keep
	Count int    // of entries
	Kind  string // hook, permission, file, setting
	File  string // "~/.claude/settings.json"
	What  string // "'/home/u/.local/bin/turnpost-hook' claude-code || exit 0"
	Why   string // "SessionStart, Stop", or what it is for
}

// Check is one step of a check.
type Check struct {
	Name   string // "registered", "runs", "trusted", "heard", "bell"
	Result CheckResult
	Detail string // what it is known from, or what to do
}

// CheckResult tells how a step went.
type CheckResult string

// The results.
const (
	CheckOK      CheckResult = "ok"
	CheckFailed  CheckResult = "failed"
	CheckUnknown CheckResult = "unknown" // nothing proved it either way yet
)

// setup is the integrations page.
type setup struct {
	page
	Here    []Integration // on this machine, those first that tests run
	Absent  []Integration
	None    bool     // no Integrations was injected
	Trouble *trouble // why there is no list
}

func (s *server) integrations(w http.ResponseWriter, r *http.Request) {
	p, err := s.load(r.Context(), view{Path: "/integrations"})
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.render(w, r, http.StatusOK, layout(p, integrationsPage(s.setup(r.Context(), p, "", nil))))
}

// setup lists the integrations; checks replace those of the named one. That
// there is no list is for the list to say: the rest of the page has its own use.
func (s *server) setup(ctx context.Context, p page, name string, checks []Check) setup {
	if s.Integrations == nil {
		return setup{page: p, None: true}
	}
	list, err := s.Integrations.List(ctx)
	if err != nil {
		t := problemOf(err)
		return setup{page: p, Trouble: &t}
	}
	all := setup{page: p}
	for _, in := range list {
		if checks != nil && in.Name == name {
			in.Checks, in.CheckedAt = checks, s.Now()
		}
		if in.here() {
			all.Here = append(all.Here, in)
		} else {
			all.Absent = append(all.Absent, in)
		}
	}
	slices.SortStableFunc(all.Here, func(a, b Integration) int {
		return cmp.Compare(min(len(a.Proof), 1), min(len(b.Proof), 1))
	})
	return all
}

func (s *server) apply(ctx context.Context, f url.Values) (outcome, error) {
	if s.Integrations == nil {
		return outcome{}, errNoSetup()
	}
	if err := s.Integrations.Apply(ctx, f.Get("harness"), f.Get("hash")); err != nil {
		return outcome{}, err
	}
	return outcome{Said: "Applied to " + line(f.Get("harness"), 40) + "."}, nil
}

func (s *server) remove(ctx context.Context, f url.Values) (outcome, error) {
	if s.Integrations == nil {
		return outcome{}, errNoSetup()
	}
	if err := s.Integrations.Remove(ctx, f.Get("harness"), f.Get("hash")); err != nil {
		return outcome{}, err
	}
	return outcome{Said: "Removed from " + line(f.Get("harness"), 40) + "."}, nil
}

func (s *server) check(ctx context.Context, f url.Values) (outcome, error) {
	if s.Integrations == nil {
		return outcome{}, errNoSetup()
	}
	checks, err := s.Integrations.Check(ctx, f.Get("harness"))
	if err != nil {
		return outcome{}, err
	}
	if checks == nil {
		checks = []Check{}
	}
	return outcome{Said: summary(checks), Checks: checks}, nil
}

// set is the list of integrations after something was done to one of them.
func (s *server) set(ctx context.Context, p page, f url.Values, o outcome) templ.Component {
	return integrationList(s.setup(ctx, p, f.Get("harness"), o.Checks))
}

func errNoSetup() error {
	return turnpost.Errorf(turnpost.Unavailable, "this hub cannot change settings").
		WithHint("run turnpost setup in a terminal")
}

func summary(checks []Check) string {
	if n := failed(checks); n > 0 {
		return plural(n, "check") + " failed."
	}
	return "No check failed."
}

func failed(checks []Check) int {
	n := 0
	for _, c := range checks {
		if c.Result == CheckFailed {
			n++
		}
	}
	return n
}

// diffLine is one line of a diff with what it is.
type diffLine struct{ Class, Text string }

// diffLines splits a unified diff. The mark stays in the text, so that colour
// is not the only sign.
func diffLines(diff string) []diffLine {
	var out []diffLine
	for _, text := range strings.Split(strings.TrimRight(diff, "\n"), "\n") {
		class := "same"
		switch {
		case strings.HasPrefix(text, "+++"), strings.HasPrefix(text, "---"):
			class = "file"
		case strings.HasPrefix(text, "@@"):
			class = "at"
		case strings.HasPrefix(text, "+"):
			class = "add"
		case strings.HasPrefix(text, "-"):
			class = "del"
		}
		out = append(out, diffLine{class, block(strings.TrimSuffix(text, "\r"), 2000)})
	}
	return out
}

// short is the start of a hash, as people compare it.
func short(hash string) string { return line(hash, 24) }

// here tells whether there is anything about it on this machine.
func (in Integration) here() bool {
	return in.Detected || in.Removal.Hash != "" || in.Package != ""
}

// standing is an integration in two words.
func (in Integration) standing() string {
	switch {
	case in.Problem != "":
		return "blocked"
	case in.Applied && in.Review:
		return "not reviewed"
	case in.Applied:
		return "applied"
	case in.Removal.Hash != "":
		return "out of date"
	case in.Package != "":
		return "package"
	case in.Plan.Hash == "":
		return "by hand"
	}
	return "not applied"
}

// steps is what is left for the person, once the plan is written.
func (in Integration) steps() []Step {
	if in.standing() == "not applied" {
		return nil
	}
	return in.Steps
}

// checkable tells whether there is something to check.
func (in Integration) checkable() bool {
	return in.Applied || in.Removal.Hash != "" || in.Package != "" || in.standing() == "by hand"
}

// freshCheck is how long the results of a check stay unfolded.
const freshCheck = time.Minute

// unfolded tells whether the results of a check are what the person looks for.
func (in Integration) unfolded(now time.Time) bool {
	return failed(in.Checks) > 0 || now.Sub(in.CheckedAt) < freshCheck
}

// absent is the line of those that are not on this machine.
func absent(list []Integration) string {
	titles := make([]string, 0, len(list))
	for _, in := range list {
		titles = append(titles, line(in.Title, nameRunes))
	}
	return strings.Join(titles, ", ")
}

// changes counts the entries that change something, and their files.
func (p Plan) changes() string {
	n := 0
	var files []string
	for _, l := range p.Lines {
		if l.Do == "keep" {
			continue
		}
		n += l.Count
		if !slices.Contains(files, l.File) {
			files = append(files, l.File)
		}
	}
	if len(files) == 1 {
		return entries(n) + " in " + line(files[0], textRunes)
	}
	return entries(n) + " in " + plural(len(files), "file")
}

func entries(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}

// kinds is what entries a line has: "15 hooks".
func (l Line) kinds() string {
	if l.Count == 1 {
		return line(l.Kind, 20)
	}
	return plural(l.Count, line(l.Kind, 20))
}

// exact is a text exactly as it will be copied, or nothing when it holds what a
// reader would not see.
func exact(text string) string {
	if reveal(text, true) != text {
		return ""
	}
	return text
}

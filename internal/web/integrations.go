package web

import (
	"context"
	"net/http"
	"net/url"
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
	Name      string
	Version   string // installed version; empty: unknown
	Detected  bool   // the program, or its settings, are on this machine
	Applied   bool   // everything that the plan wants is in its settings
	Plan      Plan   // what Apply would change; no hash: nothing
	Removal   Plan   // what Remove would change; no hash: nothing
	Problem   string // why there is no plan: "settings.json:12:4: unexpected }"
	Hint      string // what the person can do about Problem, or has to do by hand
	Checks    []Check
	CheckedAt time.Time // zero: never
}

// Plan is exactly what would be written.
type Plan struct {
	Hash     string   // over the bytes before and after
	Lines    []Line   // one for each entry
	Warnings []string // what the person should know before
	Diff     string   // unified
}

// Line is one entry of a plan, for people.
type Line struct {
	Do   string // add, remove, keep
	Kind string // hook, permission, file, setting
	What string // "Stop: '/home/u/.local/bin/turnpost-hook' ..."
	Why  string
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
	List []Integration
	None bool // no Integrations was injected
}

func (s *server) integrations(w http.ResponseWriter, r *http.Request) {
	p, err := s.load(r.Context(), view{Path: "/integrations"})
	if err != nil {
		s.fail(w, r, err)
		return
	}
	all, err := s.setup(r.Context(), p, "", nil)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.render(w, r, http.StatusOK, layout(p, integrationsPage(all)))
}

// setup lists the integrations; checks replace those of the named one.
func (s *server) setup(ctx context.Context, p page, name string, checks []Check) (setup, error) {
	if s.Integrations == nil {
		return setup{page: p, None: true}, nil
	}
	list, err := s.Integrations.List(ctx)
	if err != nil {
		return setup{}, err
	}
	for i := range list {
		if checks != nil && list[i].Name == name {
			list[i].Checks, list[i].CheckedAt = checks, s.Now()
		}
	}
	return setup{page: p, List: list}, nil
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
	all, err := s.setup(ctx, p, f.Get("harness"), o.Checks)
	if err != nil {
		return problem(problemOf(err))
	}
	return integrationList(all)
}

func errNoSetup() error {
	return turnpost.Errorf(turnpost.Unavailable, "this hub cannot change settings").
		WithHint("run turnpost setup in a terminal")
}

func summary(checks []Check) string {
	failed := 0
	for _, c := range checks {
		if c.Result == CheckFailed {
			failed++
		}
	}
	if failed > 0 {
		return plural(failed, "check") + " failed."
	}
	return "No check failed."
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

// standing is an integration in two words.
func (in Integration) standing() string {
	switch {
	case in.Problem != "":
		return "blocked"
	case !in.Detected && in.Removal.Hash == "":
		return "not found"
	case in.Applied && in.Plan.Hash == "":
		return "applied"
	case in.Applied, in.Removal.Hash != "":
		return "out of date"
	}
	return "not applied"
}

// changes counts the lines that change something.
func (p Plan) changes() int {
	n := 0
	for _, l := range p.Lines {
		if l.Do != "keep" {
			n++
		}
	}
	return n
}

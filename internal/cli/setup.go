package cli

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"turnpost"
	"turnpost/internal/harness"
	"turnpost/internal/setup"
)

const goos = runtime.GOOS

// setupDo is which of its things setup does.
type setupDo struct {
	dryRun, apply, remove, check bool
	expect                       string
	diff, json                   bool
}

func setupCommand(a *app) *cobra.Command {
	o := setupOptions{homes: map[string]string{}}
	var do setupDo
	cmd := &cobra.Command{
		Use:   "setup [--flags]",
		Short: "Show, apply, remove or check what your agents' settings need",
		Long: "Without a flag nothing is written: it shows what would change in your agents' settings, and the command that does exactly that. " +
			"A plan has a hash over every byte before and after; --expect refuses another one. " +
			"Files are changed as text, with a backup; --remove gives the old bytes back.",
		Example: strings.Join([]string{
			"turnpost setup",
			"turnpost setup --diff",
			"turnpost setup --apply --expect HASH",
			"turnpost setup --harness NAME,NAME --apply",
			"turnpost setup --check",
			"turnpost setup --remove",
		}, "\n"),
	}
	flags := cmd.Flags()
	flags.BoolVar(&do.dryRun, "dry-run", false, "write nothing (as without a flag); with --remove: show the removal")
	flags.BoolVar(&do.apply, "apply", false, "write what is planned")
	flags.BoolVar(&do.remove, "remove", false, "take out what setup put in")
	flags.BoolVar(&do.check, "check", false, "tell registered, runs, trusted, heard and bell apart; rings one open session once")
	flags.StringVar(&do.expect, "expect", "", "the hash of the plan that you saw; another plan is refused")
	flags.BoolVar(&do.diff, "diff", false, "show every byte that changes")
	flags.StringSliceVar(&o.harnesses, "harness", nil, "only these: "+harnessNames()+" (default: all that are here and were tested for real)")
	flags.Lookup("harness").DefValue = "" // not "[]": its text says what none means
	flags.StringVar(&o.mode, "mode", "command", "how events come: command, or http (status only: nothing is delivered)")
	flags.StringVar(&o.scope, "scope", "user", "whose settings: user, project (shared, in the repository) or local (yours, in the repository)")
	flags.BoolVar(&o.noAllow, "no-allow", false, "leave out the rule that lets agents use our tools without asking")
	flags.BoolVar(&o.trust, "trust", false, "where a program runs hooks only after a review: record the review of these in the plan for you")
	flags.BoolVar(&o.service, "service", false, "also a service that keeps the hub up across logins")
	homes := homeFlags(flags)
	flags.BoolVar(&do.json, "json", false, "print JSON")
	return a.does(cmd, func(ctx context.Context, _ []string) error {
		for name, home := range homes {
			o.homes[name] = *home
		}
		if err := do.valid(); err != nil {
			return err
		}
		if do.check {
			return a.setupCheck(ctx, o, do.json)
		}
		return a.setupPlan(ctx, o, do)
	})
}

// homeFlags adds the flags by which harnesses are found in another directory.
func homeFlags(flags *pflag.FlagSet) map[string]*string {
	homes := map[string]*string{}
	for _, h := range harness.All() {
		if flagged, ok := h.(harness.HomeFlag); ok {
			homes[h.Name()] = flags.String(flagged.HomeFlag(), "", "directory of "+h.Name()+"'s files, if not the usual one")
		}
	}
	return homes
}

func harnessNames() string {
	names := make([]string, 0, len(harness.All()))
	for _, h := range harness.All() {
		names = append(names, h.Name())
	}
	return strings.Join(names, ", ")
}

func (d setupDo) valid() error {
	several := 0
	for _, on := range []bool{d.apply, d.remove, d.check} {
		if on {
			several++
		}
	}
	switch {
	case several > 1:
		return turnpost.Errorf(turnpost.Invalid, "--apply, --remove and --check exclude each other")
	case d.dryRun && (d.apply || d.check):
		return turnpost.Invalidf("dry-run", "cannot be given together with --apply or --check")
	case d.expect != "" && !d.apply && !d.remove:
		return turnpost.Invalidf("expect", "needs --apply or --remove")
	}
	return nil
}

// setupReport is what setup prints as JSON.
type setupReport struct {
	Harnesses []harnessReport    `json:"harnesses"`
	Blocked   []blockedReport    `json:"blocked,omitempty"`  // that are here and for which there is no plan
	Unproved  []string           `json:"unproved,omitempty"` // that are here and known by their documentation only: not planned unless named
	Plan      setup.Plan         `json:"plan"`
	Applied   *setup.Applied     `json:"applied,omitempty"` // nil: nothing was written
	Start     string             `json:"start,omitempty"`   // the service's own command, to be run once
	Next      string             `json:"next,omitempty"`    // the command that does this plan
	Sessions  []turnpost.Session `json:"sessions"`          // open ones, with what they can receive
}

// harnessReport is one harness as setup sees it.
type harnessReport struct {
	Name     string        `json:"name"`
	Version  string        `json:"version,omitempty"`
	Home     string        `json:"home"`
	Scope    string        `json:"scope"`
	Mode     string        `json:"mode"`
	Owner    string        `json:"owner"`            // of its lines in the plan
	MCP      string        `json:"mcp,omitempty"`    // command that registers our MCP server
	MCPFound bool          `json:"mcp_found"`        // it is registered
	Review   string        `json:"review,omitempty"` // what a person does, where hooks run only after a review that the plan does not record
	ByHand   *byHand       `json:"by_hand,omitempty"`
	Proof    harness.Proof `json:"proof"` // how far what we know of it was proved: real, contract, status
	Open     string        `json:"open"`  // when sessions that are open hear of what was written
	Caution  string        `json:"caution,omitempty"`
	Warnings []string      `json:"warnings,omitempty"`
}

// byHand is what setup cannot write itself.
type byHand struct {
	File string `json:"file,omitempty"` // absolute; "": Text is a command line
	Text string `json:"text"`
}

// blockedReport is a harness that no plan can be made for, with the reason.
type blockedReport struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Reason  string `json:"reason"`
	Hint    string `json:"hint,omitempty"`
}

// setupPlan shows a plan and, where that was asked for, does it.
func (a *app) setupPlan(ctx context.Context, o setupOptions, do setupDo) error {
	targets, err := a.targets(ctx, o)
	if err != nil {
		return err
	}
	s, err := a.setup()
	if err != nil {
		return err
	}
	plan := s.PlanInstall
	if do.remove {
		plan = s.PlanRemove
	}
	report := setupReport{Sessions: a.openSessions(ctx)}
	var places []setup.Place
	var blocked error
	for _, t := range targets {
		if t.unproved {
			report.Unproved = append(report.Unproved, t.harness.Name())
			continue
		}
		err := t.plannable(plan, do.remove)
		if err == nil && t.packaged != "" && !do.remove && len(o.harnesses) == 0 && !s.Has(t.owner()) {
			err = turnpost.Errorf(turnpost.Conflict, "it has Turnpost as a package, in %s: that is enough", a.tilde(t.packaged)).
				WithHint("turnpost setup --harness %s plans for its settings all the same", t.harness.Name())
		}
		if err != nil {
			blocked = err
			report.Blocked = append(report.Blocked, blockedReport{t.harness.Name(), t.version, err.Error(), hintOf(err)})
			continue
		}
		places = append(places, t.place())
		report.Harnesses = append(report.Harnesses, a.harnessReport(t))
	}
	if o.service {
		service, err := a.service()
		if err != nil {
			return err
		}
		places = append(places, service.Place)
		report.Start = service.Start
		if do.remove {
			report.Start = service.Stop
			if err := enabled(service); err != nil && !do.dryRun {
				return err
			}
		}
	}
	if len(places) == 0 && blocked != nil {
		return blocked
	}
	if len(places) == 0 {
		return turnpost.Errorf(turnpost.NotFound, "none of the harnesses that we know is on this machine: %s", harnessNames()).
			WithHint("name one: turnpost setup --harness NAME")
	}
	if report.Plan, err = plan(places...); err != nil {
		return err
	}
	write := (do.apply || do.remove) && !do.dryRun
	if write {
		applied, err := s.Apply(ctx, report.Plan, do.expect)
		if err != nil {
			return err
		}
		report.Applied = &applied
	} else if !report.Plan.Empty() {
		report.Next = nextSetup(o, do, report.Plan.Hash)
	}
	if do.json {
		return a.json(report)
	}
	a.saySetup(a.printer(a.env.Stdout), report, do, write)
	return nil
}

// plannable says why no plan can be made for a harness: its version, or a file
// of its that cannot be edited. The others go on without it.
func (t target) plannable(plan func(...setup.Place) (setup.Plan, error), remove bool) error {
	if t.problem != nil {
		return t.problem
	}
	if old := t.old(); old != "" && !remove {
		return turnpost.Errorf(turnpost.Invalid, "%s", old).WithHint("update %s", t.harness.Name())
	}
	_, err := plan(t.place())
	return err
}

// nextSetup is the command line that does exactly the plan that was shown.
func nextSetup(o setupOptions, do setupDo, hash string) string {
	words := []string{"turnpost", "setup"}
	flag := func(name, value string) { words = append(words, "--"+name, quoteWord(value)) }
	if len(o.harnesses) > 0 {
		flag("harness", strings.Join(o.harnesses, ","))
	}
	if o.scope != "user" {
		flag("scope", o.scope)
	}
	if o.mode != "command" {
		flag("mode", o.mode)
	}
	if o.noAllow {
		words = append(words, "--no-allow")
	}
	if o.trust {
		words = append(words, "--trust")
	}
	if o.service {
		words = append(words, "--service")
	}
	for _, h := range harness.All() {
		if flagged, ok := h.(harness.HomeFlag); ok && o.homes[h.Name()] != "" {
			flag(flagged.HomeFlag(), o.homes[h.Name()])
		}
	}
	if do.remove {
		words = append(words, "--remove")
	} else {
		words = append(words, "--apply")
	}
	flag("expect", hash)
	return strings.Join(words, " ")
}

// quoteWord quotes what a shell would not take as one word.
func quoteWord(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./@,", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return setup.ShellQuote(word)
}

func (a *app) harnessReport(t target) harnessReport {
	r := harnessReport{
		Name: t.harness.Name(), Version: t.version, Home: t.at.Home, Scope: t.at.Scope, Mode: t.at.Mode,
		Owner: t.owner(), Warnings: t.warnings,
	}
	if t.packaged != "" {
		r.Warnings = append(r.Warnings, "it has Turnpost as a package too, in "+a.tilde(t.packaged)+": one of them is enough")
	}
	profile := t.harness.Profile()
	r.Proof, r.Open, r.Caution = profile.Proof, profile.Open(), profile.Caution
	if hand, ok := t.harness.(harness.ByHand); ok {
		if file, text := hand.ByHand(t.at); text != "" {
			r.ByHand = &byHand{file, text}
		}
	}
	if len(t.harness.Install(t.at)) == 0 && r.ByHand == nil {
		r.Warnings = append(r.Warnings, fmt.Sprintf("there is nothing to set up with --scope %s --mode %s", t.at.Scope, t.at.Mode))
	}
	if reviewer, ok := t.harness.(harness.Reviewer); ok && !t.trust {
		r.Review = reviewer.HowToReview()
	}
	if client, ok := t.harness.(harness.MCPClient); ok {
		r.MCP = client.MCPCommand(a.stableProgram())
		file, dialect, pointer := client.MCPEntry(a.env.Getenv)
		// "" where the plan does it. A file that cannot be read is the check's business.
		r.MCPFound, _ = setup.Has(file, dialect, pointer)
	}
	return r
}

// openSessions lists the live sessions when a hub runs that tells us.
func (a *app) openSessions(ctx context.Context) []turnpost.Session {
	hub, ok := a.hubIfUp()
	if !ok {
		return []turnpost.Session{}
	}
	defer hub.Close()
	board, err := hub.Board(ctx, turnpost.BoardQuery{})
	if err != nil {
		return []turnpost.Session{}
	}
	return board.Sessions
}

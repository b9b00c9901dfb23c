package cli

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"turnpost"
	"turnpost/internal/harness"
	"turnpost/internal/hub"
	"turnpost/internal/setup"
	"turnpost/internal/web"
)

// integrations is setup for the page: the same plans, for the user's own
// settings. A plan is written only under the hash that the page showed.
type integrations struct {
	*app
	hub turnpost.Hub

	mu     sync.Mutex
	checks map[string]checked
}

type checked struct {
	checks []web.Check
	at     time.Time
}

var _ web.Integrations = (*integrations)(nil)

func (r *running) integrations(h *hub.Hub) *integrations {
	return &integrations{app: r.app, hub: h.As(turnpost.Caller{Human: true}), checks: map[string]checked{}}
}

// options are those of a setup without flags.
func (i *integrations) options(names ...string) setupOptions {
	return setupOptions{harnesses: names, scope: "user", mode: "command"}
}

// List tells how every harness that we know stands.
func (i *integrations) List(ctx context.Context) ([]web.Integration, error) {
	var names []string
	for _, h := range harness.All() {
		names = append(names, h.Name())
	}
	targets, err := i.targets(ctx, i.options(names...))
	if err != nil {
		return nil, err
	}
	var out []web.Integration
	for _, t := range targets {
		one, err := i.one(t)
		if err != nil {
			var coded *turnpost.Error
			if !errors.As(err, &coded) {
				return nil, err
			}
			one.Problem, one.Hint = i.shortPaths(coded.Error()), coded.Hint
		}
		i.mu.Lock()
		if c, ok := i.checks[one.Name]; ok {
			one.Checks, one.CheckedAt = c.checks, c.at
		}
		i.mu.Unlock()
		out = append(out, one)
	}
	return out, nil
}

func (i *integrations) one(t target) (web.Integration, error) {
	profile := t.harness.Profile()
	out := web.Integration{
		Name: t.harness.Name(), Title: profile.Title, Version: t.version, Proof: proofLabel(profile.Proof),
		Mail: profile.Delivery, Wake: profile.Wake, Limits: profile.Limits, Detected: t.detected,
	}
	install, remove, err := i.plans(t)
	if err != nil {
		return out, err
	}
	r := i.harnessReport(t)
	out.Removal = i.webPlan(remove)
	out.Applied = install.Empty() && len(t.place().Entries) > 0
	unreviewed := r.Review != "" && slices.Contains(install.Unreviewed, r.Owner)
	out.Review = out.Applied && unreviewed
	out.Notes = r.Warnings
	if old := t.old(); old != "" {
		return out, turnpost.Errorf(turnpost.Invalid, "%s", old).WithHint("update %s", t.harness.Name())
	}
	if t.packaged != "" && remove.Empty() {
		out.Package, out.Applied, out.Notes = i.tilde(t.packaged), false, nil
		return out, nil
	}
	out.Plan = i.webPlan(install)
	if r.Caution != "" && out.Plan.Hash != "" {
		out.Plan.Warnings = append(out.Plan.Warnings, r.Caution)
	}
	out.Steps = i.steps(r, unreviewed)
	if len(t.place().Entries) == 0 && r.ByHand == nil {
		at := t.at
		if at.Scope = "project"; len(t.harness.Install(at)) > 0 {
			out.Notes = t.warnings
			out.Steps = append(out.Steps, web.Step{What: "It is set up in one repository at a time, there:", Code: "turnpost setup --harness " + out.Name + " --scope project"})
		}
	}
	return out, nil
}

// steps is what is left for the person.
func (i *integrations) steps(r harnessReport, unreviewed bool) []web.Step {
	var out []web.Step
	if unreviewed {
		out = append(out, web.Step{
			What: "It runs hooks only after a review: " + r.Review + ". Or let setup record it:",
			Code: "turnpost setup --harness " + r.Name + " --trust",
		})
	}
	if r.ByHand != nil {
		where := "in a terminal"
		if r.ByHand.File != "" {
			where = "in " + i.tilde(r.ByHand.File)
		}
		out = append(out, web.Step{What: "By hand, " + where + ":", Code: strings.TrimRight(r.ByHand.Text, "\n")})
	}
	if r.MCP != "" && !r.MCPFound {
		out = append(out, web.Step{What: "The tools that agents reply with: register them once, with its own command:", Code: r.MCP})
	}
	return out
}

func (i *integrations) plans(t target) (install, remove setup.Plan, err error) {
	if t.problem != nil {
		return install, remove, t.problem
	}
	s, err := i.setup()
	if err != nil {
		return install, remove, err
	}
	if install, err = s.PlanInstall(t.place()); err != nil {
		return install, remove, err
	}
	remove, err = s.PlanRemove(t.place())
	return install, remove, err
}

// webPlan is a plan as the page shows it, without a hash when it does nothing.
func (i *integrations) webPlan(plan setup.Plan) web.Plan {
	if plan.Empty() {
		return web.Plan{}
	}
	out := web.Plan{Hash: plan.Hash, Diff: plan.Diff(), Warnings: append(slices.Clone(plan.Warnings), plan.Left...)}
	for _, file := range plan.Files {
		for _, g := range groupLines(file.Lines) {
			out.Lines = append(out.Lines, web.Line{
				Do: g.do, Count: g.count, Kind: g.kind, File: i.tilde(file.Path), What: i.tilde(g.what), Why: g.where,
			})
		}
	}
	return out
}

// Apply writes the plan that the person saw.
func (i *integrations) Apply(ctx context.Context, name, hash string) error {
	return i.write(ctx, name, hash, func(install, _ setup.Plan) setup.Plan { return install })
}

// Remove takes out what the person saw.
func (i *integrations) Remove(ctx context.Context, name, hash string) error {
	return i.write(ctx, name, hash, func(_, remove setup.Plan) setup.Plan { return remove })
}

func (i *integrations) write(ctx context.Context, name, hash string, choose func(install, remove setup.Plan) setup.Plan) error {
	if hash == "" {
		return turnpost.Invalidf("hash", "is missing").WithHint("look at the plan again")
	}
	targets, err := i.targets(ctx, i.options(name))
	if err != nil {
		return err
	}
	install, remove, err := i.plans(targets[0])
	if err != nil {
		return err
	}
	s, err := i.setup()
	if err != nil {
		return err
	}
	_, err = s.Apply(ctx, choose(install, remove), hash)
	return err
}

// Check runs the checks and keeps their results for the next List.
func (i *integrations) Check(ctx context.Context, name string) ([]web.Check, error) {
	targets, err := i.targets(ctx, i.options(name))
	if err != nil {
		return nil, err
	}
	targets[0].at.Project = "" // the hub's own directory is nobody's repository
	findings, err := i.checkTarget(ctx, targets[0], i.hub)
	if err != nil {
		return nil, err
	}
	checks := []web.Check{}
	for _, g := range groupFindings(findings) {
		detail := i.shortPaths(g.text())
		if g.Hint != "" && g.State != setup.OK {
			detail += " → " + g.Hint
		}
		checks = append(checks, web.Check{Name: g.Check, Result: webResult(g.State), Detail: detail})
	}
	i.mu.Lock()
	i.checks[name] = checked{checks, i.env.Now()}
	i.mu.Unlock()
	return checks, nil
}

func webResult(s setup.State) web.CheckResult {
	switch s {
	case setup.OK:
		return web.CheckOK
	case setup.Failed:
		return web.CheckFailed
	}
	return web.CheckUnknown
}

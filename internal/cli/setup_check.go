package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"turnpost"
	"turnpost/internal/harness"
	"turnpost/internal/setup"
	"turnpost/internal/statedir"
	"turnpost/internal/wake"
)

// checkReport is the check of one harness.
type checkReport struct {
	Name     string          `json:"name"`
	Version  string          `json:"version,omitempty"`
	Proof    harness.Proof   `json:"proof"`
	Findings []setup.Finding `json:"findings"`
	Limits   []string        `json:"limits,omitempty"` // what a person should know, where the doctor says it
}

// setupCheck looks at what is installed and says how far each step works.
func (a *app) setupCheck(ctx context.Context, o setupOptions, asJSON bool) error {
	targets, err := a.targets(ctx, o)
	if err != nil {
		return err
	}
	targets = asked(targets)
	if len(targets) == 0 {
		return turnpost.Errorf(turnpost.NotFound, "none of the harnesses that we know is on this machine: %s", harnessNames())
	}
	hub, done := a.hubToAsk(ctx)
	defer done()
	reports := []checkReport{}
	failed := 0
	for _, t := range targets {
		r := a.checkReport(ctx, t, hub)
		failed += failures(r.Findings)
		reports = append(reports, r)
	}
	if asJSON {
		err = a.json(reports)
	} else {
		p := a.printer(a.env.Stdout)
		for i, r := range reports {
			if i > 0 {
				p.line("")
			}
			a.sayCheck(p, r)
		}
	}
	if err == nil && failed > 0 {
		err = failedChecks{failed}
	}
	return err
}

// hubToAsk is the running hub, where there is one that tells us about sessions:
// it does not tell agents.
func (a *app) hubToAsk(ctx context.Context) (hub turnpost.Hub, done func()) {
	c, ok := a.hubIfUp()
	if !ok {
		return nil, func() {}
	}
	if me, err := c.Whoami(ctx, turnpost.Nothing{}); err != nil || !me.Human {
		c.Close()
		return nil, func() {}
	}
	return c, c.Close
}

// checkReport is checkTarget for one of several: a check that cannot be made is
// a failed one.
func (a *app) checkReport(ctx context.Context, t target, hub turnpost.Hub) checkReport {
	findings, err := a.checkTarget(ctx, t, hub)
	if err != nil {
		findings = append(findings, setup.Finding{Check: "check", State: setup.Failed, Detail: err.Error(), Hint: hintOf(err)})
	}
	return checkReport{Name: t.harness.Name(), Version: t.version, Proof: t.harness.Profile().Proof, Findings: findings}
}

// checkTarget checks one harness; hub is nil when there is none to ask.
func (a *app) checkTarget(ctx context.Context, t target, hub turnpost.Hub) ([]setup.Finding, error) {
	if t.problem != nil {
		return nil, t.problem
	}
	s, err := a.setup()
	if err != nil {
		return nil, err
	}
	dir, err := a.state()
	if err != nil {
		return nil, err
	}
	req := setup.CheckRequest{
		Place: t.place(), Harness: t.harness, Hook: t.at.Hook, Turnpost: t.at.Program, Package: t.packaged,
		Getenv: a.env.Getenv, Env: a.env.Environ,
	}
	foldered, ok := t.harness.(harness.UserFoldered)
	if t.at.Scope != "user" || ok && foldered.UserHooksNeedTrust() {
		req.Folder = t.at.Project
	}
	if hub != nil {
		req.Witness = witness{hub: hub, dir: dir, harness: t.harness.Name()}
	}
	findings, err := s.Check(ctx, req)
	if hand, ok := t.harness.(harness.ByHand); ok && len(req.Place.Entries) == 0 {
		file, _ := hand.ByHand(t.at)
		findings = append([]setup.Finding{{
			Check: setup.CheckRegistered, State: setup.Unknown, What: file, Detail: "is written by hand",
			Hint: "turnpost setup --harness " + t.harness.Name() + " shows what goes in",
		}}, findings...)
	}
	if old := t.old(); old != "" {
		findings = append([]setup.Finding{{Check: "version", State: setup.Failed, Detail: old, Hint: "update " + t.harness.Name()}}, findings...)
	}
	return findings, err
}

// witness asks the hub what it heard.
type witness struct {
	hub     turnpost.Hub
	dir     statedir.Dir
	harness string
}

var _ setup.Witness = witness{}

// Heard returns the time of the newest event of any session of the harness.
func (w witness) Heard(ctx context.Context) (when time.Time, ok bool) {
	board, err := w.hub.Board(ctx, turnpost.BoardQuery{Ended: true})
	if err != nil {
		return time.Time{}, false
	}
	for _, s := range board.Sessions {
		if s.Harness == w.harness && s.ActivityAt.After(when) {
			when = s.ActivityAt
		}
	}
	return when, !when.IsZero()
}

// RingOnce rings an idle session: what it does next is to answer the bell.
func (w witness) RingOnce(ctx context.Context) error {
	board, err := w.hub.Board(ctx, turnpost.BoardQuery{})
	if err != nil {
		return err
	}
	methods := wake.All(w.dir, func(error) {}) // those that put a prompt in would show
	for _, s := range board.Sessions {
		if s.Harness != w.harness || s.TurnOpen || !s.Attended || !s.Wake.Armed || !methods.Knows(s.Wake.Method) {
			continue
		}
		if err := methods.Ring(s.Harness, s.Wake); err != nil {
			return err
		}
		return w.heardAfter(ctx, s)
	}
	return setup.ErrNothingToRing
}

// heardAfter waits until the hub hears of a session again.
func (w witness) heardAfter(ctx context.Context, before turnpost.Session) error {
	for {
		board, err := w.hub.Board(ctx, turnpost.BoardQuery{Ended: true})
		if err != nil && ctx.Err() == nil {
			return err
		}
		for _, s := range board.Sessions {
			if s.ID == before.ID && s.ActivityAt.After(before.ActivityAt) {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return fmt.Errorf("%s did not answer its bell", sessionName(before))
			}
			return ctx.Err()
		case <-time.After(startPoll):
		}
	}
}

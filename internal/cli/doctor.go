package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"turnpost"
	"turnpost/internal/api/client"
	"turnpost/internal/setup"
)

// doctorReport is everything that the doctor looked at.
type doctorReport struct {
	Turnpost  []setup.Finding `json:"turnpost"`
	Harnesses []checkReport   `json:"harnesses"`
	Unproved  []string        `json:"unproved,omitempty"` // that are here, known by their documentation only, and not set up
}

func doctorCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor [--flags]",
		Short: "Check everything, from the state directory to the bell",
		Long: "Check the state directory, the configuration, the hub, the programs, and for every harness on this machine " +
			"whether our hooks are registered, run, are trusted and heard, and whether a bell is answered (it rings one idle session once). " +
			"It ends with 1 when a check failed.",
	}
	asJSON := jsonFlag(cmd)
	return a.does(cmd, func(ctx context.Context, _ []string) error {
		r, err := a.examine(ctx)
		if err != nil {
			return err
		}
		failed := failures(r.Turnpost)
		for _, h := range r.Harnesses {
			failed += failures(h.Findings)
		}
		if *asJSON {
			err = a.json(r)
		} else {
			a.sayDoctor(a.printer(a.env.Stdout), r, failed)
		}
		if err == nil && failed > 0 {
			err = failedChecks{failed}
		}
		return err
	})
}

func (a *app) sayDoctor(p *printer, r doctorReport, failed int) {
	p.line("%s %s", p.paint(bold, "turnpost"), a.env.Version)
	a.sayFindings(p, "  ", r.Turnpost)
	for _, h := range r.Harnesses {
		p.line("")
		a.sayCheck(p, h)
	}
	if len(r.Unproved) > 0 {
		p.line("")
		p.line("%s", p.paint(dim, "Here too, and not set up: "+strings.Join(r.Unproved, ", ")+". turnpost setup says why."))
	}
	p.line("")
	if failed == 0 {
		p.line("No check failed.")
		return
	}
	p.line("%s", p.paint(bad, plural(failed, "check")+" failed."))
}

func (a *app) examine(ctx context.Context) (doctorReport, error) {
	var r doctorReport
	add := func(check string, state setup.State, detail, hint string) {
		r.Turnpost = append(r.Turnpost, setup.Finding{Check: check, State: state, Detail: detail, Hint: hint})
	}
	a.examineState(add)
	a.examineConfig(add)
	a.examinePrograms(add)
	if c, ok := a.examineHub(ctx, add); ok {
		a.examineBoard(ctx, c, add)
		c.Close()
	}
	hub, done := a.hubToAsk(ctx)
	defer done()
	targets, err := a.targets(ctx, setupOptions{scope: "user", mode: "command"})
	if err != nil {
		add("harnesses", setup.Failed, err.Error(), hintOf(err))
		return r, nil
	}
	for _, t := range targets {
		if t.unproved {
			r.Unproved = append(r.Unproved, t.harness.Name())
		}
	}
	targets = asked(targets)
	if len(targets) == 0 {
		add("harnesses", setup.Warning, "none of those that we know is on this machine: "+harnessNames(), "")
	}
	r.Harnesses = []checkReport{}
	for _, t := range targets {
		h := a.checkReport(ctx, t, hub)
		h.Limits = t.harness.Profile().Limits
		r.Harnesses = append(r.Harnesses, h)
	}
	return r, nil
}

// addFinding notes one result.
type addFinding func(check string, state setup.State, detail, hint string)

func (a *app) examineState(add addFinding) {
	dir, err := a.state()
	if err != nil {
		add("state", setup.Failed, err.Error(), hintOf(err))
		return
	}
	if _, err := os.Stat(string(dir)); errors.Is(err, fs.ErrNotExist) {
		add("state", setup.Warning, a.tilde(string(dir))+" is not there yet", "turnpost up -d makes it")
		return
	}
	if err := a.privateDir(string(dir)); err != nil {
		add("state", setup.Failed, err.Error(), hintOf(err))
		return
	}
	add("state", setup.OK, a.tilde(string(dir))+", closed to others", "")
}

func (a *app) examineConfig(add addFinding) {
	cfg, err := a.loadConfig()
	switch {
	case err != nil:
		add("configuration", setup.Failed, err.Error(), hintOf(err))
	case fileExists(cfg.path):
		add("configuration", setup.OK, a.tilde(cfg.path), "")
	default:
		add("configuration", setup.OK, "defaults; "+a.tilde(cfg.path)+" is not there", "")
	}
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func (a *app) examinePrograms(add addFinding) {
	path, warning, err := setup.StablePath(a.env.Program, a.env.Getenv)
	switch {
	case err != nil:
		add("program", setup.Warning, err.Error(), hintOf(err))
	case warning != "":
		add("program", setup.Warning, warning, "")
	default:
		add("program", setup.OK, a.tilde(path), "")
	}
	hook, ok := a.hookBeside()
	if !ok {
		add("hook client", setup.Warning, hookName+" is not beside this program; turnpost hook does the same, slower", "install both: make up")
		return
	}
	add("hook client", setup.OK, a.tilde(hook), "")
}

func (a *app) examineHub(ctx context.Context, add addFinding) (*client.Client, bool) {
	c, ok := a.hubIfUp()
	if !ok {
		add("hub", setup.Failed, "not running"+a.whyDown(), "turnpost up -d")
		return nil, false
	}
	health, err := c.Health(ctx)
	if err != nil {
		add("hub", setup.Failed, err.Error(), hintOf(err))
		return nil, false
	}
	detail := fmt.Sprintf("process %d", health.Pid)
	if dir, err := a.state(); err == nil && !a.remote() {
		if hub, err := dir.ReadHub(); err == nil {
			if hub.TCP != "" {
				detail += ", page at http://" + hub.TCP
			}
			if hub.Heal == "" {
				detail += ", not started again when it dies"
			}
		}
	}
	if health.Version != a.env.Version {
		add("hub", setup.Warning, detail+", version "+health.Version, "this program is "+a.env.Version+": turnpost up -d --restart")
		return c, true
	}
	add("hub", setup.OK, detail, "")
	return c, true
}

// examineBoard looks for what went wrong quietly.
func (a *app) examineBoard(ctx context.Context, hub turnpost.Hub, add addFinding) {
	board, err := hub.Board(ctx, turnpost.BoardQuery{})
	if err != nil {
		add("sessions", setup.Unknown, err.Error(), "run it in a terminal outside the agent")
		return
	}
	if board.Dropped > 0 {
		add("events", setup.Warning, plural(int(board.Dropped), "event")+" were lost while no hub answered", "")
	}
	for _, s := range board.Sessions {
		switch {
		case s.Unlinked != "" && !s.Reports:
			add("session", setup.Warning, sessionName(s)+" has no handle: "+s.Unlinked, "turnpost name @handle --session "+s.ID)
		case s.Status.State == turnpost.StateUnheard:
			add("session", setup.Warning, sessionName(s)+": "+s.Status.Evidence, "turnpost setup shows what is missing; else restart it")
		}
	}
	for _, agent := range board.Unclaimed {
		add("mail", setup.Warning, plural(agent.Unread, "item")+" for "+agent.Handle+", which has no session", "")
	}
}

func hintOf(err error) string {
	var coded *turnpost.Error
	if errors.As(err, &coded) {
		return coded.Hint
	}
	return ""
}

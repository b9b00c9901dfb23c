package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"turnpost"
)

func pauseCommand(a *app) *cobra.Command {
	var off bool
	cmd := &cobra.Command{
		Use:   "pause DURATION [@handle] [--flags]",
		Short: "Keep a handle from being interrupted for a while",
		Long: "Nothing interrupts or wakes the handle for that long. What arrives meanwhile waits, and comes when it is over. " +
			"Without @handle it is your own.",
		Example:           "turnpost pause 1h @api\nturnpost pause @api --off",
		Args:              takes(0, 2, ""),
		ValidArgsFunction: a.completeHandles,
	}
	cmd.Flags().BoolVar(&off, "off", false, "end the pause now")
	asJSON := jsonFlag(cmd)
	return a.does(cmd, func(ctx context.Context, args []string) error {
		var q turnpost.PauseRequest
		if i := slices.IndexFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "@") }); i >= 0 {
			q.Handle = args[i]
			args = slices.Delete(args, i, i+1)
		}
		switch {
		case off && len(args) > 0:
			return turnpost.Invalidf("off", "takes no duration, got %.40q", args[0])
		case !off && len(args) == 0:
			return turnpost.Invalidf("DURATION", "is missing").WithHint("say how long, like 30m or 2h; or --off")
		case len(args) > 1:
			return turnpost.Errorf(turnpost.Invalid, "%.40q is one argument too many", args[1])
		case !off:
			d, err := parseDuration(args[0])
			if err != nil {
				return turnpost.Invalidf("DURATION", "%v", err)
			}
			if d < time.Second {
				return turnpost.Invalidf("DURATION", "is %s, at least 1s is needed", d).WithHint("--off ends a pause")
			}
			q.Seconds = int(d.Seconds())
		}
		hub, err := a.hub(ctx)
		if err != nil {
			return err
		}
		agent, err := hub.Pause(ctx, q)
		if err != nil {
			return err
		}
		if *asJSON {
			return a.json(agent)
		}
		p := a.printer(a.env.Stdout)
		if off {
			p.line("%s is not paused", agent.Handle)
			return nil
		}
		p.line("%s is paused until %s; turnpost pause %s --off ends it", agent.Handle, clock(agent.PausedUntil, a.env.Now()), agent.Handle)
		return nil
	})
}

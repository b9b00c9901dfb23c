package cli

import (
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"turnpost"
)

// limitFlags are the flags that end a run which does not complete.
type limitFlags struct {
	limits  turnpost.Limits
	target  float64
	timeout string
}

func (f *limitFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.Float64Var(&f.target, "target", 0, "the last score has to reach it before the run can complete")
	flags.IntVar(&f.limits.Iterations, "max-iterations", 0, "halt after so many")
	flags.StringVar(&f.timeout, "timeout", "", "halt after that long, like 90m, 12h or 2d")
	flags.IntVar(&f.limits.Turns, "budget-turns", 0, "halt after so many turns")
	flags.Int64Var(&f.limits.Tokens, "budget-tokens", 0, "halt after so many tokens, where the agent's program reports them")
	flags.IntVar(&f.limits.Stall, "stall", 0, "halt after so many turns that leave nothing in the journal; 5 when not given")
}

// given puts what the command line says over other limits.
func (f *limitFlags) given(cmd *cobra.Command, out turnpost.Limits) (turnpost.Limits, error) {
	set := cmd.Flags().Changed
	for _, limit := range []struct {
		flag  string
		value int64
		put   func()
	}{
		{"max-iterations", int64(f.limits.Iterations), func() { out.Iterations = f.limits.Iterations }},
		{"budget-turns", int64(f.limits.Turns), func() { out.Turns = f.limits.Turns }},
		{"budget-tokens", f.limits.Tokens, func() { out.Tokens = f.limits.Tokens }},
		{"stall", int64(f.limits.Stall), func() { out.Stall = f.limits.Stall }},
	} {
		if !set(limit.flag) {
			continue
		}
		if limit.value < 1 {
			return out, turnpost.Invalidf(limit.flag, "is %d, at least 1 is needed", limit.value)
		}
		limit.put()
	}
	if set("target") {
		out.Target = &f.target
	}
	if set("timeout") {
		seconds, err := secondsOf("timeout", f.timeout)
		if err != nil {
			return out, err
		}
		out.Seconds = seconds
	}
	return out, nil
}

// secondsOf is a duration of a flag in whole seconds.
func secondsOf(flag, text string) (int64, error) {
	d, err := parseDuration(text)
	if err != nil {
		return 0, turnpost.Invalidf(flag, "%v", err)
	}
	if d < time.Second {
		return 0, turnpost.Invalidf(flag, "is %s, at least 1s is needed", d)
	}
	return int64(d / time.Second), nil
}

// iterations is how far a run is, of how many.
func iterations(r turnpost.Run) string {
	if r.Limits.Iterations > 0 {
		return fmt.Sprintf("%d of %d", r.Iteration, r.Limits.Iterations)
	}
	return strconv.Itoa(r.Iteration)
}

// number is a score as people write it.
func number(score float64) string { return strconv.FormatFloat(score, 'g', -1, 64) }

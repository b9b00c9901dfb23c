package web

import (
	"fmt"
	"math"
	"strings"

	"turnpost"
)

// Figures are drawn with attributes of SVG: the page's policy allows no style in
// its HTML. Each stands beside a text that says the same.

// pips is how many boxes stand for iterations; more are a bar.
const pips = 12

// barWidth is how wide the bars are, in px.
const barWidth = 88

// bar is how far something is on its way.
type bar struct {
	Fill int // px
	Tick int // px where the target is; 0: at the end
}

// share is the part of a bar for n of limit.
func share(n, limit float64) int {
	if !(limit > 0) || !(n > 0) {
		return 0
	}
	return int(math.Round(barWidth * min(1, n/limit)))
}

// scoreBar is the last score against the target; false where there is no target
// to hold it against.
func scoreBar(r turnpost.Run) (bar, bool) {
	if r.Limits.Target == nil || !(*r.Limits.Target > 0) {
		return bar{}, false
	}
	value := 0.0
	if n := len(r.Scores); n > 0 {
		value = r.Scores[n-1].Value
	}
	full := max(*r.Limits.Target*1.2, value) // the target is inside, so that more than enough is seen
	return bar{Fill: share(value, full), Tick: share(*r.Limits.Target, full)}, true
}

// reached tells whether the last score is good enough.
func reached(r turnpost.Run) bool {
	n := len(r.Scores)
	return n > 0 && r.Limits.Target != nil && r.Scores[n-1].Value >= *r.Limits.Target
}

// Size of the curve of scores, in px.
const (
	curveWidth  = 320
	curveHeight = 64
)

// curve is scores over time.
type curve struct {
	Points string
	Dots   []point
	Target float64 // y of the target's line; 0: none
}

type point struct{ X, Y float64 }

// scoreCurve draws the scores and their target to one scale.
func scoreCurve(r turnpost.Run) curve {
	low, high := math.Inf(1), math.Inf(-1)
	see := func(v float64) { low, high = min(low, v), max(high, v) }
	for _, s := range r.Scores {
		see(s.Value)
	}
	if r.Limits.Target != nil {
		see(*r.Limits.Target)
	}
	const edge = 6
	y := func(v float64) float64 {
		if !(high > low) {
			return curveHeight / 2
		}
		return math.Round(curveHeight - edge - (v-low)/(high-low)*(curveHeight-2*edge))
	}
	var c curve
	var points []string
	for i, s := range r.Scores {
		x := float64(curveWidth) / 2
		if n := len(r.Scores); n > 1 {
			x = math.Round(edge + float64(i)*(curveWidth-2*edge)/float64(n-1))
		}
		p := point{x, y(s.Value)}
		c.Dots = append(c.Dots, p)
		points = append(points, fmt.Sprintf("%g,%g", p.X, p.Y))
	}
	c.Points = strings.Join(points, " ")
	if r.Limits.Target != nil {
		c.Target = y(*r.Limits.Target)
	}
	return c
}

func px(v float64) string { return fmt.Sprintf("%g", v) }

func iterationWidth(r turnpost.Run) int {
	if r.Limits.Iterations > pips {
		return barWidth
	}
	return r.Limits.Iterations*10 - 3
}

// pip is one iteration: over, under way, or to come.
func pip(r turnpost.Run, i int) string {
	switch {
	case i+1 < r.Iteration || i+1 == r.Iteration && r.State.Ended():
		return "fill"
	case i+1 == r.Iteration:
		return "now"
	}
	return "ground"
}

// round is the corner of a step's box: what a person or a score decides is round.
func (n graphNode) round() string {
	if n.Step.Kind == turnpost.StepGate || n.Step.Kind == turnpost.StepBreakpoint {
		return px(n.H / 2)
	}
	return "6"
}

// shape puts a mark at the left of a step's box.
func (n graphNode) shape(path string) string {
	return fmt.Sprintf("M%g %g%s", n.X+15, n.Y+n.H/2, path)
}

// what is the second line in a step's box.
func (n graphNode) what() string {
	text := string(n.Step.Kind)
	if n.Step.Kind == turnpost.StepGate {
		text += " ≥ " + number(n.Step.Target)
	}
	if n.Step.Attempt > 1 {
		text += " · " + fmt.Sprintf("attempt %d", n.Step.Attempt)
	} else {
		text += " · " + string(n.Step.State)
	}
	return line(text, 21)
}

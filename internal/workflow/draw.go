package workflow

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"turnpost"
)

// Draw is the steps as text, at most width columns wide; 0: as wide as they are.
//
// Steps that may run at the same time are one layer, branches of a line; what is
// below waits for what is above. Where a step does not wait for just the layer
// above it, its line says what for.
func Draw(steps []turnpost.Step, width int) string {
	if len(steps) == 0 {
		return ""
	}
	d := drawing{steps: steps, graph: newGraph(defsOf(steps)), width: width}
	layers := d.layers()
	for _, s := range steps {
		d.ids = max(d.ids, columns(s.ID))
		d.kinds = max(d.kinds, columns(who(s)))
	}
	if width > 0 {
		d.ids, d.kinds = min(d.ids, width/3), min(d.kinds, width/4)
	}
	parallel := slices.ContainsFunc(layers, func(layer []int) bool { return len(layer) > 1 })
	var above []int
	for n, layer := range layers {
		for at, i := range layer {
			branch := ""
			switch {
			case !parallel:
			case len(layer) == 1:
				branch = "  "
			case at == len(layer)-1:
				branch = "└─"
			case at == 0 && n == 0:
				branch = "┌─"
			default:
				branch = "├─"
			}
			d.line(i, branch, above)
		}
		above = layer
	}
	d.legend()
	return d.out.String()
}

type drawing struct {
	steps      []turnpost.Step
	graph      graph
	width      int
	ids, kinds int // columns of both
	out        strings.Builder
}

func defsOf(steps []turnpost.Step) []turnpost.StepDef {
	out := make([]turnpost.StepDef, len(steps))
	for i, s := range steps {
		out[i] = s.StepDef
	}
	return out
}

// layers puts each step below all that it waits for. Steps that wait for each
// other, which no checked process has, come last.
func (d *drawing) layers() [][]int {
	placed := make([]bool, len(d.steps))
	var out [][]int
	for left := len(d.steps); left > 0; {
		var layer []int
		for i := range d.steps {
			waits := func(p int) bool { return !placed[p] }
			if !placed[i] && !slices.ContainsFunc(d.graph.parents[i], waits) {
				layer = append(layer, i)
			}
		}
		if layer == nil {
			for i := range d.steps {
				if !placed[i] {
					layer = append(layer, i)
				}
			}
		}
		for _, i := range layer {
			placed[i] = true
		}
		left -= len(layer)
		out = append(out, layer)
	}
	return out
}

// line draws one step: mark, id, who does it, what, and what is to be known of it.
func (d *drawing) line(i int, branch string, above []int) {
	s := d.steps[i]
	head := branch + mark(s.State) + " " + filled(s.ID, d.ids) + "  " + filled(who(s), d.kinds)
	notes := strings.Join(d.notes(i, above), " · ")
	what := turnpost.OneLine(what(s), 200)
	if d.width > 0 {
		const gap, least = 2, 12
		room := d.width - columns(head) - gap
		if notes != "" {
			room = max(room-columns(notes)-gap, least)
		}
		what = cut(what, room)
	}
	text := strings.TrimRight(head+"  "+what, " ")
	if notes != "" {
		text += "  " + notes
	}
	if d.width > 0 {
		text = cut(text, d.width)
	}
	d.out.WriteString(text + "\n")
}

// marks of the states, in the order of a life.
func marks() []struct {
	state turnpost.StepState
	mark  string
} {
	return []struct {
		state turnpost.StepState
		mark  string
	}{
		{turnpost.StepDone, "✓"},
		{turnpost.StepActive, "▶"},
		{turnpost.StepReady, "○"},
		{turnpost.StepBlocked, "·"},
		{turnpost.StepFailed, "✗"},
	}
}

func mark(state turnpost.StepState) string {
	for _, m := range marks() {
		if m.state == state {
			return m.mark
		}
	}
	return "?"
}

// legend says what the marks that occur mean.
func (d *drawing) legend() {
	var words []string
	for _, m := range marks() {
		n := 0
		for _, s := range d.steps {
			if s.State == m.state {
				n++
			}
		}
		if n > 0 {
			words = append(words, fmt.Sprintf("%s %d %s", m.mark, n, m.state))
		}
	}
	text := strings.Join(words, "  ")
	if d.width > 0 {
		text = cut(text, d.width)
	}
	if text != "" {
		d.out.WriteString("\n" + text + "\n")
	}
}

// who does a step.
func who(s turnpost.Step) string {
	if s.Kind == turnpost.StepAgent {
		return turnpost.OneLine(s.To, 64)
	}
	return string(s.Kind)
}

// what a step is about.
func what(s turnpost.Step) string {
	switch s.Kind {
	case turnpost.StepCommand:
		if s.Command != nil {
			return words(s.Command.Args)
		}
	case turnpost.StepSleep:
		return duration(s.Seconds)
	case turnpost.StepGate:
		text := "score of " + strconv.FormatFloat(s.Target, 'g', -1, 64) + " or more"
		if s.Again != "" {
			text += ", else again from " + s.Again
		}
		if s.Text != "" {
			text += ": " + s.Text
		}
		return text
	}
	return s.Text
}

// words is a command line with quotes where it would be read as another one.
func words(args []string) string {
	out := make([]string, len(args))
	for i, arg := range args {
		if out[i] = arg; arg == "" || strings.ContainsAny(arg, shellSigns+wordSigns+" \t'\"") {
			out[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
	}
	return strings.Join(out, " ")
}

// duration is seconds in the two largest units that they have.
func duration(seconds int64) string {
	var parts []string
	for _, unit := range []struct {
		name string
		size int64
	}{{"d", 24 * 60 * 60}, {"h", 60 * 60}, {"m", 60}, {"s", 1}} {
		if n := seconds / unit.size; n > 0 && len(parts) < 2 {
			parts = append(parts, strconv.FormatInt(n, 10)+unit.name)
		}
		seconds %= unit.size
	}
	return strings.Join(parts, " ")
}

// notes is what else there is to say of a step.
func (d *drawing) notes(i int, above []int) []string {
	s := d.steps[i]
	var out []string
	switch {
	case s.Retries > 0 && s.Attempt > 0 && s.Attempt <= s.Retries+1:
		out = append(out, fmt.Sprintf("attempt %d of %d", s.Attempt, s.Retries+1))
	case s.Retries > 0 && s.Attempt == 0:
		out = append(out, fmt.Sprintf("up to %d attempts", s.Retries+1))
	case s.Attempt > 1:
		out = append(out, fmt.Sprintf("attempt %d", s.Attempt))
	}
	if s.Effect != "" && (s.State == turnpost.StepActive || s.State == turnpost.StepFailed) {
		out = append(out, s.Effect)
	}
	if s.Optional {
		out = append(out, "optional")
	}
	if !slices.Equal(d.graph.parents[i], above) {
		after := "at once"
		if len(s.Needs) > 0 {
			after = "after " + several(s.Needs)
		}
		out = append(out, after)
	}
	return out
}

// several lists names as far as they are few.
func several(names []string) string {
	const most = 4
	if over := len(names) - most; over > 1 {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", over)
	}
	return strings.Join(names, ", ")
}

package workflow

import (
	"slices"
	"strconv"
	"strings"

	"turnpost"
)

// checkGraph holds the steps against each other: every name means something, one
// thing, and no step waits for itself.
func (f *file) checkGraph() {
	f.checkNames()
	g := newGraph(f.defs())
	known := true
	for i := range f.steps {
		s := &f.steps[i]
		for n, need := range s.def.Needs {
			if need != "" && len(g.means(need)) == 0 {
				known = false
				f.wrong(s.place("needs["+strconv.Itoa(n)+"]"), "there is no step or group %q", need).hint("there are %s", g.names())
			}
		}
	}
	if known && !f.checkCycles(g) {
		return
	}
	for i := range f.steps {
		s := &f.steps[i]
		again, ok := g.ids[s.def.Again]
		switch {
		case s.def.Again == "":
		case !ok:
			f.wrong(s.place("again"), "there is no step %q", s.def.Again).hint("there are %s", g.names())
		case known && !g.before(again, i):
			f.wrong(s.place("again"), "the gate does not wait for %q, so it cannot start over there", s.def.Again).
				hint("again names a step that the gate needs, directly or by others")
		}
	}
}

func (f *file) defs() []turnpost.StepDef {
	out := make([]turnpost.StepDef, len(f.steps))
	for i, s := range f.steps {
		out[i] = s.def
	}
	return out
}

// checkNames wants each id once, and no group of the same name.
func (f *file) checkNames() {
	ids := map[string]int{}
	for i := range f.steps {
		s := &f.steps[i]
		if s.def.ID == "" {
			continue
		}
		if first, ok := ids[s.def.ID]; ok {
			f.wrong(s.place("id"), "%q is the id of the step in line %d already", s.def.ID, f.row(f.steps[first].table.at))
			continue
		}
		ids[s.def.ID] = i
	}
	for i := range f.steps {
		s := &f.steps[i]
		if first, ok := ids[s.def.Group]; ok {
			f.wrong(s.place("group"), "%q is the id of the step in line %d, so no group can have that name", s.def.Group, f.row(f.steps[first].table.at))
		}
	}
}

func (f *file) row(at int) int { return strings.Count(string(f.data[:at]), "\n") + 1 }

// checkCycles names what waits for itself, once for each step at which a round
// closes, and tells whether nothing does.
func (f *file) checkCycles(g graph) bool {
	const fresh, open, done = 0, 1, 2
	state := make([]int, len(g.defs))
	var path []int
	fine := true
	var visit func(int)
	visit = func(i int) {
		state[i] = open
		path = append(path, i)
		for n, need := range g.defs[i].Needs {
			for _, on := range g.means(need) {
				switch state[on] {
				case fresh:
					visit(on)
				case open:
					fine = false
					round := path[slices.Index(path, on):]
					f.wrong(f.steps[i].place("needs["+strconv.Itoa(n)+"]"), "%s", g.sayRound(round)).hint("take one of these needs out")
				}
			}
		}
		path = path[:len(path)-1]
		state[i] = done
	}
	for i := range g.defs {
		if state[i] == fresh {
			visit(i)
		}
	}
	return fine
}

// sayRound words steps each of which waits for the next one.
func (g graph) sayRound(round []int) string {
	if len(round) == 1 {
		return "the step waits for itself"
	}
	var names []string
	for _, i := range slices.Concat(round, round[:1]) {
		names = append(names, g.defs[i].ID)
	}
	const most = 8
	if over := len(names) - most; over > 0 {
		names = slices.Concat(names[:most/2], []string{"..."}, names[len(names)-most/2:])
	}
	return "these steps wait for each other: " + strings.Join(names, " → ")
}

// graph is steps with what their needs mean.
type graph struct {
	defs   []turnpost.StepDef
	ids    map[string]int
	groups map[string][]int
	// parents is the steps that each waits for directly, in order, each once.
	parents [][]int
}

func newGraph(defs []turnpost.StepDef) graph {
	g := graph{defs, map[string]int{}, map[string][]int{}, make([][]int, len(defs))}
	for i, d := range defs {
		if _, ok := g.ids[d.ID]; !ok && d.ID != "" {
			g.ids[d.ID] = i
		}
		if d.Group != "" {
			g.groups[d.Group] = append(g.groups[d.Group], i)
		}
	}
	for i, d := range defs {
		for _, need := range d.Needs {
			g.parents[i] = append(g.parents[i], g.means(need)...)
		}
		slices.Sort(g.parents[i])
		g.parents[i] = slices.Compact(g.parents[i])
	}
	return g
}

// means is the steps that a need names.
func (g graph) means(need string) []int {
	if i, ok := g.ids[need]; ok {
		return []int{i}
	}
	return g.groups[need]
}

// before tells whether step i waits for step of, directly or by others.
func (g graph) before(of, i int) bool {
	seen := map[int]bool{}
	var reach func(int) bool
	reach = func(at int) bool {
		for _, p := range g.parents[at] {
			if p == of {
				return true
			}
			if !seen[p] {
				seen[p] = true
				if reach(p) {
					return true
				}
			}
		}
		return false
	}
	return reach(i)
}

// names lists what needs can name, as far as it fits a hint.
func (g graph) names() string {
	var out []string
	for _, d := range g.defs {
		for _, name := range []string{d.ID, d.Group} {
			if name != "" && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	const most = 20
	if over := len(out) - most; over > 0 {
		return strings.Join(out[:most], ", ") + " and " + strconv.Itoa(over) + " more"
	}
	return strings.Join(out, ", ")
}

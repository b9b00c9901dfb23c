package web

import (
	"fmt"
	"slices"

	"turnpost"
)

// A process is drawn in layers: what a step needs lies before it, what runs side
// by side lies side by side. The list beneath the drawing says the same to those
// who do not see it.

// maxGraph is how many steps are drawn; more would be a thicket.
const maxGraph = 80

// Sizes in px: of a step along and across the direction in which the layers
// follow each other, and between two.
type graphSize struct{ along, across, gapAlong, gapAcross float64 }

func sideways() graphSize { return graphSize{along: 148, across: 46, gapAlong: 30, gapAcross: 12} }
func downward() graphSize { return graphSize{along: 46, across: 148, gapAlong: 28, gapAcross: 14} }

const (
	graphEdge  = 12.0  // around everything
	bendAcross = 10.0  // room for an edge that passes a layer
	returnRoom = 14.0  // for each edge that leads back
	widest     = 920.0 // the column of the page
)

// graph is a drawing of steps.
type graph struct {
	Width, Height float64
	Nodes         []graphNode
	Edges         []graphEdgeLine
	Down          bool
}

type graphNode struct {
	X, Y, W, H float64
	Step       turnpost.Step
}

type graphEdgeLine struct {
	Path string
	Kind string // done, open, or back for a gate that starts steps over
}

// vertex is a step, or where an edge passes a layer: step is -1 then.
type vertex struct {
	step          int
	layer         int
	along, across float64
	before        []int // vertices one layer up
}

// graphs are the drawings of a process: sideways where it fits, and downward for
// narrow windows and long processes. Both are in the page; its sheet chooses.
func graphs(steps []turnpost.Step) []graph {
	if len(steps) < 2 || len(steps) > maxGraph {
		return nil
	}
	down := draw(steps, true)
	if side := draw(steps, false); side.Width <= widest {
		return []graph{side, down}
	}
	return []graph{down}
}

// draw lays the steps out.
func draw(steps []turnpost.Step, down bool) graph {
	size := sideways()
	if down {
		size = downward()
	}
	needs := direct(needsOf(steps))
	vs, layers := layer(needs)
	order(vs, layers)
	breadth := place(vs, layers, size)

	g := graph{Down: down}
	at := func(along, across float64) (x, y float64) {
		if down {
			return across, along
		}
		return along, across
	}
	for _, v := range vs {
		for _, u := range v.before {
			kind := "open"
			if s := origin(vs, u); steps[s].State == turnpost.StepDone {
				kind = "done"
			}
			g.Edges = append(g.Edges, graphEdgeLine{edge(vs[u], v, size, at), kind})
		}
	}
	for i, s := range steps {
		w, h := at(size.along, size.across)
		x, y := at(vs[i].along, vs[i].across-size.across/2)
		g.Nodes = append(g.Nodes, graphNode{X: x, Y: y, W: w, H: h, Step: s})
	}
	for i, s := range steps {
		to := slices.IndexFunc(steps, func(t turnpost.Step) bool { return t.ID == s.Again })
		if s.Kind != turnpost.StepGate || s.Again == "" || to < 0 {
			continue
		}
		g.Edges = append(g.Edges, graphEdgeLine{back(vs[i], vs[to], breadth+returnRoom/2, size, at), "back"})
		breadth += returnRoom
	}
	length := float64(len(layers))*(size.along+size.gapAlong) - size.gapAlong + 2*graphEdge
	if slices.ContainsFunc(g.Edges, func(e graphEdgeLine) bool { return e.Kind == "back" }) {
		length += size.gapAlong / 2
	}
	g.Width, g.Height = at(length, breadth+graphEdge)
	return g
}

// needsOf resolves what steps need, groups included, to indexes of steps.
func needsOf(steps []turnpost.Step) [][]int {
	members := make(map[string][]int)
	for i, s := range steps {
		members[s.ID] = append(members[s.ID], i)
		if s.Group != "" && s.Group != s.ID {
			members[s.Group] = append(members[s.Group], i)
		}
	}
	out := make([][]int, len(steps))
	for i, s := range steps {
		for _, name := range s.Needs {
			for _, u := range members[name] {
				if u != i && !slices.Contains(out[i], u) {
					out[i] = append(out[i], u)
				}
			}
		}
	}
	return out
}

// direct leaves out needs that follow from others, and those of a circle, which a
// checked process does not have.
func direct(needs [][]int) [][]int {
	above := make([]map[int]bool, len(needs)) // all that a step comes after; nil: not known yet
	out := make([][]int, len(needs))
	for range needs {
		for i, us := range needs {
			if above[i] != nil || slices.ContainsFunc(us, func(u int) bool { return above[u] == nil }) {
				continue
			}
			above[i] = make(map[int]bool)
			for _, u := range us {
				for w := range above[u] {
					above[i][w] = true
				}
			}
			for _, u := range us {
				if !above[i][u] {
					out[i] = append(out[i], u)
				}
			}
			for _, u := range us {
				above[i][u] = true
			}
		}
	}
	return out
}

// layer puts every step one layer behind the last one that it needs, and a vertex
// wherever an edge passes a layer. The first vertices are the steps.
func layer(needs [][]int) (vs []vertex, layers [][]int) {
	vs = make([]vertex, len(needs))
	for range needs { // at most as deep as there are steps
		moved := false
		for i, us := range needs {
			vs[i].step = i
			for _, u := range us {
				if l := vs[u].layer + 1; vs[i].layer < l {
					vs[i].layer, moved = l, true
				}
			}
		}
		if !moved {
			break
		}
	}
	for i, us := range needs {
		for _, u := range us {
			last := u
			for l := vs[u].layer + 1; l < vs[i].layer; l++ {
				vs = append(vs, vertex{step: -1, layer: l, before: []int{last}})
				last = len(vs) - 1
			}
			vs[i].before = append(vs[i].before, last)
		}
	}
	for i, v := range vs {
		for len(layers) <= v.layer {
			layers = append(layers, nil)
		}
		layers[v.layer] = append(layers[v.layer], i)
	}
	return vs, layers
}

// order moves what belongs together side by side: each vertex to the middle of
// its neighbours, there and back.
func order(vs []vertex, layers [][]int) {
	after := make([][]int, len(vs))
	for i, v := range vs {
		for _, u := range v.before {
			after[u] = append(after[u], i)
		}
	}
	spot := make([]float64, len(vs))
	settle := func(l []int) {
		for n, i := range l {
			spot[i] = float64(n) - float64(len(l)-1)/2
		}
	}
	for _, l := range layers {
		settle(l)
	}
	sweep := func(l []int, near func(int) []int) {
		middle := make(map[int]float64, len(l))
		for _, i := range l {
			middle[i] = spot[i]
			if ns := near(i); len(ns) > 0 {
				sum := 0.0
				for _, n := range ns {
					sum += spot[n]
				}
				middle[i] = sum / float64(len(ns))
			}
		}
		slices.SortStableFunc(l, func(a, b int) int {
			switch {
			case middle[a] < middle[b]:
				return -1
			case middle[a] > middle[b]:
				return 1
			}
			return 0
		})
		settle(l)
	}
	for range 3 {
		for _, l := range layers {
			sweep(l, func(i int) []int { return vs[i].before })
		}
		for _, l := range slices.Backward(layers) {
			sweep(l, func(i int) []int { return after[i] })
		}
	}
}

// place gives every vertex its middle, layers centred on each other, and returns
// how broad the drawing is.
func place(vs []vertex, layers [][]int, size graphSize) float64 {
	room := func(i int) float64 {
		if vs[i].step < 0 {
			return bendAcross
		}
		return size.across
	}
	breadths, broadest := make([]float64, len(layers)), 0.0
	for n, l := range layers {
		breadths[n] = -size.gapAcross
		for _, i := range l {
			breadths[n] += room(i) + size.gapAcross
		}
		broadest = max(broadest, breadths[n])
	}
	for n, l := range layers {
		across := graphEdge + (broadest-breadths[n])/2
		for _, i := range l {
			vs[i].along = graphEdge + float64(n)*(size.along+size.gapAlong)
			vs[i].across = across + room(i)/2
			across += room(i) + size.gapAcross
		}
	}
	return broadest + graphEdge
}

// origin is the step that an edge through vertex u begins at.
func origin(vs []vertex, u int) int {
	for vs[u].step < 0 {
		u = vs[u].before[0]
	}
	return vs[u].step
}

// edge is the line from u to v, one layer on; at a step it ends with a point, and
// at a bend it goes straight through.
func edge(u, v vertex, size graphSize, at func(float64, float64) (float64, float64)) string {
	x1, y1 := at(u.along+size.along, u.across)
	x2, y2 := at(v.along, v.across)
	mx1, my1 := at(u.along+size.along+size.gapAlong/2, u.across)
	mx2, my2 := at(v.along-size.gapAlong/2, v.across)
	path := fmt.Sprintf("M%g %gC%g %g %g %g %g %g", x1, y1, mx1, my1, mx2, my2, x2, y2)
	if v.step < 0 {
		x, y := at(v.along+size.along, v.across)
		return path + fmt.Sprintf("L%g %g", x, y)
	}
	return path + arrow(v.along, v.across, at)
}

// back is the line of a gate that starts over: out of its far end, around
// everything, and into the step from which it goes on.
func back(gate, to vertex, around float64, size graphSize, at func(float64, float64) (float64, float64)) string {
	out, in := gate.along+size.along+8, to.along-10
	low := func(v vertex) float64 { return v.across + size.across/4 }
	x1, y1 := at(gate.along+size.along, low(gate))
	x2, y2 := at(out, low(gate))
	x3, y3 := at(out, around)
	x4, y4 := at(in, around)
	x5, y5 := at(in, low(to))
	x6, y6 := at(to.along, low(to))
	return fmt.Sprintf("M%g %gL%g %gL%g %gL%g %gL%g %gL%g %g", x1, y1, x2, y2, x3, y3, x4, y4, x5, y5, x6, y6) + arrow(to.along, low(to), at)
}

func arrow(along, across float64, at func(float64, float64) (float64, float64)) string {
	x1, y1 := at(along-5, across-3)
	x2, y2 := at(along, across)
	x3, y3 := at(along-5, across+3)
	return fmt.Sprintf("M%g %gL%g %gL%g %g", x1, y1, x2, y2, x3, y3)
}

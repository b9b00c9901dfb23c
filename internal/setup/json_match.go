package setup

import (
	"github.com/tailscale/hujson"
)

// spot is where a value was found: an element of the array or, for a group, a
// handler in the element.
type spot struct {
	presence Presence
	element  *hujson.Value
	index    int           // of the element
	handlers *hujson.Value // the array in the group; nil for plain elements
	handler  int
	alone    bool // the group is ours: without this handler nothing is left of it
}

// value is what was found.
func (s spot) value() *hujson.Value {
	if s.handlers == nil {
		return s.element
	}
	return children(s.handlers)[s.handler].value
}

// cut names what has to go: the container and the place in it.
func (s spot) cut(array *hujson.Value) (container *hujson.Value, index int) {
	if s.handlers == nil || s.alone {
		return array, s.index
	}
	return s.handlers, s.handler
}

// findValue looks for wanted among the elements of an array: first an equal
// one, then, for handlers, the same command with other settings. A handler
// counts where the rest of its group is as wanted; with anyGroup, also in a
// group that somebody gave another rest.
func findValue(array, wanted *hujson.Value, claimed map[*hujson.Value]bool, anyGroup bool) (spot, bool) {
	handler := soleHandler(wanted)
	if handler == nil {
		return findPlain(array, wanted, claimed)
	}
	var best spot
	bestRank := 0
	for i, c := range children(array) {
		handlers := member(c.value, "hooks")
		if handlers == nil || handlers.Value.Kind() != '[' {
			continue
		}
		ours := sameMembers(c.value, wanted, "hooks")
		if !ours && !anyGroup {
			continue
		}
		for j, h := range children(handlers) {
			found := spot{element: c.value, index: i, handlers: handlers, handler: j}
			found.alone = ours && len(children(handlers)) == 1
			rank := 0
			switch {
			case claimed[h.value]:
			case sameValue(h.value, handler):
				found.presence, rank = Exact, 3
			case sameCommand(h.value, handler):
				found.presence, rank = Changed, 1
			}
			if ours && rank > 0 {
				rank++
			}
			if rank > bestRank || (rank == bestRank && rank > 0 && found.alone && !best.alone) {
				best, bestRank = found, rank
			}
		}
	}
	return best, bestRank > 0
}

// findPlain looks among elements that are no groups: an equal one, then, for
// handlers without a group around them, the same command with other settings.
func findPlain(array, wanted *hujson.Value, claimed map[*hujson.Value]bool) (spot, bool) {
	for _, presence := range []Presence{Exact, Changed} {
		same := sameValue
		if presence == Changed {
			same = sameCommand
		}
		for i, c := range children(array) {
			if !claimed[c.value] && same(c.value, wanted) {
				return spot{presence: presence, element: c.value, index: i}, true
			}
		}
	}
	return spot{}, false
}

// soleHandler returns the handler of a group of one, nil for any other value.
func soleHandler(v *hujson.Value) *hujson.Value {
	handlers := member(v, "hooks")
	if handlers == nil || handlers.Value.Kind() != '[' {
		return nil
	}
	kids := children(handlers)
	if len(kids) != 1 || kids[0].value.Value.Kind() != '{' {
		return nil
	}
	return kids[0].value
}

// sameCommand tells whether two handlers run the very same command line.
func sameCommand(a, b *hujson.Value) bool {
	if member(b, "command") == nil {
		return false
	}
	for _, key := range []string{"type", "command", "args"} {
		x, y := member(a, key), member(b, key)
		if (x == nil) != (y == nil) || (x != nil && !sameValue(x, y)) {
			return false
		}
	}
	return true
}

package setup

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// jsonEditor edits strict JSON as bytes. Values are elements of arrays.
//
// An element that is a group of one handler, {"hooks":[{...}], ...}, is looked
// for by its handler: people put handlers of their own beside ours in our
// group. The shape is that of the hook settings which most harnesses share.
type jsonEditor struct{}

var _ Editor = jsonEditor{}

func (jsonEditor) Find(data []byte, values []Value) ([]Presence, error) {
	doc, err := parseJSON(data)
	if err != nil {
		return nil, err
	}
	out := make([]Presence, len(values))
	claimed := map[*hujson.Value]bool{}
	for i, value := range values {
		wanted, err := parseValue(value)
		if err != nil {
			return nil, err
		}
		array, err := doc.array(value.Pointer)
		if err != nil {
			return nil, err
		}
		if array == nil {
			continue
		}
		if spot, ok := findValue(array, wanted, claimed, false); ok {
			claimed[spot.value()] = true
			out[i] = spot.presence
		}
	}
	return out, nil
}

func (jsonEditor) Insert(data []byte, values []Value) ([]byte, []string, error) {
	present, err := jsonEditor{}.Find(data, values)
	if err != nil {
		return nil, nil, err
	}
	var created []string
	for i, value := range values {
		if present[i] != Absent {
			continue
		}
		out, made, err := insertValue(data, value)
		if err != nil {
			return nil, nil, err
		}
		data, created = out, append(created, made...)
	}
	return data, created, nil
}

func insertValue(data []byte, value Value) ([]byte, []string, error) {
	wanted, err := parseValue(value)
	if err != nil {
		return nil, nil, err
	}
	doc, err := parseJSON(data)
	if err != nil {
		return nil, nil, err
	}
	if _, err := doc.array(value.Pointer); err != nil {
		return nil, nil, err
	}
	tokens, err := splitPointer(value.Pointer)
	if err != nil {
		return nil, nil, err
	}
	if doc.blank() {
		whole := nest(tokens, *wanted)
		layout := newStyle()
		out := doc.bom + layout.render(&whole, "", true) + layout.eol
		return []byte(out), pointersFrom(tokens, 0), nil
	}
	way, err := doc.walk(tokens)
	if err != nil {
		return nil, nil, err
	}
	// What is to be added is a one-child container; the child goes into the
	// deepest one that is there.
	known := len(way) - 1
	added := nest(tokens[known:], *wanted)
	out := doc.splice(way, children(&added)[0])
	if err := sameButFor(doc, out, func() { addChild(way[known], added) }); err != nil {
		return nil, nil, err
	}
	return out, pointersFrom(tokens, known+1), nil
}

// nest wraps a value in an array and that in objects, one a token.
func nest(tokens []string, value hujson.Value) hujson.Value {
	out := hujson.Value{Value: &hujson.Array{Elements: []hujson.Value{value}}}
	for _, token := range slices.Backward(tokens) {
		name := hujson.Value{Value: hujson.String(token)}
		out = hujson.Value{Value: &hujson.Object{Members: []hujson.ObjectMember{{Name: name, Value: out}}}}
	}
	return out
}

// pointersFrom lists the pointers of the containers on the way, from a depth on.
func pointersFrom(tokens []string, depth int) []string {
	var out []string
	for ; depth <= len(tokens); depth++ {
		out = append(out, joinPointer(tokens[:depth]))
	}
	return out
}

// splice writes one child behind the last one of the container at the end of way.
func (d document) splice(way []*hujson.Value, added child) []byte {
	container := way[len(way)-1]
	layout := styleOf(d)
	kids := children(container)
	if len(kids) == 0 {
		return d.fill(way, added, layout)
	}
	last := kids[len(kids)-1]
	before := container.StartOffset + 1
	if len(kids) > 1 {
		before = kids[len(kids)-2].end
	}
	lead := string(d.text[before:last.start])
	indent, lines := lineIndent(lead)
	separator := layout.comma
	switch {
	case lines:
		separator = "," + breakOf(lead) + indent
	case len(kids) > 1:
		separator = lead
	}
	return d.replace(last.end, last.end, separator+layout.renderChild(added, indent, lines))
}

// fill writes the only child of an empty container.
func (d document) fill(way []*hujson.Value, added child, layout style) []byte {
	container := way[len(way)-1]
	lines := layout.lines
	if len(way) > 1 {
		parent := way[len(way)-2]
		_, lines = lineIndent(string(d.text[parent.StartOffset+1 : children(parent)[0].start]))
	}
	inner := layout.renderChild(added, "", false)
	if lines {
		indent := d.indentAt(container.StartOffset)
		deeper := indent + layout.indent
		inner = layout.eol + deeper + layout.renderChild(added, deeper, true) + layout.eol + indent
	}
	return d.replace(container.StartOffset+1, container.EndOffset-1, inner)
}

func (d document) replace(start, end int, with string) []byte {
	return slices.Concat([]byte(d.bom), d.text[:start], []byte(with), d.text[end:])
}

// breakOf returns the last line break in white space.
func breakOf(space string) string {
	at := strings.LastIndexByte(space, '\n')
	if at > 0 && space[at-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

func (jsonEditor) Remove(data []byte, values []Value) ([]byte, []bool, error) {
	taken := make([]bool, len(values))
	for i, value := range values {
		wanted, err := parseValue(value)
		if err != nil {
			return nil, nil, err
		}
		doc, err := parseJSON(data)
		if err != nil {
			return nil, nil, err
		}
		array, err := doc.array(value.Pointer)
		if err != nil {
			return nil, nil, err
		}
		if array == nil {
			continue
		}
		spot, ok := findValue(array, wanted, nil, true)
		if !ok {
			continue
		}
		container, index := spot.cut(array)
		out := doc.without(container, index)
		if err := sameButFor(doc, out, func() { dropChild(container, index) }); err != nil {
			return nil, nil, err
		}
		data, taken[i] = out, true
	}
	return data, taken, nil
}

// without returns the document without one child of a container. It is the
// inverse of splice: what stood around the child stays as it was.
func (d document) without(container *hujson.Value, index int) []byte {
	kids := children(container)
	switch {
	case len(kids) == 1:
		return d.replace(container.StartOffset+1, container.EndOffset-1, "")
	case index == 0:
		return d.replace(kids[0].start, kids[1].start, "")
	}
	return d.replace(kids[index-1].end, kids[index].end, "")
}

func (jsonEditor) Prune(data []byte, containers []string) ([]byte, error) {
	deepestFirst := slices.SortedFunc(slices.Values(containers), func(a, b string) int {
		return strings.Count(b, "/") - strings.Count(a, "/")
	})
	for _, pointer := range deepestFirst {
		doc, err := parseJSON(data)
		if err != nil {
			return nil, err
		}
		if doc.blank() {
			return data, nil
		}
		tokens, err := splitPointer(pointer)
		if err != nil {
			return nil, err
		}
		way, err := doc.walk(tokens)
		if err != nil {
			return nil, err
		}
		if len(way) <= len(tokens) || !isEmptyContainer(way[len(tokens)]) {
			continue
		}
		if len(tokens) == 0 {
			return nil, nil
		}
		parent := way[len(tokens)-1]
		index := slices.IndexFunc(children(parent), func(c child) bool { return c.value == way[len(tokens)] })
		out := doc.without(parent, index)
		if err := sameButFor(doc, out, func() { dropChild(parent, index) }); err != nil {
			return nil, err
		}
		data = out
	}
	return data, nil
}

func isEmptyContainer(v *hujson.Value) bool {
	_, literal := v.Value.(hujson.Literal)
	return !literal && len(children(v)) == 0
}

func parseValue(value Value) (*hujson.Value, error) {
	doc, err := parseJSON(value.JSON)
	if err == nil && doc.blank() {
		err = errors.New("empty")
	}
	if err != nil {
		return nil, fmt.Errorf("value for %s: %w", value.Pointer, err)
	}
	return &doc.root, nil
}

// sameButFor holds an edit against its intention: change does to the tree of
// doc what the edit did to its bytes. It spoils doc.
func sameButFor(doc document, edited []byte, change func()) error {
	after, err := parseJSON(edited)
	if err != nil {
		return fmt.Errorf("edit broke the document: %w", err)
	}
	change()
	doc.root.Minimize()
	after.root.Minimize()
	if !bytes.Equal(doc.root.Pack(), after.root.Pack()) {
		return errors.New("edit changed more than it should")
	}
	return nil
}

// addChild appends the only child of added to a container of the same kind.
func addChild(container *hujson.Value, added hujson.Value) {
	switch node := container.Value.(type) {
	case *hujson.Object:
		node.Members = append(node.Members, added.Value.(*hujson.Object).Members[0])
	case *hujson.Array:
		node.Elements = append(node.Elements, added.Value.(*hujson.Array).Elements[0])
	}
}

func dropChild(container *hujson.Value, index int) {
	switch node := container.Value.(type) {
	case *hujson.Object:
		node.Members = slices.Delete(node.Members, index, index+1)
	case *hujson.Array:
		node.Elements = slices.Delete(node.Elements, index, index+1)
	}
}

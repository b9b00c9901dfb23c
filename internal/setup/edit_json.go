package setup

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// jsonEditor edits JSON as bytes: strict, or with the comments and trailing
// commas of JSONC. Values are elements of arrays or, with a key, members of
// objects. A member is ours only with its value: under our key may be somebody
// else's.
//
// An element that is a group of one handler, {"hooks":[{...}], ...}, is looked
// for by its handler: people put handlers of their own beside ours in our
// group. The shape is that of the hook settings which most harnesses share.
type jsonEditor struct{ comments bool }

var _ Editor = jsonEditor{}

func (e jsonEditor) parse(data []byte) (document, error) { return parseJSON(data, e.comments) }

func (e jsonEditor) Find(data []byte, values []Value) ([]Presence, error) {
	doc, err := e.parse(data)
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
		holder, err := doc.holder(value)
		switch {
		case err != nil:
			return nil, err
		case holder == nil:
		case value.Key != "":
			if found := member(holder, value.Key); found != nil && sameValue(found, wanted) {
				out[i] = Exact
			} else if found != nil {
				out[i] = Changed
			}
		default:
			if spot, ok := findValue(holder, wanted, claimed, false); ok {
				claimed[spot.value()] = true
				out[i] = spot.presence
			}
		}
	}
	return out, nil
}

func (e jsonEditor) Insert(data []byte, values []Value) ([]byte, []string, error) {
	present, err := e.Find(data, values)
	if err != nil {
		return nil, nil, err
	}
	var created []string
	for i, value := range values {
		if present[i] != Absent {
			continue
		}
		out, made, err := e.insert(data, value)
		if err != nil {
			return nil, nil, err
		}
		data, created = out, append(created, made...)
	}
	return data, created, nil
}

func (e jsonEditor) insert(data []byte, value Value) ([]byte, []string, error) {
	wanted, err := parseValue(value)
	if err != nil {
		return nil, nil, err
	}
	doc, err := e.parse(data)
	if err != nil {
		return nil, nil, err
	}
	tokens, err := splitPointer(value.Pointer)
	if err != nil {
		return nil, nil, err
	}
	if doc.blank() {
		whole := nest(tokens, value.Key, *wanted)
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
	added := nest(tokens[known:], value.Key, *wanted)
	out := doc.splice(way, children(&added)[0])
	if err := sameButFor(doc, out, func() { addChild(way[known], added) }); err != nil {
		return nil, nil, err
	}
	return out, pointersFrom(tokens, known+1), nil
}

// nest wraps a value in an array, or in an object under a key, and that in
// objects, one a token.
func nest(tokens []string, key string, value hujson.Value) hujson.Value {
	under := func(name string, value hujson.Value) hujson.Value {
		member := hujson.ObjectMember{Name: hujson.Value{Value: hujson.String(name)}, Value: value}
		return hujson.Value{Value: &hujson.Object{Members: []hujson.ObjectMember{member}}}
	}
	out := hujson.Value{Value: &hujson.Array{Elements: []hujson.Value{value}}}
	if key != "" {
		out = under(key, value)
	}
	for _, token := range slices.Backward(tokens) {
		out = under(token, out)
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

func (e jsonEditor) Remove(data []byte, values []Value) ([]byte, []bool, error) {
	taken := make([]bool, len(values))
	for i, value := range values {
		wanted, err := parseValue(value)
		if err != nil {
			return nil, nil, err
		}
		doc, err := e.parse(data)
		if err != nil {
			return nil, nil, err
		}
		holder, err := doc.holder(value)
		if err != nil {
			return nil, nil, err
		}
		if holder == nil {
			continue
		}
		container, index, ok := whereToCut(holder, value.Key, wanted)
		if !ok {
			continue
		}
		out, err := doc.drop(container, index)
		if err != nil {
			return nil, nil, err
		}
		data, taken[i] = out, true
	}
	return data, taken, nil
}

// whereToCut finds a value that has to go: its container and the place in it.
func whereToCut(holder *hujson.Value, key string, wanted *hujson.Value) (container *hujson.Value, index int, ok bool) {
	if key == "" {
		spot, ok := findValue(holder, wanted, nil, true)
		if !ok {
			return nil, 0, false
		}
		container, index = spot.cut(holder)
		return container, index, true
	}
	index = slices.IndexFunc(children(holder), func(c child) bool { return text(c.name) == key && sameValue(c.value, wanted) })
	return holder, index, index >= 0
}

func (e jsonEditor) Prune(data []byte, containers []string) ([]byte, error) {
	deepestFirst := slices.SortedFunc(slices.Values(containers), func(a, b string) int {
		return strings.Count(b, "/") - strings.Count(a, "/")
	})
	for _, pointer := range deepestFirst {
		doc, err := e.parse(data)
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
		if len(way) <= len(tokens) || !doc.emptyContainer(way[len(tokens)]) {
			continue
		}
		if len(tokens) == 0 {
			if doc.hasComment(0, len(doc.text)) {
				continue
			}
			return nil, nil
		}
		parent := way[len(tokens)-1]
		index := slices.IndexFunc(children(parent), func(c child) bool { return c.value == way[len(tokens)] })
		if data, err = doc.drop(parent, index); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// emptyContainer tells of one with nothing in it, no comment either.
func (d document) emptyContainer(v *hujson.Value) bool {
	_, literal := v.Value.(hujson.Literal)
	return !literal && len(children(v)) == 0 && !d.hasComment(v.StartOffset+1, v.EndOffset-1)
}

// drop takes one child out of a container. It spoils the document.
func (d document) drop(container *hujson.Value, index int) ([]byte, error) {
	out := d.without(container, index)
	return out, sameButFor(d, out, func() { dropChild(container, index) })
}

func parseValue(value Value) (*hujson.Value, error) {
	doc, err := parseJSON(value.JSON, false)
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
	after, err := parseJSON(edited, doc.comments)
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

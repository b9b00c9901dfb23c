package setup

import (
	"bytes"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// splice writes one child behind the last one of the container at the end of
// way. A comment on the line of the last child stays with that, and where the
// last child had a comma behind it the new one has too.
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
	comma := layout.comma
	if len(kids) > 1 && !d.hasComment(before, last.start) {
		comma = lead
	}
	pre, gap, _ := strings.Cut(comma, ",")
	trailing := d.comma(last.end, container.EndOffset-1)
	at, open := d.pastComments(max(last.end, trailing+1), container.EndOffset-1)
	if open && !lines {
		indent, lines = d.indentAt(container.StartOffset)+layout.indent, true
		lead = layout.eol
	}
	if lines {
		pre, gap = "", breakOf(lead)+indent
	}
	child := gap + layout.renderChild(added, indent, lines)
	if trailing >= 0 {
		return d.replace(at, at, child+pre+",")
	}
	return slices.Concat([]byte(d.bom), d.text[:last.end], []byte(pre+","), d.text[last.end:at], []byte(child), d.text[at:])
}

// fill writes the only child of an empty container, behind the comments in it.
func (d document) fill(way []*hujson.Value, added child, layout style) []byte {
	container := way[len(way)-1]
	lines := layout.lines
	if len(way) > 1 {
		parent := way[len(way)-2]
		_, lines = lineIndent(string(d.text[parent.StartOffset+1 : children(parent)[0].start]))
	}
	from, to := container.StartOffset+1, container.EndOffset-1
	indent := d.indentAt(container.StartOffset)
	deeper := indent + layout.indent
	if at, found := d.lastComment(from, to); found {
		if bytes.IndexByte(d.text[from:to], '\n') >= 0 {
			return d.replace(at, at, layout.eol+deeper+layout.renderChild(added, deeper, true))
		}
		return d.replace(at, at, " "+layout.renderChild(added, "", false))
	}
	inner := layout.renderChild(added, "", false)
	if lines {
		inner = layout.eol + deeper + layout.renderChild(added, deeper, true) + layout.eol + indent
	}
	return d.replace(from, to, inner)
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

// without returns the document without one child of a container. It is the
// inverse of splice: what stood around the child stays as it was, comments in
// any case.
func (d document) without(container *hujson.Value, index int) []byte {
	kids := children(container)
	kid := kids[index]
	from, to := container.StartOffset+1, container.EndOffset-1
	if index > 0 {
		from = kids[index-1].end
	}
	comma := d.comma(kid.end, to)
	plain := !d.hasComment(from, kid.start)
	switch {
	case len(kids) == 1 && plain && !d.hasComment(kid.end, to):
		return d.replace(from, to, "")
	case index == 0 && len(kids) > 1 && !d.hasComment(kid.end, kids[1].start):
		return d.replace(kid.start, kids[1].start, "")
	case index == 0:
		start := kid.start
		if !plain {
			start = d.cutFrom(from, kid.start, max(kid.end, comma+1))
		}
		return d.cut(span{start, kid.end}, span{comma, comma + 1})
	case plain && comma < 0:
		return d.replace(from, kid.end, "")
	}
	before := d.comma(from, kid.start)
	start := d.cutFrom(before+1, kid.start, max(kid.end, comma+1))
	if comma >= 0 {
		if !d.hasComment(kid.end, comma) {
			return d.cut(span{start, comma + 1})
		}
		return d.cut(span{start, kid.end}, span{comma, comma + 1})
	}
	if d.hasComment(from, before) {
		from = before
	}
	return d.cut(span{from, before + 1}, span{start, kid.end})
}

// cutFrom is where the cut of a child begins: behind the comments in front of
// it, but for the line break that ends one when something else follows.
func (d document) cutFrom(from, kid, rest int) int {
	start, _ := d.lastComment(from, kid)
	line, _, _ := bytes.Cut(d.text[rest:], []byte("\n"))
	if d.endsOpen(from, kid) && len(bytes.TrimSpace(line)) > 0 {
		return kid
	}
	return start
}

// span is a stretch of a text; one with a negative start is none.
type span struct{ start, end int }

// cut takes out stretches, which are in order.
func (d document) cut(spans ...span) []byte {
	out := []byte(d.bom)
	at := 0
	for _, s := range spans {
		if s.start >= 0 {
			out = append(out, d.text[at:s.start]...)
			at = s.end
		}
	}
	return append(out, d.text[at:]...)
}

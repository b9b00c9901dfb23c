package setup

import (
	"bytes"
	"strings"

	"github.com/tailscale/hujson"
)

// style is how a document is laid out, learned from what is in it already.
type style struct {
	eol    string
	indent string // of one level
	colon  string // between key and value, with its blanks
	comma  string // between neighbours on one line
	lines  bool   // the document spreads over lines
}

// newStyle is for documents that have nothing to learn from.
func newStyle() style {
	return style{eol: "\n", indent: "  ", colon: ": ", comma: ", ", lines: true}
}

func styleOf(doc document) style {
	out := newStyle()
	if doc.blank() {
		return out
	}
	if at := bytes.IndexByte(doc.text, '\n'); at > 0 && doc.text[at-1] == '\r' {
		out.eol = "\r\n"
	}
	var sawIndent, sawColon, sawComma bool
	for node := range doc.root.All() {
		kids := children(node)
		if len(kids) == 0 {
			continue
		}
		if node == &doc.root {
			out.lines = bytes.IndexByte(doc.text[node.StartOffset:node.EndOffset], '\n') >= 0
		}
		lead := string(doc.text[node.StartOffset+1 : kids[0].start])
		if first, ok := lineIndent(lead); ok && !sawIndent {
			// One level is what children have more than the line that opens them.
			if unit, ok := strings.CutPrefix(first, doc.indentAt(node.StartOffset)); ok {
				out.indent, sawIndent = unit, true
			}
		}
		if name := kids[0].name; name != nil && !sawColon {
			between := string(doc.text[name.EndOffset:kids[0].value.StartOffset])
			if !strings.ContainsAny(between, "\r\n/") {
				out.colon, sawColon = between, true
			}
		}
		if len(kids) > 1 && !sawComma {
			between := string(doc.text[kids[0].end:kids[1].start])
			if !strings.ContainsAny(between, "\r\n/") {
				out.comma, sawComma = between, true
			}
		}
	}
	if !sawComma && out.colon == ":" {
		out.comma = ","
	}
	return out
}

// lineIndent returns the blanks after the last line break in what is between
// values; ok is false when there is no line break.
func lineIndent(space string) (indent string, ok bool) {
	at := strings.LastIndexByte(space, '\n')
	line := space[at+1:]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))], at >= 0
}

// indentAt returns the blanks that start the line of an offset.
func (d document) indentAt(at int) string {
	line := d.text[bytes.LastIndexByte(d.text[:at], '\n')+1 : at]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// render writes a value in the style, over lines or on one. indent is that of
// the line on which the value starts.
func (s style) render(v *hujson.Value, indent string, lines bool) string {
	kids := children(v)
	if len(kids) == 0 {
		packed := hujson.Value{Value: v.Value}
		return string(packed.Pack())
	}
	open, end := "{", "}"
	if v.Value.Kind() == '[' {
		open, end = "[", "]"
	}
	parts := make([]string, len(kids))
	for i, kid := range kids {
		parts[i] = s.renderChild(kid, indent+s.indent, lines)
	}
	if !lines {
		return open + strings.Join(parts, s.comma) + end
	}
	inner := s.eol + indent + s.indent
	return open + inner + strings.Join(parts, ","+inner) + s.eol + indent + end
}

func (s style) renderChild(c child, indent string, lines bool) string {
	value := s.render(c.value, indent, lines)
	if c.name == nil {
		return value
	}
	return string(c.name.Value.(hujson.Literal)) + s.colon + value
}

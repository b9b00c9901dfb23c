package setup

import (
	"bytes"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlDocument is a TOML text and what is in it.
type tomlDocument struct {
	bom  string // kept in front
	text []byte
	tree map[string]any
}

// parseTOML reads the whole document, so that what is wrong anywhere in it is
// known before it is touched.
func parseTOML(data []byte) (tomlDocument, error) {
	text, found := bytes.CutPrefix(data, []byte(byteOrderMark))
	doc := tomlDocument{text: text, tree: map[string]any{}}
	if found {
		doc.bom = byteOrderMark
	}
	if err := toml.Unmarshal(text, &doc.tree); err != nil {
		return tomlDocument{}, tomlRefusal(err)
	}
	return doc, nil
}

func (d tomlDocument) blank() bool { return blank(d.text) }

func (d tomlDocument) eol() string {
	if at := bytes.IndexByte(d.text, '\n'); at > 0 && d.text[at-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// append writes a table behind everything, after a blank line. A document whose
// last line has no end has none afterwards either.
func (d tomlDocument) append(table string) []byte {
	eol := d.eol()
	lead := eol
	switch {
	case len(d.text) == 0:
		lead = ""
	case d.text[len(d.text)-1] != '\n':
		lead, table = eol+eol, strings.TrimSuffix(table, eol)
	}
	return slices.Concat([]byte(d.bom), d.text, []byte(lead+table))
}

// without returns the document without whole lines of one table, in order. It
// is the inverse of append: one blank line in front goes too, and the line break
// there when the table ends the document without one.
func (d tomlDocument) without(lines []span) []byte {
	at, end := lines[0].start, lines[len(lines)-1].end
	before := d.text[:at]
	if rest, ok := cutBreak(before); ok {
		if _, blankLine := cutBreak(rest); blankLine || len(rest) == 0 {
			before = rest
		}
	}
	var between []byte
	for i, line := range lines[1:] {
		between = append(between, d.text[lines[i].end:line.start]...)
	}
	if end == len(d.text) && d.text[end-1] != '\n' && len(between) == 0 {
		before, _ = cutBreak(before)
	}
	return slices.Concat([]byte(d.bom), before, between, d.text[end:])
}

// cutBreak takes the line break off the end of a text.
func cutBreak(text []byte) (rest []byte, found bool) {
	rest, found = bytes.CutSuffix(text, []byte("\n"))
	return bytes.TrimSuffix(rest, []byte("\r")), found
}

// lines returns the lines of the table at a path and of the tables in it, with
// their ends: headers and values, not the comments between them. It refuses a
// path on which something is defined otherwise.
func (d tomlDocument) lines(path []string) ([]span, error) {
	var out []span
	var table []string // that the values belong to
	parser := unstable.Parser{}
	parser.Reset(d.text)
	for parser.NextExpression() {
		node := parser.Expression()
		key, first := keyOf(node)
		start, end := first, first
		name := key
		switch node.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = key
			if node.Kind == unstable.ArrayTable && hasPrefix(path, key) {
				return nil, d.refuse(start, "%s is an array of tables", place(key))
			}
		case unstable.KeyValue:
			start, end = int(node.Raw.Offset), int(node.Raw.Offset+node.Raw.Length)
			name = append(slices.Clone(table), key...)
			if hasPrefix(table, path) {
				break
			}
			if hasPrefix(path, name) || hasPrefix(name, path) {
				return nil, d.refuse(start, "%s is not written as a table of its own: %s", place(path), tomlForm(path, name))
			}
		}
		if hasPrefix(name, path) {
			out = append(out, d.wholeLines(start, end))
		}
	}
	return out, parser.Error()
}

// tomlForm says how something is written that should be a table.
func tomlForm(path, name []string) string {
	if len(name) > len(path) {
		return "it has dotted keys"
	}
	return place(name) + " has its value here"
}

// wholeLines returns the lines that a stretch lies on.
func (d tomlDocument) wholeLines(start, end int) span {
	start = bytes.LastIndexByte(d.text[:start], '\n') + 1
	if at := bytes.IndexByte(d.text[end:], '\n'); at >= 0 {
		return span{start, end + at + 1}
	}
	return span{start, len(d.text)}
}

// keyOf returns the parts of a key, and where it starts.
func keyOf(node *unstable.Node) (key []string, start int) {
	for it := node.Key(); it.Next(); {
		if len(key) == 0 {
			start = int(it.Node().Raw.Offset)
		}
		key = append(key, string(it.Node().Data))
	}
	return key, start
}

func hasPrefix(path, prefix []string) bool {
	return len(path) >= len(prefix) && slices.Equal(path[:len(prefix)], prefix)
}

// refuse makes a refusal at a byte offset, as for JSON.
func (d tomlDocument) refuse(at int, format string, args ...any) error {
	return document{text: d.text}.refuse(at, format, args...)
}

package workflow

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// value is a TOML value with its place, which the decoder does not tell.
type value struct {
	at      int // offset in the file; of a table's header where it has one
	kind    unstable.Kind
	text    string  // a string's content, a number as it is written
	plain   bool    // a string that stands in the file as it is, behind one quote
	list    []value // Array
	entries []entry // InlineTable, which all tables are here; in the file's order
}

type entry struct {
	at    int // of the key
	key   string
	value value
}

// find returns the entry of a key, nil where there is none.
func (v *value) find(key string) *entry {
	for i := range v.entries {
		if v.entries[i].key == key {
			return &v.entries[i]
		}
	}
	return nil
}

// readTOML reads a file as one table. The error is a *toml.DecodeError.
func readTOML(data []byte) (*value, error) {
	// The decoder checks everything but what keys mean.
	if err := toml.Unmarshal(data, &map[string]any{}); err != nil {
		return nil, err
	}
	root := &value{kind: unstable.InlineTable}
	table := root
	var p unstable.Parser
	p.Reset(data)
	for p.NextExpression() {
		switch e := p.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = root.open(data, e)
		case unstable.KeyValue:
			table.add(data, e)
		}
	}
	return root, p.Error()
}

// open returns the table that a header opens.
func (v *value) open(data []byte, header *unstable.Node) *value {
	at := -1
	for keys := header.Key(); keys.Next(); {
		key := keys.Node()
		if at < 0 {
			at = headerStart(data, int(key.Raw.Offset))
		}
		last := keys.IsLast() && header.Kind == unstable.ArrayTable
		v = v.child(int(key.Raw.Offset), at, string(key.Data), last)
	}
	return v
}

// headerStart goes back from a header's first key to its bracket.
func headerStart(data []byte, at int) int {
	for at > 0 && (data[at-1] == ' ' || data[at-1] == '\t') {
		at--
	}
	for at > 0 && data[at-1] == '[' {
		at--
	}
	return at
}

// child returns the table below a key, which it makes where it is not there;
// where there is a list of tables, its last one, or with more a new one.
func (v *value) child(keyAt, at int, key string, more bool) *value {
	e := v.find(key)
	if e == nil {
		kind := unstable.InlineTable
		if more {
			kind = unstable.Array
		}
		v.entries = append(v.entries, entry{keyAt, key, value{at: at, kind: kind}})
		e = &v.entries[len(v.entries)-1]
	}
	in := &e.value
	if more {
		in.list = append(in.list, value{at: at, kind: unstable.InlineTable})
	}
	if n := len(in.list); n > 0 {
		in = &in.list[n-1]
	}
	return in
}

// add puts the key and value of an expression into the table.
func (v *value) add(data []byte, pair *unstable.Node) {
	keys := pair.Key()
	for keys.Next() {
		key := keys.Node()
		at := int(key.Raw.Offset)
		if !keys.IsLast() {
			v = v.child(at, at, string(key.Data), false)
			continue
		}
		start := valueStart(data, at+int(key.Raw.Length))
		v.entries = append(v.entries, entry{at, string(key.Data), valueOf(data, pair.Value(), start)})
	}
}

// valueStart goes on from the end of a key to the value.
func valueStart(data []byte, at int) int {
	for at < len(data) && strings.IndexByte(" \t=", data[at]) >= 0 {
		at++
	}
	return at
}

// valueOf copies a node. at is its place where the node does not know it.
func valueOf(data []byte, n *unstable.Node, at int) value {
	if n.Raw.Length > 0 {
		at = int(n.Raw.Offset)
	}
	v := value{at: at, kind: n.Kind, text: string(n.Data)}
	v.plain = n.Kind == unstable.String && int(n.Raw.Length) == len(n.Data)+2
	for items := n.Children(); items.Next(); {
		if n.Kind == unstable.InlineTable {
			v.add(data, items.Node())
		} else {
			v.list = append(v.list, valueOf(data, items.Node(), at))
		}
	}
	return v
}

// kindName is what people call a kind of value.
func kindName(k unstable.Kind) string {
	switch k {
	case unstable.String:
		return "a string"
	case unstable.Integer, unstable.Float:
		return "a number"
	case unstable.Bool:
		return "true or false"
	case unstable.Array:
		return "a list"
	case unstable.InlineTable:
		return "a table"
	}
	return "a date or a time"
}

// number reads an integer or a float.
func (v *value) number() (float64, error) {
	text := strings.ReplaceAll(v.text, "_", "")
	if v.kind == unstable.Integer {
		n, err := strconv.ParseInt(text, 0, 64)
		return float64(n), err
	}
	return strconv.ParseFloat(text, 64)
}

// place is "file:line:column", counted from 1, the column in bytes.
func (f *file) place(at int) string {
	before := string(f.data[:min(at, len(f.data))])
	row := strings.Count(before, "\n") + 1
	return fmt.Sprintf("%s:%d:%d", f.path, row, len(before)-strings.LastIndexByte(before, '\n'))
}

// offset is the other way round.
func (f *file) offset(row, column int) int {
	at := 0
	for ; row > 1; row-- {
		next := strings.IndexByte(string(f.data[at:]), '\n')
		if next < 0 {
			break
		}
		at += next + 1
	}
	return min(at+column-1, len(f.data))
}

// syntax reports what the TOML itself has wrong.
func (f *file) syntax(err error) {
	var wrong *toml.DecodeError
	if !errors.As(err, &wrong) {
		f.wrong(0, "%v", err)
		return
	}
	f.wrong(f.offset(wrong.Position()), "%s", strings.TrimPrefix(wrong.Error(), "toml: "))
}

package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"turnpost"
)

// maxDepth is far deeper than any request, and far from deep enough to hurt.
const maxDepth = 64

// shape is what the strict decoder knows of a request's type: encoding/json
// alone matches keys without case, takes the last of two equal ones, and
// mends text that is not Unicode. A nil shape takes anything.
type shape struct {
	fields map[string]*shape // of a struct; nil: any keys
	elem   *shape            // of a slice or a map
}

// of returns the shape of a key's value.
func (s *shape) of(key string) (value *shape, known bool) {
	if s == nil || s.fields == nil {
		return s.each(), true
	}
	value, known = s.fields[key]
	return value, known
}

// each returns the shape of the elements.
func (s *shape) each() *shape {
	if s == nil {
		return nil
	}
	return s.elem
}

func shapeOf(t reflect.Type) *shape {
	switch {
	case reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()):
		return nil
	case t.Kind() == reflect.Pointer:
		return shapeOf(t.Elem())
	case t.Kind() == reflect.Slice, t.Kind() == reflect.Array, t.Kind() == reflect.Map:
		return &shape{elem: shapeOf(t.Elem())}
	case t.Kind() != reflect.Struct:
		return nil
	}
	s := &shape{fields: map[string]*shape{}}
	for field := range t.Fields() {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "-" && field.IsExported() {
			s.fields[name] = shapeOf(field.Type)
		}
	}
	return s
}

// decoder returns a function that reads exactly one JSON object into a Req. It
// refuses what a second reader could understand differently: unknown fields,
// keys in another case, keys given twice, text that is not Unicode, anything
// after the object.
func decoder[Req any]() func(io.Reader) (Req, error) {
	shape := shapeOf(reflect.TypeFor[Req]())
	return func(body io.Reader) (req Req, err error) {
		data, err := io.ReadAll(body)
		if err != nil {
			return req, fmt.Errorf("read request: %w", err)
		}
		if err := checkText(data); err != nil {
			return req, err
		}
		w := walker{json.NewDecoder(bytes.NewReader(data))}
		if err := w.value("", shape, 0); err != nil {
			return req, w.refuse(err)
		}
		if _, err := w.Token(); !errors.Is(err, io.EOF) {
			return req, turnpost.Invalidf("body", "goes on after the JSON object")
		}
		if err := json.Unmarshal(data, &req); err != nil {
			var mismatch *json.UnmarshalTypeError
			if errors.As(err, &mismatch) {
				return req, turnpost.Invalidf(printable(indexed(mismatch.Field)), "does not take this %s", mismatch.Value)
			}
			return req, w.refuse(err)
		}
		return req, nil
	}
}

// checkText refuses what is not one JSON object of Unicode text.
func checkText(data []byte) error {
	switch start := bytes.TrimLeft(data, " \t\r\n"); {
	case len(start) == 0:
		return turnpost.Invalidf("body", "is empty").WithHint("send a JSON object; {} is the empty one")
	case start[0] != '{':
		return turnpost.Invalidf("body", "is not a JSON object")
	case !utf8.Valid(data):
		return turnpost.Invalidf("body", "is not UTF-8")
	case loneSurrogate(data):
		return turnpost.Invalidf("body", `has half a character: a \ud800-\udfff without its pair`)
	}
	return nil
}

// loneSurrogate looks at the escapes of a JSON text: a backslash is nowhere
// but in strings.
func loneSurrogate(data []byte) bool {
	unit := func(at int) (rune, bool) {
		if at+6 > len(data) || data[at] != '\\' || data[at+1] != 'u' {
			return 0, false
		}
		n, err := strconv.ParseUint(string(data[at+2:at+6]), 16, 16)
		return rune(n), err == nil
	}
	for i := 0; i < len(data); i++ {
		if data[i] != '\\' {
			continue
		}
		first, ok := unit(i)
		if !ok || first < 0xd800 || first > 0xdfff {
			i++ // the escaped character
			continue
		}
		second, ok := unit(i + 6)
		if first >= 0xdc00 || !ok || second < 0xdc00 || second > 0xdfff {
			return true
		}
		i += 11
	}
	return false
}

// walker reads a JSON text token by token, beside the type that it is for.
type walker struct{ *json.Decoder }

func (w walker) value(path string, s *shape, depth int) error {
	if depth > maxDepth {
		return turnpost.Invalidf(printable(path), "is nested too deeply")
	}
	token, err := w.Token()
	if err != nil {
		return err
	}
	switch token {
	case json.Delim('{'):
		err = w.object(path, s, depth)
	case json.Delim('['):
		for i := 0; err == nil && w.More(); i++ {
			inner := path
			if s != nil {
				inner += "[" + strconv.Itoa(i) + "]"
			}
			err = w.value(inner, s.each(), depth+1)
		}
	default:
		return nil
	}
	if err == nil {
		_, err = w.Token() // the closing one
	}
	return err
}

func (w walker) object(path string, s *shape, depth int) error {
	seen := map[string]bool{}
	for w.More() {
		token, err := w.Token()
		if err != nil {
			return err
		}
		name := token.(string) // the decoder takes nothing else for a key
		inner := path
		if s != nil { // paths do not grow with keys that the sender made up
			inner = strings.TrimPrefix(path+"."+name, ".")
		}
		if seen[name] {
			return turnpost.Invalidf(printable(inner), "is given twice")
		}
		seen[name] = true
		value, known := s.of(name)
		if !known {
			return turnpost.Invalidf(printable(inner), "is not a field of this request").
				WithHint("names are matched exactly, case included")
		}
		if err := w.value(inner, value, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// refuse words an error of the decoder.
func (w walker) refuse(err error) error {
	var coded *turnpost.Error
	if errors.As(err, &coded) {
		return coded
	}
	return turnpost.Invalidf("body", "is not valid JSON at byte %d", w.InputOffset())
}

// indexed writes the path "to.1" of encoding/json as the walker does: "to[1]".
func indexed(path string) string {
	var out strings.Builder
	for i, part := range strings.Split(path, ".") {
		if _, err := strconv.Atoi(part); err == nil {
			part = "[" + part + "]"
		} else if i > 0 {
			part = "." + part
		}
		out.WriteString(part)
	}
	return out.String()
}

// printable makes a name that the sender chose fit for a message: short, and
// without control characters.
func printable(name string) string {
	const longest = 100
	if name == "" {
		return "body"
	}
	if len(name) > longest {
		name = strings.ToValidUTF8(name[:longest], "") + "..."
	}
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.QuoteToASCII(name)
	}
	return name
}

// encode writes an answer. Text that is not Unicode is mended, not refused.
func encode(answer any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false) // nosniff and the content type see to that
	if err := enc.Encode(answer); err != nil {
		return nil, fmt.Errorf("encode answer: %w", err)
	}
	return out.Bytes(), nil
}

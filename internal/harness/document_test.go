package harness

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

// FuzzDocument holds our reader against encoding/json: it accepts the same
// objects and reads the same strings, but for keys, where it is stricter.
func FuzzDocument(f *testing.F) {
	for _, seed := range []string{
		`{}`, ` {"a":"b"} x`, `{"a":[1,-0.5e+3,true,false,null,{"b":[]}],"c":{}}`, `{"a":1,"a":2}`, `{"a":1,"A":2}`,
		`{"a":"\u540d\ud83d\ude00\ud83d\"\\\/\b\f\n\r\t"}`, `{"\u0061":"x"}`, "{\"a\":\"\xff\"}", `{"a":"\ud83d\u0041"}`,
		`{"a":01}`, `{"a":1.}`, `{"a":.1}`, `{"a":1e}`, `{"a":-}`, `{"a":tru}`, `{"a":"` + "\n" + `"}`, `{"a":[1,]}`, `{,}`, `[{}]`, `{"a"`,
		`{"t":[{"n":"x"},7,[{"n":"y"}],{"n":"z"}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := readDocument(iotest.OneByteReader(bytes.NewReader(data)))
		if again, err2 := readDocument(bytes.NewReader(data)); (err == nil) != (err2 == nil) || !bytes.Equal(doc.raw, again.raw) {
			t.Fatalf("in one piece: %q, %v; byte by byte: %q, %v", again.raw, err2, doc.raw, err)
		}
		var want map[string]json.RawMessage
		std := json.NewDecoder(bytes.NewReader(data)).Decode(&want)
		if errors.Is(err, errTwice) || errors.Is(err, errLimit) {
			return
		}
		isObject := std == nil && want != nil // null decodes to no map
		if (err == nil) != isObject {
			t.Fatalf("%q: %v, encoding/json %v", data, err, std)
		}
		if err != nil {
			return
		}
		if !json.Valid(doc.raw) || len(doc.members) != len(want) {
			t.Fatalf("%q: %d members in %q, want %d", data, len(doc.members), doc.raw, len(want))
		}
		for _, m := range doc.members {
			if !bytes.Equal(m.raw, want[m.key]) {
				t.Fatalf("%q: %q is %q, want %q", data, m.key, m.raw, want[m.key])
			}
			var s string
			if m.raw[0] != '"' {
				continue
			}
			if err := json.Unmarshal(m.raw, &s); err != nil || doc.text(m.key, len(data)*3) != s {
				t.Fatalf("%q is %q, want %q, %v", m.raw, doc.text(m.key, len(data)*3), s, err)
			}
			if short := doc.text(m.key, 5); len(short) > 5 || !strings.HasPrefix(s, short) || !utf8.ValidString(short) {
				t.Fatalf("%q cut to %q", s, short)
			}
		}
	})
}

func TestEach(t *testing.T) {
	doc, err := readDocument(strings.NewReader(`{"t":[{"n":"x"}, 7, [{"n":"no"}], {"n":"y","n":"y"}, {"n":"z"}],"u":{"n":"no"}}`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	add := func(d document) bool { got = append(got, d.text("n", 9)); return true }
	doc.each("t", add)
	doc.each("u", add)
	doc.each("v", add)
	if want := []string{"x", "z"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestDocumentLimits(t *testing.T) {
	var many strings.Builder
	for i := range maxMembers + 1 {
		many.WriteString(`,"k` + strings.Repeat("x", i) + `":0`)
	}
	for name, in := range map[string]string{
		"members": "{" + many.String()[1:] + "}",
		"bytes":   `{"a":"` + strings.Repeat("x", maxDocument) + `"}`,
		"depth":   `{"a":` + strings.Repeat(`{"a":`, maxDepth) + "1" + strings.Repeat("}", maxDepth) + "}",
	} {
		if _, err := readDocument(strings.NewReader(in)); !errors.Is(err, errLimit) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOfferIDs(t *testing.T) {
	const id = "of-01kb8h3w6x5m4n3p2q1r0s9t8v"
	for text, want := range map[string][]string{
		id:                                 {id},
		"(" + id + ")\n" + id + ".":        {id},
		"x" + id + " " + id + "y":          nil,
		"-" + id + " _" + id:               nil,
		"of-of-" + id[3:]:                  nil,
		"of- " + id:                        {id},
		id[:28]:                            nil,
		strings.ToUpper(id):                nil,
		strings.Replace(id, "8v", "8u", 1): nil,
		"名" + id + "名":                     {id},
	} {
		if got := offerIDs(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestClipText(t *testing.T) {
	for name, c := range map[string]struct{ in, end string }{
		"lines":   {strings.Repeat("<a b>\n", 3000), "<a b>\n" + cutNote},
		"no line": {strings.Repeat("名", 5000), "名\n" + cutNote},
		"short":   {"hello\n", "hello\n"},
		"broken":  {"a\xffb", "a\uFFFDb"},
		"exact":   {strings.Repeat("x", maxText), "xx"},
	} {
		got := clipText(c.in)
		if len(got) > maxText || !strings.HasSuffix(got, c.end) || !utf8.ValidString(got) {
			t.Errorf("%s: %d bytes, ends %q", name, len(got), got[max(0, len(got)-60):])
		}
	}
}

package document

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
		doc, err := Read(iotest.OneByteReader(bytes.NewReader(data)))
		if again, err2 := Read(bytes.NewReader(data)); (err == nil) != (err2 == nil) || !bytes.Equal(doc.Raw, again.Raw) {
			t.Fatalf("in one piece: %q, %v; byte by byte: %q, %v", again.Raw, err2, doc.Raw, err)
		}
		var want map[string]json.RawMessage
		std := json.NewDecoder(bytes.NewReader(data)).Decode(&want)
		if errors.Is(err, ErrTwice) || errors.Is(err, ErrLimit) {
			return
		}
		isObject := std == nil && want != nil // null decodes to no map
		if (err == nil) != isObject {
			t.Fatalf("%q: %v, encoding/json %v", data, err, std)
		}
		if err != nil {
			return
		}
		if !json.Valid(doc.Raw) || len(doc.members) != len(want) {
			t.Fatalf("%q: %d members in %q, want %d", data, len(doc.members), doc.Raw, len(want))
		}
		for _, m := range doc.members {
			if !bytes.Equal(m.raw, want[m.key]) {
				t.Fatalf("%q: %q is %q, want %q", data, m.key, m.raw, want[m.key])
			}
			var s string
			if m.raw[0] != '"' {
				continue
			}
			if err := json.Unmarshal(m.raw, &s); err != nil || doc.Text(m.key, len(data)*3) != s {
				t.Fatalf("%q is %q, want %q, %v", m.raw, doc.Text(m.key, len(data)*3), s, err)
			}
			if short := doc.Text(m.key, 5); len(short) > 5 || !strings.HasPrefix(s, short) || !utf8.ValidString(short) {
				t.Fatalf("%q cut to %q", s, short)
			}
		}
	})
}

func TestObjects(t *testing.T) {
	doc, err := Read(strings.NewReader(`{"t":[{"n":"x"}, 7, [{"n":"no"}], {"n":"y","n":"y"}, {"n":"z"}],"u":{"n":"no","m":1},"s":["a\n",1,"\ud800"]}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := doc.Texts("s"); !slices.Equal(got, []string{"a\n", "\uFFFD"}) {
		t.Errorf("texts %q", got)
	}
	if got := doc.Object("u").Map(); len(got) != 1 || got["n"] != "no" || doc.Object("t").Map() != nil {
		t.Errorf("map %q", got)
	}
	var got []string
	add := func(d Object) bool { got = append(got, d.Text("n", 9)); return true }
	doc.Objects("t", add)
	doc.Objects("u", add)
	doc.Objects("v", add)
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
		if _, err := Read(strings.NewReader(in)); !errors.Is(err, ErrLimit) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestScalars(t *testing.T) {
	doc, err := Parse([]byte(`{"yes":true,"no":false,"text":"true","n":12,"neg":-1,"frac":1.5,"exp":1e2,"big":99999999999999999999,"null":null}`))
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]bool{"yes": true, "no": false, "text": false, "n": false, "none": false} {
		if doc.Flag(key) != want {
			t.Errorf("%s is %t", key, doc.Flag(key))
		}
	}
	for key, want := range map[string]int64{"n": 12, "neg": 0, "frac": 0, "exp": 0, "big": 0, "null": 0, "text": 0, "none": 0} {
		if doc.Number(key) != want {
			t.Errorf("%s is %d", key, doc.Number(key))
		}
	}
	if doc.Text("n", 9) != "" || doc.Object("n").Len() != 0 || doc.Len() != 9 {
		t.Error("a number is taken for something else")
	}
}

// FuzzWriter writes what encoding/json reads back.
func FuzzWriter(f *testing.F) {
	f.Add("k", "a\n\"\\\x00\x1f\u2028<&>名\xff\uFFFD", 7)
	f.Fuzz(func(t *testing.T, key, value string, n int) {
		if key == "" || key == "n" || key == "list" || key == "o" {
			return
		}
		var w Writer
		w.Open("")
		w.Texts("list", []string{value, ""})
		w.Number("n", n)
		w.Open("o")
		w.Always(key, value)
		w.Flag("f"+key, true)
		w.Close()
		w.Texts("none", nil)
		w.Text("none", "")
		w.Raw("raw", []byte("[1]"))
		w.Close()
		var got struct {
			List []string
			N    int
			O    map[string]any
			Raw  []int
			None *int
		}
		if err := json.Unmarshal(w.Bytes(), &got); err != nil {
			t.Fatalf("%s: %v", w.Bytes(), err)
		}
		want := string([]rune(value)) // each byte that is not UTF-8 becomes U+FFFD
		if got.List[0] != want || got.List[1] != "" || got.N != n || got.None != nil {
			t.Fatalf("%s, want %q", w.Bytes(), want)
		}
		doc, err := Parse(w.Bytes())
		if err != nil || doc.Texts("list")[0] != got.List[0] {
			t.Fatalf("%s: %v", w.Bytes(), err)
		}
	})
}

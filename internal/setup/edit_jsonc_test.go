package setup

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func memberValue(pointer, key, json string) Value {
	return Value{Pointer: pointer, Key: key, JSON: []byte(json)}
}

func serverValue() Value {
	return memberValue("/mcpServers", "turnpost", `{"command":"/x","args":["mcp"]}`)
}

func TestJSONMembers(t *testing.T) {
	const ours = `{"command":"/x","args":["mcp"]}`
	tests := []struct {
		name, doc string
		want      Presence
	}{
		{"no object", `{}`, Absent},
		{"others", `{"mcpServers":{"other":` + ours + `}}`, Absent},
		{"equal", `{"mcpServers":{"turnpost":` + ours + `}}`, Exact},
		{"spelled otherwise", `{"mcpServers":{"t\u0075rnpost":{"args":[ "mcp" ],"command":"\/x"}}}`, Exact},
		{"another value", `{"mcpServers":{"turnpost":{"command":"/y"}}}`, Changed},
		{"no value", `{"mcpServers":{"turnpost":null}}`, Changed},
		{"elsewhere", `{"turnpost":` + ours + `}`, Absent},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := jsonEditor{}.Find([]byte(tt.doc), []Value{serverValue()})
			if err != nil || got[0] != tt.want {
				t.Errorf("found %v, %v; want %v", got, err, tt.want)
			}
			_, taken, err := jsonEditor{}.Remove([]byte(tt.doc), []Value{serverValue()})
			if err != nil || taken[0] != (tt.want == Exact) {
				t.Errorf("taken %v, %v", taken, err)
			}
			out, _, err := jsonEditor{}.Insert([]byte(tt.doc), []Value{serverValue()})
			if err != nil || tt.want == Changed && string(out) != tt.doc {
				t.Errorf("insert: %s, %v", out, err)
			}
		})
	}
}

func TestJSONMembersRefuse(t *testing.T) {
	tests := []struct{ name, doc, want string }{
		{"an array", `{"mcpServers":[]}`, `line 1, column 15: "mcpServers" is an array, not an object`},
		{"twice", "{\"mcpServers\":{\"turnpost\":1,\n\"turnpost\":2}}", `line 2, column 1: "mcpServers.turnpost" appears twice`},
		{"a trailing comma", `{"a":1,}`, `line 1, column 8: invalid character '}'`},
	}
	for _, tt := range tests {
		_, _, err := jsonEditor{}.Insert([]byte(tt.doc), []Value{serverValue()})
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: %v\nwant %s", tt.name, err, tt.want)
		}
	}
}

func TestJSONCInsertKeepsComments(t *testing.T) {
	key := memberValue("", "k", "1")
	in := memberValue("/o", "k", "1")
	element := Value{Pointer: "/a", JSON: []byte(`"new"`)}
	tests := []struct {
		name, before string
		value        Value
		want         string
	}{
		{"comment behind the last", "{\n  \"a\": 1 // one\n}\n", key, "{\n  \"a\": 1, // one\n  \"k\": 1\n}\n"},
		{"trailing comma", "{\n  \"a\": 1,\n}\n", key, "{\n  \"a\": 1,\n  \"k\": 1,\n}\n"},
		{"trailing comma and comment", "{\n  \"a\": 1, // one\n  // end\n}\n", key, "{\n  \"a\": 1, // one\n  \"k\": 1,\n  // end\n}\n"},
		{"spaced trailing comma", "{\"a\":[1 ,]}", element, "{\"a\":[1 ,\"new\",]}"},
		{"comment in front of a comma", "{\"a\": [1, 2 /* two */ , /* end */ ]}", element, "{\"a\": [1, 2 /* two */ , /* end */ \"new\", ]}"},
		{"on one line up to a comment", "{\"a\": [1, 2 // two\n]}", element, "{\"a\": [1, 2, // two\n  \"new\"\n]}"},
		{"empty with a comment", "{\n  \"o\": {\n    // nothing\n  }\n}", in, "{\n  \"o\": {\n    // nothing\n    \"k\": 1\n  }\n}"},
		{"empty with a block comment", "{\"o\": { /* none */ }}", in, "{\"o\": { /* none */ \"k\": 1 }}"},
		{"comments around", "/* top */\n{\"o\": {}} // end", in, "/* top */\n{\"o\": {\"k\": 1}} // end"},
		{"CRLF", "{\r\n\t\"a\": 1 // one\r\n}\r\n", key, "{\r\n\t\"a\": 1, // one\r\n\t\"k\": 1\r\n}\r\n"},
		{"something like a comment in a string", "{\n  \"a\": \"// , /*\"\n}", key, "{\n  \"a\": \"// , /*\",\n  \"k\": 1\n}"},
		{"a comment with a comma between", "{\n  \"z\": 1, // a, b\n  \"a\": 2 /* c, d */\n}", key, "{\n  \"z\": 1, // a, b\n  \"a\": 2, /* c, d */\n  \"k\": 1\n}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			editor := jsonEditor{comments: true}
			out, created, err := editor.Insert([]byte(tt.before), []Value{tt.value})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(out)); diff != "" {
				t.Errorf("insert (-want +got):\n%s", diff)
			}
			back, taken, err := editor.Remove(out, []Value{tt.value})
			if err != nil || !taken[0] {
				t.Fatalf("remove: %v, taken %v", err, taken)
			}
			if back, err = editor.Prune(back, created); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.before, string(back)); diff != "" {
				t.Errorf("remove (-want +got):\n%s", diff)
			}
		})
	}
}

// What people wrote around ours stays, wherever it is.
func TestJSONCRemoveKeepsComments(t *testing.T) {
	tests := []struct{ name, before, want string }{
		{"alone", "{\n  // mine\n  \"k\": 1 // ours\n}", "{\n  // mine\n   // ours\n}"},
		{"alone with a comma", "{ \"k\": 1, /* c */ }", "{  /* c */ }"},
		{"first", "{\n  \"k\": 1, // ours\n  \"b\": 2\n}", "{\n   // ours\n  \"b\": 2\n}"},
		{"first behind an open comment", "{ // c\n\"k\": 1, /* d */ \"b\": 2}", "{ // c\n /* d */ \"b\": 2}"},
		{"between", "{\n  \"a\": 1, // a\n  // ours\n  \"k\": 1,\n  \"b\": 2\n}", "{\n  \"a\": 1, // a\n  // ours\n  \"b\": 2\n}"},
		{"between on one line", "{\"a\": 1, // a\n \"k\": 1, \"b\": 2}", "{\"a\": 1, // a\n  \"b\": 2}"},
		{"last", "{\n  \"a\": 1 /* x */, // a\n  \"k\": 1 // ours\n}", "{\n  \"a\": 1 /* x */ // a\n   // ours\n}"},
		{"comment in front of its comma", "{\"a\": 1, /* a */ \"k\": 1 /* k */, \"b\": 2}", "{\"a\": 1, /* a */ /* k */ \"b\": 2}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, taken, err := jsonEditor{comments: true}.Remove([]byte(tt.before), []Value{memberValue("", "k", "1")})
			if err != nil || !taken[0] || string(out) != tt.want {
				t.Errorf("taken %v, %v\n got %q\nwant %q", taken, err, out, tt.want)
			}
		})
	}
}

func TestJSONCRefuses(t *testing.T) {
	tests := []struct{ name, before, want string }{
		{"cut off", "{\n  // ü\n  \"a\": [1,", "line 3, column 11: parsing value: unexpected EOF"},
		{"open comment", "{} /* x", "line 1, column 4: parsing comment: unexpected EOF"},
		{"columns count characters", "{\n  \"ü名\": 1,,\n}\n", "line 2, column 11: invalid character ','"},
		{"too deep", strings.Repeat("/*[*/[", 20000), "line 1, column 60006: nested deeper"},
		{"only a comment", "// nothing\n", "line 2, column 1: parsing value: unexpected EOF"},
		{"two documents", "{} {}", "line 1, column 4: invalid character '{' after top-level value"},
	}
	for _, tt := range tests {
		_, _, err := jsonEditor{comments: true}.Insert([]byte(tt.before), []Value{serverValue()})
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: %v\nwant %s", tt.name, err, tt.want)
		}
	}
}

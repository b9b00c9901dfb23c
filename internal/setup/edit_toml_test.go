package setup

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func tomlServer() Value {
	return memberValue("/mcp_servers", "turnpost", `{"command":"/x \"y\"","args":["mcp"],"enabled":true,"startup_timeout_sec":10,"env":{"A B":"1"}}`)
}

const tomlServerText = `[mcp_servers.turnpost]
args = ["mcp"]
command = "/x \"y\""
enabled = true
startup_timeout_sec = 10
[mcp_servers.turnpost.env]
"A B" = "1"
`

func TestTOMLInsertAndRemove(t *testing.T) {
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	tests := []struct{ name, before, want string }{
		{"missing", "", tomlServerText},
		{"values", "model = \"o\" # mine\n", "model = \"o\" # mine\n\n" + tomlServerText},
		{"no final line break", "[a]\nb = 1", "[a]\nb = 1\n\n" + strings.TrimSuffix(tomlServerText, "\n")},
		{"CRLF", "[a]\r\nb = 1\r\n", "[a]\r\nb = 1\r\n\r\n" + crlf(tomlServerText)},
		{"CRLF, no final line break", "[a]\r\nb = 1", "[a]\r\nb = 1\r\n\r\n" + strings.TrimSuffix(crlf(tomlServerText), "\r\n")},
		{"blank lines at the end", "a = 1\n\n\n", "a = 1\n\n\n\n" + tomlServerText},
		{"byte order mark", byteOrderMark + "a = 1\n", byteOrderMark + "a = 1\n\n" + tomlServerText},
		{"other servers", "[mcp_servers.other]\ncommand = 'x'\n", "[mcp_servers.other]\ncommand = 'x'\n\n" + tomlServerText},
		{"not a number", "a = nan\n", "a = nan\n\n" + tomlServerText},
		{"a comment and nothing else", "# mine\n", "# mine\n\n" + tomlServerText},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			values := []Value{tomlServer()}
			out, created, err := tomlEditor{}.Insert([]byte(tt.before), values)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(out)); diff != "" {
				t.Errorf("insert (-want +got):\n%s", diff)
			}
			if present, err := (tomlEditor{}).Find(out, values); err != nil || present[0] != Exact {
				t.Errorf("found %v, %v", present, err)
			}
			again, _, err := tomlEditor{}.Insert(out, values)
			if err != nil || string(again) != string(out) {
				t.Errorf("second insert: %v\n%s", err, cmp.Diff(string(out), string(again)))
			}
			back, taken, err := tomlEditor{}.Remove(out, values)
			if err != nil || !taken[0] {
				t.Fatalf("remove: %v, taken %v", err, taken)
			}
			if back, err = (tomlEditor{}).Prune(back, created); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.before, string(back)); diff != "" {
				t.Errorf("remove (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTOMLFindsByValue(t *testing.T) {
	tests := []struct {
		name, doc string
		want      Presence
	}{
		{"spelled otherwise", "[ \"mcp_servers\" . turnpost ]\nstartup_timeout_sec = 0xA\nenabled=true\nargs = [\n 'mcp', # x\n]\n\ncommand = '/x \"y\"'\nenv.\"A B\" = '''1'''\n", Exact},
		{"another command", "[mcp_servers.turnpost]\ncommand = \"/y\"\n", Changed},
		{"a value more", tomlServerText + "C = \"2\"\n", Changed},
		{"only a table in it", "[mcp_servers.turnpost.env]\n\"A B\" = \"1\"\n", Changed},
		{"another server", "[mcp_servers.turnpost2]\n", Absent},
		{"the name elsewhere", "[turnpost]\n", Absent},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tomlEditor{}.Find([]byte(tt.doc), []Value{tomlServer()})
			if err != nil || got[0] != tt.want {
				t.Errorf("found %v, %v; want %v", got, err, tt.want)
			}
			out, taken, err := tomlEditor{}.Remove([]byte(tt.doc), []Value{tomlServer()})
			if err != nil || taken[0] != (tt.want == Exact) || !taken[0] && string(out) != tt.doc {
				t.Errorf("taken %v, %v\n%s", taken, err, out)
			}
		})
	}
}

func TestTOMLRemoveKeepsWhatPeopleAdded(t *testing.T) {
	value := memberValue("", "t", `{"a":"1","b":2}`)
	tests := []struct{ name, before, want string }{
		{"a table behind", "x = 1\n\n[t]\na = \"1\"\nb = 2\n\n[u]\n", "x = 1\n\n[u]\n"},
		{"no blank lines", "x = 1\n[t]\na = \"1\"\nb = 2\n[u]\n", "x = 1\n[u]\n"},
		{"comments between", "[t]\n# one\na = \"1\"\n# two\nb = 2\n# end\n", "# one\n# two\n# end\n"},
		{"comments between, no final line break", "x = 1\n[t]\n# one\na = \"1\"\nb = 2", "x = 1\n# one\n"},
		{"blanks in front", "x = 1\n  [t]\n  a = '''1'''\n  b = 2", "x = 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, taken, err := tomlEditor{}.Remove([]byte(tt.before), []Value{value})
			if err != nil || !taken[0] || string(out) != tt.want {
				t.Errorf("taken %v, %v\n got %q\nwant %q", taken, err, out, tt.want)
			}
		})
	}
}

func TestTOMLRefuses(t *testing.T) {
	tests := []struct{ name, doc, want string }{
		{"inline", "[mcp_servers]\nturnpost = { command = \"/x\" }\n", `line 2, column 1: "mcp_servers.turnpost" is not written as a table of its own: "mcp_servers.turnpost" has its value here`},
		{"inline above", "mcp_servers = { turnpost = { command = \"/x\" } }\n", `line 1, column 1: "mcp_servers.turnpost" is not written as a table of its own: "mcp_servers" has its value here`},
		{"dotted", "mcp_servers.turnpost.command = \"/x\"\n", `line 1, column 1: "mcp_servers.turnpost" is not written as a table of its own: it has dotted keys`},
		{"dotted in a table", "[mcp_servers]\n  turnpost.command = \"/x\"\n", `line 2, column 3: "mcp_servers.turnpost" is not written as a table of its own: it has dotted keys`},
		{"an array of tables", "[[mcp_servers]]\na = 1\n", `line 1, column 3: "mcp_servers" is an array of tables`},
		{"a value", "mcp_servers = 1\n", `line 1, column 1: "mcp_servers.turnpost" is not written as a table of its own: "mcp_servers" has its value here`},
		{"twice", "[a]\n[a]\n", "line 2, column 2: "},
		{"syntax", "a = 1\nb = \n", "line 2, column 5: "},
		{"cut off", "a = [1,", "line 1, column 7: "},
		{"too deep", "a = " + strings.Repeat("[", 20000), "line 1, column 10005: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := tomlEditor{}.Insert([]byte(tt.doc), []Value{tomlServer()})
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("insert: %v\nwant %s", err, tt.want)
			}
			if _, _, err := (tomlEditor{}).Remove([]byte(tt.doc), []Value{tomlServer()}); err == nil {
				t.Error("remove accepted it")
			}
		})
	}
}

func TestTOMLTakesOnlyPlainValues(t *testing.T) {
	for _, value := range []string{`1`, `{"a":1.5}`, `{"a":null}`, `{"a":[{"b":1}]}`, `{"a":9223372036854775808}`} {
		if _, _, err := (tomlEditor{}).Insert(nil, []Value{memberValue("/x", "y", value)}); err == nil {
			t.Errorf("%s was written", value)
		}
	}
	if _, _, err := (tomlEditor{}).Insert(nil, []Value{{Pointer: "/x", JSON: []byte(`{}`)}}); err == nil {
		t.Error("a table without a name was written")
	}
}

func TestTOMLQuotesKeys(t *testing.T) {
	value := memberValue("/hooks/state", "/home/ü u/.codex/hooks.json:stop:0:0\x7f", `{"trusted_hash":"sha256:0a"}`)
	out, _, err := tomlEditor{}.Insert([]byte("[hooks.state.a]\n"), []Value{value})
	want := "[hooks.state.a]\n\n[hooks.state.\"/home/ü u/.codex/hooks.json:stop:0:0\\u007f\"]\ntrusted_hash = \"sha256:0a\"\n"
	if err != nil || string(out) != want {
		t.Errorf("%v\n%s", err, cmp.Diff(want, string(out)))
	}
}

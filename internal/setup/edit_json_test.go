package setup

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// hookValue is a group of one handler, as an adapter for Claude Code writes it.
func hookValue(event, command string) Value {
	return Value{
		Pointer: "/hooks/" + event,
		JSON:    []byte(`{"hooks":[{"type":"command","command":` + quoteJSON(command) + `,"timeout":10}]}`),
	}
}

func allowValue() Value {
	return Value{Pointer: "/permissions/allow", JSON: []byte(`"mcp__turnpost__*"`)}
}

func quoteJSON(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

func TestJSONInsertFollowsTheLayout(t *testing.T) {
	tests := []struct {
		name   string
		before string
		value  Value
		want   string
	}{
		{
			"missing file", "", allowValue(),
			"{\n  \"permissions\": {\n    \"allow\": [\n      \"mcp__turnpost__*\"\n    ]\n  }\n}\n",
		},
		{
			"empty object", "{}\n", allowValue(),
			"{\n  \"permissions\": {\n    \"allow\": [\n      \"mcp__turnpost__*\"\n    ]\n  }\n}\n",
		},
		{
			"tabs, no final newline", "{\n\t\"model\": \"opus\"\n}", allowValue(),
			"{\n\t\"model\": \"opus\",\n\t\"permissions\": {\n\t\t\"allow\": [\n\t\t\t\"mcp__turnpost__*\"\n\t\t]\n\t}\n}",
		},
		{
			"CRLF and BOM", byteOrderMark + "{\r\n    \"model\" : \"opus\"\r\n}\r\n", allowValue(),
			byteOrderMark + "{\r\n    \"model\" : \"opus\",\r\n    \"permissions\" : {\r\n        \"allow\" : [\r\n            \"mcp__turnpost__*\"\r\n        ]\r\n    }\r\n}\r\n",
		},
		{
			"one line, tight", `{"model":"opus","a":1}`, hookValue("Stop", "x"),
			`{"model":"opus","a":1,"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x","timeout":10}]}]}}`,
		},
		{
			"one line, wide", `{ "model": "opus", "a": 1 }`, allowValue(),
			`{ "model": "opus", "a": 1, "permissions": {"allow": ["mcp__turnpost__*"]} }`,
		},
		{
			"array on one line", "{\n  \"permissions\": {\n    \"allow\": [\"Bash(ls)\", \"Read\"]\n  }\n}\n", allowValue(),
			"{\n  \"permissions\": {\n    \"allow\": [\"Bash(ls)\", \"Read\", \"mcp__turnpost__*\"]\n  }\n}\n",
		},
		{
			"empty array in lines", "{\n  \"permissions\": {\n    \"allow\": []\n  }\n}\n", allowValue(),
			"{\n  \"permissions\": {\n    \"allow\": [\n      \"mcp__turnpost__*\"\n    ]\n  }\n}\n",
		},
		{
			"empty array on a line of its parent", "{\n  \"permissions\": {\"allow\": []}\n}\n", allowValue(),
			"{\n  \"permissions\": {\"allow\": [\"mcp__turnpost__*\"]}\n}\n",
		},
		{
			"array in lines with a blank line", "{\n  \"permissions\": {\n    \"allow\": [\n      \"A\",\n\n      \"B\"\n    ]\n  }\n}\n", allowValue(),
			"{\n  \"permissions\": {\n    \"allow\": [\n      \"A\",\n\n      \"B\",\n      \"mcp__turnpost__*\"\n    ]\n  }\n}\n",
		},
		{
			"group beside a foreign group",
			"{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"say done\"\n          }\n        ]\n      }\n    ]\n  }\n}\n",
			hookValue("Stop", "x"),
			"{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"say done\"\n          }\n        ]\n      },\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"x\",\n            \"timeout\": 10\n          }\n        ]\n      }\n    ]\n  }\n}\n",
		},
		{
			"escaped key on the way", "{\n  \"perm\\u0069ssions\": {\n    \"allow\": []\n  }\n}\n", allowValue(),
			"{\n  \"perm\\u0069ssions\": {\n    \"allow\": [\n      \"mcp__turnpost__*\"\n    ]\n  }\n}\n",
		},
		{
			"no indentation", "{\n\"a\": 1\n}\n", allowValue(),
			"{\n\"a\": 1,\n\"permissions\": {\n\"allow\": [\n\"mcp__turnpost__*\"\n]\n}\n}\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, created, err := jsonEditor{}.Insert([]byte(tt.before), []Value{tt.value})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(out)); diff != "" {
				t.Errorf("insert (-want +got):\n%s", diff)
			}
			again, _, err := jsonEditor{}.Insert(out, []Value{tt.value})
			if err != nil || string(again) != string(out) {
				t.Errorf("second insert: %v\n%s", err, cmp.Diff(string(out), string(again)))
			}
			back, taken, err := jsonEditor{}.Remove(out, []Value{tt.value})
			if err != nil || !taken[0] {
				t.Fatalf("remove: %v, taken %v", err, taken)
			}
			back, err = jsonEditor{}.Prune(back, created)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.before, string(back)); diff != "" {
				t.Errorf("remove (-want +got):\n%s", diff)
			}
		})
	}
}

func TestJSONRefuses(t *testing.T) {
	tests := []struct{ name, before, want string }{
		{"trailing comma", `{"model":"opus","permissions":{"deny":["Read(./.env)"]},"hooks":{},}`, "line 1, column 68: invalid character '}' looking for beginning of object key string"},
		{"comment", "{\n  // mine\n  \"a\": 1\n}\n", "line 2, column 3: invalid character '/' looking for beginning of object key string"},
		{"columns count characters", "{\n  \"ü名\": 1,,\n}\n", "line 2, column 11: invalid character ',' looking for beginning of object key string"},
		{"cut off", "{\n  \"a\": [1, 2", "line 2, column 13: unexpected end of JSON input"},
		{"two documents", "{}\n{}", "line 2, column 1: invalid character '{' after top-level value"},
		{"array at the root", `[]`, "line 1, column 1: the document is an array, not an object"},
		{"hooks is an array", `{"hooks": []}`, `line 1, column 11: "hooks" is an array, not an object`},
		{"hooks is null", `{"hooks": null}`, `line 1, column 11: "hooks" is null, not an object`},
		{"event is an object", "{\n\"hooks\": {\"Stop\": {}}}", `line 2, column 19: "hooks.Stop" is an object, not an array`},
		{"hooks twice", "{\n\"hooks\": {},\n\"hooks\": {}}", `line 3, column 1: "hooks" appears twice`},
		{"event twice", `{"hooks": {"Stop": [], "St\u006fp": []}}`, `line 1, column 24: "hooks.Stop" appears twice`},
		{"too deep", strings.Repeat("[", 20000) + strings.Repeat("]", 20000), "line 1, column 10001: "},
		{"UTF-16", "\xff\xfe{\x00}\x00", "line 1, column 1: invalid character"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := jsonEditor{}.Insert([]byte(tt.before), []Value{hookValue("Stop", "x")})
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("insert: %v\nwant %s", err, tt.want)
			}
			if _, _, err := (jsonEditor{}).Remove([]byte(tt.before), []Value{hookValue("Stop", "x")}); err == nil {
				t.Error("remove accepted it")
			}
		})
	}
}

func TestJSONFindsOursExactly(t *testing.T) {
	const ours = `'/x/turnpost-hook' claude-code || exit 0`
	group := func(handlers string) string { return `{"hooks":{"Stop":[` + handlers + `]}}` }
	handler := func(command, rest string) string {
		return `{"type":"command","command":` + quoteJSON(command) + rest + `}`
	}
	tests := []struct {
		name, doc string
		want      Presence
	}{
		{"equal", group(`{"hooks":[` + handler(ours, `,"timeout":10`) + `]}`), Exact},
		{"other key order, spelled otherwise", group(`{"hooks":[{"timeout":1e1,"comm\u0061nd":` + quoteJSON(ours) + `,"type":"command"}]}`), Exact},
		{"a sibling in our group", group(`{"hooks":[` + handler("mine", "") + `,` + handler(ours, `,"timeout":10`) + `]}`), Exact},
		{"timeout changed by the user", group(`{"hooks":[` + handler(ours, `,"timeout":60`) + `]}`), Changed},
		{"under a matcher", group(`{"matcher":"Bash","hooks":[` + handler(ours, `,"timeout":10`) + `]}`), Absent},
		{"longer command", group(`{"hooks":[` + handler(ours+" ", `,"timeout":10`) + `]}`), Absent},
		{"other path", group(`{"hooks":[` + handler(`'/y/turnpost-hook' claude-code || exit 0`, `,"timeout":10`) + `]}`), Absent},
		{"name inside another command", group(`{"hooks":[` + handler("node /home/u/turnpost-notes/x.js", "") + `]}`), Absent},
		{"another event", `{"hooks":{"Start":[{"hooks":[` + handler(ours, `,"timeout":10`) + `]}]}}`, Absent},
		{"foreign shapes around it", group(`1,{"hooks":2},{"hooks":[3]},[],{"hooks":[` + handler(ours, `,"timeout":10`) + `]}`), Exact},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := jsonEditor{}.Find([]byte(tt.doc), []Value{hookValue("Stop", ours)})
			if err != nil || got[0] != tt.want {
				t.Errorf("found %v, %v; want %v", got, err, tt.want)
			}
		})
	}
}

func TestJSONRemoveKeepsWhatPeopleAdded(t *testing.T) {
	const ours = "'/x/turnpost-hook' claude-code || exit 0"
	h := `{"type":"command","command":` + quoteJSON(ours) + `,"timeout":10}`
	const mine = `{"type":"command","command":"mine"}`
	tests := []struct{ name, before, want string }{
		{"sibling behind", `{"hooks":{"Stop":[{"hooks":[` + h + `,` + mine + `]}]}}`, `{"hooks":{"Stop":[{"hooks":[` + mine + `]}]}}`},
		{"sibling before", `{"hooks":{"Stop":[{"hooks":[` + mine + `,` + h + `]}]}}`, `{"hooks":{"Stop":[{"hooks":[` + mine + `]}]}}`},
		{"group behind", `{"hooks":{"Stop":[{"hooks":[` + h + `]},{"hooks":[` + mine + `]}]}}`, `{"hooks":{"Stop":[{"hooks":[` + mine + `]}]}}`},
		{"own matcher on our group", `{"hooks":{"Stop":[{"matcher":"a","hooks":[` + h + `]}]}}`, `{"hooks":{"Stop":[{"matcher":"a","hooks":[]}]}}`},
		{"one of two equal ones", `{"hooks":{"Stop":[{"hooks":[` + h + `]},{"hooks":[` + h + `]}]}}`, `{"hooks":{"Stop":[{"hooks":[` + h + `]}]}}`},
		{"changed timeout", `{"hooks":{"Stop":[{"hooks":[` + strings.Replace(h, "10", "60", 1) + `]}]}}`, `{"hooks":{"Stop":[]}}`},
		{"moved into a foreign group", `{"hooks":{"Stop":[{"matcher":"a","hooks":[` + mine + `,` + h + `]}]}}`, `{"hooks":{"Stop":[{"matcher":"a","hooks":[` + mine + `]}]}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, taken, err := jsonEditor{}.Remove([]byte(tt.before), []Value{hookValue("Stop", ours)})
			if err != nil || !taken[0] || string(out) != tt.want {
				t.Errorf("taken %v, %v\n got %s\nwant %s", taken, err, out, tt.want)
			}
		})
	}
}

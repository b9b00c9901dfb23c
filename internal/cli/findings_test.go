package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"turnpost/internal/harness"
	"turnpost/internal/setup"
)

// What went well is one line a check, however often it did; what did not is a
// line each, but for entries of which the same is wrong.
func TestFindingsAreFolded(t *testing.T) {
	var out bytes.Buffer
	a := &app{env: Env{Home: "/home/anna"}}
	a.sayCheck(&printer{out: &out, width: 60}, checkReport{Name: "one", Version: "1.2", Proof: harness.Real, Findings: []setup.Finding{
		{Check: setup.CheckRegistered, State: setup.OK, What: "17 lines", Detail: "in /home/anna/.x/hooks.json"},
		{Check: setup.CheckRegistered, State: setup.OK, What: "server", Detail: "in /home/anna/.x/mcp.json"},
		{Check: setup.CheckRegistered, State: setup.Failed, What: "Stop", Detail: "not in f", Hint: "apply"},
		{Check: setup.CheckRegistered, State: setup.Failed, What: "Start", Detail: "not in f", Hint: "apply"},
		{Check: setup.CheckRegistered, State: setup.Failed, What: "End", Detail: "gone from f", Hint: "apply"},
		{Check: setup.CheckRuns, State: setup.OK, What: "'/home/anna/bin/hook' one || exit 0", Detail: "in 2 ms"},
		{Check: setup.CheckPath, State: setup.OK, What: "/home/anna/bin/hook"},
		{Check: setup.CheckRuns, State: setup.OK, What: "'/home/anna/bin/hook' two || exit 0", Detail: "in 3 ms"},
		{Check: setup.CheckPath, State: setup.OK, What: "/opt/turnpost"},
		{Check: setup.CheckRuns, State: setup.Failed, What: "'/home/anna/bin/hook' three", Detail: "command does not run"},
		{Check: setup.CheckRuns, State: setup.Failed, What: "'/home/anna/bin/hook' four", Detail: "command does not run"},
		{Check: setup.CheckHeard, State: setup.Warning, Detail: "not an event yet", Hint: "start a session"},
	}, Limits: []string{"a script receives nothing unless somebody says who it is", "short"}})
	want := `one 1.2
  ok       registered  2 entries: in ~/.x/hooks.json, in ~/.x/mcp.json
  failed   registered  2 entries: not in f
           → apply
  failed   registered  End: gone from f
           → apply
  ok       runs        2 lines: in 2 ms, in 3 ms
  ok       path        ~/bin/hook, /opt/turnpost
  failed   runs        '/home/anna/bin/hook' three: command does not run
  failed   runs        '/home/anna/bin/hook' four: command does not run
  warning  heard       not an event yet
           → start a session
  know     a script receives nothing unless somebody says
           who it is
  know     short
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("printed (-want +got):\n%s", diff)
	}
}

// Whatever a settings file holds, a finding is one line of seen characters.
func TestFindingsAreClean(t *testing.T) {
	for _, payload := range payloads() {
		var out bytes.Buffer
		a := &app{env: Env{Home: "/home/anna"}}
		a.sayCheck(&printer{out: &out}, checkReport{Name: payload, Findings: []setup.Finding{
			{Check: setup.CheckOthers, State: setup.OK, What: payload, Detail: payload},
			{Check: setup.CheckRuns, State: setup.Failed, What: payload, Detail: payload, Hint: payload},
		}, Limits: []string{payload}})
		if bad := unquiet(out.String()); bad != "" {
			t.Errorf("%q: %s", payload, bad)
		}
		if n := strings.Count(out.String(), "\n"); n != 5 {
			t.Errorf("%q: %d lines", payload, n)
		}
	}
}

package mcp

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"turnpost"
)

var update = flag.Bool("update", false, "rewrite golden files")

func TestToolListFitsItsBudget(t *testing.T) {
	const maxTools, maxBytes = 14, 10 << 10
	overBoth(t, New(fixed(&fakeHub{}), Options{}), func(t *testing.T, c client) {
		got := c.ask(t, "tools/list", nil)
		if got.Error != nil {
			t.Fatal(describeAnswer(got))
		}
		var list struct {
			Tools []struct {
				Name        string          `json:"name"`
				Description string          `json:"description"`
				Annotations map[string]bool `json:"annotations"`
				Meta        map[string]any  `json:"_meta"`
				InputSchema struct {
					Properties map[string]any `json:"properties"`
				} `json:"inputSchema"`
			} `json:"tools"`
		}
		if err := json.Unmarshal(got.Result, &list); err != nil {
			t.Fatal(err)
		}
		t.Logf("%d tools, %d bytes", len(list.Tools), len(got.Result))
		if len(list.Tools) != len(tools()) || len(list.Tools) > maxTools {
			t.Errorf("%d tools, want %d, at most %d", len(list.Tools), len(tools()), maxTools)
		}
		if len(got.Result) > maxBytes {
			t.Errorf("tools/list is %d bytes, want at most %d", len(got.Result), maxBytes)
		}
		for _, tool := range list.Tools {
			if tool.Description == "" || strings.Contains(tool.Description, "\n") {
				t.Errorf("%s: description %q is not one line", tool.Name, tool.Description)
			}
			for _, hint := range []string{"readOnlyHint", "idempotentHint", "destructiveHint", "openWorldHint"} {
				if _, set := tool.Annotations[hint]; !set {
					t.Errorf("%s: %s not set", tool.Name, hint)
				}
			}
			if tool.Annotations["destructiveHint"] || tool.Annotations["openWorldHint"] {
				t.Errorf("%s: got annotations %v", tool.Name, tool.Annotations)
			}
			if tool.Meta["anthropic/alwaysLoad"] != true {
				t.Errorf("%s: got _meta %v", tool.Name, tool.Meta)
			}
			if _, ok := tool.InputSchema.Properties["hook_session"]; !ok {
				t.Errorf("%s: no hook_session", tool.Name)
			}
		}
	})
}

// TestToolListGolden shows every change of what agents see in a review.
func TestToolListGolden(t *testing.T) {
	got := serveHTTP(t, New(fixed(&fakeHub{}), Options{})).ask(t, "tools/list", nil)
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, got.Result, "", "  "); err != nil {
		t.Fatal(err)
	}
	pretty.WriteByte('\n')
	const file = "testdata/tools.json"
	if *update {
		if err := os.WriteFile(file, pretty.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), pretty.String()); diff != "" {
		t.Errorf("%s is not what is served; if that is right, run go test -update (-want +got):\n%s", file, diff)
	}
}

func TestInstructions(t *testing.T) {
	overBoth(t, New(fixed(&fakeHub{}), Options{Version: "9.9.9"}), func(t *testing.T, c client) {
		if _, ok := c.(*stdioClient); ok {
			c = dialStdio(t, t.Context(), New(fixed(&fakeHub{}), Options{Version: "9.9.9"}))
		}
		var shake struct {
			ProtocolVersion string                     `json:"protocolVersion"`
			Instructions    string                     `json:"instructions"`
			Capabilities    map[string]json.RawMessage `json:"capabilities"`
			ServerInfo      struct{ Name, Version string }
		}
		got := c.ask(t, "initialize", initializeParams("2025-11-25"))
		if err := json.Unmarshal(got.Result, &shake); err != nil {
			t.Fatalf("%s: %v", describeAnswer(got), err)
		}
		if shake.ProtocolVersion != "2025-11-25" || shake.ServerInfo.Name != "turnpost" || shake.ServerInfo.Version != "9.9.9" {
			t.Errorf("got %+v", shake)
		}
		if len(shake.Capabilities) != 1 || shake.Capabilities["tools"] == nil {
			t.Errorf("got capabilities %v, want tools only", shake.Capabilities)
		}
		if n := utf8.RuneCountInString(shake.Instructions); n > 1200 {
			t.Errorf("instructions are %d characters, want at most 1200", n)
		}
		if strings.ContainsAny(shake.Instructions, "{}") {
			t.Errorf("a placeholder is left in %q", shake.Instructions)
		}
		for _, kind := range turnpost.ItemKinds() {
			if !strings.Contains(shake.Instructions, turnpost.Protocol(kind)) {
				t.Errorf("instructions do not say what to do with a %s", kind)
			}
		}
		for _, sentence := range []string{turnpost.ProtocolLimit, turnpost.ProtocolTrust} {
			if !strings.Contains(shake.Instructions, sentence) {
				t.Errorf("instructions do not say %q", sentence)
			}
		}
	})
}

//go:build unix

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The lines that setup registers with programs that are known from their
// documentation, run as these do: mail comes in their own words, and nothing
// with nothing unread, without a hub and without our programs.
func TestLinesOfDocumentedPrograms(t *testing.T) {
	for _, c := range []struct {
		name string
		file string   // that setup writes, below the home
		at   []string // where the line stands in it
		end  string   // the event of a turn's end; REPO is the repository, # a number
		mail string   // how its answer starts; empty: it takes no mail
	}{
		{
			"cursor", ".cursor/hooks.json",
			[]string{"hooks", "stop", "command"},
			`{"conversation_id":"c1","hook_event_name":"stop","cursor_version":"2.0.77","workspace_roots":["REPO"],"status":"completed","loop_count":0,"generation_id":"#"}`,
			`{"followup_message":"Turnpost: `,
		},
		{
			"antigravity", ".gemini/config/hooks.json",
			[]string{"turnpost", "Stop", "command"},
			`{"conversationId":"c1","workspacePaths":["REPO"],"executionNum":0,"terminationReason":"NO_TOOL_CALL","error":"","fullyIdle":true,"modelName":"#"}`,
			`{"decision":"continue","reason":"Turnpost: `,
		},
		{
			"windsurf", ".codeium/windsurf/hooks.json",
			[]string{"hooks", "post_cascade_response", "command"},
			`{"agent_action_name":"post_cascade_response","trajectory_id":"c1","execution_id":"#","tool_info":{"response":"Done."}}`,
			"",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorldOf(t, 1, onlyNode{})
			w.turnpost("setup", "--harness", c.name, "--apply")
			line := lineAt(t, filepath.Join(w.home.Dir, filepath.FromSlash(c.file)), c.at)
			program := w.play()
			count := 0
			event := func() string { // another one each time: a second equal one would be the same
				count++
				return strings.NewReplacer("REPO", w.home.Repo, "#", strconv.Itoa(count)).Replace(c.end)
			}
			run := func(line, stdin string) (out string) {
				t.Helper()
				if err := json.Unmarshal([]byte(program.hook("run", line, stdin)), &out); err != nil {
					t.Fatal(err)
				}
				return out
			}

			if out := run(line, event()); out != "" {
				t.Errorf("with nothing unread it says %s", out)
			}
			w.awaitStatus(`"native": "c1"`)
			if c.mail == "" {
				w.awaitStatus("status only") // it is no address
			} else {
				w.turnpost("ask", "@repo", "Does it work?")
				if out := run(line, event()); !strings.HasPrefix(out, c.mail) || !strings.Contains(out, "Does it work?") {
					t.Errorf("the turn's end got %q", out)
				}
			}
			if c.name == "cursor" {
				w.turnpost("ask", "@repo", "And as a here-document?")
				if out := run(line+" <<'END'\n"+event()+"\nEND\n", ""); !strings.Contains(out, "here-document?") {
					t.Errorf("with its input behind the line it says %q", out)
				}
			}

			w.turnpost("down")
			if out := run(line, event()); out != "" {
				t.Errorf("without a hub it says %s", out)
			}
			back := w.hide(programNames...)
			if out := run(line, event()); out != "" {
				t.Errorf("without our programs it says %s", out)
			}
			back()
			w.turnpost("setup", "--harness", c.name, "--remove")
			if _, err := os.Stat(filepath.Join(w.home.Dir, filepath.FromSlash(c.file))); !os.IsNotExist(err) {
				t.Errorf("after remove: %v", err)
			}
		})
	}
}

// lineAt is the text at the end of a path through a settings file; of a list its
// first element.
func lineAt(t *testing.T, file string, path []string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		t.Fatal(err)
	}
	for _, key := range path {
		if list, ok := value.([]any); ok && len(list) > 0 {
			value = list[0]
		}
		object, ok := value.(map[string]any)
		if !ok {
			t.Fatalf("no %s in %s", key, data)
		}
		value = object[key]
	}
	line, ok := value.(string)
	if !ok {
		t.Fatalf("no text at %v in %s", path, data)
	}
	return line
}

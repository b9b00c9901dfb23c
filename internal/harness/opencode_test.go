package harness_test

import (
	"encoding/json"
	"strings"
	"testing"

	"turnpost/internal/harness"
)

func opencode(t *testing.T) harness.Harness {
	t.Helper()
	h, ok := harness.Find("opencode")
	if !ok {
		t.Fatal("no opencode")
	}
	return h
}

// Install is one file of ours. Whatever stands in the paths is text in it.
func TestOpencodeInstall(t *testing.T) {
	for _, path := range []string{"/home/dev/.local/bin", "/o'brien \"x\"", "/a`id`${b}\\", "/*/ 名\u2028\n</script>"} {
		target := harness.Target{
			Home: "/home/dev/.config/opencode", Project: "/home/dev/repo", Scope: "user", Mode: "command",
			Hook: path + "/turnpost-hook", Program: path + "/turnpost", Allow: true,
		}
		for scope, file := range map[string]string{
			"user":    "/home/dev/.config/opencode/plugins/turnpost.js",
			"project": "/home/dev/repo/.opencode/plugins/turnpost.js",
			"local":   "/home/dev/repo/.opencode/plugins/turnpost.js",
		} {
			target.Scope = scope
			entries := opencode(t).Install(target)
			if len(entries) != 1 || entries[0].File != file || entries[0].Dialect != "file" || entries[0].Pointer+entries[0].Key != "" {
				t.Fatalf("%s: %+v", scope, entries)
			}
			text, _ := entries[0].Value.(string)
			first, rest, _ := strings.Cut(text, "\n")
			if first != "// Written by turnpost setup; removed by turnpost setup --remove." {
				t.Errorf("the first line is %q", first)
			}
			_, rest, ok := strings.Cut(rest, "\nconst turnpostSetup = ")
			line, _, _ := strings.Cut(rest, "\n")
			var setup struct {
				Hook    []string
				Program string
				Allow   bool
			}
			if err := json.Unmarshal([]byte(line), &setup); !ok || err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			if len(setup.Hook) != 2 || setup.Hook[0] != target.Hook || setup.Hook[1] != "opencode" || setup.Program != target.Program || !setup.Allow {
				t.Errorf("%+v", setup)
			}
		}
	}
	if entries := opencode(t).Install(harness.Target{Mode: "http", Home: "/h", Scope: "user"}); entries != nil {
		t.Errorf("a plugin over HTTP: %+v", entries)
	}
}

func TestOpencodeProgram(t *testing.T) {
	p := opencode(t).(harness.Program)
	for output, want := range map[string]string{"1.18.33\n": "1.18.33", "": "", "not found": "", "1.18\n": ""} {
		if got := p.Version(output); got != want {
			t.Errorf("%q: %q, want %q", output, got, want)
		}
	}
	for _, c := range []struct{ xdg, home, want string }{
		{"", "/home/dev", "/home/dev/.config/opencode"},
		{"/srv/config/", "/home/dev", "/srv/config/opencode"},
		{"relative", "/home/dev", "/home/dev/.config/opencode"},
		{"", "", ""},
	} {
		env := testEnv(map[string]string{"XDG_CONFIG_HOME": c.xdg, "HOME": c.home})
		if got := p.Home(env.Getenv); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
	if got := opencode(t).(harness.Resumer).Resume("ses_1"); got != "opencode --session 'ses_1'" {
		t.Errorf("%s", got)
	}
}

// A number that is no process is none.
func TestOpencodeProcess(t *testing.T) {
	for pid, want := range map[string]int{"7": 7, "1": 0, "0": 0, "-7": 0, "99999999999": 0, `"7"`: 0, "null": 0} {
		in := `{"hook_event_name":"bell","session_id":"ses_1","mode":"tui","pid":` + pid + `}`
		e, err := opencode(t).Decode(strings.NewReader(in), testEnv(nil))
		if err != nil || e.Process.Pid != want || e.Wake.Key == "" {
			t.Errorf("%s: %+v, %v", pid, e, err)
		}
	}
}

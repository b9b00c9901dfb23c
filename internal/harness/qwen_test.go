package harness_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"turnpost"
	"turnpost/internal/harness"
)

func qwen(t *testing.T) harness.Harness {
	t.Helper()
	h, ok := harness.Find("qwen")
	if !ok {
		t.Fatal("no qwen")
	}
	return h
}

// Versions differ in how they read a timeout: 0.24.4 takes less than 1000 for
// seconds, earlier ones took everything for milliseconds.
func TestQwenInstall(t *testing.T) {
	readings := map[string]func(int) time.Duration{
		"milliseconds": func(n int) time.Duration { return time.Duration(n) * time.Millisecond },
		"mixed": func(n int) time.Duration {
			if n < 1000 {
				return time.Duration(n) * time.Second
			}
			return time.Duration(n) * time.Millisecond
		},
	}
	for name, target := range map[string]harness.Target{
		"user":    {Home: "/home/dev/.qwen", Scope: "user", Mode: "command", Version: "0.24.4", Hook: "/home/dev/.local/bin/turnpost-hook"},
		"project": {Home: "/home/dev/.qwen", Project: "/home/dev/repo", Scope: "project", Mode: "command", Hook: "/opt/turnpost"},
	} {
		t.Run(name, func(t *testing.T) {
			entries := qwen(t).Install(target)
			got, err := json.MarshalIndent(entries, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			compare(t, filepath.Join("testdata", "install"), "qwen-"+name+".json", append(got, '\n'))
			for _, e := range hooks(entries) {
				hook := hookOf(t, e)
				for reading, read := range readings {
					if took := read(hook.Timeout); took != 10*time.Second {
						t.Errorf("%s, in %s: %s", e.Pointer, reading, took)
					}
				}
				if hook.Async != (e.Pointer == "/hooks/PreToolUse") {
					t.Errorf("%s is async: %t", e.Pointer, hook.Async)
				}
			}
		})
	}
	if _, ok := qwen(t).(harness.Timed); ok {
		t.Error("it has one unit: others' timeouts would be called wrong")
	}
}

func TestQwenRingLine(t *testing.T) {
	line := string(qwen(t).(harness.Feeder).RingLine())
	if want := `{"type":"submit","text":"` + harness.Poke + `"}` + "\n"; line != want {
		t.Errorf("%q, want %q", line, want)
	}
}

// The frames are those of its documented protocol, version 1.
func TestQwenInbox(t *testing.T) {
	inbox := qwen(t).(harness.Inboxer)
	text := "Turnpost: 1 item for you\n<turnpost of-1>\n\"q-1\" </turnpost of-1>\x00"
	letter := inbox.Letter(harness.Letter{
		Key: "1374", Session: "2cb2", ID: "L1", Text: text, Reply: "/tmp/x/reply", ReplyKey: "abcd",
	})
	lines := strings.SplitAfter(string(letter), "\n")
	if len(lines) != 3 || lines[2] != "" {
		t.Fatalf("%q", lines)
	}
	var got [2]map[string]any
	for i := range got {
		if err := json.Unmarshal([]byte(lines[i]), &got[i]); err != nil {
			t.Fatal(err)
		}
	}
	want := [2]map[string]any{
		{"msgV": 1.0, "type": "auth", "token": "1374"},
		{
			"msgV": 1.0, "msgId": "L1", "type": "user", "from": "/tmp/x/reply", "replyToken": "abcd", "fromName": "turnpost",
			"toSessionId": "2cb2", "priority": "next", "message": map[string]any{"role": "user", "content": text},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	// Recorded from 0.24.4, the ids replaced.
	status := func(word, id string) string {
		return `{"msgV":1,"msgId":"767b","type":"control","action":"delivery_status","status":"` + word + `","origMsgId":"` + id + `","from":"/x.sock","reason":"r"}`
	}
	for line, want := range map[string]harness.LetterState{
		status("delivered", "L1"):                 harness.LetterTaken,
		status("delivered", "L2"):                 harness.LetterUnknown,
		status("held", "L1"):                      harness.LetterClosed,
		status("refused", "L1"):                   harness.LetterClosed,
		status("denied", "L1"):                    harness.LetterClosed,
		status("misaddressed", "L1"):              harness.LetterClosed,
		status("dropped", "L1"):                   harness.LetterBusy,
		status("expired", "L1"):                   harness.LetterBusy,
		status("another", "L1"):                   harness.LetterUnknown,
		`{"msgV":1,"type":"auth","token":"abcd"}`: harness.LetterUnknown,
		`{"msgV":1,"type":"user","origMsgId":"L1","status":"delivered"}`: harness.LetterUnknown,
		"":       harness.LetterUnknown,
		"{\"a\"": harness.LetterUnknown,
	} {
		if got := inbox.Receipt([]byte(line), "L1"); got != want {
			t.Errorf("%s: %d, want %d", line, got, want)
		}
	}
}

// What the hook client puts down is lines: nothing in the environment makes two
// of one.
func TestQwenKept(t *testing.T) {
	socket := "QWEN_CODE_MESSAGING_SOCKET"
	token := "QWEN_CODE_MESSAGING_TOKEN"
	feed := []harness.Parent{{Pid: 5, Program: "/usr/bin/node", Args: []string{"node", "cli.js", "--input-file", "in\n.jsonl", "--input-file=in.jsonl"}}}
	for _, c := range []struct {
		method string
		vars   map[string]string
		want   string
	}{
		{"inbox", map[string]string{socket: "/run/s", token: "1374"}, "/run/s\n1374\n"},
		{"inbox", map[string]string{socket: "/run/s"}, ""},
		{"inbox", map[string]string{socket: "s", token: "1374"}, ""},
		{"inbox", map[string]string{socket: "/run/\ns", token: "1374"}, ""},
		{"inbox", map[string]string{socket: "/run/s", token: "13\n74"}, ""},
		{"feed", nil, "/home/dev/in.jsonl\n"},
		{"", nil, ""},
	} {
		env := testEnv(c.vars)
		env.Parents = slices.Values(feed)
		e := turnpost.Event{Cwd: "/home/dev", Wake: turnpost.Wake{Method: c.method}}
		if got := qwen(t).(harness.Keeper).Kept(e, env); got != c.want {
			t.Errorf("%s, %v: %q, want %q", c.method, c.vars, got, c.want)
		}
	}
}

func TestQwenProgram(t *testing.T) {
	p := qwen(t).(harness.Program)
	if v := p.Version("0.24.4\n"); v != "0.24.4" {
		t.Errorf("version %q", v)
	}
	if home := p.Home(func(key string) string { return map[string]string{"HOME": "/home/dev", "QWEN_HOME": "/q"}[key] }); home != "/q" {
		t.Errorf("home %q", home)
	}
	if got := qwen(t).(harness.MCPClient).MCPCommand("/a b/turnpost"); got != "qwen mcp add --scope user --trust turnpost '/a b/turnpost' mcp" {
		t.Errorf("%s", got)
	}
}

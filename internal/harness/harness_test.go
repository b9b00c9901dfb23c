package harness_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"turnpost"
	"turnpost/internal/harness"
)

var update = flag.Bool("update", false, "rewrite what the fixtures expect")

// The fixtures are testdata/HARNESS/CASE: stdin.json, env.txt and parents.json
// (the processes around the hook, nearest first) go in; out come
// event.json (null: ignored) and, for the decision of decision.json or none,
// stdout and stderr, where a missing file is silence. They were recorded from
// the program where its Profile says Real, and else made from its
// documentation. Each event of the Profile has one, and each that carries
// something one with an answer.
func TestFixtures(t *testing.T) {
	for _, h := range harness.All() {
		t.Run(h.Name(), func(t *testing.T) {
			dirs, err := filepath.Glob(filepath.Join("testdata", h.Name(), "*"))
			if err != nil {
				t.Fatal(err)
			}
			type key struct {
				name string
				kind turnpost.Kind
			}
			ran, seen, answered := 0, map[key]bool{}, map[key]bool{}
			for _, dir := range dirs {
				t.Run(filepath.Base(dir), func(t *testing.T) {
					ran++
					event, out := checkFixture(t, h, dir)
					k := key{event.Name, event.Kind}
					seen[k] = true
					answered[k] = answered[k] || len(out.Stdout)+len(out.Stderr) > 0
				})
			}
			if ran < len(dirs) {
				return // -run chose some
			}
			for _, e := range h.Profile().Events {
				k := key{e.Name, e.Kind}
				if !seen[k] {
					t.Errorf("no fixture is a %s that means %s", e.Name, e.Kind)
				}
				if e.Carries != (turnpost.Accepts{}) && !answered[k] {
					t.Errorf("no fixture answers a %s that means %s", e.Name, e.Kind)
				}
			}
		})
	}
}

// checkFixture returns what came out; the zero event was ignored.
func checkFixture(t *testing.T, h harness.Harness, dir string) (turnpost.Event, harness.Output) {
	t.Helper()
	stdin := readFixture(t, dir, "stdin.json")
	event, err := h.Decode(bytes.NewReader(stdin), fixtureEnv(t, dir))
	if errors.Is(err, harness.ErrIgnore) {
		compare(t, dir, "event.json", []byte("null\n"))
		return turnpost.Event{}, harness.Output{}
	}
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.MarshalIndent(event, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	compare(t, dir, "event.json", append(got, '\n'))

	var decision turnpost.Decision
	if data := readFixture(t, dir, "decision.json"); data != nil {
		if err := json.Unmarshal(data, &decision); err != nil {
			t.Fatal(err)
		}
	}
	out := h.Encode(event, decision)
	compare(t, dir, "stdout", out.Stdout)
	compare(t, dir, "stderr", out.Stderr)
	if out.Wake != (len(out.Stderr) > 0) {
		t.Errorf("Wake is %t with %d bytes of text", out.Wake, len(out.Stderr))
	}
	if silent := h.Encode(event, turnpost.Decision{}); len(silent.Stdout)+len(silent.Stderr) > 0 || silent.Wake {
		t.Errorf("no opinion is not silence: %+v", silent)
	}
	return event, out
}

func readFixture(t *testing.T, dir, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return data
}

// compare holds a fixture to what came out; no bytes are no file.
func compare(t *testing.T, dir, name string, got []byte) {
	t.Helper()
	path := filepath.Join(dir, name)
	if *update {
		if len(got) == 0 {
			os.Remove(path)
		} else if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(readFixture(t, dir, name)), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func fixtureEnv(t *testing.T, dir string) harness.Env {
	t.Helper()
	vars := make(map[string]string)
	for line := range strings.Lines(string(readFixture(t, dir, "env.txt"))) {
		key, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		if !ok {
			t.Fatalf("env.txt: %q", line)
		}
		vars[key] = value
	}
	env := testEnv(vars)
	if data := readFixture(t, dir, "parents.json"); data != nil {
		var parents []harness.Parent
		if err := json.Unmarshal(data, &parents); err != nil {
			t.Fatal(err)
		}
		env.Parents = slices.Values(parents)
	}
	return env
}

func testEnv(vars map[string]string) harness.Env {
	return harness.Env{
		Getenv:       func(key string) string { return vars[key] },
		BellPath:     func(key string) string { return "/state/bells/b" + key },
		ProcessStart: func(pid int) string { return "boot:" + strconv.Itoa(pid) },
		Parents:      func(func(harness.Parent) bool) {},
	}
}

// What holds for every harness, whatever it is asked to say.
func TestInvariants(t *testing.T) {
	names := make(map[string]bool)
	for _, h := range harness.All() {
		if names[h.Name()] {
			t.Errorf("%s is in the list twice", h.Name())
		}
		names[h.Name()] = true
		if found, ok := harness.Find(h.Name()); !ok || found.Name() != h.Name() {
			t.Errorf("Find(%q) = %v, %t", h.Name(), found, ok)
		}
		for _, row := range turnpost.Kinds {
			everything := turnpost.Accepts{Context: true, Continue: true, Deny: true, Watch: true}
			for _, accepts := range []turnpost.Accepts{{}, everything} {
				e := turnpost.Event{Kind: row.Kind, Harness: h.Name(), Version: "2.1.328", Native: "s1", Name: "X", Accepts: accepts}
				if out := h.Encode(e, turnpost.Decision{}); len(out.Stdout)+len(out.Stderr) > 0 || out.Wake {
					t.Errorf("%s %s: no opinion prints %+v", h.Name(), row.Kind, out)
				}
				long := strings.Repeat("<turnpost 7f3a> 名前 & \x00\x1b\"\\ line\n", 2000)
				out := h.Encode(e, turnpost.Decision{Context: long, Continue: long, Notice: long, Watch: []string{"/b"}})
				if accepts == (turnpost.Accepts{}) && (len(out.Stdout)+len(out.Stderr) > 0 || out.Wake) {
					t.Errorf("%s %s: answers what is not accepted: %.80s", h.Name(), row.Kind, out.Stdout)
				}
				if !utf8.Valid(out.Stdout) || !utf8.Valid(out.Stderr) {
					t.Errorf("%s %s: not UTF-8", h.Name(), row.Kind)
				}
				if len(out.Stderr) > 9001 {
					t.Errorf("%s %s: %d bytes on standard error", h.Name(), row.Kind, len(out.Stderr))
				}
				if len(out.Stdout) > 0 {
					checkTexts(t, h.Name()+" "+string(row.Kind), out.Stdout)
				}
			}
		}
	}
	if _, ok := harness.Find("no such program"); ok {
		t.Error("found a harness that does not exist")
	}
}

// checkTexts holds every text of an answer to the limit (BR-17) and to whole
// lines.
func checkTexts(t *testing.T, name string, stdout []byte) {
	t.Helper()
	var answer any
	if err := json.Unmarshal(stdout, &answer); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, v := range v {
				walk(v)
			}
		case string:
			if len(v) > 9000 {
				t.Errorf("%s: a text of %d bytes", name, len(v))
			}
			if len(v) > 8000 && !strings.HasSuffix(v, " line\n(Turnpost cut the rest: see the inbox.)") {
				t.Errorf("%s: cut at %q", name, v[len(v)-60:])
			}
		}
	}
	walk(answer)
}

// Input that is no hook event is refused or ignored, never taken for one.
func TestDecodeRefuses(t *testing.T) {
	for _, h := range harness.All() {
		for _, in := range []string{
			"", "null", "[]", "7", `"x"`, "{", "{}", `{"a"}`, `{"a":1,}`, `{"a":tru}`, `{"a":01}`, "{\"a\":\"\x01\"}",
			`{"a":1 "b":2}`, `{"a":1e}`, `{"a":-}`, `{"a":"\x"}`, `{"a":"\u12g4"}`, `{'a':1}`, "\ufeff{}",
			`{"hook_event_name":"Stop"}`, `{"hook_event_name":7,"session_id":"s1"}`, `{"hook_event_name":"Stop","session_id":7}`,
		} {
			if e, err := h.Decode(strings.NewReader(in), testEnv(nil)); err == nil {
				t.Errorf("%s: %q became %+v", h.Name(), in, e)
			}
		}
		deep := `{"hook_event_name":"Stop","session_id":"s1","x":` + strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001) + "}"
		if _, err := h.Decode(strings.NewReader(deep), testEnv(nil)); turnpost.CodeOf(err) != turnpost.TooLarge {
			t.Errorf("%s: 10,001 deep: %v", h.Name(), err)
		}
	}
}

// FuzzDecode feeds what is nearly a hook event; the seeds are the recorded
// ones. What comes out keeps to the sizes that root promises.
func FuzzDecode(f *testing.F) {
	for _, h := range harness.All() {
		paths, err := filepath.Glob(filepath.Join("testdata", h.Name(), "*", "stdin.json"))
		if err != nil {
			f.Fatal(err)
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkDecode(t, data, harness.All()...) })
}

func checkDecode(t *testing.T, data []byte, harnesses ...harness.Harness) {
	t.Helper()
	for _, h := range harnesses {
		e, err := h.Decode(bytes.NewReader(data), testEnv(map[string]string{"HOME": "/home/dev", "CLAUDE_CODE_SESSION_ATTENDED": "1"}))
		if err != nil {
			continue
		}
		if _, ok := e.Kind.Row(); !ok || e.Harness != h.Name() || e.Native == "" || len(e.Native) > 128 {
			t.Errorf("%q became %+v", data, e)
		}
		if len(e.Last) > 500 || len(e.Failure.Detail) > 500 || len(e.Failure.Native) > 100 || len(e.Tool) > 100 || len(e.Offers) > 20 {
			t.Errorf("%q: too long: %+v", data, e)
		}
		if strings.ContainsAny(e.Wake.Key, "/.\x00") || (e.Cwd != "" && !filepath.IsAbs(e.Cwd)) {
			t.Errorf("%q: key %q, cwd %q", data, e.Wake.Key, e.Cwd)
		}
		h.Encode(e, turnpost.Decision{Context: "x", Continue: "x", Notice: "x"})
	}
}

// 10,000 damaged events (R6) of each harness: seeded, so that a failure comes again.
func TestDecodeDamaged(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, h := range harness.All() {
		paths, err := filepath.Glob(filepath.Join("testdata", h.Name(), "*", "stdin.json"))
		if err != nil {
			t.Fatal(err)
		}
		extras := []string{"\x00", "\\ud800", "\xff\xfe", "1e400", "{", "}", "[", "]", "\"", ",", ":", "\"session_id\":\"x\",", "\"SESSION_ID\":\"x\","}
		for i := range 10_000 {
			data, err := os.ReadFile(paths[i%len(paths)])
			if err != nil {
				t.Fatal(err)
			}
			if len(data) > 4096 {
				continue
			}
			at := random.IntN(len(data))
			switch i / len(paths) % 3 {
			case 0:
				data[at] ^= 1 << random.IntN(8)
			case 1:
				data = data[:at]
			case 2:
				data = slices.Concat(data[:at:at], []byte(extras[random.IntN(len(extras))]), data[at:])
			}
			checkDecode(t, data, h)
		}
	}
}

package setup

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"turnpost/internal/harness"
)

func TestShellQuote(t *testing.T) {
	tests := []struct{ in, want string }{
		{"/home/u/.local/bin/turnpost-hook", `'/home/u/.local/bin/turnpost-hook'`},
		{"/home/With Space/hook", `'/home/With Space/hook'`},
		{"/home/o'brien/hook", `'/home/o'\''brien/hook'`},
		{"/home/$(id)/hook", `'/home/$(id)/hook'`},
		{"/home/ünïcödé 名/hook", `'/home/ünïcödé 名/hook'`},
		{"", `''`},
		{"-x", `'-x'`},
		{"a\nb`c`\\\"!*", "'a\nb`c`\\\"!*'"},
	}
	for _, tt := range tests {
		if got := ShellQuote(tt.in); got != tt.want {
			t.Errorf("ShellQuote(%q) = %s, want %s", tt.in, got, tt.want)
		}
		for _, shell := range []string{"sh", "bash"} {
			out, err := exec.Command(shell, "-c", "printf %s "+ShellQuote(tt.in)).Output()
			if err != nil || string(out) != tt.in {
				t.Errorf("%s reads %s as %q, %v", shell, ShellQuote(tt.in), out, err)
			}
		}
		if words := shellWords("x " + ShellQuote(tt.in) + " y"); len(words) != 3 || words[1] != tt.in {
			t.Errorf("shellWords of %s: %q", ShellQuote(tt.in), words)
		}
	}
}

func TestFirstProgram(t *testing.T) {
	tests := []struct{ line, want string }{
		{`'/x/turnpost-hook' claude-code || exit 0`, "/x/turnpost-hook"},
		{`"/x y/hook" a`, "/x y/hook"},
		{`/x\ y/hook;exit`, "/x y/hook"},
		{`exec /x/hook 2>/dev/null`, "/x/hook"},
		{`[ -x /x/hook ] && /x/hook`, "/x/hook"},
		{`"$HOME/hook" a`, ""},
		{`hook a || exit 0`, ""},
		{`'/x`, ""},
		{``, ""},
	}
	for _, tt := range tests {
		if got := firstProgram(tt.line); got != tt.want {
			t.Errorf("firstProgram(%s) = %q, want %q", tt.line, got, tt.want)
		}
	}
}

// BR-13: the line that ends up in the settings runs under sh and bash in homes
// with hostile names, and nothing in the path is expanded.
func TestRegisteredLineRunsInAnyHome(t *testing.T) {
	for _, name := range []string{"With Space", "o'brien", "$(id)", "ünïcödé 名"} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.home = filepath.Join(f.home, name)
			f.settings = filepath.Join(f.home, ".claude", "settings.json")
			if err := os.MkdirAll(f.home, 0o755); err != nil {
				t.Fatal(err)
			}
			hook := f.program("turnpost-hook", `printf '%s|' "$0" "$@"; cat`)
			place := Place{Owner: "o", Entries: []harness.Entry{
				hookEntry(f.settings, "Stop", handler{"command", ShellQuote(hook) + " claude-code || exit 0", 10, false}),
			}}
			f.apply(f.setup.PlanInstall(place))
			// The line is read back from the file, as the harness does.
			line := registeredLine(t, f.read())
			for _, shell := range []string{"sh", "bash"} {
				cmd := exec.Command(shell, "-c", line)
				cmd.Stdin = strings.NewReader("in")
				out, err := cmd.Output()
				if want := hook + "|claude-code|in"; err != nil || string(out) != want {
					t.Errorf("%s: %q, %v; want %q", shell, out, err, want)
				}
			}
			findings := f.check(CheckRequest{Place: place})
			wantStates(t, findings, CheckRuns, OK)
			f.apply(f.setup.PlanRemove(place))
			f.wantNoFile(filepath.Dir(f.settings))
		})
	}
}

func registeredLine(t *testing.T, settings string) string {
	t.Helper()
	doc, err := parseJSON([]byte(settings), false)
	if err != nil {
		t.Fatal(err)
	}
	array, err := doc.holder(Value{Pointer: "/hooks/Stop"})
	if err != nil || array == nil {
		t.Fatal(err)
	}
	return text(member(children(member(children(array)[0].value, "hooks"))[0].value, "command"))
}

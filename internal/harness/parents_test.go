package harness

import (
	"slices"
	"testing"
)

func TestCaller(t *testing.T) {
	shell := Parent{Pid: 3, Args: []string{"-bash"}}
	for name, c := range map[string]struct {
		around []Parent
		want   int
	}{
		"nobody":           {nil, 0},
		"only shells":      {[]Parent{shell, {Pid: 2, Program: "/usr/bin/dash"}}, 0},
		"behind shells":    {[]Parent{{Pid: 4, Program: "/bin/sh", Args: []string{"sh", "-c", "x"}}, shell, {Pid: 2, Args: []string{"droid"}}}, 2},
		"at once":          {[]Parent{{Pid: 2, Program: "/opt/droid"}, shell}, 2},
		"a name like one":  {[]Parent{{Pid: 2, Program: "/opt/fishery"}}, 2},
		"of another world": {[]Parent{{Pid: 4, Program: `C:\Windows\System32\cmd.exe`}, {Pid: 2, Program: `C:\droid.exe`}}, 2},
	} {
		if got := caller(Env{Parents: slices.Values(c.around)}); got.Pid != c.want {
			t.Errorf("%s: %d, want %d", name, got.Pid, c.want)
		}
	}
	p := Parent{Args: []string{"exec", "run", "--print"}}
	if p.has("exec") || !p.has("-p", "--print") || (Parent{}).has("x") {
		t.Error("the program's name is no argument")
	}
	if got := (Parent{Pid: 1}).process(Env{}, true); got.Pid != 0 || got.Shared {
		t.Errorf("%+v", got)
	}
}

func TestAnyVersion(t *testing.T) {
	for output, want := range map[string]string{
		"":                                      "",
		"2.0.77\n9f3b0c\nx64\n":                 "2.0.77",
		"droid 0.186.0":                         "0.186.0",
		"Hermes Agent v0.15.1 (2026.11.2)":      "0.15.1",
		"OpenClaw 2026.5.2 (abc1234)":           "2026.5.2",
		"1.2 and 10.20":                         "",
		"version 1.2.3-beta.4":                  "1.2.3",
		"libc 2.39, 1.1.25":                     "1.1.25",
		"12.99999999999999999999.1 then 1.1.25": "1.1.25",
	} {
		if got := anyVersion(output); got != want {
			t.Errorf("%q: %q, want %q", output, got, want)
		}
	}
}

func TestHomeDirectory(t *testing.T) {
	for _, c := range []struct{ home, variable, want string }{
		{"/home/dev", "", "/home/dev/.x/y"},
		{"/home/dev", "/srv/x/", "/srv/x"},
		{"/home/dev", "relative", "/home/dev/.x/y"},
		{"relative", "", ""},
		{"", "/srv/x", "/srv/x"},
	} {
		getenv := func(name string) string { return map[string]string{"HOME": c.home, "X_HOME": c.variable}[name] }
		if got := homeDirectory(getenv, "X_HOME", ".x", "y"); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

package probe

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"turnpost"
	"turnpost/internal/harness"
	"turnpost/internal/process"
)

func TestAncestors(t *testing.T) {
	got := Machine{}.Ancestors(os.Getpid())
	if len(got) < 2 || got[0] != os.Getpid() || got[1] != os.Getppid() || slices.Contains(got, 1) {
		t.Errorf("ancestors of %d, child of %d, are %v", os.Getpid(), os.Getppid(), got)
	}
	if got := (Machine{}).Ancestors(0); len(got) != 0 {
		t.Errorf("nobody's ancestors are %v", got)
	}
	me := turnpost.Process{Pid: os.Getpid(), Start: process.Start(os.Getpid())}
	if !(Machine{}).Alive(me) || (Machine{}).Alive(turnpost.Process{Pid: me.Pid, Start: "another"}) {
		t.Error("a process is taken for another by its number")
	}
}

func TestLive(t *testing.T) {
	name := harness.All()[0].Name()
	file := filepath.Join(t.TempDir(), "registry.json")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"pid":11,"sessionId":"s1","status":"waiting","waitingFor":"permission prompt"}`)
	live, ok := Machine{}.Live(name, file)
	if !ok || live.Native != "s1" || live.State != turnpost.StateWaiting || live.Wants != turnpost.WantPermission {
		t.Errorf("read %+v, %v", live, ok)
	}
	for what, text := range map[string]string{"not JSON": "{", "too large": `{"x":"` + strings.Repeat("x", maxRegistry) + `"}`} {
		write(text)
		if live, ok := (Machine{}).Live(name, file); ok {
			t.Errorf("%s: read %+v", what, live)
		}
	}
	for _, missing := range []string{filepath.Dir(file), file + ".none"} {
		if live, ok := (Machine{}).Live(name, missing); ok {
			t.Errorf("%s: read %+v", missing, live)
		}
	}
	if live, ok := (Machine{}).Live("unheard of", file); ok {
		t.Errorf("of an unknown harness: %+v", live)
	}
}

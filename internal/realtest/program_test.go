//go:build unix

package realtest

import (
	"strings"
	"testing"
)

// testProgram is what the kit promises of every program.
func testProgram(t *testing.T, p Program) {
	t.Run("one shot", func(t *testing.T) {
		t.Parallel()
		home := NewHome(t, 1, p)
		api := NewAPI(t, Say("understood"))
		got := Client{Program: p, Home: home, API: api}.Print(t.Context(), t, "hello APRICOT")
		if got.Code != 0 || !strings.Contains(got.Stdout, "understood") {
			t.Errorf("exit %d, stdout %q, stderr %q", got.Code, got.Stdout, got.Stderr)
		}
		if n := api.Count(Fresh("hello APRICOT")); n != 1 || api.Count() != 1 {
			t.Errorf("%d of %d requests bring the prompt, want 1 of 1", n, api.Count())
		}
		t.Logf("it took %s", got.Took)
	})
	t.Run("terminal", func(t *testing.T) {
		t.Parallel()
		home := NewHome(t, 1, p)
		var gate, never Gate
		api := NewAPI(t, Say("first reply").Behind(&gate), Say("second reply"), Say("too late").Behind(&never), Say("last reply"))
		tui := Client{Program: p, Home: home, API: api}.TUI(t)

		tui.Type("remember APRICOT")
		api.Wait(1, Fresh("remember APRICOT"))
		tui.WaitScreenFunc("a running turn", func(screen string) bool { return p.Look(screen).Busy })
		gate.Open()
		tui.WaitScreen("first reply")
		tui.WaitIdle()
		tui.Draft("half ")
		tui.Draft("typed")
		tui.Enter()
		tui.WaitScreen("second reply")
		tui.WaitIdle()
		second := api.Wait(2)
		if !strings.Contains(second.Fresh(), "half typed") || strings.Contains(second.Fresh(), "APRICOT") || !strings.Contains(second.Text(), "APRICOT") {
			t.Errorf("the second request brings %s of %s", second.Fresh(), second.Text())
		}
		tui.Type("think long")
		api.Wait(3)
		tui.WaitScreenFunc("a running turn", func(screen string) bool { return p.Look(screen).Busy })
		tui.Esc()
		tui.Type("think short")
		tui.WaitScreen("last reply")
		tui.WaitIdle()
		if n := api.Count(); n != 4 {
			t.Errorf("%d requests, want 4", n)
		}
		if code := tui.Exit(); code != 0 {
			t.Errorf("exit status %d", code)
		}
	})
}

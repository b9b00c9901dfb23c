//go:build unix

package e2e

import (
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"turnpost"
	"turnpost/internal/realtest"
)

// startLine is all that a model hears of Turnpost where nothing is unread.
var startLine = regexp.MustCompile(`SessionStart hook additional context: Turnpost: you are @repo \(hook_session [0-9a-f]{32}\)\. Keep notes of your work: [^.]*\.\n+`)

// told is what a model is told in a run: the tools, the system prompt and the
// messages of each request.
func told(api *realtest.API) []string {
	var out []string
	for _, r := range api.Requests() {
		out = append(out, fmt.Sprintf("%v\n%s\n%s", r.Tools, r.System, r.Text()))
	}
	return out
}

// TestNothingUnreadIsSilence runs the same work without and with Turnpost.
func TestNothingUnreadIsSilence(t *testing.T) {
	w := newWorld(t, 1)
	work := func() (*realtest.API, *realtest.TUI) {
		api := realtest.NewAPI(t, bash("echo made-$((40+2))"), realtest.Say("one done"), realtest.Say("two done"))
		tui := w.tui(api)
		turn(tui, "do one", "one done")
		turn(tui, "do two", "two done")
		return api, tui
	}
	without, tui := work()
	tui.Exit()
	w.setup()
	with, tui := work()

	wantRequests(t, with.Requests(), "", "", "")
	wantQuiet(t, tui)
	got := told(with)
	for i := range got {
		if n := len(startLine.FindAllString(got[i], -1)); n != 1 {
			t.Errorf("request %d has %d start lines, want the one of the first request", i+1, n)
		}
		got[i] = startLine.ReplaceAllString(got[i], "")
	}
	if diff := cmp.Diff(told(without), got); diff != "" {
		t.Errorf("beside the start line the model is told (-without +with):\n%s", diff)
	}
	if s := w.is(tui, turnpost.StateIdle); s.Handle != "@repo" || s.Can != "turn end and bell" {
		t.Errorf("the session is %s and can %q", s.Handle, s.Can)
	}
}

// TestOneShotWithoutHandleIsUntouched runs the same script of somebody without
// and with Turnpost, with mail for whoever works in its directory.
func TestOneShotWithoutHandleIsUntouched(t *testing.T) {
	w := newWorld(t, 1)
	const runs = 3
	script := func() (said []string, results []realtest.Result) {
		for range runs {
			api := realtest.NewAPI(t, realtest.Say("the answer"))
			results = append(results, w.client(api).Print(t.Context(), t, "a script asks"))
			said = append(said, told(api)...)
		}
		return said, results
	}
	plain, without := script()
	w.setup()
	named := w.client(realtest.NewAPI(t))
	named.Env = []string{"TURNPOST_AGENT=@repo"}
	named.Print(t.Context(), t, "make the handle known")
	mail := w.ask("@repo", "Is anybody there?", turnpost.ClassNobody)
	hooked, with := script()

	if diff := cmp.Diff(plain, hooked); diff != "" || len(hooked) != runs {
		t.Errorf("the model is told (-without +with):\n%s", diff)
	}
	var before, after []time.Duration
	for i := range runs {
		before, after = append(before, without[i].Took), append(after, with[i].Took)
		without[i].Took, with[i].Took = 0, 0
	}
	if diff := cmp.Diff(without, with); diff != "" {
		t.Errorf("the script gets (-without +with):\n%s", diff)
	}
	if d := w.item(mail.ID).Deliveries[0]; d.State != turnpost.Stored || d.Attempt != 0 {
		t.Errorf("the mail is %s after %d attempts", d.State, d.Attempt)
	}
	a, b := quantile(t, before, 0.5), quantile(t, after, 0.5)
	t.Logf("claude -p took %s without and %s with Turnpost, medians of %d", a, b, runs)
	if b-a > 5*time.Second {
		t.Errorf("it takes %s longer: some hook made it wait", b-a)
	}
}

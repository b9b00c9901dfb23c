package hook_test

import (
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"turnpost"
	"turnpost/internal/keep"
	"turnpost/internal/statedir"
)

// kept puts down notes as a hub did when it gave them to session s1, which works
// in /r.
func (p *place) kept(t *testing.T, text string) *keep.Store {
	t.Helper()
	notes := keep.Open(p.dir, time.Hour, time.Now)
	where := turnpost.Place{Root: "/r", Main: "/r"}
	if err := notes.Write("@api/fix", where, text); err != nil {
		t.Fatal(err)
	}
	if err := notes.Remember("@api/fix", turnpost.Session{Harness: "claude-code", Native: "s1", Place: where}); err != nil {
		t.Fatal(err)
	}
	return notes
}

// dead leaves the file of a hub that does not answer.
func (p *place) dead(t *testing.T, keep time.Duration) {
	t.Helper()
	p.hubFile(t, statedir.Hub{Protocol: statedir.Protocol, Pid: 1, Socket: p.dir.Socket(), Keep: int64(keep.Seconds())})
}

func start(source, session, cwd string) string {
	return `{"hook_event_name":"SessionStart","session_id":"` + session + `","cwd":"` + cwd + `","source":"` + source + `"}`
}

// A session that starts while its hub is dead gets its own notes back, and
// nobody else gets them.
func TestNotesWithoutAHub(t *testing.T) {
	const given = `"additionalContext":"Turnpost: your own notes, @api/fix, less than a minute old.`
	for name, c := range map[string]struct {
		in   string
		keep time.Duration
		want bool
	}{
		"a resume":                     {start("resume", "s1", "/r"), time.Hour, true},
		"a start":                      {start("startup", "s1", "/r"), time.Hour, true},
		"a compaction":                 {start("compact", "s1", "/r"), time.Hour, true},
		"a compaction, gone elsewhere": {start("compact", "s1", "/elsewhere"), time.Hour, true},
		"a resume elsewhere":           {start("resume", "s1", "/elsewhere"), time.Hour, false},
		"another session":              {start("startup", "s2", "/r"), time.Hour, false},
		"keep off":                     {start("resume", "s1", "/r"), 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.kept(t, "docs are left <b>")
			p.dead(t, c.keep)
			got := p.call(t, strings.NewReader(c.in))
			if got.status != 0 || got.stderr != "" || !strings.Contains(got.stdout, p.dir.Bells()) {
				t.Errorf("%+v", got)
			}
			if strings.Contains(got.stdout, given) != c.want || strings.Contains(got.stdout, `docs are left &lt;b&gt;`) != c.want {
				t.Errorf("%s", got.stdout)
			}
		})
	}
	t.Run("other events", func(t *testing.T) {
		p := newPlace(t)
		p.kept(t, "docs are left")
		p.dead(t, time.Hour)
		for _, kind := range []string{"UserPromptSubmit", "Stop", "PreCompact", "PostToolBatch", "SessionEnd"} {
			if got := p.call(t, strings.NewReader(input(kind))); !got.silent() {
				t.Errorf("%s: %+v", kind, got)
			}
		}
	})
	t.Run("nobody sits there", func(t *testing.T) {
		p := newPlace(t)
		p.kept(t, "docs are left")
		p.dead(t, time.Hour)
		for i, v := range p.env {
			if strings.HasPrefix(v, "CLAUDE_CODE_SESSION_ATTENDED") {
				p.env[i] = "CLAUDE_CODE_SESSION_ATTENDED=0"
			}
		}
		if got := p.call(t, strings.NewReader(start("resume", "s1", "/r"))); !got.silent() {
			t.Errorf("%+v", got)
		}
	})
	t.Run("a stub", func(t *testing.T) {
		p := newPlace(t)
		notes := p.kept(t, "x")
		if err := notes.Clear("@api/fix"); err != nil {
			t.Fatal(err)
		}
		if err := notes.Stub("@api/fix", turnpost.Place{Root: "/r"}, "- Claimed: t-1"); err != nil {
			t.Fatal(err)
		}
		p.dead(t, time.Hour)
		if got := p.call(t, strings.NewReader(start("compact", "s1", "/r"))); strings.Contains(got.stdout, "t-1") {
			t.Errorf("%s", got.stdout)
		}
		if got := p.call(t, strings.NewReader(start("resume", "s1", "/r"))); !strings.Contains(got.stdout, "- Claimed: t-1") {
			t.Errorf("%s", got.stdout)
		}
	})
	t.Run("stale", func(t *testing.T) {
		p := newPlace(t)
		p.kept(t, "docs are left")
		p.dead(t, time.Minute)
		old := time.Now().Add(-2 * time.Minute)
		if err := os.Chtimes(p.dir.Context("@api/fix")+"/now.md", old, old); err != nil {
			t.Fatal(err)
		}
		if got := p.call(t, strings.NewReader(start("resume", "s1", "/r"))); strings.Contains(got.stdout, "docs") {
			t.Errorf("%s", got.stdout)
		}
	})
}

// A hub that was stopped is asked for nothing, and one that answers has the word
// whatever it says; one that is too slow does not.
func TestNotesAreTheHubsToGive(t *testing.T) {
	resume := start("resume", "s1", "/r")
	p := newPlace(t)
	silent := p.call(t, strings.NewReader(resume))
	p.kept(t, "docs are left")
	if got := p.call(t, strings.NewReader(resume)); got.stdout != silent.stdout || got.status != 0 {
		t.Errorf("stopped: %+v", got)
	}
	block := make(chan struct{})
	var answer any
	p.hub(t, func(turnpost.Event) any {
		if answer == nil {
			<-block
		}
		return answer
	})
	defer close(block)
	p.hubFile(t, statedir.Hub{Protocol: statedir.Protocol, Pid: 1, Socket: p.dir.Socket(), Keep: 3600})
	for _, answer = range []any{
		turnpost.HookAnswer{Handle: "@r"},
		turnpost.HookAnswer{},
		http.StatusBadRequest,
		turnpost.HookAnswer{Decision: turnpost.Decision{Context: "you are @r"}},
	} {
		if got := p.call(t, strings.NewReader(resume)); strings.Contains(got.stdout, "docs") || got.status != 0 {
			t.Errorf("%v: %+v", answer, got)
		}
	}
	for _, answer = range []any{http.StatusInternalServerError, nil} {
		if got := p.call(t, strings.NewReader(resume)); !strings.Contains(got.stdout, "docs are left") || got.status != 0 {
			t.Errorf("%v: %+v", answer, got)
		}
	}
}

// An answer that the hub wants held back is printed and confirmed after that
// time, although it is longer than a hub may take; a client that is ended
// meanwhile has said nothing.
func TestAnswersAreHeldBack(t *testing.T) {
	const delay = 700
	p := newPlace(t)
	answered := make(chan time.Time, 2)
	hub := p.hub(t, func(turnpost.Event) any {
		answered <- time.Now()
		return turnpost.HookAnswer{Handle: "@r", Offer: "of-1", Delay: delay, Decision: turnpost.Decision{Continue: "go on"}}
	})
	got := p.call(t, strings.NewReader(input("Stop")))
	held := time.Since(<-answered)
	if !strings.Contains(got.stdout, "go on") || got.status != 0 || held < delay*time.Millisecond || held > 10*time.Second {
		t.Errorf("after %s: %+v", held, got)
	}
	if offer := <-hub.shown; offer != "of-1" {
		t.Errorf("shown %q", offer)
	}
	if got := p.call(t, strings.NewReader(input("Notification"))); !got.silent() || time.Since(<-answered) >= delay*time.Millisecond {
		t.Errorf("nothing to print was held back: %+v", got)
	}

	cmd := p.command(program, "claude-code")
	var out strings.Builder
	cmd.Stdin, cmd.Stdout = strings.NewReader(input("Stop")), &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-answered
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil || out.Len() > 0 || len(hub.shown) > 0 {
		t.Errorf("%v, printed %q, %d shown", err, out.String(), len(hub.shown))
	}
}

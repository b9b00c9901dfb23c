package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"turnpost"
	"turnpost/internal/harness"
	"turnpost/internal/hub"
	"turnpost/internal/hub/hubtest"
	"turnpost/internal/store"
)

// report is a hub that hears the very JSON of public fault reports, through the
// adapter, as the hook client would send it.
type report struct {
	t       *testing.T
	hub     *hub.Hub
	machine *hubtest.Machine
	desktop *hubtest.Desktop
}

func newReport(t *testing.T) *report {
	dir := filepath.Join(t.TempDir(), "state")
	makePrivate(t, dir)
	ctx, cancel := context.WithCancel(context.Background())
	db, err := store.Open(ctx, filepath.Join(dir, "turnpost.db"))
	if err != nil {
		t.Fatal(err)
	}
	r := &report{t: t, machine: hubtest.NewMachine(), desktop: &hubtest.Desktop{}}
	r.hub, err = hub.New(ctx, hub.Config{Human: "@anna", OnError: func(err error) { t.Error(err) }}, db, &hubtest.Bells{}, r.machine, r.desktop, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { defer close(done); r.hub.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		<-done
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// hears decodes one line of a client with the pid, answers it and returns what
// the client would read on stdout.
func (r *report) hears(pid int, line string) string {
	r.t.Helper()
	h := harness.All()[0]
	vars := map[string]string{"HOME": "/home/u", "CLAUDE_PID": fmt.Sprint(pid), "CLAUDE_CODE_SESSION_ATTENDED": "1", "AI_AGENT": "claude-code_2-1-332_harness"}
	ev, err := h.Decode(strings.NewReader(line), harness.Env{
		Getenv:       func(name string) string { return vars[name] },
		BellPath:     func(key string) string { return "/state/bells/" + key },
		ProcessStart: func(int) string { return "boot" }, // as the stand-in machine says
	})
	if err != nil {
		r.t.Fatalf("decode %s: %v", line, err)
	}
	ev.Place = turnpost.Place{Root: ev.Cwd, Main: ev.Cwd}
	answer, err := r.hub.Handle(r.t.Context(), ev)
	if err != nil {
		r.t.Fatalf("handle %s: %v", line, err)
	}
	if answer.Offer != "" {
		if _, err := r.hub.Shown(r.t.Context(), turnpost.Receipt{Offer: answer.Offer}); err != nil {
			r.t.Fatal(err)
		}
	}
	return string(h.Encode(ev, answer.Decision).Stdout)
}

func (r *report) human() turnpost.Hub { return r.hub.As(turnpost.Caller{Human: true}) }

func (r *report) ask(to string) turnpost.Posted {
	r.t.Helper()
	posted, err := r.human().Post(r.t.Context(), turnpost.Draft{Kind: turnpost.Question, To: []string{to}, Summary: "Still there?"})
	if err != nil {
		r.t.Fatal(err)
	}
	return posted
}

// session is the session of a native id, ended ones too.
func (r *report) session(native string) turnpost.Session {
	r.t.Helper()
	board, err := r.human().Board(r.t.Context(), turnpost.BoardQuery{Ended: true})
	if err != nil {
		r.t.Fatal(err)
	}
	for _, s := range board.Sessions {
		if s.Native == native {
			return s
		}
	}
	r.t.Fatalf("no session %s on the board", native)
	return turnpost.Session{}
}

const (
	started = `{"hook_event_name":"SessionStart","session_id":"s1","source":"startup","cwd":"/r"}`
	stopped = `{"hook_event_name":"Stop","session_id":"s1","stop_hook_active":false,"cwd":"/r"}`
)

// BR-02: no action is said by silence.
func TestReportSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReport(t)
		r.hears(11, started)
		if out := r.hears(11, stopped); out != "" {
			t.Errorf("said %q with nothing unread", out)
		}
	})
}

// BR-07: after /clear another id comes without a SessionStart.
func TestReportClearedWithoutStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReport(t)
		r.hears(11, started)
		r.hears(11, stopped)
		r.ask("@r")
		r.hears(11, `{"hook_event_name":"UserPromptSubmit","session_id":"s2","prompt":"go on","cwd":"/r"}`)
		if one, two := r.session("s1"), r.session("s2"); one.Live() || !strings.Contains(one.Status.Evidence, "replaced") || !two.Live() || two.Handle != "@r" {
			t.Errorf("s1 is %+v, s2 is %s, %+v", one.Status, two.Handle, two.Status)
		}
		out := r.hears(11, `{"hook_event_name":"Stop","session_id":"s2","stop_hook_active":false,"cwd":"/r"}`)
		if !strings.Contains(out, "Still there?") {
			t.Errorf("the mail did not go to s2: %q", out)
		}
	})
}

// BR-08: a killed agent does not wait for input for ever.
func TestReportKilledWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReport(t)
		r.hears(11, started)
		r.hears(11, `{"hook_event_name":"UserPromptSubmit","session_id":"s1","prompt":"go","cwd":"/r"}`)
		r.hears(11, `{"hook_event_name":"Notification","session_id":"s1","notification_type":"permission_prompt","message":"Claude needs your permission","cwd":"/r"}`)
		if s := r.session("s1"); s.Status.State != turnpost.StateWaiting {
			t.Fatalf("status %+v", s.Status)
		}
		r.machine.Kill(11)
		time.Sleep(30 * time.Second)
		if s := r.session("s1"); s.Status.State != turnpost.StateEnded || !strings.Contains(s.Status.Evidence, "process gone") {
			t.Errorf("status %+v", s.Status)
		}
	})
}

// BR-09: a Stop is not the end while background tasks run.
func TestReportBackgroundTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReport(t)
		r.hears(11, started)
		r.hears(11, `{"hook_event_name":"Stop","session_id":"s1","background_tasks":[{"id":"a1","status":"running"}]}`)
		if s := r.session("s1"); s.Status.Background != 1 || r.desktop.Count("") != 0 {
			t.Errorf("status %+v, %d notifications", s.Status, r.desktop.Count(""))
		}
		time.Sleep(time.Second)
		r.hears(11, `{"hook_event_name":"Stop","session_id":"s1","background_tasks":[]}`)
		if s := r.session("s1"); s.Status.State != turnpost.StateIdle || s.Status.Background != 0 {
			t.Errorf("status %+v", s.Status)
		}
	})
}

// BR-14: the answer closes a question for the next session too; a mere look at
// it does not.
func TestReportReadIsNoAck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReport(t)
		r.hears(11, started)
		r.hears(11, stopped)
		looked, answered := r.ask("@r"), r.ask("@r")
		agent := r.hub.As(turnpost.Caller{Pid: 11})
		if _, err := agent.Read(t.Context(), turnpost.ReadQuery{IDs: []string{looked.Item.ID, answered.Item.ID}}); err != nil {
			t.Fatal(err)
		}
		if _, err := agent.Post(t.Context(), turnpost.Draft{Kind: turnpost.Answer, ReplyTo: answered.Item.ID, Summary: "yes"}); err != nil {
			t.Fatal(err)
		}
		r.hears(11, `{"hook_event_name":"SessionEnd","session_id":"s1","reason":"other","cwd":"/r"}`)
		r.machine.Kill(11)
		time.Sleep(time.Second)
		out := r.hears(12, strings.ReplaceAll(started, "s1", "s2"))
		out += r.hears(12, strings.ReplaceAll(stopped, "s1", "s2"))
		if strings.Contains(out, answered.Item.ID) || !strings.Contains(out, looked.Item.ID) || !strings.Contains(out, "shown before") {
			t.Errorf("s2 was told %q", out)
		}
	})
}

// BR-20: nobody is told "ready" of an agent that goes on at once.
func TestReportNoFalseReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReport(t)
		r.hears(11, started)
		for i := range 5 {
			r.hears(11, fmt.Sprintf(`{"hook_event_name":"UserPromptSubmit","session_id":"s1","prompt":"%d","cwd":"/r"}`, i))
			r.ask("@r")
			if out := r.hears(11, stopped); out == "" {
				t.Fatal("the Stop was not answered")
			}
			time.Sleep(1200 * time.Millisecond)
			r.hears(11, stopped)
			if s := r.session("s1"); s.Status.State != turnpost.StateIdle {
				t.Errorf("status %+v", s.Status)
			}
			time.Sleep(2800 * time.Millisecond)
		}
		if n := r.desktop.Count(""); n != 0 {
			t.Errorf("%d notifications", n)
		}
	})
}

// makePrivate makes a directory as the store wants it.
func makePrivate(t *testing.T, dir string) {
	t.Helper()
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
}

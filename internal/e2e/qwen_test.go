//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"turnpost"
	"turnpost/internal/harness"
	"turnpost/internal/realtest"
)

// inQwen makes a machine with Qwen Code set up, whose person has settings of
// their own besides, as members of an object.
func inQwen(t *testing.T, more string) *world {
	t.Helper()
	w := newWorldOf(t, 1, realtest.Qwen{})
	settings := strings.Replace(qwenSettings, `"tools":`, more+` "tools":`, 1)
	w.home.Write(filepath.Join(".qwen", "settings.json"), []byte(settings))
	w.setupAs("--harness", "qwen")
	return w
}

// canBe waits until the session of the repository can receive so much.
func (w *world) canBe(what string) {
	w.t.Helper()
	w.of("@repo", what, func(s turnpost.Session) bool { return s.Can == what })
}

// idle waits until the session of the repository is idle.
func (w *world) idle(after string) {
	w.t.Helper()
	w.of("@repo", "idle after "+after, func(s turnpost.Session) bool { return s.Status.State == turnpost.StateIdle && !s.TurnOpen })
}

// TestQwenInbox rings one conversation after the other of one person, who has
// something half typed, clears it, and resumes it in another process.
func TestQwenInbox(t *testing.T) {
	w := inQwen(t, "")
	api := realtest.NewAPI(t, realtest.Say("one done"))
	tui := w.client(api).TUI(t)
	w.canBe("turn end and inbox")
	turn(tui, "do one", "one done")
	want := []string{""}
	wake := func(when string) {
		t.Helper()
		api.Script(realtest.Say("woken " + when))
		want = append(want, w.warn("@repo", "idle "+when, turnpost.ClassRung).ID)
		settle(tui, "woken "+when)
		w.idle(when)
	}

	tui.Draft("half a th")
	wake("while somebody types")
	api.Script(realtest.Say("two done"))
	tui.Draft("ought")
	tui.Enter()
	settle(tui, "two done")
	want = append(want, "")
	if n := api.Count(realtest.Fresh("half a thought")); n != 1 {
		t.Errorf("%d requests bring what was half typed, want 1", n)
	}
	before := w.of("@repo", "there", alive)
	tui.Type("/clear")
	w.of("@repo", "new", func(s turnpost.Session) bool { return s.Native != before.Native })
	wake("after /clear")
	cleared := w.of("@repo", "there", alive)
	tui.Exit()
	tui = w.client(api, "--resume", cleared.Native).TUI(t)
	w.of("@repo", "resumed", func(s turnpost.Session) bool { return s.Native == cleared.Native && s.Process != cleared.Process })
	wake("after a resume")

	wantRequests(t, api.Requests(), want...)
	for _, s := range w.now().Sessions {
		if strings.Contains(s.Wake.Key+s.Wake.At, "token") || len(s.Wake.Key) > 40 {
			t.Errorf("the board shows more than where the inbox is: %+v", s.Wake)
		}
	}
	key, err := os.Stat(w.dir.Bell(cleared.Native))
	if err != nil || key.Mode().Perm() != 0o600 {
		t.Errorf("the key of the inbox: %v, %v", key, err)
	}
}

// TestQwenReviewsWhatComesIn is somebody who looks at what comes in before the
// model does: what they were shown counts as nothing that arrived.
func TestQwenReviewsWhatComesIn(t *testing.T) {
	w := inQwen(t, `"agents": {"crossSessionInbound": "hold"},`)
	api := realtest.NewAPI(t, realtest.Say("one done"), realtest.Say("two done"))
	tui := w.client(api).TUI(t)
	turn(tui, "do one", "one done")

	item := w.warn("@repo", "The disk is full", turnpost.ClassRung)
	w.awaitDelivery(item.ID, turnpost.Held)
	w.awaitDelivery(item.ID, turnpost.Stored)
	turn(tui, "do two", "two done")

	wantRequests(t, api.Requests(), "", item.ID+again)
}

// TestQwenInputFile: without an inbox, a session that reads prompts from a file
// is rung there.
func TestQwenInputFile(t *testing.T) {
	w := inQwen(t, `"agents": {"crossSessionMessaging": false},`)
	w.home.Write("in.jsonl", nil)
	api := realtest.NewAPI(t, realtest.Say("one done"), realtest.Say("woken"), realtest.Say("two done"))
	tui := w.client(api, "--input-file", "../in.jsonl").TUI(t)
	w.canBe("turn end and input file")
	turn(tui, "do one", "one done")

	item := w.warn("@repo", "The disk is full", turnpost.ClassRung)
	settle(tui, "woken")
	tui.Type(harness.Poke) // a ring that comes when the mail is there already
	tui.WaitScreen("the mail that rang was delivered meanwhile")
	turn(tui, "do two", "two done")

	wantRequests(t, api.Requests(), "", item.ID, "")
	if n := api.Count(realtest.Fresh(harness.Poke)); n != 1 {
		t.Errorf("%d requests bring a ring, want 1", n)
	}
}

// TestQwenAfterEscAndErrors: a turn that was cancelled is over, which only its
// being idle tells; one that failed leaves the session wedged until its next.
func TestQwenAfterEscAndErrors(t *testing.T) {
	w := inQwen(t, "")
	var never realtest.Gate
	api := realtest.NewAPI(t,
		realtest.Say("never said").Behind(&never),
		realtest.Say("one done"), realtest.Say("I am"),
		realtest.Fail(401, "invalid_api_key", "bad key"),
		realtest.Say("two done"), realtest.Say("still here"),
	)
	tui := w.client(api).TUI(t)
	tui.Type("do nothing")
	api.Wait(1)
	one := w.ask("@repo", "Are you there?", turnpost.ClassTurnEnd)
	tui.Esc()
	w.idle("Esc")
	turn(tui, "do one", "I am")
	w.resolve(one.ID)

	tui.Type("fail")
	w.of("@repo", "wedged", func(s turnpost.Session) bool {
		return s.Status.State == turnpost.StateWedged && s.Status.Failure.Class == turnpost.FailureAuth
	})
	two := w.ask("@repo", "And now?", turnpost.ClassWedged)
	turn(tui, "do two", "still here")

	wantRequests(t, api.Requests(), "", "", one.ID, "", "", two.ID)
	tui.Exit()
	w.board("ended", func(b turnpost.Board) bool { return len(b.Sessions) == 0 || !b.Sessions[0].EndedAt.IsZero() })
}

// TestQwenOneShot is as with Gemini CLI.
func TestQwenOneShot(t *testing.T) {
	w := newWorldOf(t, 1, realtest.Qwen{})
	oneShot(t, w, "qwen", qwenCall)
}

package web

import (
	"fmt"
	"time"

	"turnpost"
)

// sampleRuns gives the sample hub runs: one that waits for the person in the
// middle of a process, one that works, and ends of every kind.
func sampleRuns(h *fakeHub) {
	now := h.boardNow.Now
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	target := func(v float64) *float64 { return &v }

	step := func(id string, kind turnpost.StepKind, state turnpost.StepState, edit func(*turnpost.Step), needs ...string) turnpost.Step {
		s := turnpost.Step{StepDef: turnpost.StepDef{ID: id, Kind: kind, Needs: needs}, State: state, Attempt: 1}
		if edit != nil {
			edit(&s)
		}
		return s
	}
	command := func(args ...string) *turnpost.Command {
		return &turnpost.Command{Args: args, Dir: "/home/anna/src/web", Seconds: 600}
	}
	release := turnpost.Run{
		ID: "r-12", Goal: "Release 2.4: the new sign-in is on for everybody, with the old one behind a switch", Handle: "@web", Session: "03",
		StartedBy: "@anna", Human: true, Process: "release", State: turnpost.RunWaiting, Reason: "q-49: Ship 2.4 to everybody now, or to 10 % first?",
		Limits:    turnpost.Limits{Iterations: 5, Target: target(0.9), Seconds: 4 * 3600, Turns: 40, Stall: 5},
		Iteration: 3, Turns: 14, Continued: 11, Tokens: 184_320, StartedAt: ago(73 * time.Minute), UpdatedAt: ago(4 * time.Minute), Deadline: now.Add(167 * time.Minute),
		Plan: "1. Put the old form behind the switch, and test both.\n2. Lint, unit tests, browser tests side by side.\n3. Have @docs read the upgrade guide.\n4. Ask Anna before anything ships.",
		Scores: []turnpost.Score{
			{Value: 0.62, Note: "the old form loses its session", By: "@web", Iteration: 1, At: ago(60 * time.Minute)},
			{Value: 0.85, Note: "both forms work, the upgrade guide is missing", By: "@web", Iteration: 2, At: ago(31 * time.Minute)},
			{Value: 0.94, Note: "guide written and read by @docs", By: "@web", Iteration: 3, At: ago(9 * time.Minute)},
		},
		Steps: []turnpost.Step{
			step("build", turnpost.StepTask, turnpost.StepDone, func(s *turnpost.Step) {
				s.Text, s.Attempt, s.Effect = "Put the old form behind the switch", 2, "e-6"
			}),
			step("lint", turnpost.StepCommand, turnpost.StepDone, func(s *turnpost.Step) {
				s.Command, s.Group, s.Effect = command("make", "lint"), "checks", "e-7"
			}, "build"),
			step("unit", turnpost.StepCommand, turnpost.StepDone, func(s *turnpost.Step) {
				s.Command, s.Group, s.Retries, s.Effect = command("make", "test", "ARGS=-short -run 'Sign'"), "checks", 2, "e-8"
			}, "build"),
			step("guide", turnpost.StepAgent, turnpost.StepDone, func(s *turnpost.Step) {
				s.To, s.Text, s.Effect = "@docs", "Read docs/upgrade.md as a newcomer would", "e-9"
			}, "build"),
			step("good-enough", turnpost.StepGate, turnpost.StepDone, func(s *turnpost.Step) { s.Target, s.Again = 0.9, "build" }, "checks", "guide"),
			step("ask-anna", turnpost.StepBreakpoint, turnpost.StepActive, func(s *turnpost.Step) {
				s.Text, s.Effect = "Ship 2.4 to everybody now, or to 10 % first?", "e-10"
			}, "good-enough"),
			step("ship", turnpost.StepCommand, turnpost.StepBlocked, func(s *turnpost.Step) { s.Command, s.Attempt = command("make", "ship"), 0 }, "ask-anna"),
			step("announce", turnpost.StepTask, turnpost.StepBlocked, func(s *turnpost.Step) {
				s.Text, s.Attempt, s.Optional = "Write to #release what changed", 0, true
			}, "ask-anna"),
		},
		Missing: []string{"e-10 (breakpoint) is open: Ship 2.4 to everybody now, or to 10 % first?", "step ship is blocked", "step announce is blocked"},
	}
	effect := func(kind turnpost.EffectKind, state turnpost.EffectState, step string, iteration int, d time.Duration, edit func(*turnpost.Effect)) {
		e := turnpost.Effect{
			ID: fmt.Sprintf("e-%d", len(release.Effects)+1), Kind: kind, State: state, Step: step, Attempt: 1, Iteration: iteration, By: "hub", Trusted: true,
			Key: fmt.Sprintf("step:%s:1", step), At: ago(d),
		}
		if state.Settled() {
			e.StartedAt, e.EndedAt, e.PostedBy = ago(d), ago(d-time.Minute), "@web"
		}
		edit(&e)
		release.Effects = append(release.Effects, e)
	}
	effect(turnpost.EffectTask, turnpost.EffectOK, "build", 1, 72*time.Minute, func(e *turnpost.Effect) {
		e.Text, e.Value = "Put the old form behind the switch", "done in 3 files"
	})
	effect(turnpost.EffectCommand, turnpost.EffectOK, "lint", 1, 66*time.Minute, func(e *turnpost.Effect) { e.Command, e.Value = command("make", "lint"), "exit 0" })
	effect(turnpost.EffectCommand, turnpost.EffectError, "unit", 1, 66*time.Minute, func(e *turnpost.Effect) {
		e.Command, e.Value, e.Worker = command("make", "test", "ARGS=-short -run 'Sign'"), "exit 2\n--- FAIL: TestSignIn (0.02s)\n    signin_test.go:41: the session is lost\nFAIL", "laptop"
	})
	effect(turnpost.EffectCommand, turnpost.EffectOK, "unit", 1, 63*time.Minute, func(e *turnpost.Effect) {
		e.Command, e.Attempt, e.Value = command("make", "test", "ARGS=-short -run 'Sign'"), 2, "exit 0"
	})
	effect(turnpost.EffectAgent, turnpost.EffectOK, "guide", 2, 45*time.Minute, func(e *turnpost.Effect) {
		e.To, e.Text, e.Item, e.PostedBy, e.Value = "@docs", "Read docs/upgrade.md as a newcomer would", "t-44", "@docs", "There is no docs/upgrade.md"
	})
	effect(turnpost.EffectTask, turnpost.EffectOK, "build", 3, 28*time.Minute, func(e *turnpost.Effect) {
		e.Text, e.Attempt, e.Value = "Put the old form behind the switch", 2, "wrote docs/upgrade.md"
	})
	effect(turnpost.EffectCommand, turnpost.EffectOK, "lint", 3, 22*time.Minute, func(e *turnpost.Effect) { e.Command, e.Value = command("make", "lint"), "exit 0" })
	effect(turnpost.EffectCommand, turnpost.EffectOK, "unit", 3, 22*time.Minute, func(e *turnpost.Effect) {
		e.Command, e.Value = command("make", "test", "ARGS=-short -run 'Sign'"), "exit 0"
	})
	effect(turnpost.EffectAgent, turnpost.EffectOK, "guide", 3, 20*time.Minute, func(e *turnpost.Effect) {
		e.To, e.Text, e.Item, e.PostedBy, e.Value = "@docs", "Read docs/upgrade.md as a newcomer would", "t-46", "@docs", "Clear; I moved the table to the top"
	})
	effect(turnpost.EffectBreakpoint, turnpost.EffectPending, "ask-anna", 3, 4*time.Minute, func(e *turnpost.Effect) {
		e.Question, e.Item = "Ship 2.4 to everybody now, or to 10 % first?\n\nBoth forms pass every test. The guide is read. I would begin with 10 %: the old session store is still in use at two customers.", "q-49"
		e.Files = []turnpost.RunFile{{Path: "docs/upgrade.md", Format: "markdown"}, {Path: "config/rollout.json", Format: "json"}}
	})
	entry := func(run *turnpost.Run, d time.Duration, e turnpost.RunEvent) {
		run.Seq++
		e.Seq, e.At = run.Seq, ago(d)
		h.journals[run.ID] = append(h.journals[run.ID], e)
	}
	entry(&release, 73*time.Minute, turnpost.RunEvent{Kind: turnpost.RunStarted, By: "@anna", Human: true, Start: &turnpost.RunStart{Goal: release.Goal}})
	entry(&release, 73*time.Minute, turnpost.RunEvent{Kind: turnpost.IterationStart, Iteration: 1})
	entry(&release, 73*time.Minute, turnpost.RunEvent{Kind: turnpost.RunBound, Session: "03"})
	entry(&release, 70*time.Minute, turnpost.RunEvent{Kind: turnpost.RunPlanned, By: "@web", Text: release.Plan})
	for _, e := range release.Effects {
		entry(&release, now.Sub(e.At), turnpost.RunEvent{Kind: turnpost.EffectAsked, Iteration: e.Iteration, Effect: &e})
		if e.State.Settled() {
			entry(&release, now.Sub(e.EndedAt), turnpost.RunEvent{Kind: turnpost.EffectPosted, By: e.PostedBy, Task: e.ID, Result: e.State, Text: e.Value})
		}
	}
	entry(&release, 9*time.Minute, turnpost.RunEvent{Kind: turnpost.RunScored, By: "@web", Score: target(0.94), Text: "guide written and read by @docs"})
	entry(&release, 4*time.Minute, turnpost.RunEvent{Kind: turnpost.TurnEnded, Tokens: 21_400})

	redirect := turnpost.Run{
		ID: "r-14", Goal: "No page answers /login with a redirect any more", Handle: "@api/auth", Session: "01", StartedBy: "@api/auth",
		State: turnpost.RunRunning, Iteration: 7, Turns: 9, Limits: turnpost.Limits{Iterations: 20, Stall: 5}, StartedAt: ago(22 * time.Minute), UpdatedAt: ago(time.Minute),
		Missing: nil, Seq: 1,
	}
	hostile := turnpost.Run{
		ID: "r-9", Goal: "<img src=x onerror=alert(1)> \u202etxt.exe\u202c " + "and a goal that goes on and on and on and on and on and on and on and on, further than any row is wide",
		Handle: "@hostile", StartedBy: "@hostile", State: turnpost.RunHalted, Reason: "it used its 5 iterations", Iteration: 5, Turns: 31,
		Limits: turnpost.Limits{Iterations: 5, Target: target(80)}, Scores: []turnpost.Score{{Value: 55, By: "@hostile", Iteration: 5, At: ago(40 * time.Minute)}},
		StartedAt: ago(3 * time.Hour), EndedAt: ago(40 * time.Minute),
	}
	done := turnpost.Run{
		ID: "r-11", Goal: "Every table has an owner in docs/tables.md", Handle: "@data", StartedBy: "@anna", State: turnpost.RunCompleted, Reason: "41 of 41 tables",
		Iteration: 3, Turns: 8, Limits: turnpost.Limits{Iterations: 10}, StartedAt: ago(2 * time.Hour), EndedAt: ago(25 * time.Minute),
	}
	h.runs = []turnpost.Run{hostile, done, release, redirect}
	entry(&h.runs[3], 22*time.Minute, turnpost.RunEvent{Kind: turnpost.RunStarted, By: "@api/auth", Start: &turnpost.RunStart{Goal: redirect.Goal}})

	notes := func(session int, d time.Duration, n turnpost.Notes) {
		s := &h.boardNow.Sessions[session]
		s.NotesAt = ago(d)
		n.Handle, n.Place, n.Dir, n.At = s.Handle, s.Place.Root, "/home/anna/.local/state/turnpost/context/"+mark(s.Handle), ago(d)
		h.noted[s.Handle] = n
	}
	h.boardNow.Sessions[0].Run, h.boardNow.Sessions[2].Run = "r-14", "r-12"
	notes(0, 6*time.Minute, turnpost.Notes{
		Now: "# Where I am\n\n- /login answers 303 since this morning\n- suite runs once more; then answer @web\n\n# Next\n\nremove the redirect from /logout",
		Decisions: []turnpost.NotedDecision{
			{At: ago(50 * time.Minute), Author: "@api/auth", Text: "303, not 302, after a form", Why: "a browser then asks with GET, whatever it sent", File: "20261201T130512Z-303-not-302.md"},
			{At: ago(26 * time.Hour), Author: "@anna", Text: "Sessions live 12 hours", File: "20261130T110000Z-sessions.md"},
		},
		More: 3,
	})
	notes(2, 25*time.Hour, turnpost.Notes{Stub: true, Now: "Working in /home/anna/src/web since 11:40.\nLast said: the form posts to /session now."})
}

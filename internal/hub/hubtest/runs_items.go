package hubtest

import (
	"context"
	"strings"
	"testing"
	"time"

	"turnpost"
)

// runItemStories are of what others do for a run.
func runItemStories() []story {
	ctx := context.Background()
	// begin is an agent at work on a run.
	begin := func(r *Rig) (*Agent, job) {
		r.t.Helper()
		a := r.Agent("api").Idle()
		j := r.Run(a, turnpost.RunStart{})
		a.Hear()
		return a, j
	}
	// waits ends the turn: nothing more is said, and the run waits.
	waits := func(j job, reason string) int {
		j.r.t.Helper()
		if text := j.a.TurnEnd(); text != "" {
			j.r.t.Errorf("it waits for %q, but was told %q", reason, text)
		}
		j.is(turnpost.RunWaiting, reason)
		return j.r.Bells.Count(j.a.Bell())
	}
	// rung holds that the result rang once and was told.
	rung := func(j job, before int, told string) {
		j.r.t.Helper()
		if n := j.r.Bells.Count(j.a.Bell()); n != before+1 {
			j.r.t.Errorf("rang %d times", n-before)
		}
		text := j.a.Hear()
		if j.wants(text, "1"); !strings.Contains(text, told) {
			j.r.t.Errorf("the ring does not say %q: %q", told, text)
		}
		if strings.Contains(text, "<turnpost ") {
			j.r.t.Errorf("the result came as mail too: %q", text)
		}
	}
	return []story{
		{name: "a breakpoint is a question to the person, and the answer its result", tell: func(t *testing.T, r *Rig) {
			a, j := begin(r)
			e := j.ask(turnpost.EffectDraft{Kind: turnpost.EffectBreakpoint, Question: "Ship it?\nAll of it?", Files: []turnpost.RunFile{{Path: "PLAN.md"}}})
			before := waits(j, "Ship it?")
			if n := r.Notices("breakpoint"); len(n) != 1 || n[0].Item != e.Item || n[0].Loud != turnpost.LoudUrgent || r.Desktop.Count("") != 1 {
				t.Errorf("the person was told %+v, %d times on the desktop", n, r.Desktop.Count(""))
			}
			items, err := r.Human().Read(ctx, turnpost.ReadQuery{IDs: []string{e.Item}})
			if err != nil || items.Items[0].Author != "@api" || items.Items[0].Human || !strings.Contains(items.Items[0].Body, "PLAN.md") {
				t.Errorf("the question is %+v, %v", items.Items, err)
			}
			for what, err := range map[string]error{
				"reply": func() error {
					_, err := a.Hub().Post(ctx, turnpost.Draft{Kind: turnpost.Answer, ReplyTo: e.Item, Summary: "yes"})
					return err
				}(),
				"resolve": func() error {
					_, err := a.Hub().Resolve(ctx, turnpost.ResolveRequest{ID: e.Item, Result: "yes"})
					return err
				}(),
				"post": func() error {
					_, err := a.Hub().PostEffect(ctx, turnpost.EffectPost{Effect: e.ID, Status: turnpost.EffectOK, Value: "yes"})
					return err
				}(),
			} {
				if turnpost.CodeOf(err) != turnpost.Forbidden {
					t.Errorf("%s by the agent itself: %v", what, err)
				}
			}
			r.Post(r.Human(), turnpost.Draft{Kind: turnpost.Answer, ReplyTo: e.Item, Summary: "half of it", Body: "the first half"})
			rung(j, before, "half of it")
			if got := j.effect(e.ID); got.State != turnpost.EffectOK || got.Value != "half of it\nthe first half" || got.PostedBy != "@anna" {
				t.Errorf("its result is %+v", got)
			}
			if n := len(r.Notices("breakpoint")); n != 0 {
				t.Errorf("%d notices are left", n)
			}
		}},
		{name: "a breakpoint that is resolved or posted is answered, and its question closed", tell: func(t *testing.T, r *Rig) {
			_, j := begin(r)
			e := j.ask(turnpost.EffectDraft{Kind: turnpost.EffectBreakpoint, Question: "Ship it?"})
			before := waits(j, "Ship it?")
			if _, err := r.Human().Resolve(ctx, turnpost.ResolveRequest{ID: e.Item, Result: "by all means"}); err != nil {
				t.Fatal(err)
			}
			rung(j, before, "by all means")
			e = j.ask(turnpost.EffectDraft{Kind: turnpost.EffectBreakpoint, Question: "And this?"})
			before = waits(j, "And this?")
			j.post(r.Human(), e.ID, "not this")
			rung(j, before, "not this")
			if n := r.Unread("@anna"); n != 0 || len(r.Notices("breakpoint")) != 0 {
				t.Errorf("%d questions and %d notices are left", n, len(r.Notices("breakpoint")))
			}
		}},
		{name: "another agent does a task of a run", tell: func(t *testing.T, r *Rig) {
			_, j := begin(r)
			b := r.Agent("web").Idle()
			e := j.ask(turnpost.EffectDraft{Kind: turnpost.EffectAgent, To: "web", Text: "Draw it\nin blue"})
			before := waits(j, "Draw it")
			text := b.Hear()
			if !strings.Contains(text, e.Item) || !strings.Contains(text, "Draw it") {
				t.Errorf("the other was told %q", text)
			}
			if _, err := b.Hub().Name(ctx, turnpost.NameRequest{Name: "painter"}); err != nil {
				t.Fatal(err)
			}
			if _, err := b.Hub().Claim(ctx, turnpost.ClaimRequest{ID: e.Item}); err != nil {
				t.Fatal(err)
			}
			if _, err := b.Hub().Resolve(ctx, turnpost.ResolveRequest{ID: e.Item, Result: "drawn in blue"}); err != nil {
				t.Fatal(err)
			}
			rung(j, before, "drawn in blue")
			if got := j.effect(e.ID); got.State != turnpost.EffectOK || got.Value != "drawn in blue" {
				t.Errorf("its result is %+v", got)
			}
			none := turnpost.EffectDraft{Kind: turnpost.EffectAgent, To: "@nobody", Text: "x"}
			if _, err := j.a.Hub().AskEffect(ctx, none); turnpost.CodeOf(err) != turnpost.Invalid {
				t.Errorf("asked nobody: %v", err)
			}
		}},
		{name: "commands wait for a worker, each is taken once, and those of an agent alone for its own or a word", tell: func(t *testing.T, r *Rig) {
			a, j := begin(r)
			e := j.ask(turnpost.EffectDraft{Kind: turnpost.EffectCommand, Key: "k", Command: command("make")})
			before := waits(j, "make")
			taken, err := r.Human().TakeEffects(ctx, turnpost.EffectTake{Run: j.id, Worker: "w", Limit: 3})
			if err != nil || len(taken.Effects) != 0 || taken.Left != 1 || taken.Run.ID != j.id {
				t.Errorf("a worker of the person took %+v, %v", taken, err)
			}
			if _, err := a.Hub().TakeEffects(ctx, turnpost.EffectTake{Worker: "v", Limit: 1, All: true}); turnpost.CodeOf(err) != turnpost.Forbidden {
				t.Errorf("an agent took all: %v", err)
			}
			for range 2 {
				if taken, err = a.Hub().TakeEffects(ctx, turnpost.EffectTake{Worker: "v", Limit: 1}); err != nil || len(taken.Effects) != 1 || taken.Left != 0 {
					t.Errorf("its own worker took %+v, %v", taken, err)
				}
			}
			if got := j.work(true); len(got) != 0 {
				t.Errorf("it was taken twice: %v", got)
			}
			post := turnpost.EffectPost{Effect: e.ID, Status: turnpost.EffectOK, Value: "made password=hunter2hunter2", Worker: "v"}
			for again := range 2 {
				done, err := a.Hub().PostEffect(ctx, post)
				if err != nil || done.Again != (again > 0) || strings.Contains(done.Effect.Value, "hunter2") {
					t.Errorf("posted %+v, %v", done, err)
				}
			}
			post.Value = "something else"
			if _, err := a.Hub().PostEffect(ctx, post); turnpost.CodeOf(err) != turnpost.Conflict {
				t.Errorf("another result: %v", err)
			}
			rung(j, before, "made")
			done, err := a.Hub().AskEffect(ctx, turnpost.EffectDraft{Kind: turnpost.EffectCommand, Key: "k", Command: command("make")})
			if err != nil || !done.Again || done.Effect.ID != e.ID || done.Run != j.id {
				t.Errorf("asked again: %+v, %v", done, err)
			}
			if _, err := a.Hub().AskEffect(ctx, turnpost.EffectDraft{Kind: turnpost.EffectCommand, Key: "k", Command: command("rm")}); turnpost.CodeOf(err) != turnpost.Conflict {
				t.Errorf("another under its key: %v", err)
			}
			done, err = r.Human().AskEffect(ctx, turnpost.EffectDraft{Run: j.id, Kind: turnpost.EffectCommand, Command: command("tar")})
			if err != nil || !done.Effect.Trusted {
				t.Errorf("the person asked: %+v, %v", done, err)
			}
			if got := j.work(false); len(got) != 1 || got[0] != "tar" {
				t.Errorf("executed %v", got)
			}
		}},
		{name: "a sleep is over when its time is, and an own task does not make a run wait", timed: true, tell: func(t *testing.T, r *Rig) {
			a, j := begin(r)
			j.ask(turnpost.EffectDraft{Kind: turnpost.EffectTask, Text: "tidy up"})
			j.wants(a.TurnEnd(), "2")
			j.post(a.Hub(), "e-1", "tidy")
			j.ask(turnpost.EffectDraft{Kind: turnpost.EffectSleep, Seconds: 120})
			before := waits(j, "sleep")
			pass(119 * time.Second)
			if n := r.Bells.Count(a.Bell()); n != before {
				t.Errorf("rang %d times in its sleep", n-before)
			}
			pass(2 * time.Second)
			if n := r.Bells.Count(a.Bell()); n != before+1 {
				t.Errorf("rang %d times after it", n-before)
			}
			j.wants(a.Hear(), "2")
		}},
		{name: "what a run asked of others is withdrawn when it ends, and asked again when it is resumed", tell: func(t *testing.T, r *Rig) {
			a, j := begin(r)
			b := r.Agent("web").Idle()
			q := j.ask(turnpost.EffectDraft{Kind: turnpost.EffectBreakpoint, Question: "Ship it?"})
			task := j.ask(turnpost.EffectDraft{Kind: turnpost.EffectAgent, To: "@web", Text: "Draw it"})
			waits(j, "Ship it?")
			j.by(r.Human(), turnpost.RunRequest{Do: turnpost.RunHalt, Text: "enough"})
			j.is(turnpost.RunHalted, "enough")
			if r.Unread("@anna")+r.Unread("@web") != 0 || len(r.Notices("breakpoint")) != 0 {
				t.Error("what it asked is still there")
			}
			if text := a.Hear() + b.Hear(); text != "" {
				t.Errorf("told %q", text)
			}
			if n := r.Notices("run"); len(n) != 1 || n[0].Loud != turnpost.LoudSilent {
				t.Errorf("the person was told of what it did itself: %+v", n)
			}
			j.by(r.Human(), turnpost.RunRequest{Do: turnpost.RunResume})
			again := j.effect(q.ID).Item
			if again == "" || again == q.Item || r.Unread("@anna") != 1 || r.Unread("@web") != 1 {
				t.Errorf("the question is %s, was %s", again, q.Item)
			}
			r.Post(r.Human(), turnpost.Draft{Kind: turnpost.Answer, ReplyTo: again, Summary: "yes"})
			if _, err := b.Hub().Resolve(ctx, turnpost.ResolveRequest{ID: j.effect(task.ID).Item, Result: "drawn"}); err != nil {
				t.Fatal(err)
			}
			text := a.Hear()
			if j.wants(text, "1"); !strings.Contains(text, "yes") || !strings.Contains(text, "drawn") {
				t.Errorf("then said %q", text)
			}
		}},
		{name: "runs of others do not exist for an agent", tell: func(t *testing.T, r *Rig) {
			_, j := begin(r)
			b := r.Agent("web").Idle()
			hub := b.Hub()
			score := 1.0
			for what, err := range map[string]error{
				"show":    func() error { _, err := hub.Run(ctx, turnpost.RunQuery{ID: j.id}); return err }(),
				"journal": func() error { _, err := hub.Journal(ctx, turnpost.JournalQuery{ID: j.id}); return err }(),
				"halt": func() error {
					_, err := hub.ChangeRun(ctx, turnpost.RunRequest{ID: j.id, Do: turnpost.RunHalt})
					return err
				}(),
				"resume": func() error {
					_, err := hub.ChangeRun(ctx, turnpost.RunRequest{ID: j.id, Do: turnpost.RunResume})
					return err
				}(),
				"score": func() error {
					_, err := hub.ChangeRun(ctx, turnpost.RunRequest{ID: j.id, Do: turnpost.RunScore, Score: &score})
					return err
				}(),
				"ask": func() error {
					_, err := hub.AskEffect(ctx, turnpost.EffectDraft{Run: j.id, Kind: turnpost.EffectTask, Text: "x"})
					return err
				}(),
				"take": func() error {
					_, err := hub.TakeEffects(ctx, turnpost.EffectTake{Run: j.id, Worker: "w", Limit: 1})
					return err
				}(),
				"post": func() error {
					_, err := hub.PostEffect(ctx, turnpost.EffectPost{Run: j.id, Effect: "e-1", Status: turnpost.EffectOK})
					return err
				}(),
				"own": func() error { _, err := hub.Run(ctx, turnpost.RunQuery{}); return err }(),
			} {
				if turnpost.CodeOf(err) != turnpost.NotFound {
					t.Errorf("%s: %v", what, err)
				}
			}
			for what, err := range map[string]error{
				"list":  func() error { _, err := hub.Runs(ctx, turnpost.RunsQuery{Handle: "@api"}); return err }(),
				"start": func() error { _, err := hub.StartRun(ctx, turnpost.RunStart{Goal: "x", Handle: "@api"}); return err }(),
				"process": func() error {
					step := turnpost.StepDef{ID: "a", Kind: turnpost.StepTask, Text: "x"}
					_, err := hub.StartRun(ctx, turnpost.RunStart{Goal: "x", Process: &turnpost.RunProcess{Name: "p", Steps: []turnpost.StepDef{step}}})
					return err
				}(),
			} {
				if turnpost.CodeOf(err) != turnpost.Forbidden {
					t.Errorf("%s: %v", what, err)
				}
			}
			if runs, err := hub.Runs(ctx, turnpost.RunsQuery{All: true}); err != nil || len(runs.Runs) != 0 {
				t.Errorf("it sees %+v, %v", runs.Runs, err)
			}
			if run := j.show(); run.State != turnpost.RunRunning || len(run.Effects) != 0 {
				t.Errorf("something came of it: %+v", run)
			}
		}},
		{name: "an agent of a process that was never there gets its task when it comes", tell: func(t *testing.T, r *Rig) {
			a := r.Agent("api").Idle()
			j := r.Run(a, turnpost.RunStart{Process: &turnpost.RunProcess{Name: "p", Steps: []turnpost.StepDef{
				{ID: "draw", Kind: turnpost.StepAgent, To: "@web", Text: "Draw it"},
			}}})
			j.is(turnpost.RunWaiting, "Draw it")
			b := r.Agent("web")
			if b.Start(); b.Handle != "@web-2" && b.Handle != "@web" {
				t.Errorf("it is %s", b.Handle)
			}
			if n := r.Unread("@web"); n != 1 {
				t.Errorf("%d items wait for it", n)
			}
		}},
	}
}

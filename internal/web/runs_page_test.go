package web

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"turnpost"
)

func openRun(t *testing.T, ctx context.Context, h *fakeHub, id string) *tab {
	t.Helper()
	tb := visit(t, ctx, samplePage(h, nil), runURL(id), viewport(1200, 900))
	tb.live()
	return tb
}

func testBreakpoint(t *testing.T, ctx context.Context) {
	h := sample(time.Now())
	tb := board(t, ctx, h, viewport(1200, 900))
	if got := tb.text("#r-r-12 .doing"); got != "waiting for you" {
		t.Errorf("the run that waits for the reader is %q", got)
	}
	for _, row := range []string{"#i-q-49", "#o-q-49"} {
		if got := tb.text(row + " .blocks"); got != "r-12 waits for it" {
			t.Errorf("%s says %q of what it blocks", row, got)
		}
	}
	tb.click("#r-r-12 .asking a")
	tb.until(`location.pathname === "/runs/r-12"`)
	tb.live()
	if got := tb.text("#asks"); !strings.Contains(got, "the old session store is still in use") || !strings.Contains(got, "docs/upgrade.md") || !strings.Contains(got, "config/rollout.json") {
		t.Errorf("the question is\n%s", got)
	}
	// What is being typed survives whatever happens to the run.
	tb.do(chromedp.SendKeys(chromedp.CSS("#asks textarea"), "10 % fir"))
	h.change(func(h *fakeHub) { h.runs[2].Turns, h.runs[2].Effects[9].At = 15, time.Now() })
	tb.until(`document.querySelector("#run .meters").innerText.includes("15 of 40 turns")`)
	tb.do(chromedp.SendKeys(chromedp.CSS("#asks textarea"), "st"))
	if got := eval[string](tb, `document.querySelector("#asks textarea").value`); got != "10 % first" {
		t.Errorf("typed text became %q", got)
	}
	tb.click("#asks .main")
	tb.until(`document.querySelector("#said").innerText === "Answered. r-12 goes on."`)
	tb.until(`!document.querySelector("#asks").checkVisibility() && document.querySelector("#run").dataset.state === "running"`)
	tb.until(`document.querySelector("#e-e-10").dataset.state === "ok" && document.querySelector("#e-e-10 .value").innerText === "10 % first"`)
	if got := tb.text("#journal li"); !strings.Contains(got, "task.complete") || !strings.Contains(got, "e-10 · ok · 10 % first") {
		t.Errorf("the journal begins with %q", got)
	}
	if len(h.posts) != 1 || h.posts[0].ReplyTo != "q-49" || h.posts[0].Kind != turnpost.Answer {
		t.Errorf("posted %+v", h.posts)
	}
	// The next question of the same run is a form of its own.
	h.change(func(h *fakeHub) {
		run := &h.runs[2]
		h.items = append(h.items, turnpost.Item{ID: "q-60", Kind: turnpost.Question, Author: "@web", To: []string{"@anna"}, State: turnpost.ItemOpen, Summary: "And now?"})
		run.Effects = append(run.Effects, turnpost.Effect{ID: "e-11", Kind: turnpost.EffectBreakpoint, State: turnpost.EffectPending, Question: "And now?", Item: "q-60", At: time.Now()})
		run.State, run.Reason = turnpost.RunWaiting, "q-60: And now?"
	})
	tb.until(`document.querySelector("#asks").checkVisibility() && document.querySelector("#ask-e-11 .body").innerText === "And now?"`)
	if got := eval[string](tb, `document.querySelector("#asks textarea").value`); got != "" {
		t.Errorf("the new form holds %q", got)
	}
	tb.clean()
}

func testSteer(t *testing.T, ctx context.Context) {
	h := sample(time.Now())
	tb := board(t, ctx, h, viewport(1200, 900))
	tb.click(`#r-r-14 button[aria-label="Halt r-14"]`)
	tb.until(`document.querySelector("#said").innerText === "r-14 is halted: halted by @anna"`)
	tb.until(`document.querySelector("#runs-ended #r-r-14")`)
	tb.click("#runs-ended summary")
	tb.click(`#r-r-14 button[aria-label="Resume r-14"]`)
	tb.until(`document.querySelector("#said").innerText === "r-14 goes on." && !document.querySelector("#runs-ended #r-r-14") && document.querySelector("#r-r-14").dataset.state === "running"`)

	// A run that used up a limit is given more on its own page.
	tb.click(`#r-r-9 .end a`)
	tb.until(`location.pathname === "/runs/r-9"`)
	tb.live()
	tb.until(`document.querySelector("#run [name=iterations]").value === "10"`)
	tb.click("#run .again button")
	tb.until(`document.querySelector("#run").dataset.state === "running" && document.querySelector("#run .meters").innerText.includes("iteration 5 of 10")`)
	if got := h.steered[2]; got.ID != "r-9" || got.Limits != (turnpost.Limits{Iterations: 10}) {
		t.Errorf("resumed by %+v", got)
	}
	tb.clean()
}

func testRunLive(t *testing.T, ctx context.Context) {
	h := sample(time.Now())
	tb := board(t, ctx, h, viewport(1200, 900))
	eval[bool](tb, `window.same = true`)
	height := eval[float64](tb, `document.querySelector("#runs").offsetHeight`)
	h.change(func(h *fakeHub) { h.runs[3].Iteration, h.runs[3].Turns = 8, 10 })
	tb.until(`document.querySelector("#r-r-14 .meters").innerText.includes("iteration 8 of 20")`)
	if now := eval[float64](tb, `document.querySelector("#runs").offsetHeight`); now != height {
		t.Errorf("an iteration moved the page: %v px became %v", height, now)
	}
	// With the last run its part of the board goes, and comes back with the next.
	all := h.runs
	h.change(func(h *fakeHub) { h.runs = nil })
	tb.until(`!document.querySelector("#runs").checkVisibility()`)
	h.change(func(h *fakeHub) { h.runs = all })
	tb.until(`document.querySelector("#r-r-14").checkVisibility()`)
	if !eval[bool](tb, `window.same === true`) {
		t.Error("the page was loaded again")
	}
	tb.clean()

	tb = openRun(t, ctx, h, "r-12")
	tb.click("#e-e-3 summary")
	tb.until(`document.querySelector("#e-e-3 .result").innerText.includes("signin_test.go:41")`)
	h.change(func(h *fakeHub) {
		run := &h.runs[2]
		run.Iteration, run.State, run.Reason = 4, turnpost.RunRunning, ""
		run.Steps[5].State, run.Steps[6].State = turnpost.StepDone, turnpost.StepActive
		run.Seq++
		h.journals["r-12"] = append(h.journals["r-12"], turnpost.RunEvent{Seq: run.Seq, At: time.Now(), Kind: turnpost.IterationStart, Iteration: 4})
	})
	tb.until(`document.querySelector("#run .meters").innerText.includes("iteration 4 of 5") && document.querySelectorAll("#run .figure .fill").length === 4`)
	tb.until(`document.querySelector("#st-ship").dataset.state === "active" && document.querySelectorAll('.graph:not([data-down]) .node[data-state="active"] .name')[0].textContent === "ship"`)
	tb.until(`document.querySelector("#journal li").innerText.includes("iteration 4")`)
	if !eval[bool](tb, `document.querySelector("#e-e-3 details").open && document.querySelector("#e-e-3 .result") !== null`) {
		t.Error("an open effect was closed")
	}
	h.change(func(h *fakeHub) { h.runs = nil }) // put away while somebody looks at it
	h.change(func(h *fakeHub) { h.boardNow.Notices = nil })
	tb.until(`document.title === "Turnpost"`)
	if got := tb.text("#hub"); got != "hub alive" {
		t.Errorf("because a run is gone, %q", got)
	}
	tb.clean()
}

func testRunKeys(t *testing.T, ctx context.Context) {
	h := sample(time.Now())
	tb := board(t, ctx, h, viewport(1200, 900))
	tb.keys("jjjjjj")
	tb.until(`document.activeElement === document.querySelector("#r-r-12 .row")`)
	tb.keys("e") // nothing is halted by the key that is done with a row
	tb.until(`document.querySelector("#said").innerText.startsWith("This row wants an answer")`)
	tb.keys("c")
	tb.until(`document.querySelector("#compose [name=to]").value === "@web"`)
	tb.press(kb.Escape)
	tb.until(`document.activeElement === document.querySelector("#r-r-12 .row")`)
	tb.keys("r")
	tb.until(`location.pathname === "/runs/r-12"`)
	tb.live()
	tb.keys("r")
	tb.until(`document.activeElement === document.querySelector("#asks textarea")`)
	tb.keys("all")
	tb.press(kb.Enter, chromedp.KeyModifiers(kb.ModifierCtrl))
	tb.until(`document.querySelector("#said").innerText === "Answered. r-12 goes on."`)
	tb.keys("j")
	tb.until(`document.activeElement === document.querySelector("#st-build .row")`)
	if len(h.steered) > 0 {
		t.Errorf("steered: %+v", h.steered)
	}
	tb.clean()
}

// Whoever hears the page is told what each control is for, and which drawing has
// its words elsewhere; whoever has no mouse reaches what scrolls.
func testNames(t *testing.T, ctx context.Context) {
	for _, path := range []string{"/", "/runs", "/runs/r-12", "/runs/r-9", "/runs/r-12/effects/e-3", "/notes?handle=%40api%2Fauth"} {
		tb := visit(t, ctx, samplePage(sample(time.Now()), nil), path, viewport(375, 740))
		nameless := eval[[]string](tb, `[...document.querySelectorAll("main :is(a, button, textarea, input:not([type=hidden]), svg, [role=group], [role=region])")]
			.filter((el) => !el.textContent.trim() && !el.getAttribute("aria-label") && !el.getAttribute("aria-labelledby") && !(el.labels && el.labels.length) && el.getAttribute("aria-hidden") !== "true")
			.map((el) => el.outerHTML.slice(0, 120))`)
		if len(nameless) > 0 {
			t.Errorf("%s: without a name: %q", path, nameless)
		}
		scrolling := eval[[]string](tb, `[...document.querySelectorAll("main *")]
			.filter((el) => el.checkVisibility() && /auto|scroll/.test(getComputedStyle(el).overflowX) && el.scrollWidth > el.clientWidth && el.tabIndex < 0)
			.map((el) => el.outerHTML.slice(0, 120))`)
		if len(scrolling) > 0 {
			t.Errorf("%s: scrolls for a mouse only: %q", path, scrolling)
		}
		levels := eval[string](tb, `[...document.querySelectorAll("main :is(h1, h2, h3)")].map((el) => el.localName).join(" ")`)
		if !strings.HasPrefix(levels, "h1") || strings.Count(levels, "h1") != 1 {
			t.Errorf("%s: headings %s", path, levels)
		}
		ids := eval[[]string](tb, `[...document.querySelectorAll("[id]")].map((el) => el.id).filter((id, i, all) => all.indexOf(id) !== i)`)
		if len(ids) > 0 {
			t.Errorf("%s: ids that are there twice: %v", path, ids)
		}
		tb.clean()
	}
}

// As testTextInBrowser, for every text of a run and of notes.
func testRunTextInBrowser(t *testing.T, ctx context.Context) {
	all := payloads(t)
	build := func(change func(string) string) http.Handler {
		h := newFake()
		h.boardNow.Now = time.Now()
		run := filled(change(all[0]), func(r *turnpost.Run) {
			r.ID, r.State, r.EndedAt, r.Seq = "r-1", turnpost.RunWaiting, time.Time{}, int64(len(all))
			r.Effects, r.Steps, r.Scores, r.Missing = nil, nil, nil, nil
		})
		for i, text := range all {
			text = change(text)
			run.Effects = append(run.Effects, filled(text, func(e *turnpost.Effect) {
				e.ID, e.Kind, e.State = fmt.Sprint("e-", i), turnpost.EffectKinds()[i%5], turnpost.EffectPending
			}))
			run.Steps = append(run.Steps, filled(text, func(s *turnpost.Step) {
				s.ID, s.Needs, s.State = fmt.Sprint(i, text), []string{fmt.Sprint(i/2, change(all[i/2]))}, turnpost.StepActive
			}))
			run.Scores = append(run.Scores, filled(text, func(s *turnpost.Score) { s.Value = float64(i) }))
			run.Missing = append(run.Missing, text)
			h.journals["r-1"] = append(h.journals["r-1"], filled(text, func(e *turnpost.RunEvent) { e.Seq = int64(i + 1) }))
		}
		run.Steps = run.Steps[:maxGraph/2]
		h.runs = []turnpost.Run{run}
		return samplePage(h, nil)
	}
	look := func(page http.Handler) string {
		tb := visit(t, ctx, page, "/runs/r-1")
		tb.live()
		for i := range 5 { // one of each kind
			tb.click(fmt.Sprintf("#e-e-%d summary", len(all)-1-i))
			tb.until(fmt.Sprintf(`document.querySelector("#e-e-%d .result")`, len(all)-1-i))
		}
		eval[bool](tb, stir)
		defer tb.clean()
		return eval[string](tb, countElements)
	}
	want, got := look(build(harmless)), look(build(func(text string) string { return text }))
	if got != want {
		t.Errorf("elements\n with attacks %s\n without      %s", got, want)
	}
}

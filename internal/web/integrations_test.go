package web

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"
)

func testIntegrations(t *testing.T, ctx context.Context) {
	h, setup := sample(time.Now()), sampleSetup(time.Now())
	tb := visit(t, ctx, samplePage(h, setup), "/integrations", viewport(1200, 900))
	tb.live()
	tb.click(`#in-claude-code [action="/do/apply"] button`)
	tb.until(`document.querySelector("#in-claude-code").dataset.standing === "applied"`)
	tb.until(`document.querySelector("#said").innerText === "Applied to claude-code."`)
	tb.click(`#in-claude-code [action="/do/check"] button`)
	tb.until(`document.querySelectorAll("#in-claude-code .checks li").length === 5`)
	tb.click(`#in-claude-code [action="/do/remove"] button`)
	tb.until(`document.querySelector("#in-claude-code").dataset.standing === "not applied"`)
	if got, want := strings.Join(setup.did, ", "), "apply claude-code sha256:9b1f4c22d07ae611f3, check claude-code, remove claude-code sha256:undo"; got != want {
		t.Errorf("did %s", got)
	}
	tb.do(chromedp.SendKeys(chromedp.CSS("#unlinked [name=handle]"), "@shop"))
	tb.click("#unlinked button")
	tb.until(`document.querySelector("#unlinked").innerText.includes("Every session that is heard has a handle")`)
	tb.clean()

	// A plan that changed meanwhile is not applied, and the page shows the new one.
	setup.mu.Lock()
	if in, err := setup.find("claude-code"); err == nil {
		in.Plan.Hash = "sha256:other"
	}
	setup.mu.Unlock()
	tb.click(`#in-claude-code [action="/do/apply"] button`)
	tb.until(`document.querySelector("#said").innerText.includes("not the one that you saw")`)
	tb.until(`document.querySelector("#in-claude-code [name=hash]").value === "sha256:other"`)
}

// Fifteen harnesses are a list to look through, not a wall: everything is folded
// but what failed, and those that somebody uses come first.
func testManyHarnesses(t *testing.T, ctx context.Context) {
	setup := sampleSetup(time.Now())
	tb := visit(t, ctx, samplePage(sample(time.Now()), setup), "/integrations", viewport(1200, 900))
	tb.live()
	sections := eval[[]string](tb, `[...document.querySelectorAll(".integration")].map((el) => el.id + ": " + el.dataset.standing)`)
	want := []string{
		"in-claude-code: not applied", "in-codex: not reviewed", "in-gemini: package", "in-opencode: not applied", "in-pi: out of date",
		"in-copilot: applied", "in-qwen: blocked", "in-cursor: not applied", "in-hermes: by hand",
	}
	if diff := cmp.Diff(want, sections); diff != "" {
		t.Errorf("the sections (-want +got):\n%s", diff)
	}
	if got := len(setup.list); got != 15 {
		t.Errorf("the sample has %d harnesses", got)
	}
	if got := tb.text(".absent"); !strings.HasPrefix(got, "Not on this machine: Factory Droid, ") || strings.Contains(got, "\n") {
		t.Errorf("the absent ones are %q", got)
	}
	if got := eval[[]string](tb, `[...document.querySelectorAll("#integrations details[open]")].map((el) => el.id)`); len(got) != 1 || got[0] != "checks-codex" {
		t.Errorf("unfolded: %v", got)
	}
	const seen = `[...document.querySelectorAll("#integrations :is(.head, p, summary, li, .copy, pre)")].filter((el) => el.checkVisibility()).length`
	if n := eval[int](tb, seen); n > 7*len(want) {
		t.Errorf("%d rows are to be seen, more than seven a harness", n)
	}
	if n := eval[int](tb, `[...document.querySelectorAll("#integrations :is(.lines li, .limits li, pre)")].filter((el) => el.checkVisibility()).length`); n > 0 {
		t.Errorf("%d entries, limits and differences are to be seen", n)
	}
	if high := eval[int](tb, `document.querySelector("#integrations").offsetHeight`); high > 220*len(want) {
		t.Errorf("%d px high", high)
	}
	// What a button sends is what stands beside it.
	hashes := eval[[]string](tb, `[...document.querySelectorAll("#integrations [name=hash]")].map((el) => {
		const shown = [...el.closest(".integration").querySelectorAll(".hash")].filter((h) => h.checkVisibility() && h.title === el.value && el.value.startsWith(h.textContent.replace("…", "")));
		return shown.length === 1 ? "" : el.value;
	})`)
	if strings.Join(hashes, "") != "" || len(hashes) != 7 {
		t.Errorf("buttons for plans that are not shown: %q", hashes)
	}
	// All of it is there behind one click each.
	tb.click("#plan-claude-code > summary")
	tb.until(`document.querySelector("#plan-claude-code .lines li").innerText.includes("15 hooks in ~/.claude/settings.json: '/home/anna")`)
	if strings.Contains(tb.text("#plan-claude-code"), "+++ ") {
		t.Error("the difference is unfolded with the plan")
	}
	tb.click("#plan-claude-code-diff > summary")
	tb.until(`document.querySelector("#plan-claude-code .diff").innerText.includes("+++ /home/anna/.claude/settings.json")`)
	tb.click("#limits-codex > summary")
	tb.until(`document.querySelectorAll("#limits-codex li").length === 3 && document.querySelector("#limits-codex li").checkVisibility()`)
	tb.click("#step-hermes-0 > summary")
	tb.until(`document.querySelector("#step-hermes-0 code").innerText.startsWith("hooks:\n")`)
	// What the reader opened stays so when something else is done.
	tb.click(`#in-copilot [action="/do/check"] button`)
	tb.until(`document.querySelectorAll("#checks-copilot li").length === 5 && document.querySelector("#checks-copilot").open`)
	if !eval[bool](tb, `document.querySelector("#plan-claude-code-diff").open && document.querySelector("#limits-codex").open`) {
		t.Error("what was open is folded again")
	}
	tb.clean()
}

// Texts of settings, plans and checks are texts, in whatever harness.
func testHostileSettings(t *testing.T, ctx context.Context) {
	build := func(change func(string) string) *fakeSetup {
		setup := &fakeSetup{}
		for i, payload := range payloads(t) {
			text := change(payload)
			setup.list = append(setup.list, filled(text, func(in *Integration) {
				in.Name, in.Detected, in.Checks[0].Result = fmt.Sprint("h", i), i%2 == 0, CheckFailed
				if in.Applied = i%3 == 0; i%3 > 0 {
					in.Problem = ""
				}
				if exact(payload) == "" {
					in.Steps[0].Code = harmless(payload)
				}
			}))
		}
		return setup
	}
	open := func(setup *fakeSetup) (*tab, string) {
		tb := visit(t, ctx, samplePage(newFake(), setup), "/integrations")
		tb.live()
		eval[bool](tb, `document.querySelectorAll("#integrations details").forEach((el) => { el.open = true; }) || true`)
		eval[bool](tb, stir)
		tb.click(`#in-h0 [action="/do/check"] button`)
		tb.until(`document.querySelectorAll("#checks-h0 li").length === 5`)
		return tb, eval[string](tb, countElements)
	}
	quiet, want := open(build(harmless))
	quiet.clean()
	loud, got := open(build(func(text string) string { return text }))
	if got != want {
		t.Errorf("elements\n with attacks %s\n without      %s", got, want)
	}
	loud.clean()
}

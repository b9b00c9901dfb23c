package web

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	cdp "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Reading, and even writing, needs no script.
func testWithoutScript(t *testing.T, ctx context.Context) {
	h := sample(time.Now())
	tb := visit(t, ctx, samplePage(h, nil), "/", viewport(1200, 900))
	tb.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	}), chromedp.Navigate(tb.server.URL+"/"))
	text := tb.text("body")
	for _, want := range []string{"@api/auth", "waiting: permission", "iOS build 412 is in review", "Without JavaScript this page does not update by itself."} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing", want)
		}
	}
	tb.shot("without-script", false)
	if eval[bool](tb, `document.querySelector("#filter").checkVisibility()`) {
		t.Error("the filter is shown although it cannot work")
	}
	follow := func(selector string) {
		t.Helper()
		if _, err := chromedp.Run(tb.ctx, chromedp.WaitEvent(cdp.LoadEventFired, nil, chromedp.Click(chromedp.CSS(selector)))); err != nil {
			t.Fatal(err)
		}
	}
	tb.do(chromedp.Click(chromedp.CSS("#i-q-40 summary")))
	follow("#i-q-40 .pane a")
	if got := tb.text("h1"); !strings.Contains(got, "Which region do we migrate first") {
		t.Errorf("the item's page begins with %q", got)
	}
	tb.do(chromedp.SendKeys(chromedp.CSS("textarea"), "eu-west-1"))
	follow(".reply .main")
	if got := tb.text("main"); !strings.Contains(got, "answered by @anna") || len(h.posts) != 1 {
		t.Errorf("after the answer, %d posts, and the page says\n%s", len(h.posts), got)
	}
	tb.do(chromedp.Navigate(tb.server.URL+"/"), chromedp.Click(chromedp.CSS("#compose summary")),
		chromedp.SendKeys(chromedp.CSS("#compose [name=to]"), "@web"), chromedp.SendKeys(chromedp.CSS("#compose textarea"), "Hello"))
	follow("#compose-form .main")
	if len(h.posts) != 2 || h.posts[1].Summary != "Hello" {
		t.Errorf("posted %+v", h.posts)
	}
	tb.clean()
}

// testLooks takes the pictures, and holds what a picture shows to the eye: no
// width needs a sideways scroll, dark is dark.
func testLooks(t *testing.T, ctx context.Context) {
	for _, look := range []struct {
		name, path    string
		dark          bool
		width, height int64
		window        bool // what the window shows, not the whole page
		then          func(*tab)
	}{
		{name: "desktop-light", path: "/", width: 1200, height: 900},
		{name: "desktop-dark", path: "/", dark: true, width: 1200, height: 900},
		{name: "readme", path: "/", width: 1000, height: 860, window: true}, // docs/page.png
		{name: "session-open", path: "/", width: 1200, height: 900, window: true, then: func(tb *tab) {
			tb.click("#s-03 summary")
			tb.click("#s-03 .woken summary")
		}},
		{name: "thread-open", path: "/", dark: true, width: 1200, height: 900, window: true, then: func(tb *tab) {
			tb.click("#t-a-43 summary")
			tb.until(`document.querySelector("#t-a-43 .thread")`)
			tb.keys("j")
		}},
		{name: "compose-light", path: "/", width: 1200, height: 900, window: true, then: func(tb *tab) {
			tb.keys("c")
			tb.keys("@api/auth")
			tb.do(chromedp.SendKeys(chromedp.CSS("#compose textarea"), "Does /login still return 302?"))
			tb.press(kb.Enter, chromedp.KeyModifiers(kb.ModifierCtrl))
			tb.until(`document.querySelector("#compose .sent").innerText !== ""`)
		}},
		{name: "keys-dark", path: "/", dark: true, width: 1200, height: 900, window: true, then: func(tb *tab) { tb.keys("?") }},
		{name: "phone-light", path: "/", width: 360, height: 740, window: true, then: func(tb *tab) {
			tb.until(`["#s-04", "#s-05", "#s-06"].every((s) => document.querySelector(s + " .program").checkVisibility())`) // they are told apart
		}},
		{name: "phone-whole", path: "/", width: 360, height: 740},
		{name: "phone-dark-compose", path: "/", dark: true, width: 360, height: 740, window: true, then: func(tb *tab) { tb.keys("c") }},
		{name: "phone-item", path: "/item/n-39", width: 360, height: 740, window: true},
		{name: "tablet", path: "/", width: 768, height: 900, window: true},
		{name: "run-light", path: "/runs/r-12", width: 1200, height: 900},
		{name: "run-dark", path: "/runs/r-12", dark: true, width: 1200, height: 900, then: func(tb *tab) {
			tb.click("#e-e-3 summary")
			tb.until(`document.querySelector("#e-e-3 .result")`)
		}},
		{name: "run-phone", path: "/runs/r-12", width: 375, height: 740},
		{name: "run-ended", path: "/runs/r-9", width: 1200, height: 900, window: true},
		{name: "run-ended-phone-dark", path: "/runs/r-9", dark: true, width: 375, height: 740, window: true},
		{name: "runs", path: "/runs", width: 1200, height: 900, window: true},
		{name: "runs-phone-dark", path: "/runs", dark: true, width: 375, height: 740, window: true},
		{name: "notes", path: "/notes?handle=%40api%2Fauth", width: 1200, height: 900, window: true},
		{name: "notes-phone-dark", path: "/notes?handle=%40web", dark: true, width: 375, height: 740, window: true},
		{name: "session-notes", path: "/", width: 1200, height: 900, window: true, then: func(tb *tab) {
			tb.click("#s-01 summary")
			tb.click(`#s-01 [data-load] summary`)
			tb.until(`document.querySelector("#s-01 .written")`)
			eval[bool](tb, `(document.querySelector("#s-01").scrollIntoView({block: "center"}), true)`)
		}},
		{name: "integrations-light", path: "/integrations", width: 1200, height: 900},
		{name: "integrations-dark", path: "/integrations", dark: true, width: 1200, height: 900},
		{name: "integrations-phone", path: "/integrations", width: 360, height: 740},
		{name: "timeline", path: "/timeline?channel=%23general", width: 1200, height: 900},
	} {
		t.Run(look.name, func(t *testing.T) {
			name := map[bool]string{false: "light", true: "dark"}[look.dark]
			tb := visit(t, ctx, samplePage(sample(time.Now()), sampleSetup(time.Now())), look.path, viewport(look.width, look.height), scheme(name))
			if look.then != nil {
				tb.live()
				look.then(tb)
			}
			tb.shot(look.name, !look.window)
			if wide := eval[int](tb, `document.scrollingElement.scrollWidth`); wide > int(look.width) {
				t.Errorf("the page is %d px wide in a window of %d", wide, look.width)
			}
			if dark := eval[bool](tb, `getComputedStyle(document.body).backgroundColor.match(/\d+/g).every((c) => c < 60)`); dark != look.dark {
				t.Errorf("the %s page is %s", name, eval[string](tb, `getComputedStyle(document.body).backgroundColor`))
			}
			tb.clean()
		})
	}
}

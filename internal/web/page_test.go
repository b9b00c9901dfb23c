package web

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"turnpost"
)

// The page in a real browser, under the policy that the guard sets.
func TestPage(t *testing.T) {
	ctx := chromium(t)
	for _, test := range []struct {
		name string
		run  func(*testing.T, context.Context)
	}{
		{"a change is shown at once and moves nothing", testLive},
		{"what the reader does survives changes", testSurvives},
		{"compose", testCompose},
		{"thread", testThread},
		{"keys", testKeys},
		{"times stay true", testTimes},
		{"the hub goes and comes back", testGone},
		{"the server goes and comes back", testServerGone},
		{"signed out", testSignedOut},
		{"a breakpoint is answered", testBreakpoint},
		{"a run is halted and resumed", testSteer},
		{"a run goes on under the reader's eyes", testRunLive},
		{"runs by keys", testRunKeys},
		{"runs and notes have names for those who hear the page", testNames},
		{"integrations", testIntegrations},
		{"many harnesses", testManyHarnesses},
		{"hostile settings", testHostileSettings},
		{"text stays text", testTextInBrowser},
		{"text of runs stays text", testRunTextInBrowser},
		{"without script", testWithoutScript},
		{"looks", testLooks},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, ctx) })
	}
}

func board(t *testing.T, ctx context.Context, h *fakeHub, setup ...chromedp.Action[chromedp.Void]) *tab {
	t.Helper()
	tb := visit(t, ctx, samplePage(h, nil), "/", setup...)
	tb.live()
	return tb
}

func testLive(t *testing.T, ctx context.Context) {
	h := sample(time.Now())
	tb := board(t, ctx, h, viewport(1200, 900))
	tb.until(`document.querySelector("#s-01 .doing").innerText === "working Bash"`)
	eval[bool](tb, `window.same = true`)
	places := `JSON.stringify([...document.querySelectorAll("section, .rows > li, .row > :not(.dot)")].map((el) => { const r = el.getBoundingClientRect(); return [r.top, r.height]; }))`
	before := eval[string](tb, places)

	h.change(func(h *fakeHub) {
		s := &h.boardNow.Sessions[0]
		s.Status = turnpost.Status{
			State: turnpost.StateWaiting, Wants: turnpost.WantPermission, Tool: "Write", Since: time.Now(),
			Evidence: "permission 14:04:20, process alive",
		}
		s.Last, s.Unread = "May I write the file?", 4
	})
	tb.until(`document.querySelector("#s-01 .doing").innerText === "waiting: permission Write"`)
	tb.until(`document.querySelector("#s-01").dataset.state === "waiting"`)
	for selector, want := range map[string]string{
		"#s-01 .known": "permission 14:04:20, process alive", "#s-01 .last": "May I write the file?", "#s-01 .end time": "now",
		"#s-01 .unread": "4", "#sessions .count": "2 waiting",
	} {
		if got := tb.text(selector); !strings.HasPrefix(got, want) {
			t.Errorf("%s says %q, want %q", selector, got, want)
		}
	}
	if !eval[bool](tb, `window.same === true`) {
		t.Error("the page was loaded again")
	}
	if after := eval[string](tb, places); after != before {
		t.Errorf("the layout moved\nfrom %s\nto   %s", before, after)
	}
	// The first notice takes the place of the line that says there is none.
	h.change(func(h *fakeHub) { h.boardNow.Notices = nil })
	tb.until(`document.querySelector("#notices").innerText.includes("Nothing needs you")`)
	top := eval[float64](tb, `document.querySelector("#sessions").getBoundingClientRect().top`)
	h.change(func(h *fakeHub) {
		h.boardNow.Notices = []turnpost.Notice{{ID: 9, Class: "deaf", Loud: turnpost.LoudUrgent, Text: "@web does not hear its bell", At: time.Now()}}
	})
	tb.until(`document.title === "(1) Turnpost"`)
	if now := eval[float64](tb, `document.querySelector("#sessions").getBoundingClientRect().top`); now-top > 2 || top-now > 2 {
		t.Errorf("the first notice moves the page from %v to %v", top, now)
	}
	tb.clean()
}

func testSurvives(t *testing.T, ctx context.Context) {
	h := sample(time.Now())
	tb := board(t, ctx, h, viewport(1200, 900))
	tb.click("#s-03 summary")
	tb.click("#i-q-40 summary")
	tb.until(`document.querySelector("#i-q-40 textarea")`)
	tb.do(chromedp.SendKeys(chromedp.CSS("#i-q-40 textarea"), "half a sen"))
	scroll := eval[float64](tb, `scrollY`)

	for i := range 5 {
		h.change(func(h *fakeHub) {
			h.boardNow.Sessions[2].Last = fmt.Sprint("message ", i)
			h.items = append(h.items, turnpost.Item{ID: fmt.Sprint("n-20", i), Kind: turnpost.Note, Author: "@api", Summary: fmt.Sprint("news ", i), At: time.Now()})
			h.inbox.Entries[0].Item.Urgent = i%2 == 0
		})
		tb.until(fmt.Sprintf(`document.querySelector("#s-03 .last").innerText === "message %d" && document.querySelector("#t-n-20%d")`, i, i))
	}
	// The open thread is read again; what is being typed stays.
	h.change(func(h *fakeHub) {
		for i := range h.items {
			if h.items[i].ID == "q-40" {
				h.items[i].Deliveries[0].Told = true
			}
		}
	})
	tb.until(`document.querySelector("#i-q-40 .receipts").innerText.includes("you were told")`)
	if got := eval[string](tb, `document.querySelector("#i-q-40 textarea").value`); got != "half a sen" {
		t.Errorf("typed text became %q", got)
	}
	if !eval[bool](tb, `document.activeElement === document.querySelector("#i-q-40 textarea")`) {
		t.Error("the focus was lost")
	}
	if !eval[bool](tb, `document.querySelector("#s-03 > details").open && document.querySelector("#i-q-40 > details").open`) {
		t.Error("an open row was closed")
	}
	if now := eval[float64](tb, `scrollY`); now != scroll {
		t.Errorf("the page scrolled from %v to %v", scroll, now)
	}
	tb.clean()
}

func testCompose(t *testing.T, ctx context.Context) {
	h := sample(time.Now())
	tb := board(t, ctx, h, viewport(1200, 900))
	tb.keys("c")
	tb.until(`document.activeElement.name === "to"`)
	tb.keys("@api/auth, @we")
	tb.until(`[...document.querySelectorAll("#addresses option")].some((o) => o.value === "@api/auth, @web")`)
	tb.keys("b")
	tb.do(chromedp.SendKeys(chromedp.CSS("#compose textarea"), "Is the cache on?\nI see misses."))
	tb.press(kb.Enter, chromedp.KeyModifiers(kb.ModifierCtrl))
	tb.until(`document.querySelector("#compose .sent").innerText === "q-110 sent. @api/auth: in its running turn · @web: idle: rung"`)
	tb.until(`document.querySelector("#t-q-110 .text").innerText === "Is the cache on?"`)
	if got := h.posts[0]; got.Kind != turnpost.Question || got.Body != "Is the cache on?\nI see misses." || len(got.To) != 2 || got.Key == "" {
		t.Errorf("posted %+v", got)
	}
	// Ready for the next: empty, in focus, same recipients.
	tb.until(`document.activeElement === document.querySelector("#compose textarea")`)
	if got := eval[string](tb, `document.querySelector("#compose textarea").value + document.querySelector("#compose [name=to]").value`); got != "@api/auth, @web" {
		t.Errorf("the box holds %q", got)
	}
	tb.clean()

	// A refusal keeps the text and says what to do.
	tb.do(chromedp.SetValue(chromedp.CSS("#compose [name=to]"), "@nobody"))
	tb.do(chromedp.SendKeys(chromedp.CSS("#compose textarea"), "Hello?"))
	tb.click("#compose .main:not(summary)")
	tb.until(`document.querySelector("#compose .problem").innerText.includes("known: @api/auth")`)
	if got := eval[string](tb, `document.querySelector("#compose textarea").value`); got != "Hello?" {
		t.Errorf("after a refusal the text is %q", got)
	}
	tb.press(kb.Escape)
	tb.until(`!document.querySelector("#compose").open`)
	if len(h.posts) != 1 {
		t.Errorf("%d posts", len(h.posts))
	}
}

func testThread(t *testing.T, ctx context.Context) {
	h := sample(time.Now())
	tb := board(t, ctx, h, viewport(1200, 900))
	tb.click("#i-q-40 summary")
	tb.until(`document.querySelector("#i-q-40 .body").innerText.includes("I have the plan for both.")`)
	tb.do(chromedp.SendKeys(chromedp.CSS("#i-q-40 textarea"), "eu-west-1"))
	tb.click("#i-q-40 .reply .main")
	tb.until(`document.querySelector("#said").innerText.startsWith("a-110 sent. @api: at its turn end")`)
	tb.until(`!document.querySelector("#i-q-40") && !document.querySelector("#o-q-40") && document.querySelector("#t-a-110")`)

	tb.click("#o-t-45 summary")
	tb.until(`document.querySelector("#o-t-45 textarea")`)
	tb.do(chromedp.SendKeys(chromedp.CSS("#o-t-45 textarea"), "checked on a copy"))
	tb.click(`#o-t-45 [formaction="/do/resolve"]`)
	tb.until(`document.querySelector("#said").innerText === "t-45 resolved." && !document.querySelector("#o-t-45")`)
	tb.click("#t-t-45 summary")
	tb.until(`document.querySelector("#t-t-45 .result").innerText === "checked on a copy"`)

	tb.click("#i-n-48 .quick button")
	tb.until(`!document.querySelector("#i-n-48")`)
	tb.click("#n-2 .quick button")
	tb.until(`!document.querySelector("#n-2") && document.title === "(2) Turnpost"`)
	tb.clean()
}

func testKeys(t *testing.T, ctx context.Context) {
	h := sample(time.Now())
	tb := board(t, ctx, h, viewport(1200, 900))
	focused := func(selector string) {
		t.Helper()
		tb.until(fmt.Sprintf(`document.activeElement === document.querySelector(%q)`, selector))
	}
	tb.keys("j")
	focused("#n-4 .row")
	tb.keys("j")
	focused("#n-2 .row")
	if !eval[bool](tb, `getComputedStyle(document.activeElement).outlineStyle === "solid"`) {
		t.Error("the focus is not seen")
	}
	tb.keys("e") // clears the notice; the next row takes its place
	tb.until(`!document.querySelector("#n-2")`)
	focused("#n-3 .row")
	tb.keys("jjj")
	focused("#r-r-12 .row")
	tb.keys("jjj")
	focused("#s-02 summary")
	tb.keys("k")
	focused("#s-08 summary")
	tb.keys("j")
	tb.press(kb.Enter)
	tb.until(`document.querySelector("#s-02 > details").open`)
	tb.press(kb.Escape)
	tb.until(`!document.querySelector("#s-02 > details").open`)
	focused("#s-02 summary")
	tb.keys("c")
	tb.until(`document.querySelector("#compose [name=to]").value === "@api" && document.activeElement.name === "text"`)
	tb.keys("jk?/")
	tb.until(`document.activeElement.value === "jk?/"`)
	tb.press(kb.Escape)
	focused("#s-02 summary")

	tb.keys("?")
	tb.until(`document.querySelector("#keys").matches(":popover-open")`)
	tb.press(kb.Escape)
	tb.until(`!document.querySelector("#keys").matches(":popover-open")`)

	tb.keys("/")
	focused("#filter")
	tb.keys("iOS build")
	tb.until(`[...document.querySelectorAll(".rows > li")].filter((li) => li.checkVisibility()).length === 2`)
	h.change(func(h *fakeHub) { h.boardNow.Sessions[0].Last = "something else" }) // a change does not undo the filter
	tb.until(`document.querySelector("#s-01 .last").textContent === "something else"`)
	tb.until(`[...document.querySelectorAll(".rows > li")].filter((li) => li.checkVisibility()).length === 2`)
	tb.press(kb.Enter)
	focused("#i-s-46 summary")
	tb.keys("e")
	tb.until(`!document.querySelector("#i-s-46")`)
	tb.keys("/")
	tb.press(kb.Escape)
	tb.until(`document.querySelector("#s-01").checkVisibility()`)

	tb.keys("G")
	focused("#t-c-38 summary")
	tb.keys("kr")
	tb.until(`document.activeElement === document.querySelector("#t-n-39 textarea")`)
	tb.press(kb.Escape)
	focused("#t-n-39 summary")
	tb.keys("g")
	focused("#n-4 .row")
	tb.press(kb.Tab)
	focused("#n-4 a")
	tb.clean()
}

func testTimes(t *testing.T, ctx context.Context) {
	h := sample(time.Now())
	tb := board(t, ctx, h)
	h.change(func(h *fakeHub) { h.boardNow.Sessions[7].Status.Since = time.Now().Add(-4 * time.Second) })
	tb.until(`document.querySelector("#s-08 .end time").innerText === "now"`)
	h.mu.Lock()
	polls := h.rev
	h.mu.Unlock()
	tb.until(`document.querySelector("#s-08 .end time").innerText === "10s"`)
	if h.rev != polls {
		t.Error("the hub had to change for it")
	}
	// The browser and the server say the same.
	for _, d := range []time.Duration{0, 15 * time.Second, 90 * time.Second, 61 * time.Minute, 30 * time.Hour, 100 * time.Hour} {
		at := time.Now().Add(-d)
		h.change(func(h *fakeHub) { h.boardNow.Sessions[6].Status.Since = at })
		tb.until(fmt.Sprintf(`document.querySelector("#s-07 .end time").dateTime === %q`, stamp(at)))
		tb.until(fmt.Sprintf(`document.querySelector("#s-07 .end time").innerText === %q`, ago(d)))
	}
	tb.clean()
}

func testGone(t *testing.T, ctx context.Context) {
	h := sample(time.Now())
	tb := board(t, ctx, h)
	h.change(func(h *fakeHub) { h.down = turnpost.Errorf(turnpost.Unavailable, "gone") })
	tb.until(`/^hub is gone since \d\d:\d\d$/.test(document.querySelector("#hub").innerText)`)
	if got := tb.text("#s-01 .handle"); got != "@api/auth" {
		t.Errorf("the last known board is gone too: %q", got)
	}
	h.change(func(h *fakeHub) { h.down = nil; h.boardNow.Sessions[0].Status.Tool = "Back" })
	tb.until(`document.querySelector("#hub").innerText === "hub alive" && document.querySelector("#s-01 .more").innerText === "Back"`)
	tb.clean()
}

func testServerGone(t *testing.T, ctx context.Context) {
	h := sample(time.Now())
	tb := board(t, ctx, h)
	tb.refuse(503, "text/plain")
	tb.until(`/^hub is gone since \d\d:\d\d$/.test(document.querySelector("#hub").innerText)`)
	h.change(func(h *fakeHub) { h.boardNow.Sessions[0].Status.Tool = "Back" })
	tb.refuse(0, "")
	tb.until(`document.querySelector("#hub").innerText === "hub alive" && document.querySelector("#s-01 .more").innerText === "Back"`)
}

// A refusal of the guard is told; its text does not become part of the page.
func testSignedOut(t *testing.T, ctx context.Context) {
	h := sample(time.Now())
	tb := board(t, ctx, h)
	tb.refuse(401, "application/json")
	tb.until(`document.querySelector("#hub").innerText.includes("run turnpost open")`)
	tb.keys("c")
	tb.until(`document.activeElement.name === "to"`)
	tb.keys("@web")
	tb.do(chromedp.SendKeys(chromedp.CSS("#compose textarea"), "Hello"))
	tb.click("#compose .main:not(summary)")
	tb.until(`document.querySelector("#said").textContent.includes("You are signed out")`)
	if got := eval[string](tb, `document.querySelector("#compose textarea").value`); got != "Hello" {
		t.Errorf("the text became %q", got)
	}
	if strings.Contains(tb.text("body"), "refused by the guard") {
		t.Error("the guard's answer is in the page")
	}
	// A page whose stream was refused from the start finds it later.
	tb.refuse(0, "")
	tb.until(`document.querySelector("#hub").innerText === "hub alive"`)
}

// A browser that reads the attacks builds the same elements as from harmless
// texts, runs nothing and breaks no policy; on load and through the stream.
func testTextInBrowser(t *testing.T, ctx context.Context) {
	all := payloads(t)
	build := func(change func(string) string) *fakeHub {
		h := newFake()
		h.boardNow.Now = time.Now()
		for i, text := range all {
			text = change(text)
			s := filled(text, func(s *turnpost.Session) {
				s.ID, s.Status.State, s.EndedAt = fmt.Sprint(i), turnpost.StateWedged, time.Time{}
			})
			h.boardNow.Sessions = append(h.boardNow.Sessions, s)
			h.boardNow.Notices = append(h.boardNow.Notices, filled(text, func(n *turnpost.Notice) { n.ID, n.Loud = int64(i), turnpost.LoudNotice }))
			h.items = append(h.items, filled(text, func(it *turnpost.Item) {
				it.ID, it.Kind, it.State, it.Thread = fmt.Sprint("q-", i), turnpost.Question, turnpost.ItemOpen, "q-0"
			}))
		}
		return h
	}
	open := func(h *fakeHub) (*tab, string) {
		tb := visit(t, ctx, samplePage(h, nil), "/")
		tb.live()
		tb.click("#o-q-0 summary")
		tb.until(fmt.Sprintf(`document.querySelectorAll("#o-q-0 .message").length === %d`, len(all)))
		h.change(func(h *fakeHub) {
			for i := range h.boardNow.Sessions {
				h.boardNow.Sessions[i].Unread = 7
			}
		})
		tb.until(`document.querySelector("#s-0 .unread").textContent.startsWith("7")`)
		eval[bool](tb, stir)
		return tb, eval[string](tb, countElements)
	}
	quiet, want := open(build(harmless))
	quiet.clean()
	loud, got := open(build(func(text string) string { return text }))
	if got != want {
		t.Errorf("elements\n with attacks %s\n without      %s", got, want)
	}
	loud.clean()
	if title := eval[string](loud, `document.title`); title != eval[string](quiet, `document.title`) {
		t.Errorf("the title became %q", title)
	}
}

// countElements counts what the page is made of, and what no text may add.
const countElements = `(() => { const n = {}; for (const el of document.querySelectorAll("*")) { n[el.localName] = (n[el.localName] || 0) + 1;
	for (const a of el.attributes) if (a.name.startsWith("on") || a.name === "style" || a.name === "srcdoc") n["!" + a.name] = 1; }
	delete n.script; return JSON.stringify(n); })()`

// stir gives handlers their chance.
const stir = `document.querySelectorAll("main *").forEach((el) => { for (const e of ["mouseover", "focus", "click"]) if (e !== "click" || !el.closest("button, a, summary, label, form")) el.dispatchEvent(new Event(e, {bubbles: true})); }) || true`

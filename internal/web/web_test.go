package web

import (
	"context"
	htmltext "html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"turnpost"
)

func get(t *testing.T, h http.Handler, path string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w
}

func submit(t *testing.T, h http.Handler, path string, form url.Values, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func wants(t *testing.T, html string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(html, text) {
			t.Errorf("%q is missing in:\n%s", text, html)
		}
	}
}

// Everything that a person should see is in the HTML itself: reading needs no
// script.
func TestBoardIsReadWithoutScript(t *testing.T) {
	now := time.Now()
	page := samplePage(sample(now), sampleSetup(now))
	w := get(t, page, "/")
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "text/html; charset=utf-8" || w.Header().Get("Cache-Control") != "no-store" {
		t.Fatalf("%d %v", w.Code, w.Header())
	}
	wants(t, w.Body.String(),
		"hub alive", "@anna", "3 notices", "@docs is wedged: rate limit.",
		"1 waiting · 1 wedged · 1 unheard · 1 quiet · 2 working · 4 idle",
		"@api/auth", "claude-code 2.1.332", "Bash", "tool.before 14:03:21, process alive", "I am running the whole suite",
		"waiting: permission", "wedged: rate limit", "2 background tasks", "not linked", "hears: turn end and bell", "codex 0.171.0", "opencode 1.18.33",
		"alive, unheard since 13:11: every hook is missing from /home/anna/.claude/settings.json",
		"What woke it", "/login returns 303 since this morning", "cd /home/anna/src/web &amp;&amp; claude --resume",
		"3 ended within a day", "Mail waits where nobody is:", "3 events lost",
		"Which region do we migrate first", "claimed by @api", "answered by @api/auth", "@infra/blue-green → @deploy",
		`href="/item/q-40"`, `href="/?channel=%23release#timeline"`)

	_, unheard, _ := strings.Cut(w.Body.String(), `id="s-07"`)
	unheard, _, _ = strings.Cut(unheard, `<li id="s-`)
	if !strings.Contains(unheard, "unheard since") || strings.Contains(unheard, "hears") {
		t.Error("the page says what a session hears that is unheard")
	}

	w = get(t, page, "/item/a-43")
	wants(t, w.Body.String(), "Does /login still return 302?", "the body is empty", "answered", "acked", "<!doctype html>")
	w = get(t, page, "/integrations")
	wants(t, w.Body.String(), "not applied", "sha256:9b1f4c22d07ae611f3", "15 hooks in ~/.claude/settings.json: <code>&#39;/home/anna", "SessionStart, UserPromptSubmit",
		"Mail: turn end, between tools, prompt, start; the bell while idle.", "by its documentation, not run against the program", "Nothing wakes it.",
		"applied", "not reviewed", "turnpost setup --harness codex --trust", "not trusted: they do not run", "blocked", "line 12, column 4", "out of date",
		"package", "in ~/.gemini/extensions/turnpost/gemini-extension.json: that is enough", "by hand", "25 lines",
		"Not on this machine: Factory Droid, OpenClaw, Antigravity, Kiro, Windsurf, Amp.", "no guess is made", `name="session" value="10"`)
	if strings.Contains(w.Body.String(), "claude mcp add-json") {
		t.Error("a step is shown before there is anything to follow it up")
	}
	if w = get(t, page, "/?channel=%23release"); strings.Contains(w.Body.String(), "We deploy blue first") {
		t.Error("the channel's timeline holds another channel's item")
	}
}

// A session that only reports wants no handle, and nobody is asked for one.
func TestReportsOnly(t *testing.T) {
	h := newFake()
	h.boardNow.Sessions = []turnpost.Session{{
		ID: "1", Harness: "amp", Native: "T-1", Reports: true, Unlinked: "its program reports status only and takes no mail",
		Can: "nothing: its program only reports", Status: turnpost.Status{State: turnpost.StateWorking, Since: time.Now(), Evidence: "prompt 14:03:21"},
	}}
	page := samplePage(h, nil)
	for _, path := range []string{"/", "/integrations"} {
		html := get(t, page, path).Body.String()
		if strings.Contains(html, "ot linked") || strings.Contains(html, "/do/link") {
			t.Errorf("%s asks for a handle", path)
		}
		if path == "/" {
			wants(t, html, "reports only", "amp", "hears: nothing: its program only reports")
		}
	}
}

// What is there to be copied is what a reader sees, or it is not there.
func TestStepsAreExact(t *testing.T) {
	for code, shown := range map[string]bool{
		"codex mcp add turnpost -- '/home/anna/a b/turnpost' mcp": true,
		"hooks:\n\t- one\n":              true,
		"true \u202e; rm -rf ~":          false,
		"true\x1b[8m; rm -rf ~":          false,
		"true\r\nrm -rf ~":               false,
		"true \u200b\U000e0041":          false,
		"true \xff":                      false,
		"echo <script>pwned(1)</script>": true,
	} {
		setup := &fakeSetup{list: []Integration{{Name: "x", Title: "X", Detected: true, Steps: []Step{{"Run this:", code}}}}}
		html := get(t, samplePage(newFake(), setup), "/integrations").Body.String()
		_, rest, copied := strings.Cut(html, `<div class="copy"><code>`)
		got, _, _ := strings.Cut(rest, "</code>")
		if copied != shown || shown && htmltext.UnescapeString(got) != code {
			t.Errorf("%q is shown as %q", code, got)
		}
		wants(t, html, "Run this:")
	}
}

// The page does not name a plan that it does not show, or take one from where
// the program is not.
func TestNoListNoButtons(t *testing.T) {
	setup := &fakeSetup{down: turnpost.Errorf(turnpost.Invalid, "program: /tmp/turnpost is temporary").WithHint("install it first: make up")}
	html := get(t, samplePage(sample(time.Now()), setup), "/integrations").Body.String()
	wants(t, html, "program: /tmp/turnpost is temporary", "install it first: make up", `name="session" value="10"`)
	if strings.Contains(html, "/do/apply") || strings.Contains(html, "No harness that Turnpost knows") {
		t.Errorf("there is a list:\n%s", html)
	}
}

func TestTimelinePages(t *testing.T) {
	h := newFake()
	for i := range 100 {
		h.items = append(h.items, turnpost.Item{ID: "n-" + string(rune('a'+i/26)) + string(rune('a'+i%26)), Kind: turnpost.Note, Summary: "x"})
	}
	page := samplePage(h, nil)
	seen, path := 0, "/"
	for path != "" {
		html := get(t, page, path).Body.String()
		seen += strings.Count(html, `id="t-n-`)
		_, rest, found := strings.Cut(html, `<a href="/timeline?`)
		link, _, _ := strings.Cut(rest, `"`)
		if path = ""; found {
			path = "/timeline?" + link
		}
	}
	if seen != 100 {
		t.Errorf("%d of 100 items are reached", seen)
	}
}

func TestForms(t *testing.T) {
	now := time.Now()
	for _, test := range []struct {
		name, path string
		form       url.Values
		back       string
		check      func(*testing.T, *fakeHub, *fakeSetup)
	}{
		{
			name: "post", path: "/do/post", back: "/",
			form: url.Values{"to": {"@api/auth #general"}, "kind": {"task"}, "urgent": {"1"}, "text": {"Look\nplease"}, "key": {"k1"}},
			check: func(t *testing.T, h *fakeHub, _ *fakeSetup) {
				want := turnpost.Draft{
					Kind: turnpost.Task, Channel: "#general", To: []string{"@api/auth"}, Urgent: true,
					Summary: "Look", Body: "Look\nplease", Key: "k1",
				}
				if diff := cmp.Diff([]turnpost.Draft{want}, h.posts); diff != "" {
					t.Error(diff)
				}
			},
		},
		{
			name: "answer", path: "/do/reply", back: "/item/q-40",
			form: url.Values{"item": {"q-40"}, "kind": {"question"}, "text": {"eu-west-1"}, "key": {"k2"}},
			check: func(t *testing.T, h *fakeHub, _ *fakeSetup) {
				want := turnpost.Draft{Kind: turnpost.Answer, ReplyTo: "q-40", Summary: "eu-west-1", Key: "k2"}
				if diff := cmp.Diff([]turnpost.Draft{want}, h.posts); diff != "" {
					t.Error(diff)
				}
			},
		},
		{
			name: "reply", path: "/do/reply", back: "/item/n-48",
			form: url.Values{"item": {"n-48"}, "kind": {"note"}, "text": {"thanks"}},
			check: func(t *testing.T, h *fakeHub, _ *fakeSetup) {
				if h.posts[0].Kind != turnpost.Note || h.posts[0].ReplyTo != "n-48" {
					t.Errorf("%+v", h.posts[0])
				}
			},
		},
		{
			name: "resolve", path: "/do/resolve", form: url.Values{"item": {"t-45"}, "text": {" done \n"}}, back: "/item/t-45",
			check: func(t *testing.T, h *fakeHub, _ *fakeSetup) {
				if it := h.items[5]; it.State != turnpost.ItemResolved || it.Result != "done" {
					t.Errorf("%+v", it)
				}
			},
		},
		{
			name: "ack", path: "/do/ack", form: url.Values{"item": {"n-48"}}, back: "/",
			check: func(t *testing.T, h *fakeHub, _ *fakeSetup) {
				if len(h.inbox.Entries) != 3 {
					t.Errorf("%d entries are left", len(h.inbox.Entries))
				}
			},
		},
		{
			name: "clear", path: "/do/clear", form: url.Values{"notice": {"2"}}, back: "/",
			check: func(t *testing.T, h *fakeHub, _ *fakeSetup) {
				if len(h.boardNow.Notices) != 3 {
					t.Errorf("%d notices are left", len(h.boardNow.Notices))
				}
			},
		},
		{
			name: "answer a breakpoint", path: "/do/answer", back: "/runs/r-12",
			form: url.Values{"run": {"r-12"}, "item": {"q-49"}, "kind": {"note"}, "text": {"10 % first\nand tell me"}, "key": {"k3"}},
			check: func(t *testing.T, h *fakeHub, _ *fakeSetup) {
				want := turnpost.Draft{Kind: turnpost.Answer, ReplyTo: "q-49", Summary: "10 % first", Body: "10 % first\nand tell me", Key: "k3"}
				if diff := cmp.Diff([]turnpost.Draft{want}, h.posts); diff != "" {
					t.Error(diff)
				}
			},
		},
		{
			name: "halt", path: "/do/run", form: url.Values{"run": {"r-14"}, "do": {"halt"}, "turns": {"9"}}, back: "/runs/r-14",
			check: func(t *testing.T, h *fakeHub, _ *fakeSetup) {
				if diff := cmp.Diff([]turnpost.RunRequest{{ID: "r-14", Do: turnpost.RunHalt}}, h.steered); diff != "" {
					t.Error(diff)
				}
			},
		},
		{
			name: "resume with more", path: "/do/run", back: "/runs/r-9",
			form: url.Values{"run": {"r-9"}, "do": {"resume"}, "iterations": {" 10"}, "turns": {""}, "minutes": {"90"}},
			check: func(t *testing.T, h *fakeHub, _ *fakeSetup) {
				want := turnpost.RunRequest{ID: "r-9", Do: turnpost.RunResume, Limits: turnpost.Limits{Iterations: 10, Seconds: 5400}}
				if diff := cmp.Diff([]turnpost.RunRequest{want}, h.steered); diff != "" {
					t.Error(diff)
				}
			},
		},
		{
			name: "link", path: "/do/link", form: url.Values{"session": {"10"}, "handle": {" shop"}}, back: "/integrations",
			check: func(t *testing.T, h *fakeHub, _ *fakeSetup) {
				if diff := cmp.Diff([]turnpost.LinkRequest{{Session: "10", Handle: "@shop"}}, h.links); diff != "" {
					t.Error(diff)
				}
			},
		},
		{
			name: "apply", path: "/do/apply", form: url.Values{"harness": {"claude-code"}, "hash": {"sha256:9b1f4c22d07ae611f3"}}, back: "/integrations",
			check: func(t *testing.T, _ *fakeHub, s *fakeSetup) {
				if diff := cmp.Diff([]string{"apply claude-code sha256:9b1f4c22d07ae611f3"}, s.did); diff != "" {
					t.Error(diff)
				}
			},
		},
		{
			name: "remove", path: "/do/remove", form: url.Values{"harness": {"codex"}, "hash": {"sha256:77e0aa41c9"}}, back: "/integrations",
			check: func(t *testing.T, _ *fakeHub, s *fakeSetup) {
				if diff := cmp.Diff([]string{"remove codex sha256:77e0aa41c9"}, s.did); diff != "" {
					t.Error(diff)
				}
			},
		},
		{
			name: "check", path: "/do/check", form: url.Values{"harness": {"codex"}}, back: "/integrations",
			check: func(t *testing.T, _ *fakeHub, s *fakeSetup) {
				if diff := cmp.Diff([]string{"check codex"}, s.did); diff != "" {
					t.Error(diff)
				}
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			h, setup := sample(now), sampleSetup(now)
			w := submit(t, samplePage(h, setup), test.path, test.form)
			if w.Code != http.StatusSeeOther || w.Header().Get("Location") != test.back {
				t.Errorf("without script: %d to %q", w.Code, w.Header().Get("Location"))
			}
			test.check(t, h, setup)

			h, setup = sample(now), sampleSetup(now)
			w = submit(t, samplePage(h, setup), test.path, test.form, "HX-Request", "true", "HX-Current-URL", "http://127.0.0.1:1/")
			if w.Code != http.StatusOK {
				t.Errorf("with htmx: %d", w.Code)
			}
			wants(t, w.Header().Get("HX-Trigger"), `"mood":"good"`)
			wants(t, w.Body.String(), `<div id="top"`, `<section id="sessions"`)
			test.check(t, h, setup)
		})
	}
}

// Bad input is a 4xx that names the field, and nothing is stored.
func TestBadForms(t *testing.T) {
	now := time.Now()
	for _, test := range []struct {
		name, path string
		form       url.Values
		code       int
		says       string
	}{
		{"no recipient", "/do/post", url.Values{"kind": {"note"}, "text": {"x"}}, 400, "to: is empty"},
		{"two channels", "/do/post", url.Values{"to": {"#a #b"}, "text": {"x"}}, 400, "two channels"},
		{"no text", "/do/post", url.Values{"to": {"@api"}, "kind": {"note"}, "text": {" \n"}}, 400, "text: is empty"},
		{"unknown handle", "/do/post", url.Values{"to": {"@nobody"}, "kind": {"note"}, "text": {"x"}}, 400, "known: @api/auth"},
		{"empty reply", "/do/reply", url.Values{"item": {"q-40"}}, 400, "text: is empty"},
		{"unknown item", "/do/resolve", url.Values{"item": {"q-999"}}, 404, "no item q-999"},
		{"no number", "/do/clear", url.Values{"notice": {"x"}}, 400, "notice: is not a number"},
		{"no handle", "/do/link", url.Values{"session": {"10"}}, 400, "handle: is empty"},
		{"unknown session", "/do/link", url.Values{"session": {"x"}, "handle": {"@a"}}, 404, "no session x"},
		{"another plan", "/do/apply", url.Values{"harness": {"claude-code"}, "hash": {"sha256:old"}}, 409, "look at it again"},
		{"no plan seen", "/do/apply", url.Values{"harness": {"claude-code"}}, 409, "not the one that you saw"},
		{"unknown harness", "/do/check", url.Values{"harness": {"x"}}, 404, "no harness x"},
		{"empty answer", "/do/answer", url.Values{"run": {"r-12"}, "item": {"q-49"}, "text": {" "}}, 400, "text: is empty"},
		{"another verb", "/do/run", url.Values{"run": {"r-12"}, "do": {"complete"}}, 400, "do: is neither halt nor resume"},
		{"no limit", "/do/run", url.Values{"run": {"r-9"}, "do": {"resume"}, "turns": {"many"}}, 400, "turns: is not a number"},
		{"nothing more", "/do/run", url.Values{"run": {"r-9"}, "do": {"resume"}}, 409, "it used its 5 iterations"},
		{"unknown run", "/do/run", url.Values{"run": {"r-99"}, "do": {"halt"}}, 404, "no run r-99"},
		{"too large", "/do/post", url.Values{"text": {strings.Repeat("x", maxForm)}}, 413, "more than"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, headers := range [][]string{nil, {"HX-Request", "true"}} {
				h, setup := sample(now), sampleSetup(now)
				w := submit(t, samplePage(h, setup), test.path, test.form, headers...)
				if w.Code != test.code {
					t.Errorf("%v: %d, want %d", headers, w.Code, test.code)
				}
				wants(t, w.Body.String()+w.Header().Get("HX-Trigger"), test.says)
				if h.rev != 1 || len(setup.did) > 0 {
					t.Errorf("%v: something was stored", headers)
				}
			}
		})
	}
}

// What was typed survives a refusal, with its key; a used-up key is replaced.
func TestComposeKeepsWhatWasTyped(t *testing.T) {
	h := sample(time.Now())
	form := url.Values{"to": {"@nobody"}, "kind": {"task"}, "urgent": {"1"}, "text": {"a <b>\nline"}, "key": {"page-KEY"}}
	w := submit(t, samplePage(h, nil), "/do/post", form, "HX-Request", "true")
	wants(t, w.Body.String(), `value="@nobody"`, `value="task" checked`, `name="urgent" value="1" checked`, "a &lt;b&gt;\nline</textarea>", `value="page-KEY"`)
	form.Set("to", "@web")
	w = submit(t, samplePage(h, nil), "/do/post", form, "HX-Request", "true")
	wants(t, w.Body.String(), "@web: idle: rung", `value="@web"`, `></textarea>`)
	if strings.Contains(w.Body.String(), "page-KEY") {
		t.Error("the key is used twice")
	}
}

func TestHubGone(t *testing.T) {
	h := sample(time.Now())
	h.down = turnpost.Errorf(turnpost.Unavailable, "the hub does not answer").WithHint("start it: turnpost up -d")
	page := samplePage(h, nil)
	for _, path := range []string{"/", "/integrations", "/item/q-40", "/timeline"} {
		w := get(t, page, path)
		if w.Code != http.StatusServiceUnavailable {
			t.Errorf("%s: %d", path, w.Code)
		}
		wants(t, w.Body.String(), "hub is gone since", "turnpost up -d")
	}
	w := submit(t, page, "/do/post", url.Values{"to": {"@api"}, "text": {"x"}}, "HX-Request", "true")
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("HX-Reswap") != "none" {
		t.Errorf("a form is replaced although it could not be sent: %d %q", w.Code, w.Header().Get("HX-Reswap"))
	}
	wants(t, w.Header().Get("HX-Trigger"), `"mood":"bad"`, "turnpost up -d")
}

func TestRoutes(t *testing.T) {
	page := samplePage(sample(time.Now()), nil)
	for path, code := range map[string]int{
		"/": 200, "/runs": 200, "/runs/r-12": 200, "/runs/r-99": 404, "/runs/r-12/effects/e-3": 200, "/runs/r-12/effects/e-99": 404,
		"/runs/r-99/effects/e-1": 404, "/runs/": 404, "/notes?handle=@web": 200, "/do/run": 404, "/nowhere": 404, "/item/q-999": 404, "/do/post": 404, "/static/page.css": 200, "/static/htmx.min.js": 404, "/static/VENDORED": 404,
		"/static/..%2fweb.go": 404, "/events?page=%ff:": 400, "/integrations": 200, "/timeline": 200,
	} {
		if w := get(t, page, path); w.Code != code {
			t.Errorf("GET %s: %d, want %d", path, w.Code, code)
		}
	}
	wants(t, get(t, page, "/integrations").Body.String(), "Run <code>turnpost setup</code>")
	if w := submit(t, page, "/", nil); w.Code != http.StatusNotFound && w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST /: %d", w.Code)
	}
}

// Another site's form does nothing, even with the cookie of this page.
func TestCrossOrigin(t *testing.T) {
	h := sample(time.Now())
	page := samplePage(h, nil)
	form := url.Values{"notice": {"2"}}
	for _, headers := range [][]string{
		{"Sec-Fetch-Site", "cross-site"},
		{"Sec-Fetch-Site", "same-site"},
		{"Origin", "http://evil.example"},
		{"Origin", "null"},
	} {
		if w := submit(t, page, "/do/clear", form, headers...); w.Code != http.StatusForbidden {
			t.Errorf("%v: %d", headers, w.Code)
		}
	}
	if len(h.boardNow.Notices) != 4 {
		t.Error("a notice was cleared")
	}
	if w := submit(t, page, "/do/clear", form, "Sec-Fetch-Site", "same-origin"); w.Code != http.StatusSeeOther {
		t.Errorf("the page's own form: %d", w.Code)
	}
}

func TestStaticIsKept(t *testing.T) {
	page := samplePage(newFake(), nil)
	if w := get(t, page, loadAssets().script.url()); !strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
		t.Errorf("with its hash: %q", w.Header().Get("Cache-Control"))
	}
	if w := get(t, page, "/static/page.js?v=old"); w.Header().Get("Cache-Control") != "no-cache" {
		t.Errorf("with another hash: %q", w.Header().Get("Cache-Control"))
	}
}

// A stream begins with every region, then brings only what changed, says that
// it lives while nothing does, and ends with its request.
func TestStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := sample(time.Now())
		ctx, cancel := context.WithCancel(t.Context())
		w := &streamWriter{header: http.Header{}, message: make(chan string, 10)}
		over := false
		go func() {
			samplePage(h, nil).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/events?page=/", nil).WithContext(ctx))
			over = true
		}()
		first := <-w.message
		for _, id := range []string{"top", "notices", "runs", "sessions", "inbox", "open", "timeline", "addresses"} {
			if !strings.Contains(first, ` id="`+id+`"`) {
				t.Errorf("the first message has no %s", id)
			}
		}
		if w.header.Get("Content-Type") != "text/event-stream" {
			t.Errorf("content type %q", w.header.Get("Content-Type"))
		}

		h.change(func(h *fakeHub) { h.boardNow.Sessions[0].Status.Tool = "Write" })
		next := <-w.message
		if !strings.Contains(next, "Write") || strings.Contains(next, `id="timeline"`) {
			t.Errorf("a change of one session brought:\n%s", next)
		}

		time.Sleep(time.Hour) // nothing changes
		select {
		case text := <-w.message:
			t.Errorf("an idle hub brought:\n%s", text)
		default:
		}

		h.change(func(h *fakeHub) { h.down = turnpost.Errorf(turnpost.Unavailable, "gone") })
		if text := <-w.message; !strings.Contains(text, "hub is gone since") || strings.Contains(text, `id="sessions"`) {
			t.Errorf("a hub that is gone brought:\n%s", text)
		}
		time.Sleep(time.Minute)
		if len(w.message) > 0 {
			t.Errorf("it is said again: %s", <-w.message)
		}
		h.change(func(h *fakeHub) { h.down = nil })
		if text := <-w.message; !strings.Contains(text, "hub alive") {
			t.Errorf("a hub that is back brought:\n%s", text)
		}

		cancel()
		synctest.Wait()
		if !over || h.polls != 0 {
			t.Errorf("the stream is over: %v, polls: %d", over, h.polls)
		}
	})
}

// A storm of changes is a few messages, and the last one is the truth.
func TestStreamStorm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := sample(time.Now())
		ctx, cancel := context.WithCancel(t.Context())
		w := &streamWriter{header: http.Header{}, message: make(chan string, 1000)}
		go samplePage(h, nil).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/events?page=/", nil).WithContext(ctx))
		<-w.message
		for i := range 1000 {
			h.change(func(h *fakeHub) { h.boardNow.Sessions[0].Status.Tool = "Tool" + string(rune('A'+i%26)) })
			time.Sleep(time.Millisecond)
		}
		h.change(func(h *fakeHub) { h.boardNow.Sessions[0].Status.Tool = "Last" })
		time.Sleep(time.Second)
		synctest.Wait()
		n, last := len(w.message), ""
		for len(w.message) > 0 {
			last = <-w.message
		}
		if n > 20 || !strings.Contains(last, "Last") {
			t.Errorf("%d messages, the last:\n%s", n, last)
		}
		cancel()
	})
}

// The first bytes of a busy board, hub excluded.
func BenchmarkBoard(b *testing.B) {
	page := samplePage(sample(time.Now()), nil)
	b.ReportAllocs()
	for b.Loop() {
		w := httptest.NewRecorder()
		page.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
		if w.Code != http.StatusOK {
			b.Fatal(w.Code)
		}
	}
}

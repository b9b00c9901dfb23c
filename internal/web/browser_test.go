package web

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	cdp "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// chromium starts a headless browser with an empty profile and returns what
// tabs are made of.
func chromium(t *testing.T) context.Context {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Fatal("no Chromium on PATH: the page is tested in a real browser. Install it (Debian: apt-get install chromium; macOS: brew install --cask chromium)")
	}
	profile := t.TempDir()
	alloc, stop := chromedp.NewExecAllocator(t.Context(),
		chromedp.ExecPath(path), chromedp.UserDataDir(filepath.Join(profile, "profile")),
		chromedp.Env("HOME="+profile, "XDG_CONFIG_HOME="+profile, "XDG_CACHE_HOME="+profile),
		chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("hide-scrollbars", true),
		chromedp.Flag("force-color-profile", "srgb"), chromedp.WindowSize(1200, 900))
	ctx, closeBrowser := chromedp.NewContext(alloc)
	t.Cleanup(func() { closeBrowser(); stop() })
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("start %s: %v", path, err)
	}
	return ctx
}

// tab is one page of that browser. It collects what must not happen.
type tab struct {
	t   *testing.T
	ctx context.Context

	server *httptest.Server

	mu     sync.Mutex
	errors []string // console errors, uncaught exceptions, failed loads
	code   int      // what the guard refuses everything with; 0: it lets pass
	kind   string   // content type of the refusal
}

// watch makes a broken policy, an opened dialog and an executed payload visible.
const watch = `
	window.seen = {violations: [], ran: 0};
	addEventListener("securitypolicyviolation", (e) => seen.violations.push(e.violatedDirective + " " + e.blockedURI));
	window.alert = window.confirm = window.prompt = window.pwned = () => { seen.ran++; };`

// visit opens the handler's page at path in a tab of its own.
func visit(t *testing.T, ctx context.Context, h http.Handler, path string, setup ...chromedp.Action[chromedp.Void]) *tab {
	t.Helper()
	tb := &tab{t: t}
	server := httptest.NewUnstartedServer(guarded(tb.guard(h)))
	base, stop := context.WithCancel(context.Background())
	server.Config.BaseContext = func(net.Listener) context.Context { return base }
	server.Start()

	tb.server = server
	tabCtx, closeTab := chromedp.NewContext(ctx, chromedp.WithNewBrowserContext(), chromedp.WithListener(tb.listen))
	tb.ctx = tabCtx
	t.Cleanup(func() { closeTab(); stop(); server.Close() })
	if err := chromedp.Do(tabCtx); err != nil { // the first call's context is the tab's life
		t.Fatal(err)
	}
	tb.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, cdp.AddScriptToEvaluateOnNewDocument, cdp.AddScriptToEvaluateOnNewDocumentParams{Source: watch})
		return err
	}))
	tb.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error { // a tab in the background pauses its stream
		_, err := chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
		return err
	}))
	tb.do(setup...)
	tb.do(chromedp.Navigate(server.URL + path))
	tb.until(`document.documentElement.dataset.uiJs === ""`)
	return tb
}

// guard refuses while it is told to.
func (tb *tab) guard(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tb.mu.Lock()
		code, kind := tb.code, tb.kind
		tb.mu.Unlock()
		if code == 0 {
			h.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(code)
		_, _ = w.Write([]byte("<b>refused by the guard</b>"))
	})
}

// refuse cuts every connection and answers what comes with code; 0 ends that.
func (tb *tab) refuse(code int, kind string) {
	tb.mu.Lock()
	tb.code, tb.kind = code, kind
	tb.mu.Unlock()
	tb.server.CloseClientConnections()
}

func (tb *tab) listen(ev any) {
	text := ""
	switch ev := ev.(type) {
	case *runtime.EventConsoleAPICalled:
		if ev.Type == "error" || ev.Type == "warning" {
			text = string(ev.Type)
			for _, arg := range ev.Args {
				text += " " + string(arg.Value) + arg.Description
			}
		}
	case *runtime.EventExceptionThrown:
		text = "exception " + ev.ExceptionDetails.Text
		if ev.ExceptionDetails.Exception != nil {
			text += " " + ev.ExceptionDetails.Exception.Description
		}
	case *log.EventEntryAdded:
		if ev.Entry.Level == "error" || ev.Entry.Level == "warning" {
			text = "log " + ev.Entry.Text + " " + ev.Entry.URL
		}
	}
	if text != "" {
		tb.mu.Lock()
		tb.errors = append(tb.errors, text)
		tb.mu.Unlock()
	}
}

func (tb *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	tb.t.Helper()
	ctx, cancel := context.WithTimeout(tb.ctx, 20*time.Second)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		tb.t.Fatal(err)
	}
}

func eval[T any](tb *tab, js string) T {
	tb.t.Helper()
	out, err := chromedp.Run(tb.ctx, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
	if err != nil {
		tb.t.Fatalf("%s: %v", js, err)
	}
	return out
}

// until waits, frame by frame, for an expression to become true.
func (tb *tab) until(js string) {
	tb.t.Helper()
	const limit = 10_000 // ms
	_, err := chromedp.Run(tb.ctx, chromedp.Evaluate[bool](fmt.Sprintf(`new Promise((yes, no) => {
		const start = performance.now();
		const look = () => {
			let ok = false;
			try { ok = (%s); } catch (e) { }
			if (ok) return yes(true);
			if (performance.now() - start > %d) return no(new Error("never true"));
			setTimeout(look, 10);
		};
		look();
	})`, js, limit), chromedp.EvalAwaitPromise))
	if err != nil {
		tb.t.Fatalf("never true: %s\nthe page says %q, the hub is %q, the focus is on %s", js, tb.text("#said"), tb.text("#hub"),
			eval[string](tb, `document.activeElement.outerHTML.slice(0, 200)`))
	}
}

func (tb *tab) text(selector string) string {
	tb.t.Helper()
	return eval[string](tb, fmt.Sprintf(`(document.querySelector(%q)?.innerText || "")`, selector))
}

func (tb *tab) press(keys string, opts ...chromedp.KeyOption) {
	tb.t.Helper()
	tb.do(chromedp.KeyEvent(keys, opts...))
}

// keys strikes keys one by one, as a keyboard does: a key whose default the page
// prevents types nothing.
func (tb *tab) keys(text string) {
	tb.t.Helper()
	for _, r := range text {
		k := string(r)
		for _, event := range []input.DispatchKeyEventParams{
			{Type: input.DispatchKeyEventTypeKeyDown, Key: k, Text: k, UnmodifiedText: k},
			{Type: input.DispatchKeyEventTypeKeyUp, Key: k},
		} {
			if _, err := chromedp.Call(tb.ctx, input.DispatchKeyEvent, event); err != nil {
				tb.t.Fatal(err)
			}
		}
	}
}

func (tb *tab) click(selector string) {
	tb.t.Helper()
	tb.until(fmt.Sprintf(`document.querySelector(%q).checkVisibility()`, selector))
	tb.do(chromedp.Click(chromedp.CSS(selector)))
}

// live waits for the stream to have brought its first message.
func (tb *tab) live() {
	tb.t.Helper()
	tb.until(`document.querySelector("#live")._htmx.sse.reader !== null`)
	tb.until(`document.querySelector("#top").getAttribute("data-now") !== null`)
}

// clean fails the test for everything that must not have happened.
func (tb *tab) clean() {
	tb.t.Helper()
	tb.mu.Lock()
	found := strings.Join(tb.errors, "\n")
	tb.mu.Unlock()
	if found != "" {
		tb.t.Errorf("the console is not clean:\n%s", found)
	}
	if v := eval[[]string](tb, `seen.violations`); len(v) > 0 {
		tb.t.Errorf("the policy was broken: %v", v)
	}
	if n := eval[int](tb, `seen.ran`); n > 0 {
		tb.t.Errorf("%d payloads ran", n)
	}
}

func viewport(width, height int64) chromedp.Action[chromedp.Void] {
	return chromedp.EmulateViewport(width, height)
}

func scheme(name string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}},
		})
		return err
	})
}

// shot saves what the whole page looks like.
func (tb *tab) shot(name string, full bool) {
	tb.t.Helper()
	dir := *shotsDir
	if dir == "" {
		dir = tb.t.TempDir()
	}
	params := cdp.CaptureScreenshotParams{CaptureBeyondViewport: &full}
	image, err := chromedp.Call(tb.ctx, cdp.CaptureScreenshot, params)
	if err != nil {
		tb.t.Fatal(err)
	}
	if len(image.Data) < 5000 {
		tb.t.Errorf("%s: a picture of %d bytes shows nothing", name, len(image.Data))
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), image.Data, 0o600); err != nil {
		tb.t.Fatal(err)
	}
}

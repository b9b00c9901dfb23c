package api

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"turnpost"
)

// openLink asks for a link as `turnpost open` does.
func openLink(t *testing.T, s *Server) *url.URL {
	t.Helper()
	c := clients(s)["socket"]
	defer c.Close()
	login, err := c.Login(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if left := time.Until(login.Until); left <= 0 || left > time.Minute {
		t.Errorf("the link ends in %s", left)
	}
	link, err := url.Parse(login.URL)
	if err != nil {
		t.Fatal(err)
	}
	return link
}

func TestLoginLinkWorksOnce(t *testing.T) {
	s, f, mounted := guarded(t)
	serve(t, s)
	f.who = &turnpost.Identity{Handle: "@anna", Human: true}
	link := openLink(t, s)
	if link.Host != s.TCP() || link.Path != "/login" || len(link.Query().Get("code")) < 43 {
		t.Fatalf("link %s", link)
	}
	browser := http.Header{"Sec-Fetch-Site": {"none"}, "Accept": {"text/html"}}

	for _, spoiled := range []string{"/login", "/login?code=", "/login?code=wrong", "/login?kode=" + link.Query().Get("code")} {
		if answer := ask(s, "GET", link.Host, spoiled, browser, ""); answer.StatusCode != 401 || len(answer.Cookies()) != 0 {
			t.Errorf("%s: status %d, cookies %v", spoiled, answer.StatusCode, answer.Cookies())
		}
	}
	if answer := ask(s, "HEAD", link.Host, link.RequestURI(), browser, ""); answer.StatusCode != 405 {
		t.Errorf("HEAD: status %d", answer.StatusCode)
	}
	foreign := http.Header{"Sec-Fetch-Site": {"cross-site"}}
	if answer := ask(s, "GET", link.Host, link.RequestURI(), foreign, ""); answer.StatusCode != 403 {
		t.Errorf("from another site: status %d", answer.StatusCode)
	}
	answer := ask(s, "GET", link.Host, link.RequestURI(), browser, "")
	if answer.StatusCode != 303 || answer.Header.Get("Location") != "/" || answer.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("status %d, %v", answer.StatusCode, answer.Header)
	}
	if again := ask(s, "GET", link.Host, link.RequestURI(), browser, ""); again.StatusCode != 401 {
		t.Errorf("the second time: status %d", again.StatusCode)
	}

	cookie := answer.Cookies()[0]
	set := answer.Header.Get("Set-Cookie")
	for _, part := range []string{"Path=/", "HttpOnly", "SameSite=Strict"} {
		if !strings.Contains(set, part) {
			t.Errorf("Set-Cookie lacks %s: %s", part, set)
		}
	}
	if strings.Contains(set, "Domain") || !strings.Contains(cookie.Name, s.guard.pages.cookie) {
		t.Errorf("Set-Cookie: %s", set)
	}
	with := func(value string) *http.Response {
		return ask(s, "GET", link.Host, "/", http.Header{"Cookie": {value}}, "")
	}
	if with(cookie.Name+"="+cookie.Value).StatusCode != 200 || *mounted != 1 {
		t.Error("the cookie does not open the page")
	}
	// A site on another port may add one of the same name.
	if with(cookie.Name+"=x; "+cookie.Name+"="+cookie.Value).StatusCode != 200 {
		t.Error("a foreign cookie hides ours")
	}
	raw, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	if err != nil {
		t.Fatal(err)
	}
	raw[7]++ // a second later
	for _, forged := range []string{"", "x", cookie.Value[1:], base64.RawURLEncoding.EncodeToString(raw), testToken} {
		if with(cookie.Name+"="+forged).StatusCode != 401 {
			t.Errorf("cookie %q opens the page", forged)
		}
	}
	if with("turnpost-1="+cookie.Value).StatusCode != 401 {
		t.Error("the cookie of another port opens the page")
	}
}

func TestAgentsGetNoLoginLink(t *testing.T) {
	f := newFake()
	f.who = &turnpost.Identity{Handle: "@api"}
	s := listen(t, f)
	serve(t, s)
	c := clients(s)["socket"]
	defer c.Close()
	if _, err := c.Login(t.Context()); turnpost.CodeOf(err) != turnpost.Forbidden {
		t.Errorf("got %v", err)
	}
	if n := len(s.guard.pages.codes); n != 0 {
		t.Errorf("%d codes were made", n)
	}
	port := clients(s)["port"]
	defer port.Close()
	f.who.Human = true
	if _, err := port.Login(t.Context()); turnpost.CodeOf(err) != turnpost.Forbidden {
		t.Errorf("over the port: %v", err)
	}
	if err := port.Stop(t.Context()); turnpost.CodeOf(err) != turnpost.Forbidden {
		t.Errorf("stop over the port: %v", err)
	}
}

func TestNoPageWithoutAPort(t *testing.T) {
	s := listen(t, newFake(), func(cfg *Config) { cfg.TCP = "" })
	serve(t, s)
	c := clients(s)["socket"]
	defer c.Close()
	if _, err := c.Login(t.Context()); turnpost.CodeOf(err) != turnpost.Unavailable {
		t.Errorf("got %v", err)
	}
}

func TestCodesAndCookiesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPages(testToken, "1")
		code, _ := p.newCode(time.Now())
		late, _ := p.newCode(time.Now())
		time.Sleep(codeLife - time.Nanosecond)
		if !p.useCode(code, time.Now()) {
			t.Error("a code ends too early")
		}
		time.Sleep(time.Nanosecond)
		if p.useCode(late, time.Now()) {
			t.Error("a code does not end")
		}
		for range 10 * maxCodes {
			code, _ = p.newCode(time.Now())
		}
		if len(p.codes) > maxCodes || !p.useCode(code, time.Now()) {
			t.Errorf("%d codes are kept", len(p.codes))
		}

		cookie := p.newCookie(time.Now())
		r := &http.Request{Header: http.Header{"Cookie": {cookie.Name + "=" + cookie.Value}}}
		time.Sleep(pageLife - time.Second)
		if !p.signedIn(r, time.Now()) {
			t.Error("a cookie ends too early")
		}
		if !newPages(testToken, "1").signedIn(r, time.Now()) {
			t.Error("a restart of the hub signs the browser out")
		}
		if newPages(strings.ToUpper(testToken), "1").signedIn(r, time.Now()) {
			t.Error("a new token does not sign the browser out")
		}
		time.Sleep(time.Second)
		if p.signedIn(r, time.Now()) {
			t.Error("a cookie does not end")
		}
	})
}

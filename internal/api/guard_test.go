package api

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"turnpost"
)

// guarded is a server with mounts, asked without a network.
func guarded(t *testing.T) (s *Server, f *fakeBackend, mounted *int) {
	t.Helper()
	f, mounted = newFake(), new(int)
	see := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { *mounted++ })
	s = listen(t, f, func(cfg *Config) {
		cfg.Origins = []string{"https://hub.example"}
		cfg.Mounts = map[string]Mount{
			"/":       {Handler: see, Person: true, Types: []string{"application/x-www-form-urlencoded"}},
			"/mcp":    {Handler: see},
			"/hooks/": {Handler: see},
		}
	})
	s.guard.limits = newLimiter(1e12, 1e12)
	return s, f, mounted
}

func ask(s *Server, method, host, path string, header http.Header, body string) *http.Response {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Host = host
	for name, values := range header {
		r.Header[name] = values
	}
	w := httptest.NewRecorder()
	s.guard.ServeHTTP(w, r)
	return w.Result()
}

func bearer(token string) http.Header { return http.Header{"Authorization": {"Bearer " + token}} }

// R22: all routes, hosts, origins, methods and tokens. Only the combinations
// that the three lists below name get through, and a refused request reaches
// nothing.
func TestGuardMatrix(t *testing.T) {
	s, f, mounted := guarded(t)
	_, port, _ := net.SplitHostPort(s.TCP())
	hosts := []struct {
		host string
		ours bool
	}{
		{"127.0.0.1:" + port, true},
		{"LOCALHOST:" + port, true},
		{"[::1]:" + port, true},
		{"evil.com", false},
		{"localhost.evil.com", false},
		{"127.0.0.1.evil.com:" + port, false},
		{"127.1:" + port, false},
		{"0.0.0.0:" + port, false},
		{"", false},
		{"localhost.:" + port, false},
		{"127.0.0.1", false},
		{"127.0.0.1:1", false},
	}
	origins := []struct {
		origin string // HOST is the request's own
		ours   bool
	}{
		{"absent", true},
		{"http://HOST", true},
		{"https://HOST", false},
		{"http://evil.com", false},
		{"null", false},
		{"http://127.0.0.1:1", false},
		{"http://HOST.evil.com", false},
		{"", false},
	}
	methods := []string{"GET", "POST", "PUT", "DELETE", "OPTIONS"}
	tokens := []struct {
		token string
		valid bool
	}{
		{"absent", false},
		{strings.Repeat("x", len(testToken)), false},
		{testToken[:20], false},
		{testToken, true},
		{"A" + testToken[1:], false}, // of another user
	}
	type target struct {
		path  string
		takes []string
		open  bool
	}
	targets := []target{
		{"/", []string{"GET", "POST", "DELETE"}, false},
		{"/mcp", []string{"GET", "POST", "DELETE"}, false},
		{"/hooks/any", []string{"GET", "POST", "DELETE"}, false},
		{"/login", []string{"GET"}, true},
		{"/v1/nothing", nil, false},
	}
	for _, e := range endpoints() {
		takes := e.policy.methods
		if e.policy.local {
			takes = nil
		}
		targets = append(targets, target{e.path, takes, false})
	}
	passed, asked := 0, 0
	for _, target := range targets {
		for _, host := range hosts {
			for _, origin := range origins {
				for _, method := range methods {
					for _, token := range tokens {
						header := http.Header{"Content-Type": {"application/json"}}
						if token.token != "absent" {
							header["Authorization"] = []string{"Bearer " + token.token}
						}
						if origin.origin != "absent" {
							header["Origin"] = []string{strings.Replace(origin.origin, "HOST", host.host, 1)}
						}
						path, body := target.path, ""
						if target.open {
							code, _ := s.guard.pages.newCode(time.Now())
							path += "?code=" + code
						}
						if method == "POST" {
							body = "{}"
							if target.path == "/v1/shown" {
								body = `{"offer":"o"}`
							}
						}
						want := host.ours && origin.ours && slices.Contains(target.takes, method) &&
							(token.valid || target.open && token.token == "absent")
						before := f.count() + *mounted
						answer := ask(s, method, host.host, path, header, body)
						asked++
						got := answer.StatusCode < 400
						if got {
							passed++
						}
						name := fmt.Sprintf("%s %s Host %q Origin %q token %q", method, target.path, host.host, origin.origin, token.token)
						if got != want {
							t.Errorf("%s: status %d, should pass: %v", name, answer.StatusCode, want)
						}
						if !got && f.count()+*mounted != before {
							t.Errorf("%s: refused, but reached a handler", name)
						}
						if answer.StatusCode >= 500 {
							t.Errorf("%s: status %d", name, answer.StatusCode)
						}
						checkHeaders(t, name, answer)
					}
				}
			}
		}
	}
	// 3 hosts × 2 origins × (one method for each of 35 routes, three for each of 3 mounts, GET with two tokens at /login).
	if want := 3 * 2 * (35 + 3*3 + 2); passed != want {
		t.Errorf("%d of %d requests passed, want %d", passed, asked, want)
	}
	t.Logf("%d requests, %d passed", asked, passed)
}

func checkHeaders(t *testing.T, name string, answer *http.Response) {
	t.Helper()
	h := answer.Header
	for header := range h {
		if strings.HasPrefix(header, "Access-Control") {
			t.Errorf("%s: answers with %s", name, header)
		}
	}
	if h.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(h.Get("Content-Security-Policy"), "frame-ancestors 'none'") ||
		!strings.HasPrefix(h.Get("Content-Security-Policy"), "default-src 'none';") || strings.Contains(h.Get("Content-Security-Policy"), "unsafe") {
		t.Errorf("%s: without its security headers: %v", name, h)
	}
}

// CVE-2026-33252 and others: what a page of another site can send.
func TestCrossSiteRequests(t *testing.T) {
	s, f, mounted := guarded(t)
	host := s.TCP()
	own := "http://" + host
	cookie := s.guard.pages.newCookie(time.Now())
	signed := func(more http.Header) http.Header {
		h := http.Header{"Cookie": {cookie.Name + "=" + cookie.Value}, "Content-Type": {"application/json"}}
		for name, values := range more {
			h[name] = values
			if values == nil {
				delete(h, name)
			}
		}
		return h
	}
	for _, test := range []struct {
		name   string
		method string
		path   string
		header http.Header
		want   int
	}{
		{"the page writes", "POST", "/v1/post", http.Header{"Origin": {own}, "Sec-Fetch-Site": {"same-origin"}}, 200},
		{"a person opens the page", "GET", "/", http.Header{"Sec-Fetch-Site": {"none"}}, 200},
		{"cross-site", "POST", "/v1/post", http.Header{"Sec-Fetch-Site": {"cross-site"}}, 403},
		{"another port of this machine", "GET", "/", http.Header{"Sec-Fetch-Site": {"same-site"}}, 403},
		{"two sites", "GET", "/", http.Header{"Sec-Fetch-Site": {"none", "cross-site"}}, 403},
		{"two origins", "POST", "/v1/post", http.Header{"Origin": {own, "http://evil.com"}}, 403},
		{"stream with a foreign origin", "GET", "/", http.Header{"Origin": {"http://evil.com"}, "Accept": {"text/event-stream"}}, 403},
		{"upgrade with a foreign origin", "GET", "/", http.Header{"Origin": {"http://evil.com"}, "Upgrade": {"websocket"}}, 403},
		{"text", "POST", "/v1/post", http.Header{"Content-Type": {"text/plain"}}, 415},
		{"form", "POST", "/v1/post", http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}, 415},
		{"multipart", "POST", "/v1/post", http.Header{"Content-Type": {"multipart/form-data; boundary=x"}}, 415},
		{"no type", "POST", "/v1/post", http.Header{"Content-Type": nil}, 415},
		{"two types", "POST", "/v1/post", http.Header{"Content-Type": {"application/json", "text/plain"}}, 415},
		{"JSON in Latin-1", "POST", "/v1/post", http.Header{"Content-Type": {"application/json; charset=latin1"}}, 415},
		{"JSON in UTF-8", "POST", "/v1/post", http.Header{"Content-Type": {"application/json; charset=UTF-8"}}, 200},
		{"a form of the page", "POST", "/", http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Origin": {own}}, 200},
		{"a form from nowhere", "POST", "/", http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}, 403},
		{"the cookie is not for agents' routes", "POST", "/mcp", nil, 401},
		{"nor for events", "POST", "/v1/event", nil, 401},
		{"a wrong token beside a good cookie", "POST", "/v1/post", bearer("wrong"), 401},
		{"two tokens", "POST", "/v1/post", http.Header{"Authorization": {"Bearer " + testToken, "Bearer " + testToken}}, 401},
		{"another scheme", "POST", "/v1/post", http.Header{"Authorization": {"Basic " + testToken}}, 401},
		{"two sessions", "POST", "/v1/post", http.Header{SessionHeader: {"a", "b"}}, 400},
		{"a session without end", "POST", "/v1/post", http.Header{SessionHeader: {strings.Repeat("a", 10_000)}}, 400},
		{"an empty session", "POST", "/v1/post", http.Header{SessionHeader: {""}}, 400},
		{"two native sessions", "POST", "/v1/post", http.Header{NativeHeader: {"a", "b"}}, 400},
		{"a native session without end", "POST", "/v1/post", http.Header{NativeHeader: {strings.Repeat("a", 129)}}, 400},
	} {
		before := f.count() + *mounted
		answer := ask(s, test.method, host, test.path, signed(test.header), "{}")
		if answer.StatusCode != test.want {
			t.Errorf("%s: status %d, want %d", test.name, answer.StatusCode, test.want)
		}
		if reached := f.count()+*mounted != before; reached != (test.want == 200) {
			t.Errorf("%s: reached a handler: %v", test.name, reached)
		}
		checkHeaders(t, test.name, answer)
	}
	// A page that acts for an agent is not the user at the same time.
	ask(s, "POST", host, "/v1/post", signed(http.Header{SessionHeader: {"secret"}}), "{}")
	if got := f.last(t).caller; got != (turnpost.Caller{HookSession: "secret"}) {
		t.Errorf("caller is %+v", got)
	}
}

func TestProxyOrigins(t *testing.T) {
	s, _, _ := guarded(t)
	for _, test := range []struct {
		host, origin string
		want         int
	}{
		{"hub.example", "https://hub.example", 200},
		{"Hub.Example", "https://hub.example", 200},
		{"hub.example", "http://hub.example", 403},
		{"hub.example:443", "https://hub.example", 403},
		{"hub.example", "http://" + s.TCP(), 403},
	} {
		h := bearer(testToken)
		h.Set("Origin", test.origin)
		if answer := ask(s, "GET", test.host, "/", h, ""); answer.StatusCode != test.want {
			t.Errorf("Host %s Origin %s: status %d, want %d", test.host, test.origin, answer.StatusCode, test.want)
		}
	}
	for _, origin := range []string{"hub.example", "https://hub.example/", "https://user@hub.example", "ftp://hub.example", "https://", "*"} {
		cfg := Config{Backend: newFake(), Socket: socketPath(t), Logger: discard(), Origins: []string{origin}}
		if _, err := Listen(cfg); turnpost.CodeOf(err) != turnpost.Invalid {
			t.Errorf("origin %q: %v", origin, err)
		}
	}
}

// What httptest cannot send.
func TestRawRequests(t *testing.T) {
	f := newFake()
	s := listen(t, f)
	serve(t, s)
	host := s.TCP()
	auth := "Authorization: Bearer " + testToken + "\r\n"
	for _, test := range []struct {
		name, request string
		want          int
	}{
		{"as it should be", "GET /healthz HTTP/1.1\r\nHost: " + host + "\r\n" + auth + "\r\n", 200},
		{"two hosts", "GET /healthz HTTP/1.1\r\nHost: " + host + "\r\nHost: evil.com\r\n" + auth + "\r\n", 400},
		{"no host", "GET /healthz HTTP/1.1\r\n" + auth + "\r\n", 400},
		{"an empty host", "GET /healthz HTTP/1.1\r\nHost:\r\n" + auth + "\r\n", 403},
		{"HTTP/1.0", "GET /healthz HTTP/1.0\r\n" + auth + "\r\n", 403},
		{"a host in the target", "GET http://" + host + "/healthz HTTP/1.1\r\nHost: evil.com\r\n" + auth + "\r\n", 403},
		{"OPTIONS *", "OPTIONS * HTTP/1.1\r\nHost: " + host + "\r\nContent-Length: 0\r\n\r\n", 401},
		{"OPTIONS * from elsewhere", "OPTIONS * HTTP/1.1\r\nHost: evil.com\r\nContent-Length: 0\r\n\r\n", 403},
		{"CONNECT", "CONNECT evil.com:443 HTTP/1.1\r\nHost: evil.com:443\r\n\r\n", 403},
		{"a long header", "GET /healthz HTTP/1.1\r\nHost: " + host + "\r\nX-Long: " + strings.Repeat("x", 32<<10) + "\r\n\r\n", 431},
	} {
		answer := sendRaw(t, "tcp", host, test.request)
		if answer.StatusCode != test.want {
			t.Errorf("%s: status %d, want %d", test.name, answer.StatusCode, test.want)
		}
		for header := range answer.Header {
			if strings.HasPrefix(header, "Access-Control") {
				t.Errorf("%s: answers with %s", test.name, header)
			}
		}
	}
	if f.count() != 0 {
		t.Errorf("%d requests reached the hub", f.count())
	}
}

func sendRaw(t *testing.T, network, address, request string) *http.Response {
	t.Helper()
	c, err := new(net.Dialer).DialContext(t.Context(), network, address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	go io.WriteString(c, request) // the server may close before it has read it all
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatalf("%.60q: %v", request, err)
	}
	answer.Body.Close()
	return answer
}

func TestRefusalsNameTheWayOut(t *testing.T) {
	s, _, _ := guarded(t)
	answer := ask(s, "GET", s.TCP(), "/", http.Header{"Accept": {"text/html,application/xhtml+xml"}}, "")
	page, _ := io.ReadAll(answer.Body)
	if answer.StatusCode != 401 || string(page) != "turnpost: error: this browser is not signed in\nturnpost: hint: run: turnpost open\n" {
		t.Errorf("a browser without a cookie sees %d %q", answer.StatusCode, page)
	}
	answer = ask(s, "PUT", s.TCP(), "/v1/post", bearer(testToken), "")
	var wire failure
	if err := json.NewDecoder(answer.Body).Decode(&wire); err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode != 405 || answer.Header.Get("Allow") != "POST" || wire.Error.Code != turnpost.Invalid {
		t.Errorf("PUT: %d, Allow %q, %+v", answer.StatusCode, answer.Header.Get("Allow"), wire.Error)
	}
	answer = ask(s, "POST", s.TCP(), "/v1/login", http.Header{"Authorization": {"Bearer " + testToken}, "Content-Type": {"application/json"}}, "{}")
	if answer.StatusCode != 403 {
		t.Errorf("a login link over TCP: status %d", answer.StatusCode)
	}
}

// The socket has its own proof; what a browser adds is refused there too.
func TestSocketRefusesPages(t *testing.T) {
	s, f, mounted := guarded(t)
	serve(t, s)
	path := s.socket.Addr().String()
	const body = "Content-Length: 2\r\n\r\n{}"
	for _, test := range []struct {
		name, header string
		want         int
	}{
		{"plain", "", 200},
		{"an origin", "Origin: http://127.0.0.1\r\n", 403},
		{"another site", "Sec-Fetch-Site: cross-site\r\n", 403},
	} {
		if answer := sendRaw(t, "unix", path, "POST /v1/whoami HTTP/1.1\r\nHost: turnpost\r\n"+test.header+body); answer.StatusCode != test.want {
			t.Errorf("%s: status %d, want %d", test.name, answer.StatusCode, test.want)
		}
	}
	// Whoever is there is a program: the page that speaks for the user is not.
	if answer := sendRaw(t, "unix", path, "GET / HTTP/1.1\r\nHost: turnpost\r\n\r\n"); answer.StatusCode != 403 || *mounted != 0 {
		t.Errorf("the page over the socket: status %d", answer.StatusCode)
	}
	h := bearer(testToken)
	h.Set(SessionHeader, "secret")
	if answer := ask(s, "GET", s.TCP(), "/", h, ""); answer.StatusCode != 403 || *mounted != 0 {
		t.Errorf("the page for an agent's session: status %d", answer.StatusCode)
	}
	if answer := sendRaw(t, "unix", path, "POST /mcp HTTP/1.1\r\nHost: turnpost\r\n"+body); answer.StatusCode != 200 || *mounted != 1 {
		t.Errorf("an agent's mount over the socket: status %d", answer.StatusCode)
	}
	if f.count() != 1 {
		t.Errorf("%d requests reached the hub", f.count())
	}
}

func TestFloodIsSlowedAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(200, 400)
		for range 400 {
			if wait := l.take("flooder", time.Now()); wait != 0 {
				t.Fatalf("slowed within the burst: %s", wait)
			}
		}
		wait := l.take("flooder", time.Now())
		if wait <= 0 || wait > 5*time.Millisecond {
			t.Errorf("wait is %s", wait)
		}
		if l.take("other", time.Now()) != 0 {
			t.Error("the flood slows another")
		}
		time.Sleep(wait)
		if l.take("flooder", time.Now()) != 0 {
			t.Error("slowed although it waited")
		}
		for i := range 10 * maxBuckets {
			l.take(fmt.Sprint(i), time.Now())
		}
		if len(l.buckets) > maxBuckets {
			t.Errorf("%d buckets are kept", len(l.buckets))
		}
	})
}

func TestFloodGets429(t *testing.T) {
	s, f, _ := guarded(t)
	s.guard.limits = newLimiter(1, 3)
	h := bearer(testToken)
	h.Set("Content-Type", "application/json")
	for i := range 5 {
		answer := ask(s, "POST", s.TCP(), "/v1/whoami", h, "{}")
		if slow := answer.StatusCode == 429 && answer.Header.Get("Retry-After") == "1"; slow != (i >= 3) {
			t.Errorf("request %d: status %d, Retry-After %q", i, answer.StatusCode, answer.Header.Get("Retry-After"))
		}
	}
	if f.count() != 3 {
		t.Errorf("%d requests reached the hub", f.count())
	}
	h.Set(SessionHeader, "an agent's")
	if answer := ask(s, "POST", s.TCP(), "/v1/whoami", h, "{}"); answer.StatusCode != 200 {
		t.Errorf("another one got %d", answer.StatusCode)
	}
}

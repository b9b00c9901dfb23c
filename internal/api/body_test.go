package api

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"turnpost"
)

func TestDecoderRefuses(t *testing.T) {
	decode := decoder[turnpost.Draft]()
	for _, test := range []struct{ name, body, field string }{
		{"nothing", "", "body"},
		{"spaces", " \n", "body"},
		{"null", "null", "body"},
		{"a list", "[]", "body"},
		{"a list of one", `[{"kind":"note"}]`, "body"},
		{"text", `"kind"`, "body"},
		{"half", `{"kind":"no`, "body"},
		{"no end", `{"kind":"note"`, "body"},
		{"a comma too many", `{"kind":"note",}`, "body"},
		{"a comment", `{"kind":"note"}//`, "body"},
		{"two objects", `{"kind":"note"}{"kind":"note"}`, "body"},
		{"a tail", `{"kind":"note"} x`, "body"},
		{"a BOM", "\ufeff{}", "body"},
		{"an unknown field", `{"kind":"note","sender":"@anna"}`, "sender"},
		{"another case", `{"Kind":"note"}`, "Kind"},
		{"both cases", `{"kind":"note","KIND":"task"}`, "KIND"},
		{"a key twice", `{"kind":"note","kind":"task"}`, "kind"},
		{"a key twice, escaped", `{"kind":"note","\u006bind":"task"}`, "kind"},
		{"NUL in a key", `{"kind\u0000":"note"}`, `"kind\x00"`},
		{"long s in a key", `{"ſummary":"x"}`, "ſummary"},
		{"control characters in a key", "{\"\\u001b[31mx\":1}", `"\x1b[31mx"`},
		{"a number for text", `{"kind":1}`, "kind"},
		{"text for a list", `{"to":"@a"}`, "to"},
		{"an object in a list", `{"to":["@a",{"x":1}]}`, "to[1]"},
		{"text for a bool", `{"urgent":"yes"}`, "urgent"},
		{"half a character", `{"kind":"\ud800"}`, "body"},
		{"the other half", `{"kind":"\udc00x"}`, "body"},
		{"halves the wrong way", `{"kind":"\udc00\ud800"}`, "body"},
		{"half before another escape", `{"kind":"\ud800\n"}`, "body"},
		{"not UTF-8", "{\"kind\":\"\xff\"}", "body"},
		{"raw newline in text", "{\"kind\":\"a\nb\"}", "body"},
		{"deep", `{"kind":` + strings.Repeat("[", 10_001), "kind"},
		{"deep and closed", `{"to":` + strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001) + `}`, "to"},
		{"a long key", `{"` + strings.Repeat("k", 300) + `":1}`, strings.Repeat("k", 100) + "..."},
	} {
		_, err := decode(strings.NewReader(test.body))
		var coded *turnpost.Error
		if e, ok := err.(*turnpost.Error); ok { //nolint:errorlint // it has to come bare
			coded = e
		}
		if coded == nil || coded.Code != turnpost.Invalid {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if got := strings.SplitN(coded.Field, "[", 2)[0]; coded.Field != test.field && got != test.field {
			t.Errorf("%s: field %q, want %q (%v)", test.name, coded.Field, test.field, err)
		}
		if strings.ContainsFunc(coded.Error(), func(r rune) bool { return r < ' ' || r == 0x7f }) {
			t.Errorf("%s: the message has control characters: %q", test.name, coded.Error())
		}
	}
	type numbers struct {
		Limit int `json:"limit"`
	}
	for _, number := range []string{"1e400", "1.5", "9223372036854775808", "-", "01", "NaN", `"1"`} {
		if _, err := decoder[numbers]()(strings.NewReader(`{"limit":` + number + `}`)); turnpost.CodeOf(err) != turnpost.Invalid {
			t.Errorf("%s is taken for a number: %v", number, err)
		}
	}
}

func TestDecoderTakes(t *testing.T) {
	for body, want := range map[string]turnpost.Draft{
		"{}":                                {},
		" {\n} ":                            {},
		`{"kind":"note","to":["@a"]}`:       {Kind: "note", To: []string{"@a"}},
		`{"to":null,"key":""}`:              {},
		`{"body":"\ud83d\ude00\\ud800 \""}`: {Body: `😀\ud800 "`},
		`{"body":"\u0000"}`:                 {Body: "\x00"}, // the hub's to judge
	} {
		got, err := decoder[turnpost.Draft]()(strings.NewReader(body))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", body, got, err)
		}
	}
	event, err := decoder[turnpost.Event]()(strings.NewReader(`{"process":{"pid":7},"failure":{"class":"other"}}`))
	if err != nil || event.Process.Pid != 7 {
		t.Errorf("nested: %+v, %v", event, err)
	}
	if _, err := decoder[turnpost.Event]()(strings.NewReader(`{"process":{"pid":7,"Pid":8}}`)); err == nil || err.Error() != "process.Pid: is not a field of this request" {
		t.Errorf("nested: %v", err)
	}
}

// The work for a body grows with its size, whatever is in it.
func TestDecoderWorkIsLinear(t *testing.T) {
	key := `{"` + strings.Repeat("k", 16<<10) + `":`
	siblings := strings.Repeat(`"a",`, 50_000) + `"a"`
	for name, body := range map[string]string{
		"long keys, many values": `{"to":[` + strings.Repeat(key, 50) + "[" + siblings + "]" + strings.Repeat("}", 50) + "]}",
		"many values":            `{"to":[` + siblings + "]}",
		"many escapes":           `{"body":"` + strings.Repeat(`\u0041`, 60_000) + `"}`,
		"many lists":             `{"to":[` + strings.Repeat("[],", 100_000) + "[]]}",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := decoder[turnpost.Draft]()(strings.NewReader(body))
		runtime.ReadMemStats(&after)
		if err != nil && turnpost.CodeOf(err) != turnpost.Invalid {
			t.Errorf("%s: %v", name, err)
		}
		if used := int(after.TotalAlloc - before.TotalAlloc); used > 100*len(body) {
			t.Errorf("%s: %d MB for %d KB", name, used>>20, len(body)>>10)
		}
	}
}

func FuzzDecoder(f *testing.F) {
	for _, seed := range []string{`{"kind":"note","to":["@a"],"urgent":true}`, `{"body":"\ud83d\ude00"}`, `{"kind":{}}`} {
		f.Add([]byte(seed))
	}
	decode := decoder[turnpost.Draft]()
	f.Fuzz(func(t *testing.T, body []byte) {
		draft, err := decode(bytes.NewReader(body))
		if err != nil {
			if turnpost.CodeOf(err) != turnpost.Invalid {
				t.Errorf("%q: %v", body, err)
			}
			return
		}
		if !utf8.ValidString(draft.Body) || !json.Valid(body) {
			t.Errorf("%q is taken", body)
		}
	})
}

// writeRoutes are the routes that take a body, with a valid one for each.
func writeRoutes(t *testing.T) map[string][]byte {
	t.Helper()
	bodies := map[string][]byte{"/v1/login": []byte("{}")} // without stop, which would end the test
	for _, contract := range []reflect.Type{reflect.TypeFor[turnpost.Hub](), reflect.TypeFor[turnpost.HookHub]()} {
		for method := range contract.Methods() {
			req := reflect.New(method.Type.In(1)).Elem()
			fill(req, new(int64))
			body, err := json.Marshal(req.Interface())
			if err != nil {
				t.Fatal(err)
			}
			bodies[pathOf(method.Name)] = body
		}
	}
	return bodies
}

// mutation spoils a body. When certain is set it cannot be valid any more.
type mutation struct {
	name    string
	certain bool
	spoil   func(r *rand.Rand, body []byte) []byte
}

func mutations() []mutation {
	insert := func(text string) func(*rand.Rand, []byte) []byte {
		return func(_ *rand.Rand, body []byte) []byte {
			if string(body) == "{}" {
				return []byte("{" + text + "}")
			}
			return append([]byte("{"+text+","), body[1:]...)
		}
	}
	return []mutation{
		{"bit flips", false, func(r *rand.Rand, body []byte) []byte {
			for range 1 + r.IntN(4) {
				body[r.IntN(len(body))] ^= 1 << r.IntN(8)
			}
			return body
		}},
		{"random bytes", false, func(r *rand.Rand, body []byte) []byte {
			for range 1 + r.IntN(8) {
				body[r.IntN(len(body))] = byte(r.IntN(256))
			}
			return body
		}},
		{"cut", true, func(r *rand.Rand, body []byte) []byte { return body[:r.IntN(len(body))] }},
		{"swapped halves", true, func(_ *rand.Rand, body []byte) []byte {
			return slices.Concat(body[len(body)/2:], body[:len(body)/2])
		}},
		{"depth", true, insert(`"deep":` + strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001))},
		{"number", true, insert(`"limit":1e400,"limit":1e400`)},
		{"NUL", true, func(r *rand.Rand, body []byte) []byte { return slices.Insert(body, r.IntN(len(body)+1), 0) }},
		{"lone surrogate", true, insert(`"summary":"\udfff"`)},
		{"not UTF-8", true, func(r *rand.Rand, body []byte) []byte { return slices.Insert(body, r.IntN(len(body)+1), 0xc0) }},
		{"duplicate", true, insert(`"id":"a","id":"b"`)},
		{"another case", true, insert(`"ID":"a"`)},
		{"unknown", true, insert(`"__proto__":{"human":true}`)},
		{"forged author", true, insert(`"author":"@anna","human":true`)},
		{"list", true, func(_ *rand.Rand, body []byte) []byte { return slices.Concat([]byte("["), body, []byte("]")) }},
		{"twice", true, func(_ *rand.Rand, body []byte) []byte { return slices.Concat(body, body) }},
		{"quoted", true, func(_ *rand.Rand, body []byte) []byte { quoted, _ := json.Marshal(string(body)); return quoted }},
		{"too long", true, func(r *rand.Rand, body []byte) []byte {
			if r.IntN(20) > 0 {
				return append(body, '}') // two megabytes each time would be a test of memory
			}
			return append(body, bytes.Repeat([]byte(" "), maxRequest+1)...)
		}},
	}
}

// R6: 2,000 seeded malformed bodies over all routes that write. No answer is a
// 5xx, none takes long, and no refused body reaches the hub.
func TestMalformedBodies(t *testing.T) {
	const bodies = 2000
	f := newFake()
	f.who = &turnpost.Identity{Human: true} // login asks the hub itself
	s := listen(t, f)
	serve(t, s)
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", s.socket.Addr().String())
	}}
	defer transport.CloseIdleConnections()

	valid := writeRoutes(t)
	paths := slices.Sorted(func(yield func(string) bool) {
		for path := range valid {
			if !yield(path) {
				return
			}
		}
	})
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	r := rand.New(rand.NewPCG(6, 2000))
	kinds, taken := mutations(), 0
	var times []time.Duration
	for i := range bodies {
		path, m := paths[i%len(paths)], kinds[r.IntN(len(kinds))]
		body := m.spoil(r, bytes.Clone(valid[path]))
		calls := f.count()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://turnpost"+path, bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		answer, err := transport.RoundTrip(request)
		times = append(times, time.Since(start))
		if err != nil {
			t.Fatalf("%s with %s: %v", path, m.name, err)
		}
		text, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		var wire failure
		switch {
		case answer.StatusCode == http.StatusOK && !m.certain:
			taken++
			continue
		case answer.StatusCode < 400 || answer.StatusCode >= 500:
			t.Errorf("%s with %s: status %d for %.200q", path, m.name, answer.StatusCode, body)
		case json.Unmarshal(text, &wire) != nil || wire.Error == nil || wire.Error.Message == "" || strings.Contains(string(text), "goroutine"):
			t.Errorf("%s with %s: answered %.200q", path, m.name, text)
		case answer.StatusCode == http.StatusBadRequest && wire.Error.Field == "":
			t.Errorf("%s with %s: names no field: %s", path, m.name, text)
		}
		if f.count() != calls {
			t.Errorf("%s with %s: refused, but reached the hub", path, m.name)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 20<<20 {
		t.Errorf("the heap grew by %d MB", grown>>20)
	}
	slices.Sort(times)
	t.Logf("%d bodies, %d of them still valid; median %s, p99 %s", bodies, taken, times[bodies/2], times[bodies*99/100])
	if times[bodies/2] > 100*time.Millisecond {
		t.Errorf("the median answer takes %s", times[bodies/2])
	}
	if taken == bodies || taken == 0 {
		t.Errorf("%d of %d bodies taken: the mutations are not what they should be", taken, bodies)
	}
}

// A body over the cap is answered 413 and its connection closed, whether its
// length was said or not; a wrong length or chunk is a 400.
func TestBodyCapsAndLengths(t *testing.T) {
	f := newFake()
	s := listen(t, f, func(cfg *Config) {
		cfg.Mounts = map[string]Mount{"/small": {Handler: http.NotFoundHandler(), MaxBody: 10}}
	})
	serve(t, s)
	chunks := strings.Repeat(fmt.Sprintf("%x\r\n%s\r\n", 64<<10, strings.Repeat(" ", 64<<10)), 5+maxRequest>>16)
	for _, test := range []struct {
		name, path, rest string
		want             int
		closed           bool
	}{
		{"at the cap", "/v1/event", fmt.Sprintf("Content-Length: %d\r\n\r\n{}%s", maxEvent, strings.Repeat(" ", maxEvent-2)), 200, false},
		{"one over the cap", "/v1/event", fmt.Sprintf("Content-Length: %d\r\n\r\n{}%s", maxEvent+1, strings.Repeat(" ", maxEvent-1)), 413, true},
		{"said to be over the cap", "/v1/post", fmt.Sprintf("Content-Length: %d\r\n\r\n{", maxRequest+1), 413, true},
		{"notes over the cap", "/v1/notes", fmt.Sprintf("Content-Length: %d\r\n\r\n{", maxRequest+1), 413, true},
		{"a run's result over the cap", "/v1/run/post", "Transfer-Encoding: chunked\r\n\r\n" + chunks, 413, true},
		{"chunks over the cap", "/v1/post", "Transfer-Encoding: chunked\r\n\r\n" + chunks, 413, true},
		{"over a mount's cap", "/small", "Content-Length: 11\r\n\r\n{         }", 413, true},
		{"a bad chunk", "/v1/post", "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n", 400, true},
		{"a negative length", "/v1/post", "Content-Length: -1\r\n\r\n{}", 400, true},
		{"two lengths", "/v1/post", "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} ", 400, true},
		// RFC 9112 wants this one of net/http's own answers to be a 501.
		{"length and a coding", "/v1/post", "Content-Length: 2\r\nTransfer-Encoding: gzip\r\n\r\n{}", 501, true},
	} {
		c, err := net.Dial("unix", s.socket.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		go io.WriteString(c, "POST "+test.path+" HTTP/1.1\r\nHost: turnpost\r\n"+test.rest) // closed before all is read
		in := bufio.NewReader(c)
		answer, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if answer.StatusCode != test.want || answer.Close != test.closed {
			t.Errorf("%s: status %d, closed %v; want %d, %v", test.name, answer.StatusCode, answer.Close, test.want, test.closed)
		}
		if test.closed {
			if _, err := io.Copy(io.Discard, in); err != nil && !strings.Contains(err.Error(), "reset") {
				t.Errorf("%s: after the answer: %v", test.name, err)
			}
		}
		c.Close()
	}
	// A body that ends early.
	c, err := net.Dial("unix", s.socket.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, "POST /v1/post HTTP/1.1\r\nHost: turnpost\r\nContent-Length: 100\r\n\r\n{}"); err != nil {
		t.Fatal(err)
	}
	if err := c.(*net.UnixConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil || answer.StatusCode != 400 {
		t.Errorf("a body that ends early: %v, %v", answer, err)
	}
	if f.count() != 1 {
		t.Errorf("%d requests reached the hub, want the one at the cap", f.count())
	}
}

package web

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"turnpost"
)

// payloads are the texts of testdata/xss.txt and some that a line of a file
// cannot hold.
func payloads(t *testing.T) []string {
	t.Helper()
	file, err := os.ReadFile("testdata/xss.txt")
	if err != nil {
		t.Fatal(err)
	}
	out := strings.Split(strings.TrimSpace(string(file)), "\n")
	return append(out,
		"line\r\n\r\ndata: <script>pwned(1)</script>\r\n\r\n",
		"line\rdata: <img src=x onerror=pwned(1)>\r\rid: 1\r",
		"\x00<script>pwned(1)</script>\x00",
		"<scr\x00ipt>pwned(1)</scr\x00ipt>",
		"\x1b]0;pwned\x07\x1b[2J\x1b[31m\u009b31m\u0090",
		"\u202e<script>pwned(1)</script>\u202c\u2066\u2069\u200b\ufeff\u00ad",
		"\u2028<script>pwned(1)</script>\u2029",
		"\xff\xfe<script>pwned(1)</script>\xc0\xbc",
		"\U000e0041\U000e0042 hidden tags",
	)
}

// fill sets every string in v, however deep, to text; lists get one element,
// numbers 1, times a time.
func fill(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Float64:
		v.SetFloat(0.5)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), text)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), text)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(attackTime.Add(-time.Hour)))
			return
		}
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(v.Field(i), text)
			}
		}
	}
}

func filled[T any](text string, edit func(*T)) T {
	var out T
	fill(reflect.ValueOf(&out).Elem(), text)
	edit(&out)
	return out
}

var attackTime = time.Date(2026, 12, 1, 14, 0, 0, 0, time.UTC)

// attack is a hub in which every text of every kind of thing is the same text.
func attack(text string) (*fakeHub, *fakeSetup) {
	h := newFake()
	h.boardNow.Now, h.boardNow.Human = attackTime, text
	states := []turnpost.State{
		turnpost.StateWorking, turnpost.StateWaiting, turnpost.StateIdle, turnpost.StateWedged, turnpost.StateQuiet,
		turnpost.StateUnheard, turnpost.StateEnded, turnpost.State(text),
	}
	for _, state := range states {
		s := filled(text, func(s *turnpost.Session) {
			s.ID, s.Status.State = "s"+string(state), state
			if state != turnpost.StateEnded {
				s.EndedAt = time.Time{}
			}
		})
		h.boardNow.Sessions = append(h.boardNow.Sessions, s)
		h.boardNow.Activity = append(h.boardNow.Activity, filled(text, func(a *turnpost.Activity) { a.Session = s.ID }))
	}
	for _, loud := range []turnpost.Loudness{turnpost.LoudSilent, turnpost.LoudUrgent, turnpost.Loudness(text)} {
		h.boardNow.Notices = append(h.boardNow.Notices, filled(text, func(n *turnpost.Notice) { n.Loud = loud }))
	}
	h.boardNow.Unclaimed = []turnpost.Agent{filled(text, func(*turnpost.Agent) {})}
	h.agents = h.boardNow.Unclaimed
	h.channels = []turnpost.Channel{filled(text, func(*turnpost.Channel) {})}
	for _, kind := range append(turnpost.ItemKinds(), turnpost.ItemKind(text)) {
		for _, state := range []turnpost.ItemState{turnpost.ItemOpen, turnpost.ItemState(text)} {
			it := filled(text, func(it *turnpost.Item) { it.Kind, it.State, it.Urgent = kind, state, true })
			h.items = append(h.items, it)
			h.inbox.Entries = append(h.inbox.Entries, turnpost.Entry{Item: it, Delivery: filled(text, func(d *turnpost.Delivery) { d.State = turnpost.Stored })})
		}
	}
	attackRuns(h, text)
	setup := &fakeSetup{}
	for _, result := range []CheckResult{CheckOK, CheckFailed, CheckResult(text)} {
		setup.list = append(setup.list, filled(text, func(in *Integration) {
			in.Detected, in.Applied = true, result == CheckOK
			if exact(text) == "" {
				in.Steps[0].Code = harmless(text) // what hides something is not there to copy: TestStepsAreExact
			}
			in.Checks[0].Result = result
			if result != CheckFailed {
				in.Problem = ""
			}
		}))
	}
	return h, setup
}

func attackPage(text string) http.Handler {
	h, setup := attack(text)
	return New(Config{
		Hub: h, Integrations: setup, Version: text, Now: func() time.Time { return attackTime },
		Resume: func(turnpost.Session) string {
			if reveal(text, false) != text {
				return "none" // a command that hides something is not shown: TestResume
			}
			return text
		},
	})
}

// answers are what the page says in every place, by place.
func answers(t *testing.T, text string) map[string]string {
	t.Helper()
	page := attackPage(text)
	get := func(path string, fragment bool) string {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		if fragment {
			r.Header.Set("HX-Request", "true")
		}
		w := httptest.NewRecorder()
		page.ServeHTTP(w, r)
		return w.Body.String()
	}
	post := func(path string, form url.Values) string {
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("HX-Request", "true")
		r.Header.Set("HX-Current-URL", "http://127.0.0.1/?channel="+url.QueryEscape(text))
		w := httptest.NewRecorder()
		page.ServeHTTP(w, r)
		return w.Body.String()
	}
	item, run := "/item/"+url.PathEscape(text), "/runs/"+url.PathEscape(text)
	return map[string]string{
		"board":        get("/", false),
		"channel":      get("/?channel="+url.QueryEscape(text), false),
		"timeline":     get("/timeline?before=x&channel="+url.QueryEscape(text)+"&handle="+url.QueryEscape(text), false),
		"item":         get(item, false),
		"pane":         get(item, true),
		"runs":         get("/runs", false),
		"run":          get(run+"?before="+url.QueryEscape(text), false),
		"no effect":    get(run+"/effects/e-"+url.PathEscape(text), false),
		"effect":       get(run+"/effects/"+url.PathEscape(text), false),
		"effect pane":  get(run+"/effects/"+url.PathEscape(text), true),
		"notes":        get("/notes?handle="+url.QueryEscape(text), false),
		"notes pane":   get("/notes?handle="+url.QueryEscape(text), true),
		"halt":         post("/do/run", url.Values{"run": {text}, "do": {"halt"}}),
		"no steering":  post("/do/run", url.Values{"run": {"r-" + text}, "do": {"resume"}, "turns": {text}}),
		"answer":       post("/do/answer", url.Values{"run": {text}, "item": {text}, "text": {text}, "key": {text}}),
		"integrations": get("/integrations", false),
		"nowhere":      get("/nowhere/"+url.PathEscape(text), false),
		"no post":      post("/do/post", url.Values{"to": {text}, "kind": {text}, "text": {text}, "key": {text}}),
		"reply":        post("/do/reply", url.Values{"item": {text}, "kind": {text}, "text": {text}, "key": {text}}),
		"resolve":      post("/do/resolve", url.Values{"item": {text}, "text": {text}}),
		"clear":        post("/do/clear", url.Values{"notice": {text}}),
		"link":         post("/do/link", url.Values{"session": {text}, "handle": {text}}),
		"apply":        post("/do/apply", url.Values{"harness": {text}, "hash": {text}}),
		"check":        post("/do/check", url.Values{"harness": {text}}),
		"stream":       firstMessage(t, page, "/events?page=/"),
		"run's stream": firstMessage(t, page, "/events?page="+url.QueryEscape(run)),
	}
}

// firstMessage is what a stream sends first, taken apart as a browser does.
func firstMessage(t *testing.T, page http.Handler, path string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w := &streamWriter{header: http.Header{}, message: make(chan string, 1)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		page.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil).WithContext(ctx))
	}()
	var text string
	select {
	case text = <-w.message:
	case <-time.After(10 * time.Second):
		t.Fatal("no message")
	}
	cancel()
	<-done
	var out []string
	for _, l := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
		data, ok := strings.CutPrefix(l, "data: ")
		if !ok {
			t.Fatalf("a text became a line of its own in the stream: %q", l)
		}
		out = append(out, data)
	}
	return strings.Join(out, "\n")
}

// streamWriter gives the messages of a stream to a test.
type streamWriter struct {
	header  http.Header
	buffer  bytes.Buffer
	message chan string
}

func (w *streamWriter) Header() http.Header         { return w.header }
func (w *streamWriter) WriteHeader(int)             {}
func (w *streamWriter) Write(b []byte) (int, error) { return w.buffer.Write(b) }

func (w *streamWriter) Flush() {
	text := w.buffer.String()
	w.buffer.Reset()
	if !strings.HasPrefix(text, ":") {
		select {
		case w.message <- text:
		default:
		}
	}
}

// harmless is a text of the same shape as one that attacks: as long, with line
// breaks where it has them, made of letters.
func harmless(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || unicode.IsLetter(r) && r < 0x80 {
			return r
		}
		return 'x'
	}, text)
}

// Whatever a text holds, the page has the same elements and attributes as with
// a harmless one, on every page, in the stream and in every answer; and no text
// holds a character that a reader cannot see. (R23, CVE-2026-66421)
func TestTextStaysText(t *testing.T) {
	tried := 0
	for i, payload := range payloads(t) {
		// The cuts of the page fall inside the payload, too.
		cut := []int{nameRunes - 8, summaryRunes - 12}[i%2]
		for _, before := range []int{0, cut} {
			text := strings.Repeat("a", before) + payload
			want, got := answers(t, harmless(text)), answers(t, text)
			for name, html := range got {
				have := parse(t, html)
				if safe := parse(t, want[name]); !slices.Equal(safe.tags, have.tags) {
					t.Fatalf("%s with %q (-harmless +attack):\n%s", name, text, cmp.Diff(safe.tags, have.tags))
				}
				for _, shown := range have.texts {
					if i := strings.IndexFunc(shown, unseen); i >= 0 {
						t.Fatalf("%s with %q shows an unseen character in %q", name, text, shown)
					}
				}
			}
			tried += len(got)
		}
	}
	if tried < 200*20 {
		t.Errorf("only %d answers were looked at", tried)
	}
}

func unseen(r rune) bool {
	return hidden(r) || r < 0x20 && !slices.Contains([]rune{'\n', '\t'}, r) || r >= 0x7f && r < 0xa0
}

package web

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/a-h/templ"

	"turnpost"
)

// maxForm is what a form may hold: a full body takes up to nine bytes a
// character when it is escaped. The hub has its own, smaller limits.
const maxForm = 4 << 20

// action is one thing that a form can do.
type action struct {
	run  func(context.Context, url.Values) (outcome, error)
	body func(context.Context, page, url.Values, outcome) templ.Component // what replaces the form's target; nil: nothing
	back func(url.Values) string                                          // where a browser without htmx goes on
}

// outcome is what an action has to tell.
type outcome struct {
	Said   string
	Posted *turnpost.Posted
	Checks []Check
	Err    error
}

// do runs an action. htmx gets the form's answer, a header that says what
// happened, and every region of its page; a bare browser is sent on.
func (s *server) do(a action) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		if err := r.ParseForm(); err != nil {
			s.refuse(w, r, formError(err))
			return
		}
		o, err := a.run(r.Context(), r.PostForm)
		o.Err = err
		switch {
		case fragment(r):
			s.answer(w, r, a, o)
		case err != nil:
			s.fail(w, r, err)
		default:
			http.Redirect(w, r, a.back(r.PostForm), http.StatusSeeOther)
		}
	}
}

func (s *server) answer(w http.ResponseWriter, r *http.Request, a action, o outcome) {
	code := http.StatusOK
	if o.Err != nil {
		code = status(o.Err)
	}
	var v view
	if from, err := url.Parse(r.Header.Get("HX-Current-URL")); err == nil {
		v = viewOf(from)
	}
	p, err := s.load(r.Context(), v)
	if err != nil {
		s.refuse(w, r, errors.Join(o.Err, err))
		return
	}
	var parts []templ.Component
	if a.body != nil {
		parts = append(parts, a.body(r.Context(), p, r.PostForm, o))
	}
	say(w, o)
	for _, region := range p.regions() {
		parts = append(parts, region.html)
	}
	s.render(w, r, code, parts...)
}

// refuse tells what went wrong and leaves the form as the person filled it.
func (s *server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if !fragment(r) {
		s.fail(w, r, err)
		return
	}
	say(w, outcome{Err: err})
	w.Header().Set("HX-Reswap", "none")
	s.render(w, r, status(err))
}

// say lets app.js tell what happened. It is a header because the form, and with
// it the place for an answer, may be gone by then: the stream can be quicker.
func say(w http.ResponseWriter, o outcome) {
	text, mood := o.Said, "good"
	if o.Err != nil {
		text, mood = sayProblem(problemOf(o.Err)), "bad"
	}
	event, err := json.Marshal(map[string]any{"turnpost:said": map[string]string{"text": cut(text, 1000), "mood": mood}})
	if err != nil {
		return // strings always marshal
	}
	var ascii strings.Builder
	for _, r := range string(event) {
		if r < 0x80 {
			ascii.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&ascii, "\\u%04x", unit)
		}
	}
	w.Header().Set("HX-Trigger", ascii.String())
}

func formError(err error) error {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return turnpost.Errorf(turnpost.TooLarge, "the form holds more than %d bytes", large.Limit)
	}
	return turnpost.Invalidf("form", "cannot be read: %s", line(err.Error(), 200))
}

// newKey is an idempotency key: a form that is sent twice posts once.
func newKey() string { return "page-" + rand.Text() }

// split takes a text apart into the item's summary, its first line, and its
// body, the whole text where there is more than that line.
func split(text string) (summary, body string) {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	first, rest, _ := strings.Cut(text, "\n")
	if first = strings.TrimSpace(first); strings.TrimSpace(rest) == "" && len(first) <= turnpost.MaxSummary {
		return first, ""
	}
	return cutBytes(first, turnpost.MaxSummary), text
}

// cutBytes shortens to at most max bytes at a rune edge.
func cutBytes(s string, max int) string {
	if len(s) <= max {
		return s
	}
	const mark = "…"
	end := 0
	for i := range s {
		if i > max-len(mark) {
			break
		}
		end = i
	}
	return s[:end] + mark
}

// recipients reads "@api, #general @web".
func recipients(field string) (channel string, to []string, err error) {
	for _, name := range strings.FieldsFunc(field, func(r rune) bool { return r == ',' || r == ' ' || r == ';' }) {
		switch {
		case !strings.HasPrefix(name, "#"):
			to = append(to, "@"+strings.TrimPrefix(name, "@"))
		case channel == "":
			channel = name
		default:
			return "", nil, turnpost.Invalidf("to", "holds two channels, %s and %s", line(channel, 40), line(name, 40)).
				WithHint("an item goes to one channel; write to it and name the others in a second one")
		}
	}
	if channel == "" && len(to) == 0 {
		return "", nil, turnpost.Invalidf("to", "is empty").WithHint("name a handle like @api or a channel like #general")
	}
	return channel, to, nil
}

func (s *server) post(ctx context.Context, f url.Values) (outcome, error) {
	channel, to, err := recipients(f.Get("to"))
	if err != nil {
		return outcome{}, err
	}
	summary, body := split(f.Get("text"))
	if summary == "" {
		return outcome{}, turnpost.Invalidf("text", "is empty").WithHint("its first line becomes the summary")
	}
	return s.send(ctx, turnpost.Draft{
		Kind: turnpost.ItemKind(f.Get("kind")), Channel: channel, To: to,
		Urgent: f.Get("urgent") != "", Summary: summary, Body: body, Key: f.Get("key"),
	})
}

func (s *server) reply(ctx context.Context, f url.Values) (outcome, error) {
	summary, body := split(f.Get("text"))
	if summary == "" {
		return outcome{}, turnpost.Invalidf("text", "is empty").WithHint("write the reply first")
	}
	kind := turnpost.Note
	if f.Get("kind") == string(turnpost.Question) {
		kind = turnpost.Answer
	}
	return s.send(ctx, turnpost.Draft{
		Kind: kind, ReplyTo: f.Get("item"), Summary: summary, Body: body, Key: f.Get("key"),
	})
}

func (s *server) send(ctx context.Context, d turnpost.Draft) (outcome, error) {
	posted, err := s.hub.Post(ctx, d)
	if err != nil {
		return outcome{}, err
	}
	return outcome{Said: sentText(posted), Posted: &posted}, nil
}

func (s *server) resolve(ctx context.Context, f url.Values) (outcome, error) {
	done, err := s.hub.Resolve(ctx, turnpost.ResolveRequest{ID: f.Get("item"), Result: strings.TrimSpace(f.Get("text"))})
	if err != nil {
		return outcome{}, err
	}
	return outcome{Said: line(done.ID, 40) + " resolved."}, nil
}

func (s *server) ack(ctx context.Context, f url.Values) (outcome, error) {
	done, err := s.hub.Ack(ctx, turnpost.AckRequest{IDs: f["item"]})
	if err != nil {
		return outcome{}, err
	}
	return outcome{Said: "Done. " + plural(done.Unread, "item") + " left for you."}, nil
}

func (s *server) clear(ctx context.Context, f url.Values) (outcome, error) {
	id, err := strconv.ParseInt(f.Get("notice"), 10, 64)
	if err != nil {
		return outcome{}, turnpost.Invalidf("notice", "is not a number")
	}
	_, err = s.hub.Clear(ctx, turnpost.ClearRequest{Notice: id})
	return outcome{Said: "Cleared."}, err
}

func (s *server) link(ctx context.Context, f url.Values) (outcome, error) {
	handle := strings.TrimSpace(f.Get("handle"))
	if handle == "" {
		return outcome{}, turnpost.Invalidf("handle", "is empty").WithHint("choose the handle of this session, like @api")
	}
	linked, err := s.hub.Link(ctx, turnpost.LinkRequest{Session: f.Get("session"), Handle: "@" + strings.TrimPrefix(handle, "@")})
	if err != nil {
		return outcome{}, err
	}
	return outcome{Said: "Linked to " + line(linked.Handle, 60) + "."}, nil
}

// answered is the thread after a reply or a resolve.
func (s *server) answered(ctx context.Context, p page, f url.Values, o outcome) templ.Component {
	t, err := s.thread(ctx, f.Get("item"))
	if err != nil {
		return problem(problemOf(errors.Join(o.Err, err)))
	}
	if o.Err != nil {
		t.Draft = f.Get("text")
		if turnpost.CodeOf(o.Err) != turnpost.Conflict {
			t.Key = f.Get("key")
		}
	}
	return pane(t)
}

// compose is the state of the box to write in.
type compose struct {
	To, Kind, Text, Key string
	Urgent              bool
	Said                string
	Trouble             *trouble
	Again               bool // it was just used: the cursor goes back into it
}

func newCompose() compose { return compose{Kind: string(turnpost.Question), Key: newKey()} }

// composed is the box after a post: empty again, or as it was with the reason.
func composed(_ context.Context, _ page, f url.Values, o outcome) templ.Component {
	c := newCompose()
	c.To, c.Kind, c.Again = f.Get("to"), f.Get("kind"), true
	if o.Err == nil {
		c.Said = o.Said
		return composeForm(c)
	}
	t := problemOf(o.Err)
	c.Trouble, c.Text, c.Urgent = &t, f.Get("text"), f.Get("urgent") != ""
	if t.Code != turnpost.Conflict { // a key that is taken by another text is of no more use
		c.Key = f.Get("key")
	}
	return composeForm(c)
}

func toBoard(url.Values) string        { return "/" }
func toIntegrations(url.Values) string { return "/integrations" }
func toItem(f url.Values) string       { return itemURL(f.Get("item")) }

func itemURL(id string) string { return "/item/" + url.PathEscape(id) }

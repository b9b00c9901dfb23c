package web

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/a-h/templ"

	"turnpost"
)

// region is a part of the page that the stream replaces as a whole.
type region struct {
	id   string
	html templ.Component
}

// regions are the parts that the view shows live.
func (p page) regions() []region {
	oob := templ.Attributes{"hx-swap-oob": "outerMorph"}
	out := []region{{"top", top(p, oob)}}
	if !p.Gone.IsZero() {
		return out // what is on the page is the last that was known
	}
	switch {
	case p.RunID != "" && p.Run == nil: // it was put away
		return out
	case p.RunID != "":
		return append(out,
			region{"asks", questions(p, oob)},
			region{"run", whereItStands(p, oob)},
			region{"steps", steps(p, oob)},
			region{"plan", runPlan(p, oob)},
			region{"effects", effects(p, oob)},
			region{"scores", scores(p, oob)},
			region{"journal", journal(p, oob)})
	case p.Path == "/runs":
		return append(out, region{"runs", runs(p, oob)})
	case p.Path == "/":
		return append(out,
			region{"notices", notices(p, oob)},
			region{"runs", runs(p, oob)},
			region{"sessions", sessions(p, oob)},
			region{"inbox", inbox(p, oob)},
			region{"open", open(p, oob)},
			region{"timeline", timeline(p, oob)},
			region{"addresses", addresses(p, oob)})
	case p.Path == "/integrations":
		return append(out,
			region{"unlinked", unlinked(p, oob)},
			region{"addresses", addresses(p, oob)})
	}
	return out
}

// Pace of a stream.
const (
	streamPoll  = 20                     // seconds in one long poll; also how often a silent stream is proved alive
	streamCalm  = 80 * time.Millisecond  // between two renderings: a storm of changes is one
	streamRetry = 500 * time.Millisecond // between two questions to a hub that does not answer
	streamWrite = 10 * time.Second       // for a reader to take one message; then the stream is dropped
)

// events streams the regions that changed. A new stream starts with all of
// them, so a page that lost its stream needs no memory: it is current again.
func (s *server) events(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	from, err := url.Parse(r.URL.Query().Get("page"))
	if err != nil {
		s.fail(w, r, turnpost.Invalidf("page", "is not an address"))
		return
	}
	v := viewOf(from)

	out := stream{w: w, control: http.NewResponseController(w), sent: map[string]string{}}
	if err := out.open(); err != nil {
		return
	}
	var gone time.Time
	for {
		p, err := s.load(ctx, v)
		if err == nil {
			gone = time.Time{}
			err = out.send(ctx, p)
		} else if ctx.Err() == nil {
			if gone.IsZero() {
				gone = s.Now()
			}
			p.Gone = gone
			err = out.send(ctx, p)
		}
		if err != nil || ctx.Err() != nil {
			return
		}
		if !gone.IsZero() {
			wait(ctx, streamRetry)
			continue
		}
		wait(ctx, streamCalm)
		if err := s.change(ctx, &out, p.Rev); err != nil {
			return
		}
	}
}

// change returns when the hub knows something newer than rev, or does not
// answer; an error means that the stream is over.
func (s *server) change(ctx context.Context, out *stream, rev int64) error {
	for {
		next, err := s.hub.Changes(ctx, turnpost.ChangesQuery{After: rev, Seconds: streamPoll})
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			wait(ctx, streamRetry) // load will find the hub gone, or back
			return ctx.Err()
		case next.Rev != rev:
			return nil
		}
		if err := out.write([]byte(": still here\n\n")); err != nil {
			return err
		}
	}
}

func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// stream is one open page.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	sent    map[string]string // region → what the page shows of it
}

func (st *stream) open() error {
	st.w.Header().Set("Content-Type", "text/event-stream")
	st.w.Header().Set("Cache-Control", "no-store")
	// The server's read timeout would end the stream; a writer that cannot be
	// told so has none.
	_ = st.control.SetReadDeadline(time.Time{})
	return st.write([]byte(": turnpost\n\n"))
}

// send writes the regions that differ from what the page shows, as one message.
func (st *stream) send(ctx context.Context, p page) error {
	var message bytes.Buffer
	for _, region := range p.regions() {
		var html bytes.Buffer
		if err := region.html.Render(ctx, &html); err != nil {
			return fmt.Errorf("render %s: %w", region.id, err)
		}
		if text := html.String(); st.sent[region.id] != text {
			st.sent[region.id] = text
			message.WriteString(text)
			message.WriteByte('\n')
		}
	}
	if message.Len() == 0 {
		return nil
	}
	return st.write(event(message.Bytes()))
}

// event frames HTML as one server-sent event. Every kind of line end has to
// become a field of its own, or text could start a field.
func event(html []byte) []byte {
	html = bytes.ReplaceAll(html, []byte("\r\n"), []byte("\n"))
	html = bytes.ReplaceAll(html, []byte("\r"), []byte("\n"))
	var out bytes.Buffer
	for _, l := range bytes.Split(bytes.TrimRight(html, "\n"), []byte("\n")) {
		out.WriteString("data: ")
		out.Write(l)
		out.WriteByte('\n')
	}
	out.WriteByte('\n')
	return out.Bytes()
}

func (st *stream) write(b []byte) error {
	_ = st.control.SetWriteDeadline(time.Now().Add(streamWrite)) // where there is none, the reader may be slow
	if _, err := st.w.Write(b); err != nil {
		return err
	}
	return st.control.Flush()
}

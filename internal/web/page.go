package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"turnpost"
)

// view is what one open page looks at; the stream re-renders just that.
type view struct {
	Path    string // "/", "/runs", "/integrations", or another that shows no live list
	Channel string // timeline of this channel only
	RunID   string // the page of this run
	Before  string // its effects before this one only
}

// viewOf reads the view from a page's URL. Other pages show the head live only.
func viewOf(u *url.URL) view {
	v := view{Path: u.Path}
	if v.Path == "" || v.Path == "/" {
		v = view{Path: "/", Channel: u.Query().Get("channel")}
	}
	if id := runOf(u); id != "" {
		v = view{Path: "/runs", RunID: id, Before: u.Query().Get("before")}
	}
	return v
}

// url is the page's own address, also what /events takes as its "page".
func (v view) url() string {
	switch {
	case v.Before != "":
		return runURL(v.RunID) + "?before=" + url.QueryEscape(v.Before)
	case v.RunID != "":
		return runURL(v.RunID)
	case v.Channel != "":
		return v.Path + "?channel=" + url.QueryEscape(v.Channel)
	}
	return v.Path
}

// page is what a page shows.
type page struct {
	view
	assets  assets
	Now     time.Time
	Version string
	Resume  func(turnpost.Session) string
	Gone    time.Time // the hub has not answered since; zero: it answers

	Rev       int64
	Human     string
	Live      []turnpost.Session
	Ended     []turnpost.Session // newest first
	EndedMore int                // that ended, too, and are left out
	Unlinked  []turnpost.Session
	Unclaimed []turnpost.Agent
	Activity  map[string][]turnpost.Activity // by session
	Dropped   int64
	Notices   []turnpost.Notice
	Inbox     []turnpost.Entry // addressed to the person; what channels carry is in the timeline
	Open      []turnpost.Item
	Timeline  []turnpost.Item
	Channels  []turnpost.Channel
	Agents    []turnpost.Agent
	Runs      []turnpost.Run // that have not ended, newest first
	RunsMore  int            // that have not, too, and are left out
	RunsEnded []turnpost.Run
	Asks      map[string]turnpost.Item // by run: the person's question that it waits for
	Blocks    map[string]string        // by question: the run that waits for it
	Run       *turnpost.Run            // of the view; nil: there is none
	Journal   []turnpost.RunEvent      // its end, newest first
}

// Sizes of the lists on the page; the rest is one link away.
const (
	timelineRows = 40
	openRows     = 100
	inboxRows    = 500
	endedRows    = 30
	activityRows = 6 // of one session
)

// blank is a page that knows nothing from the hub.
func (s *server) blank(v view) page {
	return page{view: v, assets: s.assets, Now: s.Now(), Version: s.Version, Resume: s.Resume}
}

// load asks the hub for everything that the view shows.
func (s *server) load(ctx context.Context, v view) (page, error) {
	p := s.blank(v)
	board, err := s.hub.Board(ctx, turnpost.BoardQuery{Ended: true})
	if err != nil {
		return p, err
	}
	p.Rev, p.Human, p.Dropped = board.Rev, board.Human, board.Dropped
	p.Unclaimed = board.Unclaimed
	p.sort(board)
	if v.Path == "/" {
		p.sortRuns(board.Runs)
	}

	agents, err := s.hub.Agents(ctx, turnpost.AgentQuery{All: true})
	if err != nil {
		return p, err
	}
	p.Agents = agents.Agents
	channels, err := s.hub.Channels(ctx, turnpost.ChannelQuery{})
	if err != nil {
		return p, err
	}
	p.Channels = channels.Channels
	switch {
	case v.RunID != "":
		err := s.loadRun(ctx, &p)
		return p, err
	case v.Path == "/runs":
		all, err := s.hub.Runs(ctx, turnpost.RunsQuery{All: true, Limit: listRuns})
		if err != nil {
			return p, err
		}
		p.sortRuns(all.Runs)
		open, err := s.hub.Open(ctx, turnpost.OpenQuery{Kind: turnpost.Question, Mine: true, Limit: openRows})
		if err != nil {
			return p, err
		}
		p.Open = open.Items
		err = s.findAsks(ctx, &p)
		return p, err
	case v.Path != "/":
		return p, nil
	}

	// Looking does not count as shown: a page may sit on a screen that nobody
	// looks at.
	mail, err := s.hub.Inbox(ctx, turnpost.InboxQuery{Peek: true, Addressed: true, Limit: inboxRows})
	if err != nil {
		return p, err
	}
	p.Inbox = mail.Entries
	open, err := s.hub.Open(ctx, turnpost.OpenQuery{Limit: openRows})
	if err != nil {
		return p, err
	}
	p.Open = open.Items
	timeline, err := s.hub.Timeline(ctx, turnpost.TimelineQuery{Channel: v.Channel, Limit: timelineRows})
	if err != nil {
		return p, err
	}
	p.Timeline = timeline.Items
	err = s.findAsks(ctx, &p)
	return p, err
}

// sort brings the board into the order of the page. Sessions keep their place
// whatever they do, so that rows do not jump under the reader.
func (p *page) sort(board turnpost.Board) {
	for _, s := range board.Sessions {
		switch {
		case !s.Live():
			p.Ended = append(p.Ended, s)
		default:
			p.Live = append(p.Live, s)
			if s.Unlinked != "" && !s.Reports {
				p.Unlinked = append(p.Unlinked, s)
			}
		}
	}
	slices.SortStableFunc(p.Live, func(a, b turnpost.Session) int {
		if (a.Handle == "") != (b.Handle == "") {
			return strings.Compare(b.Handle, a.Handle) // those without a handle last
		}
		if c := strings.Compare(a.Handle, b.Handle); c != 0 {
			return c
		}
		return a.StartedAt.Compare(b.StartedAt)
	})
	slices.SortStableFunc(p.Ended, func(a, b turnpost.Session) int { return b.EndedAt.Compare(a.EndedAt) })
	if more := len(p.Ended) - endedRows; more > 0 {
		p.Ended, p.EndedMore = p.Ended[:endedRows], more
	}

	p.Notices = slices.Clone(board.Notices)
	slices.SortStableFunc(p.Notices, func(a, b turnpost.Notice) int {
		if a.Loud != b.Loud {
			return loudRank(b.Loud) - loudRank(a.Loud)
		}
		return b.At.Compare(a.At)
	})

	p.Activity = make(map[string][]turnpost.Activity)
	for _, a := range board.Activity {
		if len(p.Activity[a.Session]) < activityRows {
			p.Activity[a.Session] = append(p.Activity[a.Session], a)
		}
	}
}

func loudRank(l turnpost.Loudness) int {
	switch l {
	case turnpost.LoudUrgent:
		return 2
	case turnpost.LoudNotice:
		return 1
	}
	return 0
}

func (s *server) board(w http.ResponseWriter, r *http.Request) {
	p, err := s.load(r.Context(), viewOf(r.URL))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.render(w, r, http.StatusOK, layout(p, boardPage(p, newCompose())))
}

// older is the timeline further back, page by page. It is not live.
func (s *server) older(w http.ResponseWriter, r *http.Request) {
	p, err := s.load(r.Context(), view{Path: "/timeline"})
	if err != nil {
		s.fail(w, r, err)
		return
	}
	q := turnpost.TimelineQuery{
		Channel: r.URL.Query().Get("channel"),
		Handle:  r.URL.Query().Get("handle"),
		Before:  r.URL.Query().Get("before"),
		Limit:   timelineRows,
	}
	found, err := s.hub.Timeline(r.Context(), q)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	p.Channel, p.Timeline = q.Channel, found.Items
	s.render(w, r, http.StatusOK, layout(p, timelinePage(p, q)))
}

// olderURL is the next page of a timeline, "" after the last.
func olderURL(items []turnpost.Item, channel, handle string) string {
	if len(items) < timelineRows {
		return ""
	}
	q := url.Values{"before": {items[len(items)-1].ID}}
	if channel != "" {
		q.Set("channel", channel)
	}
	if handle != "" {
		q.Set("handle", handle)
	}
	return "/timeline?" + q.Encode()
}

// thread is an item with its whole conversation.
type thread struct {
	Human string
	Now   time.Time
	Focus turnpost.Item
	Items []turnpost.Item // oldest first, Focus among them
	Key   string          // idempotency key of the reply form
	Draft string          // what was typed, after an error
}

func (s *server) item(w http.ResponseWriter, r *http.Request) {
	t, err := s.thread(r.Context(), r.PathValue("id"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	if fragment(r) {
		if key := r.URL.Query().Get("key"); key != "" {
			t.Key = key // an open pane is read again: its form stays the same one
		}
		s.render(w, r, http.StatusOK, pane(t))
		return
	}
	p, err := s.load(r.Context(), view{Path: "/item"})
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.render(w, r, http.StatusOK, layout(p, itemPage(t)))
}

func (s *server) thread(ctx context.Context, id string) (thread, error) {
	who, err := s.hub.Whoami(ctx, turnpost.Nothing{})
	if err != nil {
		return thread{}, err
	}
	found, err := s.hub.Read(ctx, turnpost.ReadQuery{IDs: []string{id}, Thread: true})
	if err != nil {
		return thread{}, err
	}
	t := thread{Human: who.Handle, Now: s.Now(), Items: slices.Clone(found.Items), Key: newKey()}
	slices.SortStableFunc(t.Items, func(a, b turnpost.Item) int { return a.At.Compare(b.At) })
	for _, it := range t.Items {
		if it.ID == id {
			t.Focus = it
			return t, nil
		}
	}
	return thread{}, turnpost.Errorf(turnpost.NotFound, "no item %s", line(id, 40))
}

// fragment tells whether htmx asks for a part of a page.
func fragment(r *http.Request) bool { return r.Header.Get("HX-Request") == "true" }

package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"turnpost"
)

// Sizes of what the page shows of runs.
const (
	boardRuns   = 50 // on the board
	listRuns    = 200
	effectRows  = 100 // of one page of effects
	journalRows = 100
	scoreRows   = 10
)

func runURL(id string) string { return "/runs/" + url.PathEscape(id) }

func effectURL(run, effect string) string {
	return runURL(run) + "/effects/" + url.PathEscape(effect)
}

// runOf reads the id of a run from the address of its page; "" for others.
func runOf(u *url.URL) string {
	rest, found := strings.CutPrefix(u.EscapedPath(), "/runs/")
	if !found || strings.Contains(rest, "/") {
		return ""
	}
	id, err := url.PathUnescape(rest)
	if err != nil {
		return ""
	}
	return id
}

// sortRuns keeps the runs apart that go on, newest first. Like sessions they keep
// their place whatever they do.
func (p *page) sortRuns(all []turnpost.Run) {
	for _, r := range all {
		if r.State.Ended() {
			p.RunsEnded = append(p.RunsEnded, r)
		} else {
			p.Runs = append(p.Runs, r)
		}
	}
	slices.SortStableFunc(p.Runs, func(a, b turnpost.Run) int { return b.StartedAt.Compare(a.StartedAt) })
	slices.SortStableFunc(p.RunsEnded, func(a, b turnpost.Run) int { return b.EndedAt.Compare(a.EndedAt) })
	if more := len(p.Runs) - boardRuns; more > 0 && p.Path == "/" {
		p.Runs, p.RunsMore = p.Runs[:boardRuns], more
	}
}

// findAsks looks which of the open questions runs wait for. A run of a list does
// not carry its effects, so those whose agent asked the person are read whole.
func (s *server) findAsks(ctx context.Context, p *page) error {
	p.Asks = make(map[string]turnpost.Item)
	p.Blocks = make(map[string]string)
	questions := make(map[string]map[string]turnpost.Item) // by author, by id
	mine := slices.Clone(p.Open)
	for _, e := range p.Inbox { // there may be more open than are listed
		mine = append(mine, e.Item)
	}
	for _, it := range mine {
		if it.Kind != turnpost.Question || !asks(it) || !slices.Contains(it.To, p.Human) {
			continue
		}
		if questions[it.Author] == nil {
			questions[it.Author] = make(map[string]turnpost.Item)
		}
		questions[it.Author][it.ID] = it
	}
	for _, r := range p.Runs {
		if len(questions[r.Handle]) == 0 {
			continue
		}
		whole, err := s.hub.Run(ctx, turnpost.RunQuery{ID: r.ID})
		if turnpost.CodeOf(err) == turnpost.NotFound {
			continue
		}
		if err != nil {
			return err
		}
		for _, e := range slices.Backward(breakpoints(whole)) { // the oldest is the one that is shown
			if it, ok := questions[r.Handle][e.Item]; ok {
				p.Asks[r.ID], p.Blocks[it.ID] = it, r.ID
			}
		}
	}
	return nil
}

// loadRun brings the run of the view with the end of its journal. One that does
// not exist is nil and no error: a stream whose run was put away lives on.
func (s *server) loadRun(ctx context.Context, p *page) error {
	run, err := s.hub.Run(ctx, turnpost.RunQuery{ID: p.RunID})
	if turnpost.CodeOf(err) == turnpost.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	journal, err := s.hub.Journal(ctx, turnpost.JournalQuery{ID: run.ID, After: max(0, run.Seq-journalRows), Limit: journalRows})
	if err != nil {
		return err
	}
	p.Run, p.Journal = &run, slices.Clone(journal.Events)
	slices.Reverse(p.Journal)
	return nil
}

func (s *server) run(w http.ResponseWriter, r *http.Request) {
	p, err := s.load(r.Context(), viewOf(r.URL))
	if err == nil && p.Run == nil {
		err = turnpost.Errorf(turnpost.NotFound, "no run %s", line(r.PathValue("id"), 40))
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.render(w, r, http.StatusOK, layout(p, runPage(p)))
}

// runs lists also those that ended long ago.
func (s *server) runs(w http.ResponseWriter, r *http.Request) {
	p, err := s.load(r.Context(), viewOf(r.URL))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.render(w, r, http.StatusOK, layout(p, runsPage(p)))
}

// effect is one effect with the whole of its texts.
func (s *server) effect(w http.ResponseWriter, r *http.Request) {
	run, err := s.hub.Run(r.Context(), turnpost.RunQuery{ID: r.PathValue("id")})
	if err != nil {
		s.fail(w, r, err)
		return
	}
	at := slices.IndexFunc(run.Effects, func(e turnpost.Effect) bool { return e.ID == r.PathValue("effect") })
	if at < 0 {
		s.fail(w, r, turnpost.Errorf(turnpost.NotFound, "%s has no effect %s", line(run.ID, 40), line(r.PathValue("effect"), 40)))
		return
	}
	if fragment(r) {
		s.render(w, r, http.StatusOK, effectPane(run, run.Effects[at], s.Now()))
		return
	}
	p, err := s.load(r.Context(), view{Path: "/effect"})
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.render(w, r, http.StatusOK, layout(p, effectPage(run, run.Effects[at], p.Now)))
}

// effects is a page of the run's effects, newest first, with the id that the next
// page begins behind, "" after the last.
func (p page) effects() (rows []turnpost.Effect, older string) {
	end := len(p.Run.Effects)
	if p.Before != "" {
		if at := slices.IndexFunc(p.Run.Effects, func(e turnpost.Effect) bool { return e.ID == p.Before }); at >= 0 {
			end = at
		}
	}
	start := max(0, end-effectRows)
	rows = slices.Clone(p.Run.Effects[start:end])
	slices.Reverse(rows)
	if start > 0 {
		older = p.Run.Effects[start].ID
	}
	return rows, older
}

// breakpoints are the questions that the run waits with, oldest first.
func breakpoints(r turnpost.Run) []turnpost.Effect {
	return slices.DeleteFunc(slices.Clone(r.Effects), func(e turnpost.Effect) bool {
		return e.Kind != turnpost.EffectBreakpoint || e.State.Settled() || r.State.Ended()
	})
}

// steer halts or resumes a run.
func (s *server) steer(ctx context.Context, f url.Values) (outcome, error) {
	in := turnpost.RunRequest{ID: f.Get("run"), Do: turnpost.RunVerb(f.Get("do"))}
	switch in.Do {
	case turnpost.RunHalt:
	case turnpost.RunResume:
		for name, set := range map[string]func(int64){
			"iterations": func(n int64) { in.Limits.Iterations = int(n) },
			"turns":      func(n int64) { in.Limits.Turns = int(n) },
			"tokens":     func(n int64) { in.Limits.Tokens = n },
			"minutes":    func(n int64) { in.Limits.Seconds = n * 60 },
		} {
			n, err := count(f, name)
			if err != nil {
				return outcome{}, err
			}
			set(n)
		}
	default:
		return outcome{}, turnpost.Invalidf("do", "is neither halt nor resume")
	}
	run, err := s.hub.ChangeRun(ctx, in)
	if err != nil {
		return outcome{}, err
	}
	return outcome{Said: standsText(run)}, nil
}

// count reads a limit; an empty field is none.
func count(f url.Values, name string) (int64, error) {
	text := strings.TrimSpace(f.Get(name))
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 0 {
		return 0, turnpost.Invalidf(name, "is not a number that a limit can be")
	}
	return n, nil
}

// decide answers a breakpoint: its question is an item like any other. What is
// told is what the run does then.
func (s *server) decide(ctx context.Context, f url.Values) (outcome, error) {
	f.Set("kind", string(turnpost.Question))
	sent, err := s.reply(ctx, f)
	if err != nil {
		return outcome{}, err
	}
	run, err := s.hub.Run(ctx, turnpost.RunQuery{ID: f.Get("run")})
	if err != nil {
		return sent, nil // the answer is on disk, which is what matters
	}
	return outcome{Said: "Answered. " + standsText(run), Posted: sent.Posted}, nil
}

func toRun(f url.Values) string { return runURL(f.Get("run")) }

func olderEffectsURL(run, before string) string {
	return runURL(run) + "?before=" + url.QueryEscape(before) + "#effects"
}

// answerKey lets a breakpoint be answered once, however often the form is sent.
func answerKey(run string, e turnpost.Effect) string { return "page-" + mark(run, e.ID, e.Item) }

// worker says which session works at the run.
func (p page) worker() string {
	for _, s := range p.Live {
		if s.ID == p.Run.Session {
			return program(s) + ", " + doing(s)
		}
	}
	if p.Run.State.Ended() {
		return ""
	}
	return "no session works at it now"
}

package hub

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"turnpost"
)

// who is a resolved caller.
type who struct {
	handle  string
	human   bool
	how     string
	session *session // nil for people; read its fields under mu
	id      string   // its session id
}

// view is the hub as one caller sees it.
type view struct {
	*Hub
	caller turnpost.Caller
}

var _ turnpost.Hub = (*view)(nil)

// As returns the hub on behalf of a caller.
func (h *Hub) As(caller turnpost.Caller) turnpost.Hub { return &view{h, caller} }

// who resolves the caller: the session that announced the secret, else the
// session among the ancestors of the peer process, else the person.
func (v *view) who() (who, error) {
	h := v.Hub
	if secret := v.caller.HookSession; secret != "" {
		h.mu.Lock()
		defer h.mu.Unlock()
		s := h.bySecret(secret)
		if s == nil {
			return who{}, turnpost.Errorf(turnpost.Unauthorized, "hook_session is not known").
				WithHint("use the hook_session of your latest start line")
		}
		return h.sessionIdentity(s, "hook_session")
	}
	if v.caller.Human {
		return who{handle: h.cfg.Human, human: true, how: "your token"}, nil
	}
	if v.caller.Pid == 0 {
		return who{}, turnpost.Errorf(turnpost.Unauthorized, "who asks is not known").
			WithHint("pass hook_session from your start line, or use the stdio form of the MCP server")
	}
	ancestors := h.ancestors(v.caller.Pid)
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, pid := range ancestors {
		// A session's process is known by more than its number.
		live := slices.DeleteFunc(h.inProcess(turnpost.Process{Pid: pid}), func(s *session) bool { return !h.prober.Alive(s.Process) })
		if len(live) == 0 {
			continue
		}
		s, err := speaker(live, v.caller.Native)
		if err != nil {
			return who{}, err
		}
		return h.sessionIdentity(s, "process "+strconv.Itoa(pid))
	}
	if v.caller.Native != "" { // an agent's tool call, so not the person's
		return who{}, turnpost.Errorf(turnpost.Unauthorized, "nothing was heard of this session yet").
			WithHint("its hooks may be off or not trusted: turnpost setup --check")
	}
	return who{handle: h.cfg.Human, human: true, how: "your login"}, nil
}

// speaker is the session that speaks for a process: a process of its own speaks
// for its session, a shared one for the session that the harness named, itself
// or by a sub-agent of it, or for the only one there is.
func speaker(live []*session, native string) (*session, error) {
	if !live[0].Process.Shared {
		return live[0], nil
	}
	for _, s := range live {
		if s.Native == native || s.helpers[native] || native == "" && len(live) == 1 {
			return s, nil
		}
	}
	err := turnpost.Errorf(turnpost.Unauthorized, "%d sessions share this process: which one asks is not known", len(live))
	if native != "" {
		err = turnpost.Errorf(turnpost.Unauthorized, "nothing was heard of the session that asks yet")
	}
	return nil, err.WithHint("pass hook_session from your start line")
}

// kin is what was found out about a caller's process a moment ago.
type kin struct {
	pids []int
	at   time.Time
}

// kinFresh is how long that holds: a look costs as much as a small post, and no
// number is given to another process so soon.
const kinFresh = time.Second

// ancestors lists a peer process and its parents.
func (h *Hub) ancestors(pid int) []int {
	now := time.Now()
	h.mu.Lock()
	found, ok := h.kin[pid]
	h.mu.Unlock()
	if ok && now.Sub(found.at) < kinFresh {
		return found.pids
	}
	found = kin{h.prober.Ancestors(pid), now}
	h.mu.Lock()
	defer h.mu.Unlock()
	for other, k := range h.kin {
		if now.Sub(k.at) >= kinFresh {
			delete(h.kin, other)
		}
	}
	h.kin[pid] = found
	return found.pids
}

// sessionIdentity is a session as a caller. Callers hold mu.
func (h *Hub) sessionIdentity(s *session, how string) (who, error) {
	if s.Handle == "" {
		return who{}, turnpost.Errorf(turnpost.Unauthorized, "this session has no handle: %s", s.Unlinked).
			WithHint("start it with TURNPOST_AGENT=@name")
	}
	return who{handle: s.Handle, how: how, session: s, id: s.ID}, nil
}

// ParseHandle returns the handle in its normal form, "@" and lower case.
func ParseHandle(field, text string) (string, error) {
	handle := strings.ToLower(strings.TrimSpace(text))
	handle = "@" + strings.TrimPrefix(handle, "@")
	bad := func() (string, error) {
		return "", turnpost.Invalidf(field, "%.80q is not a handle", text).
			WithHint("a handle is @name or @name/name of letters, digits, '.', '_' and '-', at most 64 characters")
	}
	if len(handle) > 64 {
		return bad()
	}
	parts := strings.Split(handle[1:], "/")
	if len(parts) > 2 {
		return bad()
	}
	for _, part := range parts {
		if part == "" || slug(part) != part {
			return bad()
		}
	}
	return handle, nil
}

// slug makes one part of a handle out of a file name: lower case, everything
// unusual becomes "-".
func slug(name string) string {
	out := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, name)
	out = strings.Trim(out, "-.")
	if len(out) > 30 {
		out = out[:30]
	}
	return out
}

// newSession makes a session for a native id that nobody saw before, or that
// ended long ago, with a handle and with the agent behind it in the store.
func (h *Hub) newSession(ctx context.Context, ev turnpost.Event, now time.Time) (*session, error) {
	h.create.Lock()
	defer h.create.Unlock()
	key := sessionKey{ev.Harness, ev.Native}
	h.mu.Lock()
	earlier := h.sessions[key]
	if earlier != nil && earlier.live() { // made while we waited
		h.mu.Unlock()
		return earlier, nil
	}
	h.mu.Unlock()

	var row SessionRow
	var agents []turnpost.Agent
	err := h.store.View(ctx, func(tx Tx) (err error) {
		if row, err = tx.SessionByNative(ev.Harness, ev.Native); err != nil && !errors.Is(err, ErrNoRow) {
			return err
		}
		agents, err = tx.Agents()
		return err
	})
	if err != nil {
		return nil, err
	}

	h.mu.Lock()
	if earlier != nil {
		row = SessionRow{Session: earlier.Session, Secret: earlier.secretHash}
	}
	old := h.predecessor(ev.Process)
	handle, unlinked := h.chooseHandle(ev, row.Handle, old, agents)
	h.mu.Unlock()

	if handle != "" && !lodged(agents, handle) {
		if err := h.lodge(ctx, handle, ev.Place, now); err != nil {
			return nil, err
		}
	}

	if handle != "" && known(agents, handle) {
		if err := h.relapse(ctx, handle, ev.Process, row.ID); err != nil {
			return nil, err
		}
	}

	s := &session{Session: row.Session, secretHash: row.Secret, owes: row.Secret == ""}
	if s.ID == "" {
		s.Session = turnpost.Session{
			ID: "s-" + newSecret()[:12], Harness: ev.Harness, Native: ev.Native,
			Attended: ev.Attended, StartedAt: now.UTC(),
		}
	}
	s.Handle, s.Unlinked, s.Reports, s.Place = handle, unlinked, ev.Reports, ev.Place
	s.Cwd, s.Process, s.EndedAt = ev.Cwd, ev.Process, time.Time{}
	s.Wake = turnpost.Wake{}
	if old != nil && old.Wake.Key == ev.Wake.Key {
		s.Wake = old.Wake // the same process goes on watching its bell
	}
	s.set(turnpost.Status{State: turnpost.StateIdle}, ev, now)
	if old != nil && row.ID == "" { // a new conversation in its place
		if err := h.inherit(ctx, handle, old.ID, s.ID); err != nil {
			return nil, err
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if old != nil && old.live() {
		old.end(now, "replaced by a new session of the same process")
		h.record(old, ev.Kind, true, "replaced", now)
		h.touch(old)
	}
	h.sessions[key] = s
	return s, nil
}

// predecessor returns the session that a new one of the process takes over
// from: its live one, or the one that ended last, since /clear ends one session
// and starts the next. In a shared process sessions stand side by side. Callers
// hold mu.
func (h *Hub) predecessor(p turnpost.Process) *session {
	if p.Shared {
		return nil
	}
	if live := h.inProcess(p); len(live) > 0 {
		return live[0]
	}
	var found *session
	for _, s := range h.sessions {
		if !s.live() && sameProcess(s.Process, p) && (found == nil || s.EndedAt.After(found.EndedAt)) {
			found = s
		}
	}
	return found
}

// chooseHandle finds the handle of a new session, in this order: what the user
// set for the process or the path; its old one (resume); the one of the same
// process (clear); the place's lowest handle without a live session. An empty
// handle comes with the reason. Callers hold mu.
func (h *Hub) chooseHandle(ev turnpost.Event, resumed string, old *session, agents []turnpost.Agent) (handle, unlinked string) {
	if ev.Reports {
		return "", "its program reports status only and takes no mail"
	}
	if ev.Agent != "" {
		handle, err := ParseHandle("TURNPOST_AGENT", ev.Agent)
		if err != nil {
			return "", err.Error()
		}
		return handle, ""
	}
	if !ev.Attended {
		return "", "unattended: it gets mail only with TURNPOST_AGENT set"
	}
	if handle, ok := h.configured(ev.Place); ok {
		return handle, ""
	}
	if old != nil && old.Handle != "" {
		if old.live() || len(h.liveOf(old.Handle)) == 0 {
			return old.Handle, ""
		}
	}
	if resumed != "" && known(agents, resumed) && len(h.liveOf(resumed)) == 0 {
		return resumed, ""
	}
	base := h.placeHandle(ev.Place, agents)
	for n := 1; ; n++ {
		handle := base
		if n > 1 {
			handle += "-" + strconv.Itoa(n)
		}
		if taken(agents, handle, ev.Place) || len(h.liveOf(handle)) > 0 {
			continue
		}
		return handle, ""
	}
}

// configured returns the handle that the user's config gives to a path or the
// nearest of its parents.
func (h *Hub) configured(place turnpost.Place) (string, bool) {
	for dir := place.Root; dir != ""; dir = filepath.Dir(dir) {
		if handle, ok := h.cfg.Handles[dir]; ok {
			return handle, true
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return "", false
}

// placeHandle is the first handle of a place: "@repo", "@repo/worktree"; a
// second repository of the same name takes its parent folder in front.
func (h *Hub) placeHandle(place turnpost.Place, agents []turnpost.Agent) string {
	main := place.Main
	if main == "" {
		main = place.Root
	}
	name := slug(filepath.Base(main))
	if name == "" {
		name = "agent"
	}
	suffix := ""
	if tree := slug(place.Worktree); tree != "" {
		suffix = "/" + tree
	}
	if taken(agents, "@"+name+suffix, place) {
		if parent := slug(filepath.Base(filepath.Dir(main))); parent != "" {
			name = parent + "-" + name
		}
	}
	return "@" + name + suffix
}

// lodge gives a handle its place, and makes it where there is none.
func (h *Hub) lodge(ctx context.Context, handle string, place turnpost.Place, now time.Time) error {
	return h.store.Update(ctx, func(tx Tx) error {
		agent, err := tx.Agent(handle)
		if errors.Is(err, ErrNoRow) {
			agent, err = newAgent(handle, now.UTC()), nil
		}
		if err != nil {
			return err
		}
		agent.Place = place
		return tx.SaveAgent(agent)
	})
}

// lodged tells whether there is a handle that has its place: a run may have
// written to one before anybody was there.
func lodged(agents []turnpost.Agent, handle string) bool {
	for _, a := range agents {
		if a.Handle == handle {
			return a.Human || a.Place.Root != ""
		}
	}
	return false
}

func known(agents []turnpost.Agent, handle string) bool {
	for _, a := range agents {
		if a.Handle == handle {
			return true
		}
	}
	return false
}

// taken tells whether the handle is bound to another place, or a person's.
func taken(agents []turnpost.Agent, handle string, place turnpost.Place) bool {
	for _, a := range agents {
		if a.Handle == handle {
			return a.Human || a.Place.Root != "" && a.Place.Root != place.Root
		}
	}
	return false
}

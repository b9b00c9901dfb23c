package hub

import (
	"context"
	"errors"
	"time"

	"turnpost"
)

// Agents lists handles with their live sessions.
func (v *view) Agents(ctx context.Context, q turnpost.AgentQuery) (turnpost.Agents, error) {
	if _, err := v.who(); err != nil {
		return turnpost.Agents{}, err
	}
	var agents []turnpost.Agent
	var unread map[string]int
	err := v.store.View(ctx, func(tx Tx) (err error) {
		if agents, err = tx.Agents(); err != nil {
			return err
		}
		unread, err = tx.Unread()
		return err
	})
	if err != nil {
		return turnpost.Agents{}, err
	}
	out := turnpost.Agents{Agents: []turnpost.Agent{}}
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, a := range agents {
		a = v.configure(a)
		a.Unread = unread[a.Handle]
		live := v.liveOf(a.Handle)
		if len(live) == 0 && !a.Human && !q.All {
			continue
		}
		var s *session
		if len(live) > 0 {
			s = live[0]
			shown := v.shownSession(s)
			a.Session = &shown
		}
		a.Presence = v.presence(a, s)
		out.Agents = append(out.Agents, a)
	}
	return out, nil
}

// shownSession is the session as others see it. Callers hold mu.
func (h *Hub) shownSession(s *session) turnpost.Session {
	out := s.Session
	out.Can = h.can(s)
	if r := h.atWork[s.Handle]; r != nil && r.session == s.ID {
		out.Run = r.id
	}
	out.NotesAt = h.notesAt(s.Handle)
	if status, gone := h.unheard(s); gone && s.live() {
		out.Status = status
		return out
	}
	if s.restored && s.live() {
		out.Status.Evidence += "; not heard since the hub started"
	}
	return out
}

// Channels lists channels with their members.
func (v *view) Channels(ctx context.Context, q turnpost.ChannelQuery) (turnpost.Channels, error) {
	if _, err := v.who(); err != nil {
		return turnpost.Channels{}, err
	}
	out := turnpost.Channels{Channels: []turnpost.Channel{}}
	err := v.store.View(ctx, func(tx Tx) error {
		channels, err := tx.Channels(q.All)
		out.Channels = append(out.Channels[:0], channels...)
		return err
	})
	return out, err
}

// Channel creates, joins, leaves or archives a channel.
func (v *view) Channel(ctx context.Context, q turnpost.ChannelRequest) (turnpost.Channel, error) {
	me, err := v.who()
	if err != nil {
		return turnpost.Channel{}, err
	}
	name, err := parseChannel("name", q.Name)
	if err != nil {
		return turnpost.Channel{}, err
	}
	now := time.Now().UTC()
	var channel turnpost.Channel
	err = v.store.Update(ctx, func(tx Tx) error {
		found, err := tx.Channel(name)
		exists := err == nil
		if err != nil && !errors.Is(err, ErrNoRow) {
			return err
		}
		if !exists && q.Do != "create" {
			return turnpost.Errorf(turnpost.NotFound, "there is no channel %s", name).
				WithHint("create it: turnpost channels create '%s'", name)
		}
		switch q.Do {
		case "create":
			if exists && found.ArchivedAt.IsZero() {
				return turnpost.Errorf(turnpost.Conflict, "%s exists already", name)
			}
			if !exists {
				found = turnpost.Channel{Name: name, CreatedBy: me.handle, CreatedAt: now}
			}
			found.ArchivedAt = time.Time{}
			err = tx.SaveChannel(found)
		case "join":
			err = tx.Join(name, me.handle)
		case "leave":
			err = tx.Leave(name, me.handle)
		case "archive":
			if name == general {
				return turnpost.Errorf(turnpost.Conflict, "%s stays", general)
			}
			if !me.human && found.CreatedBy != me.handle {
				return turnpost.Errorf(turnpost.Forbidden, "%s belongs to %s", name, found.CreatedBy)
			}
			found.ArchivedAt = now
			err = tx.SaveChannel(found)
		default:
			return turnpost.Invalidf("do", "%.40q is not known", q.Do).WithHint("use create, join, leave or archive")
		}
		if err != nil {
			return err
		}
		channel, err = tx.Channel(name)
		return err
	})
	if err == nil {
		v.note()
	}
	return channel, err
}

// Whoami tells who the caller is and what proved it.
func (v *view) Whoami(ctx context.Context, _ turnpost.Nothing) (turnpost.Identity, error) {
	me, err := v.who()
	if err != nil {
		return turnpost.Identity{}, err
	}
	out := turnpost.Identity{Handle: me.handle, Human: me.human, How: me.how}
	v.mu.Lock()
	if me.session != nil {
		shown := v.shownSession(me.session)
		out.Session = &shown
	}
	v.mu.Unlock()
	err = v.store.View(ctx, func(tx Tx) (err error) {
		out.Unread, err = tx.UnreadOf(me.handle)
		return err
	})
	return out, err
}

// Name gives a handle another name; its inbox goes along.
func (v *view) Name(ctx context.Context, q turnpost.NameRequest) (turnpost.Identity, error) {
	h := v.Hub
	me, err := v.who()
	if err != nil {
		return turnpost.Identity{}, err
	}
	from, err := v.target("handle", q.Handle, me)
	if err != nil {
		return turnpost.Identity{}, err
	}
	to, err := ParseHandle("name", q.Name)
	if err != nil {
		return turnpost.Identity{}, err
	}
	if from == h.cfg.Human {
		return turnpost.Identity{}, turnpost.Errorf(turnpost.Conflict, "%s is your own handle; agents have others", from).
			WithHint("name an agent: turnpost name --of @handle @new")
	}
	h.create.Lock() // no session may take either name meanwhile
	defer h.create.Unlock()
	release := h.lockRunsOf(from)
	defer release(from)
	err = h.store.Update(ctx, func(tx Tx) error {
		if _, err := tx.Agent(from); errors.Is(err, ErrNoRow) {
			return turnpost.Errorf(turnpost.NotFound, "there is no %s", from)
		} else if err != nil {
			return err
		}
		if _, err := tx.Agent(to); err == nil {
			return turnpost.Errorf(turnpost.Conflict, "%s exists already", to)
		} else if !errors.Is(err, ErrNoRow) {
			return err
		}
		return tx.RenameAgent(from, to)
	})
	if err != nil {
		return turnpost.Identity{}, err
	}
	release(to)
	h.renameNotes(from, to)
	h.mu.Lock()
	for _, s := range h.sessions {
		if s.Handle == from {
			s.Handle = to
			h.touch(s)
		}
	}
	for _, o := range h.offers {
		if o.handle == from {
			o.handle = to
		}
	}
	h.filled(to)
	h.mu.Unlock()
	if me.human {
		return turnpost.Identity{Handle: to, How: "named by you"}, nil
	}
	return v.Whoami(ctx, turnpost.Nothing{})
}

// target is whom a request is about: the caller, or for a person anyone.
func (v *view) target(field, handle string, me who) (string, error) {
	if handle == "" {
		return me.handle, nil
	}
	parsed, err := ParseHandle(field, handle)
	if err != nil {
		return "", err
	}
	if parsed != me.handle && !me.human {
		return "", turnpost.Errorf(turnpost.Forbidden, "only a person changes somebody else")
	}
	return parsed, nil
}

// change saves a change of one handle.
func (v *view) change(ctx context.Context, handle string, change func(*turnpost.Agent)) (turnpost.Agent, error) {
	var agent turnpost.Agent
	err := v.store.Update(ctx, func(tx Tx) (err error) {
		if agent, err = tx.Agent(handle); errors.Is(err, ErrNoRow) {
			return turnpost.Errorf(turnpost.NotFound, "there is no %s", handle)
		} else if err != nil {
			return err
		}
		change(&agent)
		return tx.SaveAgent(agent)
	})
	if err == nil {
		v.mu.Lock()
		v.filled(handle)
		v.changed()
		v.mu.Unlock()
	}
	return agent, err
}

// Presence says whether the caller is there.
func (v *view) Presence(ctx context.Context, q turnpost.PresenceRequest) (turnpost.Agent, error) {
	me, err := v.who()
	if err != nil {
		return turnpost.Agent{}, err
	}
	switch q.Presence {
	case turnpost.Available, turnpost.Away, turnpost.Offline:
	default:
		return turnpost.Agent{}, turnpost.Invalidf("presence", "%.40q is not known", string(q.Presence)).
			WithHint("use available, away or offline")
	}
	return v.change(ctx, me.handle, func(a *turnpost.Agent) { a.Presence = q.Presence })
}

// Pause keeps a handle from being interrupted until a time. When it is over,
// what waits comes as always.
func (v *view) Pause(ctx context.Context, q turnpost.PauseRequest) (turnpost.Agent, error) {
	me, err := v.who()
	if err != nil {
		return turnpost.Agent{}, err
	}
	handle, err := v.target("handle", q.Handle, me)
	if err != nil {
		return turnpost.Agent{}, err
	}
	if q.Seconds < 0 || q.Seconds > 7*24*3600 {
		return turnpost.Agent{}, turnpost.Invalidf("seconds", "is %d, allowed is 0 to %d (7 days)", q.Seconds, 7*24*3600)
	}
	until := time.Now().UTC().Add(time.Duration(q.Seconds) * time.Second)
	agent, err := v.change(ctx, handle, func(a *turnpost.Agent) {
		a.PausedUntil = time.Time{}
		if q.Seconds > 0 {
			a.PausedUntil = until
		}
	})
	if err != nil {
		return agent, err
	}
	v.mu.Lock()
	for _, s := range v.liveOf(handle) {
		s.ringAfter = until
	}
	v.mu.Unlock()
	return agent, nil
}

// Link binds a session without a handle to one.
func (v *view) Link(ctx context.Context, q turnpost.LinkRequest) (turnpost.Session, error) {
	h := v.Hub
	me, err := v.who()
	if err != nil {
		return turnpost.Session{}, err
	}
	if !me.human {
		return turnpost.Session{}, turnpost.Errorf(turnpost.Forbidden, "only a person links sessions")
	}
	handle, err := ParseHandle("handle", q.Handle)
	if err != nil {
		return turnpost.Session{}, err
	}
	h.mu.Lock()
	s := h.byID(q.Session)
	switch {
	case s == nil:
		err = turnpost.Errorf(turnpost.NotFound, "there is no session %.40q", q.Session)
	case s.Handle != "":
		err = turnpost.Errorf(turnpost.Conflict, "session %s is %s already", s.ID, s.Handle)
	case s.Reports:
		err = turnpost.Errorf(turnpost.Conflict, "session %s takes no mail: its program reports status only", s.ID)
	}
	h.mu.Unlock()
	if err != nil {
		return turnpost.Session{}, err
	}
	now := time.Now().UTC()
	err = h.store.Update(ctx, func(tx Tx) error {
		found, err := tx.Agent(handle)
		if err == nil && found.Human {
			return turnpost.Errorf(turnpost.Conflict, "%s is a person", handle)
		}
		if !errors.Is(err, ErrNoRow) {
			return err
		}
		agent := newAgent(handle, now)
		agent.Place = s.Place
		return tx.SaveAgent(agent)
	})
	if err != nil {
		return turnpost.Session{}, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	s.Handle, s.Unlinked = handle, ""
	h.touch(s)
	h.filled(handle)
	return h.shownSession(s), nil
}

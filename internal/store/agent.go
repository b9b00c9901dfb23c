package store

import (
	"encoding/json"
	"fmt"
	"time"

	"turnpost"
	"turnpost/internal/hub"
)

const agentColumns = `handle, human, root, main, worktree, presence, interrupt, act, paused_until, created_at, last_seq`

func scanAgent(r row) (a turnpost.Agent, err error) {
	err = r.Scan(&a.Handle, &a.Human, &a.Place.Root, &a.Place.Main, &a.Place.Worktree, &a.Presence,
		&a.Interrupt, &a.Act, moment{&a.PausedUntil}, moment{&a.CreatedAt}, &a.LastSeq)
	return a, err
}

func (t *tx) Agent(handle string) (turnpost.Agent, error) {
	return one(t, "read agent", `SELECT `+agentColumns+` FROM agents WHERE handle = ?`, []any{handle}, scanAgent)
}

func (t *tx) Agents() ([]turnpost.Agent, error) {
	return list(t, "list agents", `SELECT `+agentColumns+` FROM agents ORDER BY handle`, nil, scanAgent)
}

func (t *tx) SaveAgent(a turnpost.Agent) error {
	_, err := t.exec("save agent", `
		INSERT INTO agents (`+agentColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (handle) DO UPDATE SET
			human = excluded.human, root = excluded.root, main = excluded.main, worktree = excluded.worktree,
			presence = excluded.presence, interrupt = excluded.interrupt, act = excluded.act,
			paused_until = excluded.paused_until, created_at = excluded.created_at,
			last_seq = CASE WHEN excluded.last_seq > agents.last_seq THEN excluded.last_seq ELSE agents.last_seq END`,
		a.Handle, a.Human, a.Place.Root, a.Place.Main, a.Place.Worktree, string(a.Presence),
		string(a.Interrupt), a.Act, micros(a.PausedUntil), micros(a.CreatedAt), a.LastSeq)
	return err
}

// RenameAgent takes along the memberships (by their foreign key), the inbox, and
// what items and runs say of authors, addressees, claims and agents at work:
// whoever answers an old question reaches its author.
func (t *tx) RenameAgent(from, to string) error {
	if from == to {
		_, err := t.Agent(from)
		return err
	}
	if err := t.save("rename agent", `UPDATE agents SET handle = ? WHERE handle = ?`, to, from); err != nil {
		return err
	}
	if _, err := t.exec("rename inbox", `UPDATE deliveries SET handle = ? WHERE handle = ?`, to, from); err != nil {
		return err
	}
	quotedFrom, quotedTo, err := quoted(from, to)
	if err != nil {
		return fmt.Errorf("rename agent: %w", err)
	}
	// A handle stands in the list as one JSON string, so its quoted form is exact.
	if _, err := t.exec("rename author", `UPDATE items SET author = ? WHERE author = ?`, to, from); err != nil {
		return err
	}
	if _, err := t.exec("rename claim", `
		UPDATE items SET claimed_by = ? WHERE kind = 'task' AND state = 'open' AND claimed_by = ?`, to, from); err != nil {
		return err
	}
	_, err = t.exec("rename addressee", `
		UPDATE items SET addressees = replace(addressees, ?, ?)
		WHERE number IN (SELECT number FROM deliveries WHERE handle = ? AND addressed)`, quotedFrom, quotedTo, to)
	if err != nil {
		return err
	}
	if _, err := t.exec("rename run", `UPDATE runs SET handle = ? WHERE handle = ?`, to, from); err != nil {
		return err
	}
	_, err = t.exec("rename starter", `UPDATE runs SET started_by = ? WHERE started_by = ?`, to, from)
	return err
}

func quoted(a, b string) (qa, qb string, err error) {
	ja, err := json.Marshal(a)
	if err != nil {
		return "", "", err
	}
	jb, err := json.Marshal(b)
	return string(ja), string(jb), err
}

func scanSession(r row) (s hub.SessionRow, err error) {
	var detail string
	if err := r.Scan(&s.Secret, &detail); err != nil {
		return s, err
	}
	err = json.Unmarshal([]byte(detail), &s.Session)
	return s, err
}

func (t *tx) SessionByNative(harness, native string) (hub.SessionRow, error) {
	return one(t, "read session", `SELECT secret, detail FROM sessions WHERE harness = ? AND native = ?`,
		[]any{harness, native}, scanSession)
}

func (t *tx) Sessions(endedAfter time.Time) ([]hub.SessionRow, error) {
	return list(t, "list sessions", `
		SELECT secret, detail FROM sessions WHERE ended_at = 0 OR ended_at > ? ORDER BY started_at, id`,
		[]any{micros(endedAfter)}, scanSession)
}

func (t *tx) SaveSession(s hub.SessionRow) error {
	detail, err := json.Marshal(s.Session)
	if err != nil {
		return fmt.Errorf("save session: %w", err)
	}
	_, err = t.exec("save session", `
		INSERT INTO sessions (id, harness, native, secret, started_at, ended_at, detail) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET
			harness = excluded.harness, native = excluded.native, secret = excluded.secret,
			started_at = excluded.started_at, ended_at = excluded.ended_at, detail = excluded.detail`,
		s.ID, s.Harness, s.Native, s.Secret, micros(s.StartedAt), micros(s.EndedAt), string(detail))
	return err
}

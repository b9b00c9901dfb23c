package store

import "turnpost"

const channelColumns = `name, created_by, created_at, archived_at, last_seq`

func scanChannel(r row) (c turnpost.Channel, err error) {
	err = r.Scan(&c.Name, &c.CreatedBy, moment{&c.CreatedAt}, moment{&c.ArchivedAt}, &c.LastSeq)
	return c, err
}

func (t *tx) Channel(name string) (turnpost.Channel, error) {
	c, err := one(t, "read channel", `SELECT `+channelColumns+` FROM channels WHERE name = ?`, []any{name}, scanChannel)
	if err != nil {
		return c, err
	}
	c.Members, err = list(t, "list members", `SELECT handle FROM members WHERE channel = ? ORDER BY handle`, []any{name},
		func(r row) (handle string, err error) { return handle, r.Scan(&handle) })
	return c, err
}

func (t *tx) Channels(archived bool) ([]turnpost.Channel, error) {
	channels, err := list(t, "list channels", `
		SELECT `+channelColumns+` FROM channels WHERE archived_at = 0 OR ? ORDER BY name`, []any{archived}, scanChannel)
	if err != nil {
		return nil, err
	}
	place := make(map[string]int, len(channels))
	for i, c := range channels {
		place[c.Name] = i
	}
	_, err = list(t, "list members", `SELECT channel, handle FROM members ORDER BY channel, handle`, nil,
		func(r row) (struct{}, error) {
			var channel, handle string
			err := r.Scan(&channel, &handle)
			if i, ok := place[channel]; ok {
				channels[i].Members = append(channels[i].Members, handle)
			}
			return struct{}{}, err
		})
	return channels, err
}

func (t *tx) SaveChannel(c turnpost.Channel) error {
	_, err := t.exec("save channel", `
		INSERT INTO channels (`+channelColumns+`) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET
			created_by = excluded.created_by, created_at = excluded.created_at, archived_at = excluded.archived_at,
			last_seq = CASE WHEN excluded.last_seq > channels.last_seq THEN excluded.last_seq ELSE channels.last_seq END`,
		c.Name, c.CreatedBy, micros(c.CreatedAt), micros(c.ArchivedAt), c.LastSeq)
	return err
}

func (t *tx) Join(channel, handle string) error {
	_, err := t.exec("join channel", `
		INSERT INTO members (channel, handle) VALUES (?, ?) ON CONFLICT (channel, handle) DO NOTHING`, channel, handle)
	return err
}

func (t *tx) Leave(channel, handle string) error {
	_, err := t.exec("leave channel", `DELETE FROM members WHERE channel = ? AND handle = ?`, channel, handle)
	return err
}

package store

import (
	"errors"
	"math"
	"strings"

	"turnpost"
	"turnpost/internal/hub"
)

// stream is one way to walk some of the items, newest first, along an index.
type stream struct {
	from  string // FROM and WHERE; "i" is the items table where it is joined
	args  []any
	order string // the column that the walk is ordered by: the item's number
}

// Timeline joins the streams that can hold what the filter wants; each is cut
// at the limit on its own index, so items that no stream holds cost nothing.
func (t *tx) Timeline(f hub.TimelineFilter) ([]turnpost.Item, error) {
	before := int64(math.MaxInt64)
	if f.Before != "" {
		err := t.get("read item number", `SELECT number FROM items WHERE number = ? AND id = ?`,
			[]any{numberOf(f.Before), f.Before}, &before)
		if errors.Is(err, hub.ErrNoRow) {
			return nil, nil // nothing is older than what never was
		}
		if err != nil {
			return nil, err
		}
	}
	var parts []string
	var args []any
	for _, s := range streams(f) {
		parts = append(parts, `SELECT * FROM (SELECT `+s.order+` FROM `+s.from+` AND `+s.order+` < ? ORDER BY `+s.order+` DESC LIMIT ?) s`)
		args = append(append(args, s.args...), before, f.Limit)
	}
	query := `SELECT ` + itemColumns + ` FROM items i WHERE i.number IN (` + strings.Join(parts, ` UNION ALL `) + `)
		ORDER BY i.number DESC LIMIT ?`
	return list(t, "read timeline", query, append(args, f.Limit), scanItem)
}

// An item is to whom a delivery addresses it: the hub makes one for each name
// in Item.To. That a handle got it by a channel only does not count.
const addressedTo = `EXISTS (SELECT 1 FROM deliveries x WHERE x.number = i.number AND x.handle = ? AND x.addressed)`

// streams picks the walks for a filter. Channels are seen by everybody, the rest
// by its author and its addressees.
func streams(f hub.TimelineFilter) []stream {
	const plain, joined = `i.number`, `d.number`
	visible, seer := ``, []any(nil)
	if f.Viewer != "" && f.Viewer != f.Handle {
		visible = ` AND (i.channel <> '' OR i.author = ? OR ` + addressedTo + `)`
		seer = []any{f.Viewer, f.Viewer}
	}
	byAuthor := func(handle, more string, args []any) stream {
		return stream{`items i WHERE i.author = ?` + more, append([]any{handle}, args...), plain}
	}
	byRecipient := func(handle, more string, args []any) stream {
		return stream{
			`deliveries d JOIN items i ON i.number = d.number WHERE d.handle = ? AND d.addressed` + more,
			append([]any{handle}, args...), joined,
		}
	}
	switch {
	case f.Channel != "" && f.Handle != "":
		// A channel item from or to the handle: walk the channel.
		return []stream{{
			`items i WHERE i.channel = ? AND i.channel <> '' AND (i.author = ? OR ` + addressedTo + `)`,
			[]any{f.Channel, f.Handle, f.Handle},
			plain,
		}}
	case f.Channel != "":
		return []stream{{`items i WHERE i.channel = ? AND i.channel <> ''`, []any{f.Channel}, plain}}
	case f.Handle != "":
		return []stream{byAuthor(f.Handle, visible, seer), byRecipient(f.Handle, visible, seer)}
	case f.Viewer != "":
		return []stream{
			{`items i WHERE i.channel <> ''`, nil, plain},
			byAuthor(f.Viewer, ``, nil),
			byRecipient(f.Viewer, ``, nil),
		}
	}
	return []stream{{`items i WHERE i.number > 0`, nil, plain}}
}

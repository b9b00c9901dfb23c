package store

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"turnpost/internal/hub"
	"turnpost/internal/hub/hubtest/storetest"
)

// TestContract runs the suite and then looks at the plan of every statement
// that the suite made the store run.
func TestContract(t *testing.T) {
	ran := map[string]bool{}
	storetest.Run(t, func(t *testing.T) hub.Store {
		s := open(t)
		t.Cleanup(func() { collect(s, ran) })
		return s
	})
	t.Run("plans", func(t *testing.T) { plans(t, ran) })
}

// collect adds the statements that an idle store has prepared.
func collect(s *SQLite, into map[string]bool) {
	conns := []*conn{s.writer.conn}
	for range readers {
		select {
		case c := <-s.readers:
			conns = append(conns, c)
			defer func() { s.readers <- c }()
		default: // closed
		}
	}
	for _, c := range conns {
		for query := range c.stmts {
			into[query] = true
		}
	}
}

// walks are the statements that may walk a whole table or index, or sort, by a
// piece of their text, and why that is fine.
var walks = map[string]string{
	"FROM agents ORDER BY handle":                  "all handles are asked for",
	"FROM channels WHERE archived_at = 0 OR":       "all channels are asked for",
	"SELECT channel, handle FROM members ORDER BY": "all members are asked for",
	"ended_at = 0 OR ended_at >":                   "sorts the sessions, or runs, that it returns",
	"COUNT(*) FROM deliveries d WHERE d.state":     "walks the index of open deliveries, which it counts",
	"FROM activity ORDER BY seq DESC LIMIT":        "walks the primary key as far as the limit",
	"FROM runs ORDER BY number DESC LIMIT":         "walks the primary key as far as the limit",
	"FROM notices WHERE cleared_at = 0 ORDER BY":   "walks the index of standing notices, which it returns",
	"ORDER BY d.seq LIMIT":                         "sorts the open deliveries of one handle",
	"UPDATE deliveries AS d SET state = 'stored'":  "walks the index of held deliveries, which it changes",
	"WHERE d.offer = ? AND d.offer <> '' ORDER BY": "sorts the deliveries of one offer",
	"ORDER BY i.number LIMIT":                      "sorts the numbers that its parts were cut to",
}

// hot are the statements of turn boundaries and of the clock, by a piece of
// their text, and the index that each must use.
var hot = map[string]string{
	"ORDER BY d.priority, d.seq LIMIT":         "SEARCH d USING INDEX deliveries_open (handle=?)",
	"SELECT COUNT(*) FROM deliveries d WHERE":  "SEARCH d USING COVERING INDEX deliveries_open (handle=?)",
	"SELECT MIN(d.seq) - 1":                    "SEARCH d USING COVERING INDEX deliveries_open (handle=? AND priority>?)",
	"ORDER BY d.seq LIMIT":                     "SEARCH d USING COVERING INDEX deliveries_open (handle=? AND priority>?)",
	"WHERE d.offer = ?":                        "SEARCH d USING INDEX deliveries_offer (offer=?)",
	"ORDER BY d.stored_at LIMIT":               "SEARCH d USING INDEX deliveries_unseen (stored_at<?)",
	"ORDER BY d.attempt, d.lease LIMIT":        "SEARCH d USING INDEX deliveries_ignored (attempt>?)",
	"UPDATE deliveries AS d SET state":         "SCAN d USING INDEX deliveries_held",
	"WHERE d.number = ? AND d.handle = ? AND":  "SEARCH d USING INDEX sqlite_autoindex_deliveries_2 (number=? AND handle=?)",
	"FROM post_keys WHERE author = ? AND key":  "SEARCH post_keys USING INDEX sqlite_autoindex_post_keys_1 (author=? AND key=?)",
	"FROM sessions WHERE harness = ? AND nati": "SEARCH sessions USING INDEX sqlite_autoindex_sessions_2 (harness=? AND native=?)",
	"FROM items i WHERE i.number = ? AND i.id": "SEARCH i USING INTEGER PRIMARY KEY (rowid=?)",
	"MAX(seq), 0) FROM run_events WHERE run":   "SEARCH run_events USING COVERING INDEX sqlite_autoindex_run_events_1 (run=?)",
	"UPDATE runs SET handle = ?, state = ?":    "SEARCH runs USING INTEGER PRIMARY KEY (rowid=?)",
}

// plans fails for every statement that reads more than it needs: what a turn
// boundary costs must not grow with what is stored for others.
func plans(t *testing.T, ran map[string]bool) {
	s := open(t)
	if len(ran) < 50 {
		t.Fatalf("the suite ran only %d statements", len(ran))
	}
	used := map[string]bool{}
	for _, query := range slices.Sorted(maps.Keys(ran)) {
		verb, _, _ := strings.Cut(strings.TrimSpace(query), " ")
		switch strings.TrimSpace(verb) {
		case "SELECT", "INSERT", "UPDATE", "DELETE":
		default:
			continue
		}
		plan := planOf(t, s, query)
		flat := strings.Join(strings.Fields(query), " ")
		for text, step := range hot {
			if strings.Contains(flat, text) {
				used[text] = true
				if !slices.Contains(plan, step) {
					t.Errorf("%s\n  %s\nwant %q", query, strings.Join(plan, "\n  "), step)
				}
			}
		}
		var walked bool
		for _, step := range plan {
			walked = walked || strings.HasPrefix(step, "SCAN ") && step != "SCAN s" /* a stream, cut already */ || strings.Contains(step, "TEMP B-TREE")
		}
		if !walked {
			continue
		}
		allowed := false
		for text := range walks {
			if strings.Contains(flat, text) {
				allowed, used[text] = true, true
			}
		}
		if !allowed {
			t.Errorf("walks or sorts:\n%s\n  %s", query, strings.Join(plan, "\n  "))
		}
	}
	for _, text := range slices.Concat(slices.Collect(maps.Keys(walks)), slices.Collect(maps.Keys(hot))) {
		if !used[text] {
			t.Errorf("no statement is %q any more", text)
		}
	}
}

func planOf(t *testing.T, s *SQLite, query string) (steps []string) {
	t.Helper()
	args := make([]any, strings.Count(query, "?"))
	rows, err := s.readDB.QueryContext(context.Background(), "EXPLAIN QUERY PLAN "+query, args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			t.Fatal(err)
		}
		steps = append(steps, detail)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return steps
}

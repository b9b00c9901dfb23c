package store

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"

	sqlite3 "modernc.org/sqlite/lib"

	"turnpost"
	"turnpost/internal/hub"
	"turnpost/internal/hub/hubtest"
)

// TestBoardSaysThatTheStoreIsBroken lets the disk fail under a running hub.
func TestBoardSaysThatTheStoreIsBroken(t *testing.T) {
	ctx := context.Background()
	var fail atomic.Bool
	db := reopen(t, filepath.Join(privateDir(t), "turnpost.db"), func(c *config) {
		c.beforeCommit = func() error {
			if fail.Load() {
				return diskError(sqlite3.SQLITE_IOERR_FSYNC)
			}
			return nil
		}
	})
	h, err := hub.New(ctx, hub.Config{Human: "@anna"}, db, &hubtest.Bells{}, hubtest.NewMachine(), &hubtest.Desktop{}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	human := h.As(turnpost.Caller{Human: true})
	fail.Store(true)
	for range 2 {
		if _, err := human.Post(ctx, turnpost.Draft{To: []string{"@anna"}, Summary: "lost?"}); turnpost.CodeOf(err) != turnpost.Unavailable {
			t.Errorf("a post said %v", err)
		}
	}
	board, err := human.Board(ctx, turnpost.BoardQuery{})
	if err != nil || len(board.Notices) != 1 || board.Notices[0].Class != "broken" {
		t.Errorf("the board says %+v, %v", board.Notices, err)
	}
}

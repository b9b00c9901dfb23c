package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"turnpost"
	"turnpost/internal/hub"
)

func TestOpenRefuses(t *testing.T) {
	wide := t.TempDir()
	if err := os.Chmod(wide, 0o750); err != nil {
		t.Fatal(err)
	}
	linked := privateDir(t)
	if err := os.Symlink(filepath.Join(privateDir(t), "elsewhere"), filepath.Join(linked, "turnpost.db")); err != nil {
		t.Fatal(err)
	}
	text := filepath.Join(privateDir(t), "turnpost.db")
	if err := os.WriteFile(text, []byte(strings.Repeat("no database\n", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, path string
		code       turnpost.Code
	}{
		{"relative path", "turnpost.db", turnpost.Invalid},
		{"directory open to others", filepath.Join(wide, "turnpost.db"), turnpost.Forbidden},
		{"symlink", filepath.Join(linked, "turnpost.db"), turnpost.Forbidden},
		{"not a file", privateDir(t), turnpost.Forbidden},
		{"not a database", text, turnpost.Unavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Open(t.Context(), c.path)
			if err == nil {
				_ = s.Close()
				t.Fatal("it opened")
			}
			if turnpost.CodeOf(err) != c.code {
				t.Errorf("got %q (%s), want %s", err, turnpost.CodeOf(err), c.code)
			}
		})
	}
	if _, err := Open(t.Context(), filepath.Join(privateDir(t), "none", "turnpost.db")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing directory: %v", err)
	}
}

// TestFilesArePrivate looks at the modes, with the umask wide open and for a
// restored backup that others could read.
func TestFilesArePrivate(t *testing.T) {
	wideUmask(t)
	dir := privateDir(t)
	path := filepath.Join(dir, "turnpost.db")
	for range 2 {
		s := reopen(t, path)
		fillAgents(t, s, "@api")
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		if len(entries) != 3 {
			t.Errorf("files: %v, want the store, its log and the log's index", entries)
		}
		for _, entry := range entries {
			info, err := entry.Info()
			if err != nil {
				t.Fatal(err)
			}
			if info.Mode() != 0o600 {
				t.Errorf("%s is %v", entry.Name(), info.Mode())
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestReopenKeepsEverything(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	path := filepath.Join(privateDir(t), "turnpost.db")
	for round := range 3 {
		s, err := Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		fillAgents(t, s, "@api", "@web")
		var item turnpost.Item
		err = s.Update(t.Context(), func(tx hub.Tx) (err error) {
			item, err = post(tx, "@web", "@api")
			return err
		})
		if err != nil || numberOf(item.ID) != int64(round+1) {
			t.Errorf("round %d: %s, %v", round, item.ID, err)
		}
		s.Later(func(tx hub.Tx) error { return tx.AddActivity(turnpost.Activity{Session: "s-1"}) })
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path + "-wal"); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the log is left behind: %v", err)
		}
	}
	s := reopen(t, path)
	err := s.View(t.Context(), func(tx hub.Tx) error {
		unread, err := tx.UnreadOf("@api")
		rows, e := tx.Activities(9)
		if unread != 3 || len(rows) != 3 {
			t.Errorf("%d unread, %d rows of activity, want 3 and 3", unread, len(rows))
		}
		return errors.Join(err, e)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestNewerSchema is an older hub that meets a store of a newer one.
func TestNewerSchema(t *testing.T) {
	path := filepath.Join(privateDir(t), "turnpost.db")
	s := reopen(t, path)
	err := s.Update(t.Context(), func(h hub.Tx) error {
		_, err := h.(*tx).exec("raise version", `INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, 1)`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), path)
	coded, ok := errors.AsType[*turnpost.Error](err)
	if !ok || coded.Code != turnpost.Unavailable || coded.Hint == "" ||
		!strings.Contains(coded.Message, "newer Turnpost") || !strings.Contains(coded.Message, "version 999") {
		t.Errorf("got %v", err)
	}
	after, err := os.ReadFile(path)
	if err != nil || string(after) != string(before) {
		t.Errorf("the store was touched: %v", err)
	}
}

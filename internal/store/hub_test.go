package store_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"turnpost"
	"turnpost/internal/hub"
	"turnpost/internal/hub/hubtest"
	"turnpost/internal/store"
)

// TestHubOnSQLite tells every story of the hub to a hub on this store, the slow
// ones in fake time.
func TestHubOnSQLite(t *testing.T) {
	hubtest.Run(t, true, func(t *testing.T, cfg hub.Config, r *hubtest.Rig) (turnpost.HookHub, func(turnpost.Caller) turnpost.Hub, func(string)) {
		ctx, cancel := context.WithCancel(context.Background())
		dir := t.TempDir()
		if err := os.Chmod(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		db, err := store.Open(ctx, filepath.Join(dir, "turnpost.db"))
		if err != nil {
			t.Fatal(err)
		}
		cfg.OnError = func(err error) { t.Error(err) }
		h, err := hub.New(ctx, cfg, db, r.Bells, r.Machine, r.Desktop, r.Installs, r.Keeper)
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() { defer close(done); h.Run(ctx) }()
		t.Cleanup(func() {
			cancel()
			<-done
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
		return h, h.As, h.Release
	})
}

package store_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"turnpost"
	"turnpost/internal/hub"
	"turnpost/internal/hub/hubtest"
	"turnpost/internal/store"
)

// BenchmarkHubPost is what a post costs the hub itself: rules, store and sync,
// without a wire.
func BenchmarkHubPost(b *testing.B) {
	dir := b.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	db, err := store.Open(ctx, filepath.Join(dir, "turnpost.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	h, err := hub.New(ctx, hub.Config{Human: "@anna"}, db, &hubtest.Bells{}, hubtest.NewMachine(), &hubtest.Desktop{}, nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	for i := range 50 {
		root := fmt.Sprintf("/src/repo%d", i)
		if _, err := h.Handle(ctx, turnpost.Event{
			Kind: turnpost.SessionStart, Harness: "standin", Native: root, Attended: true,
			Place: turnpost.Place{Root: root, Main: root}, Process: turnpost.Process{Pid: 100 + i, Start: "boot"},
		}); err != nil {
			b.Fatal(err)
		}
	}
	human := h.As(turnpost.Caller{Human: true})
	var n atomic.Int64
	b.SetParallelism(8) // 16 writers on two processors
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			i := n.Add(1)
			if _, err := human.Post(ctx, turnpost.Draft{To: []string{fmt.Sprintf("@repo%d", i%50)}, Summary: fmt.Sprint("post ", i)}); err != nil {
				b.Error(err)
			}
		}
	})
}

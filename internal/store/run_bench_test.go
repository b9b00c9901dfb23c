package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"turnpost"
	"turnpost/internal/hub"
	"turnpost/internal/hub/hubtest"
	"turnpost/internal/store"
)

// BenchmarkRunShow looks at a run with 1,000 effects, as JSON: one that goes on,
// and one that a hub which has just started has to replay first.
func BenchmarkRunShow(b *testing.B) {
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
	begin := func() turnpost.Hub {
		h, err := hub.New(ctx, hub.Config{Human: "@anna"}, db, &hubtest.Bells{}, hubtest.NewMachine(), &hubtest.Desktop{}, nil, nil)
		if err != nil {
			b.Fatal(err)
		}
		return h.As(turnpost.Caller{Human: true})
	}
	show := func(human turnpost.Hub, id string) {
		run, err := human.Run(ctx, turnpost.RunQuery{ID: id})
		if err != nil || len(run.Effects) != 1000 {
			b.Fatal(len(run.Effects), err)
		}
		if _, err := json.Marshal(run); err != nil {
			b.Fatal(err)
		}
	}
	if err := db.Update(ctx, func(tx hub.Tx) error {
		return tx.SaveAgent(turnpost.Agent{Handle: "@api", Presence: turnpost.Available})
	}); err != nil {
		b.Fatal(err)
	}
	human := begin()
	run, err := human.StartRun(ctx, turnpost.RunStart{Goal: "much to do", Handle: "@api"})
	if err != nil {
		b.Fatal(err)
	}
	value := strings.Repeat("what came of it\n", 64)
	for i := range 1000 {
		done, err := human.AskEffect(ctx, turnpost.EffectDraft{
			Run: run.ID, Kind: turnpost.EffectCommand, Key: fmt.Sprint(i), Command: &turnpost.Command{Args: []string{"make", fmt.Sprint(i)}, Dir: "/src"},
		})
		if err != nil {
			b.Fatal(err)
		}
		post := turnpost.EffectPost{Run: run.ID, Effect: done.Effect.ID, Status: turnpost.EffectOK, Value: value}
		if _, err := human.PostEffect(ctx, post); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("live", func(b *testing.B) {
		for b.Loop() {
			show(human, run.ID)
		}
	})
	if _, err := human.ChangeRun(ctx, turnpost.RunRequest{ID: run.ID, Do: turnpost.RunHalt}); err != nil {
		b.Fatal(err)
	}
	b.Run("replayed", func(b *testing.B) {
		for b.Loop() {
			show(begin(), run.ID)
		}
	})
}

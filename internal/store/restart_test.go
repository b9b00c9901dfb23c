package store_test

import (
	"context"
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

// TestHubRestart stops a hub with fifty live sessions, a held offer and mail,
// and starts the next one on the same file.
func TestHubRestart(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	desktop := &hubtest.Desktop{}
	start := func() (*hub.Hub, func()) {
		db, err := store.Open(ctx, filepath.Join(dir, "turnpost.db"))
		if err != nil {
			t.Fatal(err)
		}
		h, err := hub.New(ctx, hub.Config{Human: "@anna", OnError: func(err error) { t.Error(err) }}, db,
			&hubtest.Bells{}, hubtest.NewMachine(), desktop, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		running, cancel := context.WithCancel(ctx)
		done := make(chan struct{})
		go func() { defer close(done); h.Run(running) }()
		return h, func() {
			cancel()
			<-done
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	event := func(n int, kind turnpost.Kind) turnpost.Event {
		root := fmt.Sprintf("/src/repo%d", n)
		return turnpost.Event{
			Kind: kind, Harness: "standin", Native: fmt.Sprint("n", n), Cwd: root,
			Place: turnpost.Place{Root: root, Main: root}, Attended: true,
			Process: turnpost.Process{Pid: 100 + n, Start: "boot"},
			Accepts: turnpost.Accepts{Context: kind == turnpost.SessionStart, Continue: kind == turnpost.TurnEnd},
		}
	}

	h, stop := start()
	for n := range 50 {
		for _, kind := range []turnpost.Kind{turnpost.SessionStart, turnpost.Prompt} {
			if _, err := h.Handle(ctx, event(n, kind)); err != nil {
				t.Fatal(err)
			}
		}
	}
	draft := turnpost.Draft{Kind: turnpost.Question, To: []string{"@repo7"}, Summary: "survives?", Key: "k"}
	human := h.As(turnpost.Caller{Human: true})
	posted, err := human.Post(ctx, draft)
	if err != nil {
		t.Fatal(err)
	}
	held, err := h.Handle(ctx, event(7, turnpost.TurnEnd))
	if err != nil || held.Offer == "" {
		t.Fatalf("no offer: %+v, %v", held, err)
	}
	stop() // before anybody confirmed

	h, stop = start()
	defer stop()
	human = h.As(turnpost.Caller{Human: true})
	board, err := human.Board(ctx, turnpost.BoardQuery{})
	if err != nil || len(board.Sessions) != 50 || len(board.Notices) != 0 || desktop.Count("") != 0 {
		t.Fatalf("%d sessions, %d notices, %v", len(board.Sessions), len(board.Notices), err)
	}
	for _, s := range board.Sessions {
		if s.Status.State != turnpost.StateWorking || !strings.Contains(s.Status.Evidence, "not heard since the hub started") {
			t.Fatalf("%s shows as %+v", s.Handle, s.Status)
		}
	}
	again, err := human.Post(ctx, draft)
	if err != nil || !again.Again || again.Item.ID != posted.Item.ID {
		t.Errorf("the key was forgotten: %+v, %v", again, err)
	}
	answer, err := h.Handle(ctx, event(7, turnpost.TurnEnd))
	if err != nil || !strings.Contains(answer.Decision.Continue, "survives?") {
		t.Errorf("what was held is lost: %+v, %v", answer, err)
	}
}

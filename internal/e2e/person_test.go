//go:build unix

package e2e

import (
	"context"
	"fmt"
	"time"

	"turnpost"
	"turnpost/internal/realtest"
)

// post posts as the person, also out of a step of the model's.
func (w *world) post(d turnpost.Draft) turnpost.Posted {
	w.t.Helper()
	posted, err := w.hub.Post(w.t.Context(), d)
	if err != nil {
		w.t.Errorf("post %q: %v", d.Summary, err) // not Fatalf: any goroutine
	}
	return posted
}

// expect posts and checks when the one addressee is said to see the item.
func (w *world) expect(class turnpost.DeliveryClass, d turnpost.Draft) turnpost.Item {
	w.t.Helper()
	posted := w.post(d)
	if len(posted.Expect) != 1 || posted.Expect[0].Class != class {
		w.t.Errorf("%q is said to arrive %+v, want %q", d.Summary, posted.Expect, class)
	}
	return posted.Item
}

// ask posts a question of the person's.
func (w *world) ask(to, text string, class turnpost.DeliveryClass) turnpost.Item {
	w.t.Helper()
	return w.expect(class, turnpost.Draft{Kind: turnpost.Question, To: []string{to}, Summary: text})
}

// warn posts an urgent note: it interrupts like a question, and nothing is left
// of it once it has arrived.
func (w *world) warn(to, text string, class turnpost.DeliveryClass) turnpost.Item {
	w.t.Helper()
	return w.expect(class, turnpost.Draft{Kind: turnpost.Note, Urgent: true, To: []string{to}, Summary: text})
}

// resolve closes a question of the person's that nobody needs answered.
func (w *world) resolve(id string) {
	w.t.Helper()
	if _, err := w.hub.Resolve(w.t.Context(), turnpost.ResolveRequest{ID: id}); err != nil {
		w.t.Fatalf("resolve %s: %v", id, err)
	}
}

// item reads an item with its deliveries.
func (w *world) item(id string) turnpost.Item {
	w.t.Helper()
	found, err := w.hub.Read(w.t.Context(), turnpost.ReadQuery{IDs: []string{id}})
	if err != nil || len(found.Items) != 1 {
		w.t.Fatalf("read %s: %+v, %v", id, found, err)
	}
	return found.Items[0]
}

// awaitDelivery waits until the only delivery of an item is in the state.
func (w *world) awaitDelivery(id string, state turnpost.DeliveryState) {
	w.t.Helper()
	realtest.Until(w.t, fmt.Sprintf("%s is %s", id, state), func() bool {
		item := w.item(id)
		return len(item.Deliveries) == 1 && item.Deliveries[0].State == state
	})
}

// board waits until the board is right, and returns it.
func (w *world) board(what string, right func(turnpost.Board) bool) turnpost.Board {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), realtest.Patience)
	defer cancel()
	for {
		board, err := w.hub.Board(ctx, turnpost.BoardQuery{})
		if err != nil {
			w.t.Fatalf("look at the board until %s: %v", what, err)
		}
		if right(board) {
			return board
		}
		// A second at most: what is stored is there a moment after the change.
		if _, err := w.hub.Changes(ctx, turnpost.ChangesQuery{After: board.Rev, Seconds: 1}); err != nil {
			w.t.Fatalf("wait until %s: %v\nboard: %+v", what, err, board)
		}
	}
}

// now is the board as it is.
func (w *world) now() turnpost.Board {
	w.t.Helper()
	return w.board("now", func(turnpost.Board) bool { return true })
}

// session waits until the open conversation of a client is as wanted.
func (w *world) session(tui *realtest.TUI, what string, right func(turnpost.Session) bool) turnpost.Session {
	w.t.Helper()
	native := tui.Session()
	var found turnpost.Session
	w.board("the session is "+what, func(b turnpost.Board) bool {
		for _, s := range b.Sessions {
			if s.Native == native {
				found = s
				return right(s)
			}
		}
		return false
	})
	return found
}

// is waits until the hub says that the client's session is in the state.
func (w *world) is(tui *realtest.TUI, state turnpost.State) turnpost.Session {
	w.t.Helper()
	return w.session(tui, string(state), func(s turnpost.Session) bool { return s.Status.State == state })
}

// can waits until the hub says that the client's session can receive so much.
func (w *world) can(tui *realtest.TUI, text string) {
	w.t.Helper()
	w.session(tui, "one that can "+text, func(s turnpost.Session) bool { return s.Can == text })
}

// postToRequest runs post, which posts text, and tells how long it took until
// the model was asked with it.
func postToRequest(api *realtest.API, text string, post func()) time.Duration {
	start := time.Now()
	post()
	return api.Wait(1, realtest.Fresh(text)).At.Sub(start)
}

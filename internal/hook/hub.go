package hook

import (
	"errors"
	"os"
	"time"

	"turnpost"
	"turnpost/internal/statedir"
)

// errGone is a hub that should be there and is not.
var errGone = errors.New("the hub is gone")

// hub is the one connection to the hub that a call makes.
type hub struct {
	dir      statedir.Dir
	deadline time.Time
	conn     *os.File
	silent   bool // it should be there, and does not answer
}

// ask tells the hub the event; the zero answer is no opinion. An event that no
// hub took over goes to the spool, unless none should be there.
func (h *hub) ask(event turnpost.Event, at time.Time) turnpost.HookAnswer {
	file, err := h.dir.ReadHub()
	if err != nil {
		return turnpost.HookAnswer{} // stopped, or never started
	}
	if h.conn, err = dial(file.Socket, h.deadline); err != nil {
		h.silent = true
		spool(h.dir, event, at)
		if errors.Is(err, errGone) {
			heal(h.dir, file.Heal, at)
		}
		return turnpost.HookAnswer{}
	}
	answer, err := h.event(event)
	if err != nil {
		if !errors.Is(err, errRefused) {
			h.silent = true
			spool(h.dir, event, at)
		}
		return turnpost.HookAnswer{}
	}
	return answer
}

func (h *hub) event(event turnpost.Event) (turnpost.HookAnswer, error) {
	if err := h.conn.SetDeadline(h.deadline); err != nil {
		return turnpost.HookAnswer{}, err
	}
	if err := post(h.conn, "/v1/event", encodeEvent(event)); err != nil {
		return turnpost.HookAnswer{}, err
	}
	body, err := readAnswer(h.conn)
	if err != nil || len(body) == 0 {
		return turnpost.HookAnswer{}, err
	}
	return decodeAnswer(body)
}

// shown confirms an offer and does not wait for an answer. Losing it means that
// the items are shown again.
func (h *hub) shown(offer string) {
	if h.conn.SetDeadline(time.Now().Add(margin)) == nil {
		_ = post(h.conn, "/v1/shown", encodeReceipt(offer))
	}
}

package wake

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"turnpost"
	"turnpost/internal/harness"
	"turnpost/internal/statedir"
)

// How long a ring by inbox may take, and how large a line of an answer may be.
const (
	inboxLimit = 5 * time.Second
	inboxLine  = 64 << 10
)

// Bells answers the bell of a session, as its hooks ask it elsewhere.
type Bells interface {
	turnpost.HookHub
	// Release frees an offer that nobody was told of.
	Release(offer string)
}

// inbox rings at a socket of the session itself, with the key that the session
// gave its hooks. What is put in there comes to the model past every hook, so the
// ring asks for the items itself, like a hook that hears its bell, and counts
// them as shown when the session says that it took them.
type inbox struct {
	kept
	report func(error)
	bells  func() Bells
	closed *closedInboxes
}

// closedInboxes are the sessions that let nobody in, or only past their user, who
// wanted that: they are not asked again, and the hub tells the human that they
// hear nothing.
type closedInboxes struct {
	mu  sync.Mutex
	set map[string]bool // by the session's key
}

// Inbox is the way to ring at a session's own inbox. report takes what goes wrong
// in the background; bells is asked when it rings.
func Inbox(dir statedir.Dir, report func(error), bells func() Bells) Method {
	return inbox{kept{dir}, report, bells, &closedInboxes{set: map[string]bool{}}}
}

func (inbox) Name() string { return "inbox" }

func (inbox) Says() string { return "inbox" }

// Patience covers the ring.
func (inbox) Patience() time.Duration { return inboxLimit + time.Second }

// Ring asks, writes and waits for the receipt in the background.
func (i inbox) Ring(name string, wake turnpost.Wake) error {
	h, _ := harness.Find(name)
	inboxer, ok := h.(harness.Inboxer)
	if !ok {
		return fmt.Errorf("ring by inbox: %.40q has none", name)
	}
	if i.closed.has(wake.Key) {
		return nil
	}
	lines, err := i.lines(wake, 2)
	if err == nil {
		err = ownSocket(lines[0])
	}
	if err != nil {
		return fmt.Errorf("ring by inbox: %w", err)
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), inboxLimit)
		defer cancel()
		if err := i.deliver(ctx, name, inboxer, box{lines[0], lines[1], wake.Key}); err != nil {
			i.report(fmt.Errorf("ring by inbox: %w", err))
		}
	}()
	return nil
}

// box is one inbox.
type box struct{ socket, key, session string }

// deliver brings what the bell would.
func (i inbox) deliver(ctx context.Context, name string, by harness.Inboxer, to box) error {
	bells := i.bells()
	answer, err := bells.Handle(ctx, turnpost.Event{
		Kind: turnpost.Bell, Harness: name, Native: to.session, Accepts: turnpost.Accepts{Continue: true},
	})
	if err != nil || answer.Decision.Continue == "" {
		return err
	}
	state, err := post(ctx, by, to, answer.Decision.Continue)
	if state == harness.LetterTaken {
		_, unshown := bells.Shown(ctx, turnpost.Receipt{Offer: answer.Offer})
		return errors.Join(err, unshown)
	}
	if state == harness.LetterClosed {
		i.closed.add(to.session)
	}
	bells.Release(answer.Offer)
	if state == harness.LetterBusy {
		err = errors.Join(err, errors.New("the session takes no more for now"))
	}
	return err
}

// post writes a letter and waits for what the session says of it, at a socket
// that only this user reaches and that is gone afterwards.
func post(ctx context.Context, by harness.Inboxer, to box, text string) (state harness.LetterState, err error) {
	dir, err := os.MkdirTemp("", "turnpost-") // closed to others, and short
	if err != nil {
		return harness.LetterUnknown, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	reply := filepath.Join(dir, "reply")
	var network net.ListenConfig
	listener, err := network.Listen(ctx, "unix", reply)
	if err != nil {
		return harness.LetterUnknown, err
	}
	stop := func() { _ = listener.Close() } // a second time it fails
	defer stop()
	defer context.AfterFunc(ctx, stop)()

	letter := harness.Letter{
		Key: to.key, Session: to.session, ID: rand.Text(), Text: text, Reply: reply, ReplyKey: randomKey(),
	}
	if err := write(ctx, to.socket, by.Letter(letter)); err != nil {
		return harness.LetterUnknown, err
	}
	for {
		conn, err := listener.Accept()
		if err != nil {
			return harness.LetterUnknown, fmt.Errorf("no receipt: %w", errors.Join(err, ctx.Err()))
		}
		if state := receipt(ctx, conn, by, letter.ID); state != harness.LetterUnknown {
			return state, nil
		}
	}
}

// write sends a letter: one connection, closed for writing behind it.
func write(ctx context.Context, socket string, letter []byte) error {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", socket)
	if err != nil {
		return err
	}
	if deadline, ok := ctx.Deadline(); ok {
		err = conn.SetDeadline(deadline)
	}
	if err == nil {
		_, err = conn.Write(letter)
	}
	if closed := conn.Close(); err == nil {
		err = closed
	}
	return err
}

// receipt reads one connection to its end.
func receipt(ctx context.Context, conn net.Conn, by harness.Inboxer, id string) harness.LetterState {
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	lines := bufio.NewScanner(conn)
	lines.Buffer(nil, inboxLine)
	state := harness.LetterUnknown
	for lines.Scan() {
		if s := by.Receipt(lines.Bytes(), id); s != harness.LetterUnknown {
			state = s
		}
	}
	return state
}

func randomKey() string {
	var key [32]byte
	_, _ = rand.Read(key[:]) // never fails: crypto/rand ends the program instead
	return hex.EncodeToString(key[:])
}

func (c *closedInboxes) has(session string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.set[session]
}

func (c *closedInboxes) add(session string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set[session] = true
}

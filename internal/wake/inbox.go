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
	"strings"
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
	dir    statedir.Dir
	report func(error)
	bells  func() Bells
	closed *closedInboxes
}

// closedInboxes are the sessions that let nobody in, or only past their user, who
// wanted that: they are not asked again, and the hub tells the human that they
// hear nothing.
type closedInboxes struct {
	mu  sync.Mutex
	set map[turnpost.Wake]bool
}

// Inbox is the way to ring at a session's own inbox. report takes what goes wrong
// in the background; bells is asked when it rings.
func Inbox(dir statedir.Dir, report func(error), bells func() Bells) Method {
	return inbox{dir, report, bells, &closedInboxes{set: map[turnpost.Wake]bool{}}}
}

func (inbox) Name() string { return "inbox" }

func (inbox) Says() string { return "inbox" }

// Announced looks for the key that the hook client kept when the session started.
func (i inbox) Announced(wake turnpost.Wake) bool {
	info, err := os.Lstat(i.dir.Bell(wake.Key))
	return err == nil && info.Mode().IsRegular()
}

// Patience covers the ring.
func (inbox) Patience() time.Duration { return inboxLimit + time.Second }

// Ring asks, writes and waits for the receipt in the background.
func (i inbox) Ring(name string, wake turnpost.Wake) error {
	h, _ := harness.Find(name)
	inboxer, ok := h.(harness.Inboxer)
	if !ok {
		return fmt.Errorf("ring by inbox: %.40q has none", name)
	}
	if i.closed.has(wake) {
		return nil
	}
	if err := ownSocket(wake.At); err != nil {
		return fmt.Errorf("ring by inbox: %w", err)
	}
	key, err := os.ReadFile(i.dir.Bell(wake.Key))
	if err != nil {
		return fmt.Errorf("ring by inbox: read its key: %w", err)
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), inboxLimit)
		defer cancel()
		if err := i.deliver(ctx, name, inboxer, wake, strings.TrimSpace(string(key))); err != nil {
			i.report(fmt.Errorf("ring by inbox: %w", err))
		}
	}()
	return nil
}

// deliver brings what the bell would.
func (i inbox) deliver(ctx context.Context, name string, to harness.Inboxer, wake turnpost.Wake, key string) error {
	bells := i.bells()
	answer, err := bells.Handle(ctx, turnpost.Event{
		Kind: turnpost.Bell, Harness: name, Native: wake.Key, Accepts: turnpost.Accepts{Continue: true},
	})
	if err != nil || answer.Decision.Continue == "" {
		return err
	}
	state, err := post(ctx, to, wake, key, answer.Decision.Continue)
	if state == harness.LetterTaken {
		_, err = bells.Shown(ctx, turnpost.Receipt{Offer: answer.Offer})
		return err
	}
	if state == harness.LetterClosed {
		i.closed.add(wake)
	}
	bells.Release(answer.Offer)
	if state == harness.LetterBusy {
		err = errors.New("the session takes no more for now")
	}
	return err
}

// Forget takes the key away.
func (i inbox) Forget(wake turnpost.Wake) error { return bell{i.dir}.Forget(wake) }

// post writes a letter and waits for what the session says of it, at a socket
// that only this user reaches and that is gone afterwards.
func post(ctx context.Context, to harness.Inboxer, wake turnpost.Wake, key, text string) (harness.LetterState, error) {
	dir, err := os.MkdirTemp("", "turnpost-") // closed to others, and short
	if err != nil {
		return harness.LetterUnknown, err
	}
	defer os.RemoveAll(dir)
	reply := filepath.Join(dir, "reply")
	var network net.ListenConfig
	listener, err := network.Listen(ctx, "unix", reply)
	if err != nil {
		return harness.LetterUnknown, err
	}
	defer listener.Close()
	defer context.AfterFunc(ctx, func() { listener.Close() })()

	letter := harness.Letter{
		Key: key, Session: wake.Key, ID: rand.Text(), Text: text, Reply: reply, ReplyKey: randomKey(),
	}
	if err := write(ctx, wake.At, to.Letter(letter)); err != nil {
		return harness.LetterUnknown, err
	}
	for {
		conn, err := listener.Accept()
		if err != nil {
			return harness.LetterUnknown, fmt.Errorf("no receipt: %w", errors.Join(err, ctx.Err()))
		}
		if state := receipt(ctx, conn, to, letter.ID); state != harness.LetterUnknown {
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
func receipt(ctx context.Context, conn net.Conn, to harness.Inboxer, id string) harness.LetterState {
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	lines := bufio.NewScanner(conn)
	lines.Buffer(nil, inboxLine)
	state := harness.LetterUnknown
	for lines.Scan() {
		if s := to.Receipt(lines.Bytes(), id); s != harness.LetterUnknown {
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

func (c *closedInboxes) has(wake turnpost.Wake) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	wake.Armed = false
	return c.set[wake]
}

func (c *closedInboxes) add(wake turnpost.Wake) {
	c.mu.Lock()
	defer c.mu.Unlock()
	wake.Armed = false
	c.set[wake] = true
}

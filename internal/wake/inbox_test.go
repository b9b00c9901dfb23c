//go:build unix

package wake

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"turnpost"
	"turnpost/internal/statedir"
)

// session is the inbox of a Qwen Code session by its documented protocol.
type session struct {
	t      *testing.T
	socket string
	answer string // the status that it answers every text with, "" for no answer

	mu    sync.Mutex
	texts []string
}

const inboxKey = "1374df35"

func newSession(t *testing.T, answer string) *session {
	t.Helper()
	dir, err := os.MkdirTemp("", "tp-")
	if err != nil {
		t.Fatal(err)
	}
	s := &session{t: t, socket: filepath.Join(dir, "s"), answer: answer}
	listener, err := net.Listen("unix", s.socket)
	if err != nil {
		t.Fatal(err)
	}
	var work sync.WaitGroup
	work.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			work.Go(func() { s.read(conn) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		work.Wait()
		os.RemoveAll(dir)
	})
	return s
}

// read takes one connection: the key, then texts.
func (s *session) read(conn net.Conn) {
	defer conn.Close()
	lines := bufio.NewScanner(conn)
	opened := false
	for lines.Scan() {
		var frame struct {
			Type, Token, MsgID, From, ReplyToken, ToSessionID string
			Message                                           struct{ Content string }
		}
		if err := json.Unmarshal(lines.Bytes(), &frame); err != nil {
			s.t.Errorf("%s: %v", lines.Bytes(), err)
			return
		}
		switch {
		case frame.Type == "auth" && frame.Token == inboxKey:
			opened = true
		case !opened || frame.Type != "user" || frame.ToSessionID != "s1":
			s.t.Errorf("not let in: %s", lines.Bytes())
			return
		default:
			s.mu.Lock()
			s.texts = append(s.texts, frame.Message.Content)
			s.mu.Unlock()
			if s.answer == "" {
				return
			}
			back, err := net.Dial("unix", frame.From)
			if err != nil {
				s.t.Error(err)
				return
			}
			fmt.Fprintf(back, `{"msgV":1,"type":"auth","token":%q}`+"\n", frame.ReplyToken)
			fmt.Fprintf(back, `{"msgV":1,"type":"control","action":"delivery_status","status":%q,"origMsgId":%q}`+"\n", s.answer, frame.MsgID)
			back.Close()
		}
	}
}

// bells is a hub with mail for the one session.
type bells struct {
	mail string
	done chan string // what became of the offer
}

func (b *bells) Handle(_ context.Context, e turnpost.Event) (turnpost.HookAnswer, error) {
	if e.Kind != turnpost.Bell || e.Harness != "qwen" || e.Native != "s1" || !e.Accepts.Continue {
		return turnpost.HookAnswer{}, fmt.Errorf("an event %+v", e)
	}
	if b.mail == "" {
		b.done <- "nothing"
		return turnpost.HookAnswer{}, nil
	}
	return turnpost.HookAnswer{Offer: "of-1", Decision: turnpost.Decision{Continue: b.mail}}, nil
}

func (b *bells) Shown(_ context.Context, r turnpost.Receipt) (turnpost.Nothing, error) {
	b.done <- "shown " + r.Offer
	return turnpost.Nothing{}, nil
}

func (b *bells) Release(offer string) { b.done <- "released " + offer }

func TestInbox(t *testing.T) {
	for name, c := range map[string]struct {
		mail, answer string
		want         string // what becomes of the offer
		again        bool   // it is rung again
		reported     bool
	}{
		"taken":        {"Turnpost: 1 item", "delivered", "shown of-1", true, false},
		"nothing new":  {"", "delivered", "nothing", true, false},
		"held":         {"Turnpost: 1 item", "held", "released of-1", false, false},
		"refused":      {"Turnpost: 1 item", "refused", "released of-1", false, false},
		"misaddressed": {"Turnpost: 1 item", "misaddressed", "released of-1", false, false},
		"dropped":      {"Turnpost: 1 item", "dropped", "released of-1", true, true},
		"no answer":    {"Turnpost: 1 item", "", "released of-1", true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSession(t, c.answer)
			hub := &bells{mail: c.mail, done: make(chan string, 1)}
			reported := make(chan error, 1)
			dir := statedir.Dir(t.TempDir())
			wake := turnpost.Wake{Method: "inbox", Key: "s1"}
			ways := All(dir, nil, Inbox(dir, func(err error) { reported <- err }, func() Bells { return hub }))
			if ways.Announced(wake) || ways.Ring("qwen", wake) == nil {
				t.Error("rung, and nobody said where")
			}
			keep(t, dir, "s1", s.socket+"\n"+inboxKey+"\n")
			if !ways.Announced(wake) {
				t.Error("what was put down is not found")
			}
			if err := ways.Ring("qwen", wake); err != nil {
				t.Fatal(err)
			}
			if got := next(t, hub.done); got != c.want {
				t.Errorf("the offer was %s, want %s", got, c.want)
			}
			if c.reported {
				if err := next(t, reported); err == nil {
					t.Error("reported nothing")
				}
			}
			s.mu.Lock()
			texts := s.texts
			s.mu.Unlock()
			if c.mail == "" && len(texts) > 0 || c.mail != "" && (len(texts) != 1 || texts[0] != c.mail) {
				t.Errorf("the session read %q", texts)
			}
			hub.mail = ""
			if err := ways.Ring("qwen", wake); err != nil {
				t.Errorf("the second ring: %v", err)
			}
			if c.again {
				next(t, hub.done)
			}
			if ways.Forget(wake) != nil || ways.Announced(wake) {
				t.Error("what was put down is still there")
			}
			select {
			case err := <-reported:
				t.Error(err)
			case what := <-hub.done:
				t.Errorf("a session that was closed was asked again: %s", what)
			default:
			}
		})
	}
}

// Nothing that an event names is gone to.
func TestInboxRefuses(t *testing.T) {
	dir := statedir.Dir(t.TempDir())
	s := newSession(t, "delivered")
	ways := All(dir, nil, Inbox(dir, func(err error) { t.Error(err) }, func() Bells { return nil }))
	for _, text := range []string{"", "relative\nk\n", dir.Bell("s1") + "\nk\n", s.socket + "\n", s.socket + "\nk\nk\n"} {
		keep(t, dir, "s1", text)
		if err := ways.Ring("qwen", turnpost.Wake{Method: "inbox", Key: "s1", At: s.socket}); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
	keep(t, dir, "s1", s.socket+"\n"+inboxKey+"\n")
	for _, harness := range []string{"claude-code", "qwen ", ""} {
		if err := ways.Ring(harness, turnpost.Wake{Method: "inbox", Key: "s1"}); err == nil {
			t.Errorf("%q: no error", harness)
		}
	}
	if All(dir, nil).Knows("inbox") {
		t.Error("known without a hub to ask")
	}
}

// A session that has gone takes nothing.
func TestInboxOfADeadSession(t *testing.T) {
	s := newSession(t, "delivered")
	hub := &bells{mail: "Turnpost: 1 item", done: make(chan string, 1)}
	reported := make(chan error, 1)
	dir := statedir.Dir(t.TempDir())
	gone := filepath.Join(filepath.Dir(s.socket), "gone")
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: gone})
	if err != nil {
		t.Fatal(err)
	}
	listener.SetUnlinkOnClose(false)
	listener.Close()
	keep(t, dir, "s1", gone+"\n"+inboxKey+"\n")
	ways := All(dir, nil, Inbox(dir, func(err error) { reported <- err }, func() Bells { return hub }))
	if err := ways.Ring("qwen", turnpost.Wake{Method: "inbox", Key: "s1"}); err != nil {
		t.Fatal(err)
	}
	if got := next(t, hub.done); got != "released of-1" {
		t.Errorf("the offer was %s", got)
	}
	if err := next(t, reported); errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it waited: %v", err)
	}
}

package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"turnpost"
	"turnpost/internal/api/client"
	"turnpost/internal/harness"
)

// A player is a process that stands in for a harness: it makes the hook calls
// that the real program would make, as their parent, and posts as the session
// that it is. The demonstration tells it what to do, one JSON line at a time.
type player struct {
	handle string
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *json.Decoder
	said   *bytes.Buffer
}

// playOrder is one thing for a player to do.
type playOrder struct {
	Moment turnpost.Kind        `json:"moment,omitempty"`
	Post   *turnpost.Draft      `json:"post,omitempty"`
	Ack    *turnpost.AckRequest `json:"ack,omitempty"`
	Bell   bool                 `json:"bell,omitempty"` // wait until it is rung, then do as the program does
	Hook   string               `json:"hook,omitempty"`
}

// playReply is what came of it.
type playReply struct {
	Text   string           `json:"text,omitempty"` // what reaches the model
	Bytes  int              `json:"bytes"`          // all that the hook printed
	Took   time.Duration    `json:"took"`
	Posted *turnpost.Posted `json:"posted,omitempty"`
	Error  string           `json:"error,omitempty"`
}

// open starts a session in a directory of its own, which gives it its handle.
func (s *stage) open(name string) (*player, error) {
	cwd := filepath.Join(s.dir, name)
	if err := os.MkdirAll(cwd, 0o700); err != nil {
		return nil, fmt.Errorf("make directory of a session: %w", err)
	}
	p := &player{handle: "@" + name, said: &bytes.Buffer{}}
	p.cmd = exec.CommandContext(s.ctx, s.env.Program, "demo", "--play", s.harness)
	p.cmd.Dir, p.cmd.Env, p.cmd.Stderr = cwd, s.demoEnv(s.dir), p.said
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("start session: %w", err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start session: %w", err)
	}
	p.out = json.NewDecoder(out)
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start session: %w", err)
	}
	if _, err := p.order(playOrder{Hook: s.hook}); err != nil {
		return nil, err
	}
	return p, nil
}

// close ends the sessions: they end with their input.
func (s *stage) close() {
	for _, p := range []*player{s.asker, s.answerer} {
		if p != nil {
			_ = p.in.Close()
			_ = p.cmd.Wait() // whatever became of it, it is gone
		}
	}
}

func (p *player) order(o playOrder) (playReply, error) {
	var reply playReply
	if err := json.NewEncoder(p.in).Encode(o); err != nil {
		return reply, fmt.Errorf("%s: %w", p.handle, err)
	}
	if err := p.out.Decode(&reply); err != nil {
		return reply, fmt.Errorf("%s: %w: %s", p.handle, err, line(p.said.String()))
	}
	if reply.Error != "" {
		return reply, fmt.Errorf("%s: %s", p.handle, reply.Error)
	}
	return reply, nil
}

func (p *player) moment(kind turnpost.Kind) (playReply, error) {
	return p.order(playOrder{Moment: kind})
}

func (p *player) post(draft turnpost.Draft) (turnpost.Posted, error) {
	reply, err := p.order(playOrder{Post: &draft})
	if err != nil {
		return turnpost.Posted{}, err
	}
	if reply.Posted == nil {
		return turnpost.Posted{}, turnpost.Errorf(turnpost.Internal, "%s posted nothing", p.handle)
	}
	return *reply.Posted, nil
}

func (p *player) ack(id string) (playReply, error) {
	return p.order(playOrder{Ack: &turnpost.AckRequest{IDs: []string{id}}})
}

// heard is what a ring brought.
type heard struct {
	reply playReply
	err   error
}

// awaitBell lets the session wait for its bell while others go on.
func (p *player) awaitBell() <-chan heard {
	out := make(chan heard, 1)
	go func() {
		reply, err := p.order(playOrder{Bell: true})
		out <- heard{reply, err}
	}()
	return out
}

// playSession is the other end: the process that is a session.
func (a *app) playSession(ctx context.Context, name string) error {
	h, ok := harness.Find(name)
	standin, can := h.(harness.Standin)
	if !ok || !can {
		return turnpost.Invalidf("play", "%.40q cannot be played", name)
	}
	s := &played{app: a, standin: standin, native: fmt.Sprintf("demo-%d", os.Getpid()), seen: map[string]string{}}
	orders := json.NewDecoder(bufio.NewReader(a.env.Stdin))
	replies := json.NewEncoder(a.env.Stdout)
	for {
		var o playOrder
		if err := orders.Decode(&o); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read order: %w", err)
		}
		reply, err := s.follow(ctx, o)
		if err != nil {
			reply.Error = err.Error()
		}
		if err := replies.Encode(reply); err != nil {
			return fmt.Errorf("reply: %w", err)
		}
	}
}

// played is a session that is played in this process.
type played struct {
	*app
	standin harness.Standin
	native  string
	hook    string
	seen    map[string]string // files that are watched, with what was in them
}

func (s *played) follow(ctx context.Context, o playOrder) (reply playReply, err error) {
	start := s.env.Now()
	defer func() { reply.Took = s.env.Now().Sub(start) }()
	switch {
	case o.Hook != "":
		s.hook = o.Hook
	case o.Moment != "":
		return s.call(ctx, o.Moment, "")
	case o.Bell:
		file, err := s.watch(ctx)
		if err != nil {
			return reply, err
		}
		return s.call(ctx, turnpost.Bell, file)
	case o.Post != nil, o.Ack != nil:
		var hub *client.Client
		if hub, err = client.Find(s.env.Getenv); err != nil {
			return reply, err
		}
		defer hub.Close()
		if o.Ack != nil {
			_, err = hub.Ack(ctx, *o.Ack)
			return reply, err
		}
		posted, err := hub.Post(ctx, *o.Post)
		reply.Posted = &posted
		return reply, err
	}
	return reply, nil
}

// call makes one hook call as the program would.
func (s *played) call(ctx context.Context, kind turnpost.Kind, bell string) (playReply, error) {
	moment, ok := s.standin.Moment(kind, harness.StandinSession{
		Native: s.native, Pid: os.Getpid(), Cwd: s.env.Dir, Hook: s.hook, Bell: bell,
	})
	if !ok {
		return playReply{}, fmt.Errorf("cannot play %s", kind)
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", moment.Line)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(moment.Stdin), &stdout, &stderr
	cmd.Env = append(append([]string(nil), s.env.Environ...), moment.Env...)
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return playReply{}, fmt.Errorf("run hook: %w", err)
	}
	text, watch := s.standin.Reading(stdout.Bytes(), stderr.Bytes(), cmd.ProcessState.ExitCode())
	for _, file := range watch {
		s.seen[file] = content(file)
	}
	return playReply{Text: text, Bytes: stdout.Len() + stderr.Len()}, nil
}

// watchEvery is how often the stand-in looks at the files that it watches.
const watchEvery = 10 * time.Millisecond

// watch waits until one of the watched files changes.
func (s *played) watch(ctx context.Context) (string, error) {
	for {
		for file, before := range s.seen {
			if now := content(file); now != before {
				s.seen[file] = now
				return file, nil
			}
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(watchEvery):
		}
	}
}

// content is what a file holds, "" also where there is none.
func content(file string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	return string(data)
}

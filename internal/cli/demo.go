package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"turnpost"
	"turnpost/internal/api/client"
	"turnpost/internal/harness"
	"turnpost/internal/statedir"
)

// demoLimit bounds the whole demonstration.
const demoLimit = time.Minute

func demoCommand(a *app) *cobra.Command {
	var play string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "See it work in a few seconds, without a model or an account",
		Long: "Start a throw-away hub and two stand-in sessions, and send a question and its answer between them through the real hook, " +
			"by the very command lines that setup registers. Nothing of yours is touched and nothing is left.",
	}
	cmd.Flags().StringVar(&play, "play", "", "be the session of this harness, for the demonstration")
	_ = cmd.Flags().MarkHidden("play") // it exists: defined above
	return a.does(cmd, func(ctx context.Context, _ []string) error {
		if play != "" {
			return a.playSession(ctx, play)
		}
		ctx, cancel := context.WithTimeout(ctx, demoLimit)
		defer cancel()
		err := a.demo(ctx)
		if errors.Is(err, context.DeadlineExceeded) {
			return tooLate{turnpost.Errorf(turnpost.Unavailable, "the demonstration took longer than %s", demoLimit)}
		}
		return err
	})
}

// demo is the stage: a hub and two sessions.
func (a *app) demo(ctx context.Context) (err error) {
	name, standin, ok := firstStandin()
	if !ok {
		return turnpost.Errorf(turnpost.Internal, "no harness can be played")
	}
	hook, ok := a.hookBeside()
	if !ok {
		hook = a.env.Program
	}
	start := a.env.Now()
	dir, err := os.MkdirTemp("", "turnpost-demo-")
	if err != nil {
		return fmt.Errorf("make a directory for the demonstration: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return err
	}
	hub, stop, err := a.demoHub(ctx, dir)
	if err != nil {
		return err
	}
	defer stop()

	s := &stage{app: a, p: a.printer(a.env.Stdout), ctx: ctx, dir: dir, hook: hook, harness: name, standin: standin}
	defer s.close()
	if s.asker, err = s.open("web"); err != nil {
		return err
	}
	if s.answerer, err = s.open("api"); err != nil {
		return err
	}
	if err := s.play(hub); err != nil {
		return err
	}
	s.p.line("")
	s.p.line("That took %.1f s. Nothing of it is left. Next:", a.env.Now().Sub(start).Seconds())
	s.p.table("  ", table{rows: [][]any{
		{s.p.paint(accent, "turnpost up -d"), "start your own hub"},
		{s.p.paint(accent, "turnpost setup"), "show what your agents' settings need"},
	}})
	return nil
}

func firstStandin() (string, harness.Standin, bool) {
	for _, h := range harness.All() {
		if standin, ok := h.(harness.Standin); ok {
			return h.Name(), standin, true
		}
	}
	return "", nil, false
}

// demoHub starts a hub with its state under dir and without a port.
func (a *app) demoHub(ctx context.Context, dir string) (hub *client.Client, stop func(), err error) {
	state := statedir.Dir(filepath.Join(dir, "state"))
	var said strings.Builder
	cmd := exec.CommandContext(ctx, a.env.Program, "up", "--listen", noListen)
	cmd.Env = a.demoEnv(dir)
	cmd.Stderr = &said
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = stopLimit
	if err := cmd.Start(); err != nil {
		return nil, nil, fmt.Errorf("start hub: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		if file, err := state.ReadHub(); err == nil && answers(file) {
			hub = client.New(client.Address{Socket: file.Socket})
			return hub, func() {
				if hub.Stop(context.WithoutCancel(ctx)) != nil {
					_ = cmd.Process.Kill()
				}
				<-ended //nolint:errcheck // it is thrown away, however it ended
			}, nil
		}
		select {
		case err := <-ended:
			return nil, nil, fmt.Errorf("the hub ended: %w: %s", err, line(said.String()))
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		case <-time.After(startPoll):
		}
	}
}

// demoEnv is the environment of everything on the stage: nothing of the user's
// own agents or hub is in it.
func (a *app) demoEnv(dir string) []string {
	env := []string{
		"HOME=" + dir,
		"TURNPOST_HOME=" + filepath.Join(dir, "state"),
		"XDG_CONFIG_HOME=" + filepath.Join(dir, "config"),
	}
	for _, name := range []string{"PATH", "LANG", "TMPDIR", "SYSTEMROOT"} {
		if value := a.env.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// stage plays the story.
type stage struct {
	*app
	p             *printer
	ctx           context.Context
	dir           string
	hook, harness string
	standin       harness.Standin
	asker         *player
	answerer      *player
	scene         int
}

const (
	demoQuestion = "Does /login still return 302?"
	demoAnswer   = "Yes for GET; POST answers 303 since version 12"
)

// play tells the story, one scene after the other, each with what really came.
func (s *stage) play(hub *client.Client) error {
	s.p.line("%s", s.p.paint(bold, "Two agents, one throw-away hub, through the real hook:"))
	moment, _ := s.standin.Moment(turnpost.TurnEnd, harness.StandinSession{Hook: s.hook})
	s.p.line("%s", s.p.paint(dim, moment.Line))

	s.title("Two sessions start. Each is told who it is.")
	for _, player := range []*player{s.answerer, s.asker} {
		reply, err := player.moment(turnpost.SessionStart)
		if err != nil {
			return err
		}
		if reply.Text == "" {
			return turnpost.Errorf(turnpost.Internal, "the start of %s brought nothing", player.handle)
		}
		s.says(player, secretless(reply.Text))
	}
	if err := s.silent(s.asker, turnpost.Prompt, s.answerer, turnpost.Prompt); err != nil {
		return err
	}

	s.title("Both work. @web asks @api a question.")
	asked, err := s.asker.post(turnpost.Draft{Kind: turnpost.Question, To: []string{s.answerer.handle}, Summary: demoQuestion})
	if err != nil {
		return err
	}
	s.did(s.asker, asked, "asks: "+demoQuestion)
	if err := s.silent(s.asker, turnpost.TurnEnd); err != nil {
		return err
	}

	s.title("@api's turn ends. The hook hands it the question, and it goes on.")
	reply, err := s.answerer.moment(turnpost.TurnEnd)
	if err != nil {
		return err
	}
	if !strings.Contains(reply.Text, asked.Item.ID) {
		return turnpost.Errorf(turnpost.Internal, "the question did not arrive at the turn end: %s", reply.Text)
	}
	s.reads(s.answerer, reply, fmt.Sprintf("reads, %d ms later:", reply.Took.Milliseconds()))

	s.title("@api answers. @web is idle, so its bell is rung and it wakes.")
	waking := s.asker.awaitBell()
	answer, err := s.answerer.post(turnpost.Draft{Kind: turnpost.Answer, ReplyTo: asked.Item.ID, Summary: demoAnswer})
	if err != nil {
		return err
	}
	s.did(s.answerer, answer, "replies: "+demoAnswer)
	woken := <-waking
	if woken.err != nil {
		return woken.err
	}
	if !strings.Contains(woken.reply.Text, answer.Item.ID) {
		return turnpost.Errorf(turnpost.Internal, "the answer did not wake the session: %s", woken.reply.Text)
	}
	s.reads(s.asker, woken.reply, fmt.Sprintf("wakes %d ms later (a real session takes about half a second) and reads:", woken.reply.Took.Milliseconds()))

	s.title("Nothing is unread. The next turns end in silence.")
	if _, err := s.asker.ack(answer.Item.ID); err != nil {
		return err
	}
	for _, player := range []*player{s.answerer, s.asker} {
		reply, err := player.moment(turnpost.TurnEnd)
		if err != nil {
			return err
		}
		if reply.Bytes != 0 {
			return turnpost.Errorf(turnpost.Internal, "a turn end with nothing unread said: %s", reply.Text)
		}
		s.says(player, fmt.Sprintf("0 bytes, in %d ms", reply.Took.Milliseconds()))
	}
	return s.ended(hub, asked.Item.ID)
}

// ended looks that the question is answered, as the hub has it.
func (s *stage) ended(hub *client.Client, question string) error {
	found, err := hub.Read(s.ctx, turnpost.ReadQuery{IDs: []string{question}})
	if err != nil {
		return err
	}
	if len(found.Items) != 1 || found.Items[0].State != turnpost.ItemAnswered {
		return turnpost.Errorf(turnpost.Internal, "%s is not answered", question)
	}
	return nil
}

// silent plays moments that nobody needs to see: pairs of session and kind.
func (s *stage) silent(pairs ...any) error {
	for i := 0; i+1 < len(pairs); i += 2 {
		if _, err := pairs[i].(*player).moment(pairs[i+1].(turnpost.Kind)); err != nil {
			return err
		}
	}
	return nil
}

func (s *stage) title(text string) {
	s.scene++
	s.p.line("")
	s.p.line("%d  %s", s.scene, s.p.paint(bold, text))
}

func (s *stage) says(who *player, text string) {
	s.p.line("   %s  %s", s.p.pad(s.p.paint(accent, who.handle), 5), text)
}

func (s *stage) did(who *player, posted turnpost.Posted, text string) {
	s.says(who, text)
	for _, expect := range posted.Expect {
		s.p.line("   %s  %s", s.p.pad("", 5), s.p.paint(dim, posted.Item.ID+" → "+expect.Handle+": "+string(expect.Class)))
	}
}

func (s *stage) reads(who *player, reply playReply, text string) {
	s.says(who, text)
	s.p.wrapped("          │ ", reply.Text)
}

// secretless shortens the secret in a start line: it means nothing to people.
func secretless(text string) string {
	head, rest, ok := strings.Cut(text, "hook_session ")
	if !ok || len(rest) < 8 {
		return text
	}
	if _, tail, ok := strings.Cut(rest, ")"); ok {
		return head + "hook_session " + rest[:6] + "…)" + tail
	}
	return text
}

package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"turnpost"
	"turnpost/internal/statedir"
)

func statusCommand(a *app) *cobra.Command {
	var q turnpost.BoardQuery
	var oneLine bool
	var clearID int64
	cmd := &cobra.Command{
		Use:   "status [--flags]",
		Short: "Show what every session does, and what you should know",
		Long: "Show the live sessions with their state, since when, what it is known from and what can reach them now, how old their notes are; " +
			"the runs; the notices; and mail for handles that nobody is behind. " +
			"With --line it is one line for a prompt or a status line, which ends with 0 also when the hub is gone.",
		Example: "turnpost status\nturnpost status --line",
	}
	flags := cmd.Flags()
	flags.BoolVarP(&q.Ended, "ended", "e", false, "sessions that ended within a day too")
	flags.BoolVar(&oneLine, "line", false, "one line, for prompts and status lines")
	flags.Int64Var(&clearID, "clear", 0, "clear the notice of this number")
	asJSON := jsonFlag(cmd)
	return a.does(cmd, func(ctx context.Context, _ []string) error {
		if oneLine {
			a.printer(a.env.Stdout).line("%s", a.statusLine(ctx))
			return nil
		}
		hub, err := a.hub(ctx)
		if err != nil {
			return err
		}
		if clearID != 0 {
			if _, err := hub.Clear(ctx, turnpost.ClearRequest{Notice: clearID}); err != nil {
				return err
			}
		}
		board, err := hub.Board(ctx, q)
		if err != nil {
			return agentsLookElsewhere(err)
		}
		if *asJSON {
			return a.json(board)
		}
		a.board(ctx, a.printer(a.env.Stdout), hub, board)
		return nil
	})
}

// agentsLookElsewhere tells an agent, for whom the board is not, where to look.
func agentsLookElsewhere(err error) error {
	if coded, ok := err.(*turnpost.Error); ok && coded.Code == turnpost.Forbidden && coded.Hint == "" { //nolint:errorlint // straight from the client
		return coded.WithHint("agents use turnpost agents, inbox and whoami")
	}
	return err
}

// board prints the sessions, notices and unclaimed mail.
func (a *app) board(ctx context.Context, p *printer, hub turnpost.Hub, board turnpost.Board) {
	now := a.env.Now()
	p.line("%s", a.headline(board))
	if len(board.Sessions) > 0 {
		p.line("")
		a.sessions(p, board.Sessions, now)
	}
	if len(board.Runs) > 0 {
		p.heading("runs")
		a.runTable(p, "  ", board.Runs)
	}
	a.notices(p, board.Notices, now)
	if len(board.Unclaimed) > 0 {
		p.line("")
		p.line("%s", p.paint(bold, "mail that nobody is there for"))
		var t table
		for _, agent := range board.Unclaimed {
			t.row(agent.Handle, plural(agent.Unread, "item"), a.tilde(agent.Place.Root))
		}
		p.table("  ", t)
	}
	if board.Dropped > 0 {
		p.line("")
		p.line("%s while no hub answered were lost; statuses may be older than they say.", plural(int(board.Dropped), "event"))
	}
	if box, err := hub.Inbox(ctx, turnpost.InboxQuery{Peek: true, Limit: 1}); err == nil && box.Unread > 0 {
		p.line("")
		p.line("%s for you: turnpost inbox", p.paint(accent, plural(box.Unread, "item")))
	}
	if len(board.Sessions) == 0 {
		p.line("")
		p.line("Open an agent session after `turnpost setup`, and it shows up here.")
	}
}

// headline says in one sentence where the hub is and what the sessions do.
func (a *app) headline(board turnpost.Board) string {
	where := ""
	if dir, err := a.state(); err == nil && !a.remote() {
		if hub, err := dir.ReadHub(); err == nil && hub.TCP != "" {
			where = ", page at http://" + hub.TCP + " (turnpost open)"
		}
	}
	return "Turnpost is up" + where + ". " + counts(board.Sessions) + "."
}

// counts is "3 sessions: 1 working, 2 idle".
func counts(sessions []turnpost.Session) string {
	live := 0
	byState := map[turnpost.State]int{}
	for _, s := range sessions {
		if s.Live() {
			live++
			byState[s.Status.State]++
		}
	}
	if live == 0 {
		return "No session is open"
	}
	var parts []string
	for _, state := range []turnpost.State{
		turnpost.StateWedged, turnpost.StateWaiting, turnpost.StateWorking,
		turnpost.StateQuiet, turnpost.StateUnheard, turnpost.StateIdle,
	} {
		if n := byState[state]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, state))
		}
	}
	return plural(live, "session") + ": " + strings.Join(parts, ", ")
}

// lineLimit bounds what a prompt waits for.
const lineLimit = time.Second

// statusLine is the shortest form. It starts no hub and never fails.
func (a *app) statusLine(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, lineLimit)
	defer cancel()
	hub, ok := a.hubIfUp()
	if !ok {
		return "turnpost: the hub is down" + a.whyDown()
	}
	defer hub.Close()
	me, err := hub.Whoami(ctx, turnpost.Nothing{})
	if err != nil {
		return "turnpost: the hub does not answer"
	}
	if !me.Human {
		return strings.Join(nonEmpty("turnpost: "+me.Handle, unreadLine(me.Unread)), " · ")
	}
	board, err := hub.Board(ctx, turnpost.BoardQuery{})
	if err != nil {
		return "turnpost: the hub does not answer"
	}
	loud := 0
	for _, n := range board.Notices {
		if n.Loud != turnpost.LoudSilent {
			loud++
		}
	}
	told := ""
	if loud > 0 {
		told = plural(loud, "notice")
	}
	return strings.Join(nonEmpty("turnpost: "+counts(board.Sessions), unreadLine(me.Unread), told), " · ")
}

func unreadLine(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d for you", n)
}

// whyDown tells a hub that was stopped from one that died.
func (a *app) whyDown() string {
	var hub statedir.Hub
	dir, err := a.state()
	if err == nil {
		hub, err = dir.ReadHub()
	}
	switch {
	case err != nil:
		return " (turnpost up -d)"
	case hub.Heal != "":
		return ", the next hook starts it"
	}
	return ": it died (turnpost up -d)"
}

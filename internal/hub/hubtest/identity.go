package hubtest

import (
	"context"
	"strings"
	"testing"

	"turnpost"
	"turnpost/internal/hub"
)

func identityStories() []story {
	return []story{
		{name: "handles come from places", tell: func(t *testing.T, r *Rig) {
			first, second := r.Agent("api").Idle(), r.Agent("api").Idle()
			tree := r.Agent("api")
			tree.Root = "/src/api-wt"
			ev := tree.Event(turnpost.SessionStart)
			ev.Place = turnpost.Place{Root: "/src/api-wt", Main: "/src/api", Worktree: "auth"}
			tree.Send(ev)
			other := r.Agent("api")
			other.Root = "/client/api"
			other.Start()
			odd := r.Agent("Ünï Cödé!")
			odd.Start()
			got := strings.Join([]string{first.Handle, second.Handle, tree.Handle, other.Handle, odd.Handle}, " ")
			if want := "@api @api-2 @api/auth @client-api @n--c-d"; got != want {
				t.Errorf("handles are %s, want %s", got, want)
			}
		}},
		{name: "a new session takes the lowest free handle and its inbox", tell: func(t *testing.T, r *Rig) {
			first, second := r.Agent("api").Idle(), r.Agent("api").Idle()
			b := r.Agent("web").Idle()
			first.Send(first.Event(turnpost.SessionEnd))
			r.Ask(b.Hub(), "@api", "for the next one")
			next := r.Agent("api")
			next.Start()
			if next.Handle != "@api" || second.Handle != "@api-2" {
				t.Errorf("next is %s, second is %s", next.Handle, second.Handle)
			}
			if n := r.Unread("@api"); n != 1 {
				t.Errorf("the inbox holds %d", n)
			}
		}},
		{name: "resume keeps the handle", tell: func(t *testing.T, r *Rig) {
			r.Agent("api").Idle()
			second := r.Agent("api").Idle()
			second.Send(second.Event(turnpost.SessionEnd))
			second.Pid += 500
			ev := second.Event(turnpost.SessionStart)
			ev.Source = turnpost.SourceResume
			second.Send(ev)
			if second.Handle != "@api-2" {
				t.Errorf("resumed as %s", second.Handle)
			}
		}},
		{name: "a cleared session keeps handle and mail, with or without a start event", tell: func(t *testing.T, r *Rig) {
			for _, kind := range []turnpost.Kind{turnpost.SessionStart, turnpost.Prompt} {
				a, b := r.Agent("api-"+strings.ReplaceAll(string(kind), ".", "")).Idle(), r.Agent("web").Idle()
				was := a.Handle
				r.Ask(b.Hub(), was, "before the clear")
				old := *a
				if kind == turnpost.SessionStart {
					a.Send(a.Event(turnpost.SessionEnd))
				}
				a.Native += "-cleared"
				a.Send(a.Event(kind))
				if a.Handle != was {
					t.Errorf("%s: became %s, was %s", kind, a.Handle, was)
				}
				if s := r.Session(&old); s.Live() {
					t.Errorf("%s: the old session still lives: %+v", kind, s.Status)
				}
				if text := a.TurnEnd(); kind == turnpost.Prompt && !strings.Contains(text, "before the clear") {
					t.Errorf("%s: the turn end said %q", kind, text)
				}
				b.Send(b.Event(turnpost.SessionEnd))
			}
		}},
		{
			name: "the user's config and environment set the handle", cfg: hub.Config{Handles: map[string]string{"/src/api": "@backend"}},
			tell: func(t *testing.T, r *Rig) {
				a := r.Agent("api").Idle()
				named := r.Agent("api")
				named.Name = "Reviewer"
				named.Start()
				wrong := r.Agent("api")
				wrong.Name = "no/such/handle"
				wrong.Start()
				if a.Handle != "@backend" || named.Handle != "@reviewer" || wrong.Handle != "" {
					t.Errorf("handles are %q, %q and %q", a.Handle, named.Handle, wrong.Handle)
				}
				if s := r.Session(wrong); !strings.Contains(s.Unlinked, "TURNPOST_AGENT") {
					t.Errorf("unlinked because %q", s.Unlinked)
				}
			},
		},
		{name: "authors are proved, never said", peers: true, tell: func(t *testing.T, r *Rig) {
			a := r.Agent("api").Idle()
			ctx := context.Background()
			for caller, want := range map[turnpost.Caller]string{
				{Pid: 1000 + a.Pid}:             "@api", // a child of the session's process
				{Pid: a.Pid}:                    "@api",
				{Pid: 7}:                        "@anna", // a shell of the person
				{Human: true}:                   "@anna",
				{HookSession: a.Secret}:         "@api",
				{HookSession: "0123abcd"}:       "",
				{Native: a.Native}:              "", // of no process
				{Pid: 7, Native: a.Native}:      "", // nor of another's
				{Human: true, Native: a.Native}: "@anna",
				{}:                              "",
			} {
				me, err := r.As(caller).Whoami(ctx, turnpost.Nothing{})
				if want == "" && turnpost.CodeOf(err) != turnpost.Unauthorized {
					t.Errorf("%+v: is %q, %v, want unauthorized", caller, me.Handle, err)
				}
				if want != "" && (err != nil || me.Handle != want) {
					t.Errorf("%+v: is %q, %v, want %s", caller, me.Handle, err, want)
				}
			}
		}},
		{name: "other people's direct mail does not exist for an agent", tell: func(t *testing.T, r *Rig) {
			a, b, c := r.Agent("api").Idle(), r.Agent("web").Idle(), r.Agent("ops").Idle()
			ctx := context.Background()
			q := r.Ask(a.Hub(), "@web", "between us")
			if _, err := c.Hub().Read(ctx, turnpost.ReadQuery{IDs: []string{q.Item.ID}}); turnpost.CodeOf(err) != turnpost.NotFound {
				t.Errorf("a stranger's read: %v", err)
			}
			if _, err := c.Hub().Post(ctx, turnpost.Draft{Kind: turnpost.Answer, ReplyTo: q.Item.ID, Summary: "x"}); turnpost.CodeOf(err) != turnpost.NotFound {
				t.Errorf("a stranger's answer: %v", err)
			}
			if _, err := c.Hub().Resolve(ctx, turnpost.ResolveRequest{ID: q.Item.ID}); turnpost.CodeOf(err) != turnpost.NotFound {
				t.Errorf("a stranger's resolve: %v", err)
			}
			if _, err := c.Hub().Inbox(ctx, turnpost.InboxQuery{Handle: "@web"}); turnpost.CodeOf(err) != turnpost.Forbidden {
				t.Errorf("a stranger's inbox: %v", err)
			}
			for name, list := range map[string]func() (turnpost.Items, error){
				"timeline": func() (turnpost.Items, error) { return c.Hub().Timeline(ctx, turnpost.TimelineQuery{}) },
				"open":     func() (turnpost.Items, error) { return c.Hub().Open(ctx, turnpost.OpenQuery{}) },
			} {
				if items, err := list(); err != nil || len(items.Items) != 0 {
					t.Errorf("%s shows a stranger %+v, %v", name, items.Items, err)
				}
			}
			if _, err := c.Hub().Board(ctx, turnpost.BoardQuery{}); turnpost.CodeOf(err) != turnpost.Forbidden {
				t.Errorf("an agent's board: %v", err)
			}
			if items, err := b.Hub().Timeline(ctx, turnpost.TimelineQuery{}); err != nil || len(items.Items) != 1 {
				t.Errorf("the addressee sees %+v, %v", items.Items, err)
			}
		}},
		{name: "a renamed handle keeps its mail", tell: func(t *testing.T, r *Rig) {
			a, b := r.Agent("api").Idle(), r.Agent("web").Idle()
			r.Ask(b.Hub(), "@api", "to the old name")
			asked := r.Ask(a.Hub(), "@web", "from the old name")
			me, err := a.Hub().Name(context.Background(), turnpost.NameRequest{Name: "gateway"})
			if err != nil || me.Handle != "@gateway" || me.Unread != 1 {
				t.Fatalf("named %+v, %v", me, err)
			}
			if text := a.Hear(); !strings.Contains(text, "to the old name") {
				t.Errorf("the ring brought %q", text)
			}
			r.Post(b.Hub(), turnpost.Draft{Kind: turnpost.Answer, ReplyTo: asked.Item.ID, Summary: "to the new name"})
			if text := a.Tool(); !strings.Contains(text, "to the new name") {
				t.Errorf("the answer came as %q", text)
			}
			if _, err := b.Hub().Name(context.Background(), turnpost.NameRequest{Name: "gateway"}); turnpost.CodeOf(err) != turnpost.Conflict {
				t.Errorf("took a name that exists: %v", err)
			}
			if _, err := b.Hub().Name(context.Background(), turnpost.NameRequest{Handle: "@gateway", Name: "mine"}); turnpost.CodeOf(err) != turnpost.Forbidden {
				t.Errorf("renamed somebody else: %v", err)
			}
		}},
		{name: "a person links what has no handle", tell: func(t *testing.T, r *Rig) {
			one := r.Agent("api")
			one.Attended = false
			one.Start()
			s, err := r.Human().Link(context.Background(), turnpost.LinkRequest{Session: r.Session(one).ID, Handle: "@batch"})
			if err != nil || s.Handle != "@batch" || s.Unlinked != "" {
				t.Errorf("linked %+v, %v", s, err)
			}
		}},
		{name: "mail without a session is listed as unclaimed", tell: func(t *testing.T, r *Rig) {
			a, b := r.Agent("api").Idle(), r.Agent("web").Idle()
			a.Send(a.Event(turnpost.SessionEnd))
			r.Ask(b.Hub(), "@api", "hello?")
			r.settle()
			board, err := r.Human().Board(context.Background(), turnpost.BoardQuery{})
			if err != nil || len(board.Unclaimed) != 1 || board.Unclaimed[0].Handle != "@api" || board.Unclaimed[0].Unread != 1 {
				t.Errorf("unclaimed is %+v, %v", board.Unclaimed, err)
			}
		}},
	}
}

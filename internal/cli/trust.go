package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"turnpost"
	"turnpost/internal/keep"
	"turnpost/internal/setup"
	"turnpost/internal/trust"
	"turnpost/internal/workflow"
)

func trustCommand(a *app) *cobra.Command {
	var expect string
	var remove bool
	cmd := &cobra.Command{
		Use:   "trust [FILE] [--flags]",
		Short: "Show or say which files of repositories are trusted",
		Long: "What a repository brings counts only once you trusted it: a process in .turnpost/runs, and " + keep.RitualFile + ", which tells agents what to do first. " +
			"Without a file it lists what is trusted. With one it shows the file and what it would allow, and the command that trusts exactly that content; " +
			"when the file changes it is trusted no more. Only you can say it, no agent.",
		Example: strings.Join([]string{
			"turnpost trust",
			"turnpost trust .turnpost/runs/release.toml",
			"turnpost trust .turnpost/runs/release.toml --expect HASH",
			"turnpost trust --remove .turnpost/runs/release.toml",
		}, "\n"),
		Args: takes(0, 1, "FILE"),
	}
	flags := cmd.Flags()
	flags.StringVar(&expect, "expect", "", "trust the file, if this is the hash of what is in it")
	flags.BoolVar(&remove, "remove", false, "trust it no more")
	asJSON := jsonFlag(cmd)
	return a.does(cmd, func(ctx context.Context, args []string) error {
		dir, err := a.state()
		if err != nil {
			return err
		}
		store := trust.Open(dir.Trusted())
		switch {
		case len(args) == 0 && (remove || expect != ""):
			return turnpost.Invalidf("FILE", "is missing").WithHint("turnpost trust lists what is trusted")
		case len(args) == 0:
			return a.listTrusted(store, *asJSON)
		case remove && expect != "":
			return turnpost.Invalidf("remove", "cannot be given together with --expect")
		case remove:
			return a.revokeTrust(ctx, store, a.env.abs(args[0]), *asJSON)
		case expect != "":
			return a.grantTrust(ctx, store, a.env.abs(args[0]), expect, *asJSON)
		}
		return a.showTrust(store, a.env.abs(args[0]), *asJSON)
	})
}

// trustedFiles is what turnpost trust prints as JSON.
type trustedFiles struct {
	Files []trust.Entry `json:"files"`
}

func (a *app) listTrusted(store trust.Store, asJSON bool) error {
	entries, err := store.List()
	if err != nil {
		return err
	}
	if asJSON {
		return a.json(trustedFiles{append([]trust.Entry{}, entries...)})
	}
	p := a.printer(a.env.Stdout)
	if len(entries) == 0 {
		p.line("No file of a repository is trusted.")
		return nil
	}
	t := table{whole: true}
	for _, e := range entries {
		look := map[trust.State]tone{trust.Trusted: good, trust.Changed: warn, trust.Gone: dim}[e.State]
		t.row(p.paint(look, e.State), "since "+clock(e.At, a.env.Now()), a.tilde(e.Path))
	}
	p.table("", t)
	return nil
}

// trustReport is one file with what its trust means.
type trustReport struct {
	Path   string      `json:"path"`
	Hash   string      `json:"hash"`
	State  trust.State `json:"state"`
	At     time.Time   `json:"at,omitzero"` // when it was trusted, also where it has changed since
	Allows []string    `json:"allows"`
	Text   string      `json:"text"`
	Next   string      `json:"next,omitempty"` // the command that trusts it
}

// showTrust shows a file whole, and what trusting it would allow.
func (a *app) showTrust(store trust.Store, path string, asJSON bool) error {
	look, err := store.Look(path)
	if err != nil {
		return err
	}
	r := trustReport{
		Path: look.Path, Hash: look.Hash, State: look.State, At: look.At,
		Allows: allows(path, look), Text: string(look.Data),
	}
	if look.State != trust.Trusted {
		r.Next = "turnpost trust " + quoteWord(look.Path) + " --expect " + look.Hash
	}
	if asJSON {
		return a.json(r)
	}
	p := a.printer(a.env.Stdout)
	p.line("%s", p.paint(bold, a.tilde(look.Path)))
	switch look.State {
	case trust.Trusted:
		p.line("%s since %s", p.paint(good, "trusted"), clock(look.At, a.env.Now()))
	case trust.Changed:
		p.line("%s since you trusted it, %s: look at all of it again", p.paint(warn, "changed"), clock(look.At, a.env.Now()))
	default:
		p.line("not trusted")
	}
	p.line("sha-256 %s", look.Hash)
	p.line("")
	// What a terminal would act on, and what nobody sees, is spelled out.
	text := setup.Visible(strings.TrimSuffix(r.Text, "\n"))
	if text == "" {
		text = "(nothing is in it)"
	}
	p.text("  | ", text)
	p.line("")
	p.line("If it is trusted:")
	for _, what := range r.Allows {
		p.line("  %s", what)
	}
	if r.Next != "" {
		p.line("")
		p.line("To trust it: %s", p.paint(bold, r.Next))
	}
	return nil
}

// trustDone is what a change of the record did.
type trustDone struct {
	Path    string `json:"path"`
	Trusted bool   `json:"trusted"`
}

func (a *app) grantTrust(ctx context.Context, store trust.Store, path, hash string, asJSON bool) error {
	if err := a.personOnly(ctx); err != nil {
		return err
	}
	if _, err := a.privateState(); err != nil {
		return err
	}
	if err := store.Grant(path, hash, a.env.Now()); err != nil {
		return err
	}
	if asJSON {
		return a.json(trustDone{path, true})
	}
	a.printer(a.env.Stdout).line("%s is trusted, as it is now.", a.tilde(path))
	return nil
}

func (a *app) revokeTrust(ctx context.Context, store trust.Store, path string, asJSON bool) error {
	if err := a.personOnly(ctx); err != nil {
		return err
	}
	if _, err := a.privateState(); err != nil {
		return err
	}
	if err := store.Revoke(path); err != nil {
		return err
	}
	if asJSON {
		return a.json(trustDone{path, false})
	}
	a.printer(a.env.Stdout).line("%s is trusted no more.", a.tilde(path))
	return nil
}

// personOnly refuses agents, as far as a hub runs that knows them.
func (a *app) personOnly(ctx context.Context) error {
	hub, ok := a.hubIfUp()
	if !ok {
		return nil
	}
	defer hub.Close()
	who, err := hub.Whoami(ctx, turnpost.Nothing{})
	if err != nil {
		return err
	}
	if !who.Human {
		return turnpost.Errorf(turnpost.Forbidden, "what is trusted is for the user to say; this is %s", who.Handle).
			WithHint("run it in a terminal outside the agent")
	}
	return nil
}

// allows says what the trust in a file means. What it is to us is told by its
// place, also where a link leads from there.
func allows(path string, look trust.Look) []string {
	for _, at := range []string{path, look.Path} {
		at = filepath.ToSlash(at)
		switch {
		case strings.HasSuffix(at, "/"+keep.RitualFile):
			return []string{"agents in this repository are told this, and not Turnpost's own text, where they are told what to do first"}
		case strings.HasSuffix(at, ".toml") && strings.Contains(at, "/"+workflow.Dir+"/"):
			return allowsProcess(strings.TrimSuffix(filepath.Base(at), ".toml"), look)
		}
	}
	return []string{"nothing: Turnpost reads " + workflow.Dir + "/NAME.toml and " + keep.RitualFile + " of a repository, and this is neither"}
}

func allowsProcess(name string, look trust.Look) []string {
	start, err := workflow.Parse(name, look.Path, look.Data)
	if err != nil {
		return []string{"nothing yet: no run can follow it as it is; turnpost run check " + quoteWord(look.Path) + " says why"}
	}
	out := []string{fmt.Sprintf("runs may follow it, %s: %s", plural(len(start.Process.Steps), "step"), line(start.Goal))}
	for _, s := range start.Process.Steps {
		switch s.Kind {
		case turnpost.StepCommand:
			words := make([]string, len(s.Command.Args))
			for i, arg := range s.Command.Args {
				words[i] = quoteWord(setup.Visible(arg))
			}
			out = append(out, fmt.Sprintf("turnpost run work runs, in %s: %s", s.Command.Dir, strings.Join(words, " ")))
		case turnpost.StepAgent:
			out = append(out, fmt.Sprintf("%s is asked: %s", s.To, turnpost.OneLine(s.Text, 100)))
		}
	}
	return out
}
